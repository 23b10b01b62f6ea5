import ArgumentParser

/// What a command takes, as its help page says it.
struct CommandPage {
    struct Parameter: Equatable {
        /// `--room`, `-v`; none for one that is known by its position.
        var names: [String] = []
        /// `ROOM`; `nil` for a flag.
        var value: String?
        var help = ""

        /// The values that the page lists.
        var values: [String] {
            guard let list = help.split(separator: "(values: ", maxSplits: 1).dropFirst().first else { return [] }
            return list.prefix { $0 != ")" && $0 != ";" }.split(separator: ",").map { word in
                String(word.drop { $0 == " " })
            }
        }
    }

    private(set) var arguments: [Parameter] = []
    private(set) var options: [Parameter] = []
    /// Whether the last argument may come several times.
    private(set) var isRepeating = false

    init(of command: any ParsableCommand.Type) { self.init(command.helpMessage(columns: 1000)) }

    /// - Parameter text: a help page with a line for each parameter.
    init(_ text: String) {
        var section = Substring()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("USAGE:") { isRepeating = line.contains(" ...") }
            guard line.hasPrefix("  ") else {
                section = line
                continue
            }
            guard section.hasSuffix(":"), !section.hasPrefix("USAGE"), !section.hasPrefix("OVERVIEW"),
                !section.hasPrefix("SUBCOMMANDS")
            else { continue }
            let isArgument = section == "ARGUMENTS:"
            guard !line.hasPrefix("    ") else {
                // A head that is long has its help on the next line.
                let help = String(line.drop { $0 == " " })
                if isArgument, !arguments.isEmpty { arguments[arguments.count - 1].help += help }
                if !isArgument, !options.isEmpty { options[options.count - 1].help += help }
                continue
            }
            let parameter = Self.parameter(line.dropFirst(2))
            if isArgument { arguments.append(parameter) } else { options.append(parameter) }
        }
    }

    private static func parameter(_ line: Substring) -> Parameter {
        var parameter = Parameter()
        let opening = line.firstIndex(of: "<")
        var rest = line
        if let opening, let closing = line[opening...].firstIndex(of: ">") {
            parameter.value = String(line[line.index(after: opening)..<closing])
            rest = line[line.index(after: closing)...]
            parameter.names = line[..<opening].split(separator: " ").map { name in String(name.prefix { $0 != "," }) }
        } else {
            let words = line.split(separator: "  ", maxSplits: 1)
            parameter.names = (words.first ?? "").split(separator: " ").map { name in String(name.prefix { $0 != "," })
            }
            rest = words.dropFirst().first ?? ""
        }
        parameter.help = String(rest.drop { $0 == " " })
        return parameter
    }

    func option(_ name: String) -> Parameter? { options.first { $0.names.contains(name) } }

    /// The argument at a position; `nil` if the command takes no more.
    func argument(_ index: Int) -> Parameter? {
        guard !arguments.indices.contains(index) else { return arguments[index] }
        return isRepeating ? arguments.last : nil
    }
}
