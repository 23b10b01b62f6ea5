import ArgumentParser
import JSON

/// The parameters of a command, from the description that the argument parser gives of its own declaration.
struct CommandDeclaration {
    struct Parameter: Equatable {
        /// `--room`, `-v`; none for one that is known by its position.
        var names: [String] = []
        /// `ROOM`; `nil` for a flag.
        var value: String?
        /// The kind of value at its place; `nil` if nothing is known of it.
        var kind: ParameterKind?
        /// All that may stand there, where that is a list.
        var values: [String] = []
        /// Words that may stand there among others.
        var offers: [String] = []
        var isRepeating = false
        var isOptional = false
        /// Whether pages show it.
        var isShown = true
        var help = ""
        /// The heading under which pages show it.
        var title: String?
        /// The value if it is not given.
        var standard: String?
    }

    /// Whether it only leads to other commands.
    let hasSubcommands: Bool
    /// Those that are known by their position, in order.
    private(set) var arguments: [Parameter] = []
    /// All others, hidden ones too.
    private(set) var options: [Parameter] = []

    init(of type: any ParsableArguments.Type) {
        hasSubcommands = !((type as? any ParsableCommand.Type)?.configuration.subcommands.isEmpty ?? true)
        guard !hasSubcommands else {
            // The description has all that is below it, and takes as long. It has no parameters of its own.
            options = [Parameter(names: ["-h", "--help"], isOptional: true, help: "Show help information.")]
            if type == MatterCtl.self {
                options.insert(Parameter(names: ["--version"], isOptional: true, help: "Show the version."), at: 0)
            }
            return
        }
        // It is the parser's own text. Where it could not be read there would be no parameters.
        guard let description = try? JSONValue(parsing: type._dumpHelp()) else { return }
        for argument in description["command"]?["arguments"]?.list ?? [] {
            let parameter = Self.parameter(argument)
            if parameter.names.isEmpty { arguments.append(parameter) } else { options.append(parameter) }
        }
    }

    private static func parameter(_ json: JSONValue) -> Parameter {
        var parameter = Parameter()
        let kind = json["kind"]?.text
        if kind != "positional" {
            let names = (json["names"]?.list ?? []).compactMap { name in
                name["name"]?.text.map { (name["kind"]?.text == "long" ? "--" : "-") + $0 }
            }
            // As on the page: the short ones first.
            parameter.names = names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
        }
        if kind != "flag" { parameter.value = json["valueName"]?.text }
        parameter.kind = (json["completionKind"]?["shellCommand"]?["command"]?.text).flatMap {
            ParameterKind(text: $0)
        }
        parameter.values = json["allValues"]?.list.compactMap(\.text) ?? []
        parameter.offers = json["completionKind"]?["list"]?["values"]?.list.compactMap(\.text) ?? []
        parameter.isRepeating = json["isRepeating"]?.isTrue ?? false
        parameter.isOptional = json["isOptional"]?.isTrue ?? false
        parameter.isShown = json["shouldDisplay"]?.isTrue ?? true
        parameter.title = json["sectionTitle"]?.text
        parameter.standard = json["defaultValue"]?.text
        parameter.help = (json["abstract"]?.text ?? "").split(separator: "\n").joined(separator: " ")
        return parameter
    }

    func option(_ name: String) -> Parameter? { options.first { $0.names.contains(name) } }

    /// The argument at a position; `nil` if the command takes no more.
    func argument(_ index: Int) -> Parameter? {
        guard !arguments.indices.contains(index) else { return arguments[index] }
        return arguments.last.flatMap { $0.isRepeating ? $0 : nil }
    }

    /// The options that take no value.
    var flags: Set<String> { Set(options.filter { $0.value == nil }.flatMap(\.names)) }
}

extension JSONValue {
    fileprivate subscript(_ key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    fileprivate var list: [JSONValue] { if case .array(let values) = self { values } else { [] } }

    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var isTrue: Bool { if case .bool(true) = self { true } else { false } }
}
