import ArgumentParser
import MatterController

/// The page of a command, from its declaration, in the order in which people read: what is particular to the command first,
/// what all commands have at the end.
public struct HelpPage {
    /// The title of the options that all commands have.
    public static let common = "Global options"

    private static let indent = "  "
    /// Where the text beside a name begins.
    private static let column = 26

    private let type: any ParsableCommand.Type
    private let command: String
    private let declaration: CommandDeclaration
    private let columns: Int

    /// - Parameters:
    ///   - command: its words, with the program.
    ///   - columns: how wide the page may be.
    init(of type: any ParsableCommand.Type, _ command: String, columns: Int) {
        self.type = type
        self.command = command
        declaration = CommandDeclaration(of: type)
        self.columns = max(columns, Self.column * 2)
    }

    /// The page that is asked for: by `help`, or by `--help` anywhere; `nil` if none is.
    static func asked(by arguments: [String]) -> String? {
        guard arguments.first == "help" || arguments.contains(where: { ["-h", "--help"].contains($0) }) else {
            return nil
        }
        let words = arguments.filter { !["-h", "--help"].contains($0) }
        let check = LineCheck(
            words.first == "help" ? Array(words.dropFirst()) : words, of: MatterCtl.self, isHelp: true)
        return HelpPage(of: check.type, check.command, columns: Terminal.current.width).text
    }

    /// The kind of device that the command is about, if it has verbs.
    private var kind: DeviceKind? {
        (type as? any KindOfDeviceCommand.Type).flatMap { $0.kind.verbs.isEmpty ? nil : $0.kind }
    }

    private var isRoot: Bool { !command.contains(" ") }

    /// The page; with a line end at its end.
    var text: String {
        var sections = [overview, "USAGE: " + Self.usage(declaration, command)]
        if let kind { sections.append(section("VERBS", KindLine.verbs(kind).map { entry($0.typed, $0.text) })) }
        sections.append(section("ARGUMENTS", declaration.arguments.filter(\.isShown).map(entry)))
        let options = entries(declaration.options.filter(\.isShown))
        for title in titles where title != Self.common { sections.append(section(title.uppercased(), options[title])) }
        sections.append(section("OPTIONS", options[""]))
        sections += commands
        let shared = options[Self.common] ?? []
        sections.append(
            section(shared.isEmpty ? "OPTIONS" : Self.common.uppercased(), shared + (options[Self.parsers] ?? [])))
        if !type.configuration.subcommands.isEmpty {
            let words = command.split(separator: " ")
            let page = (words.prefix(1) + ["help"] + words.dropFirst()).joined(separator: " ")
            sections.append("\(Self.indent)See '\(page) <subcommand>' for detailed help.")
        }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private var overview: String {
        let configuration = type.configuration
        let parts = [configuration.abstract, configuration.discussion].filter { !$0.isEmpty }
        return parts.isEmpty ? "" : wrapped("OVERVIEW: " + parts.joined(separator: "\n\n"))
    }

    // MARK: Options

    /// The options that the parser adds to every command, under a title of its own.
    private static let parsers = "\u{0}"

    private var titles: [String] {
        declaration.options.reduce(into: []) { titles, option in
            if let title = option.title, !titles.contains(title) { titles.append(title) }
        }
    }

    /// The lines of the options, by their titles; those without one under an empty title.
    private func entries(_ options: [CommandDeclaration.Parameter]) -> [String: [String]] {
        var found: [String: [String]] = [:]
        var rest = options[...]
        while var option = rest.popFirst() {
            var title = option.title ?? ""
            if option.names == ["--version"] {
                guard isRoot else { continue }
                title = Self.parsers
            } else if option.names.contains("--help") {
                title = Self.parsers
            }
            // A flag and its opposite are one.
            if let name = option.names.last, let other = rest.first,
                other.names == ["--no-" + name.dropFirst(2)], other.value == nil, option.value == nil,
                other.help == option.help || other.help.isEmpty
            {
                option.names = [name + "/" + other.names[0]]
                rest = rest.dropFirst()
            }
            found[title, default: []].append(entry(option))
        }
        return found
    }

    private var commands: [String] {
        let configuration = type.configuration
        func section(_ title: String, _ types: [any ParsableCommand.Type]) -> String {
            self.section(
                title,
                types.filter { $0.configuration.shouldDisplay }.map { command in
                    let names = [command._commandName] + command.configuration.aliases
                    let mark = command == configuration.defaultSubcommand ? " (default)" : ""
                    return entry(names.joined(separator: ", ") + mark, command.configuration.abstract)
                })
        }
        return [section("SUBCOMMANDS", configuration.ungroupedSubcommands)]
            + configuration.groupedSubcommands.map { section($0.name.uppercased(), $0.subcommands) }
    }

    // MARK: Layout

    private func section(_ title: String, _ entries: [String]?) -> String {
        guard let entries, !entries.isEmpty else { return "" }
        return ([title + ":"] + entries).joined(separator: "\n")
    }

    private func entry(_ parameter: CommandDeclaration.Parameter) -> String {
        let value = parameter.value.map { "<\($0)>" }
        let label = [parameter.names.joined(separator: ", "), value ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        let values = parameter.values.isEmpty ? nil : "values: " + parameter.values.joined(separator: ", ")
        let facts = [values, parameter.standard.map { "default: " + $0 }].compactMap { $0 }
        let text = [parameter.help, facts.isEmpty ? "" : "(\(facts.joined(separator: "; ")))"]
        return entry(label, text.filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// A name, and its text beside it; below it, if the name is long.
    private func entry(_ label: String, _ text: String) -> String {
        let head = Self.indent + label
        guard !text.isEmpty else { return head }
        let body = wrapped(text, indent: Self.column)
        return head.count < Self.column ? head + body.dropFirst(head.count) : head + "\n" + body
    }

    /// Text in lines that are shorter than the page is wide.
    private func wrapped(_ text: String, indent: Int = 0) -> String {
        let width = columns - indent - 1
        let margin = String(repeating: " ", count: indent)
        let paragraphs = text.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [String] = []
        for (place, paragraph) in paragraphs.enumerated() {
            var line: String?
            let words = paragraph.split(separator: " ", omittingEmptySubsequences: false)
            for (index, word) in words.enumerated() {
                guard let before = line else {
                    line = String(word)
                    continue
                }
                // The very last word may fill its line.
                let isLast = place == paragraphs.count - 1 && index == words.count - 1
                if before.count + 1 + word.count <= width + (isLast ? 1 : 0) {
                    line = before + " " + word
                } else {
                    lines.append(before)
                    line = String(word)
                }
            }
            lines.append(line ?? "")
        }
        return lines.map { $0.isEmpty ? $0 : margin + $0 }.joined(separator: "\n")
    }

    /// `matterctl read [<options>] [<node>] [<paths> ...]`: the options are below it anyway.
    static func usage(_ declaration: CommandDeclaration, _ command: String) -> String {
        guard !declaration.hasSubcommands else { return "\(command) <subcommand>" }
        let words = declaration.arguments.filter(\.isShown).map { argument in
            if argument.kind == .deviceWords {
                // Each of them is taken from one list of words.
                let parts = (argument.value ?? "").split(separator: "-")
                return parts.map { $0 == "node" ? "[<node> ...]" : "[<\($0)>]" }.joined(separator: " ")
            }
            let text = "<\(argument.value ?? "")>" + (argument.isRepeating ? " ..." : "")
            return argument.isOptional ? "[\(text)]" : text
        }
        return ([command, "[<options>]"] + words).joined(separator: " ")
    }
}
