/// The parser's help pages in the order in which people read: what is particular to a command first, what all commands
/// have at the end.
public enum HelpPage {
    /// The heading of the options that all commands have, and what the parser calls the section.
    public static let common = "Global options"

    private static let longestUsage = 73
    private static let heading = common.uppercased() + ":"

    /// - Parameter page: as the parser writes it.
    static func arranged(_ page: String) -> String {
        guard page.hasPrefix("OVERVIEW:") else { return page }
        var sections: [String] = []
        var shared: [String] = []
        var help: [String] = []
        let isRoot = page.contains("\nUSAGE: matterctl <subcommand>")
        for section in blocks(of: page) {
            let lines = section.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            switch lines.first ?? "" {
            case heading: shared = Array(lines.dropFirst())
            case "OPTIONS:":
                let (own, parser) = split(lines.dropFirst(), isRoot: isRoot)
                help = parser
                if !own.isEmpty { sections.append((["OPTIONS:"] + own).joined(separator: "\n")) }
            case let first where first.hasPrefix("USAGE: "): sections.append("USAGE: " + usage(lines))
            case let first where first.hasSuffix(" SUBCOMMANDS:"):
                let title = first.dropLast(" SUBCOMMANDS:".count) + ":"
                sections.append(([String(title)] + lines.dropFirst()).joined(separator: "\n"))
            default: sections.append(section)
            }
        }
        let title = shared.isEmpty ? "OPTIONS:" : heading
        let last = ([title] + shared + help).joined(separator: "\n")
        // What the parser says about help for subcommands stays the last line.
        let position = sections.last?.hasPrefix("  See '") == true ? sections.count - 1 : sections.count
        sections.insert(last, at: position)
        return sections.joined(separator: "\n\n") + "\n"
    }

    private static func blocks(of page: String) -> [String] {
        var blocks: [[Substring]] = [[]]
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { blocks.append([]) } else { blocks[blocks.count - 1].append(line) }
        }
        return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    }

    /// The options of the command itself, and those for help; `--version` belongs to the program.
    private static func split(_ lines: ArraySlice<String>, isRoot: Bool) -> (own: [String], help: [String]) {
        var (own, help): ([String], [String]) = ([], [])
        var place = 0
        for line in lines {
            if line.hasPrefix("  --version") {
                place = isRoot ? 1 : 2
            } else if line.hasPrefix("  -h, --help") {
                place = 1
            } else if line.hasPrefix("  -") {
                place = 0
            }
            if place == 0 { own.append(line) } else if place == 1 { help.append(line) }
        }
        return (own, help)
    }

    /// One line that is not longer than a terminal is wide: the options are below it anyway.
    private static func usage(_ lines: [String]) -> String {
        let whole = lines.map { $0.drop { $0 == " " } }.joined(separator: " ").dropFirst("USAGE: ".count)
        return whole.count > longestUsage ? CommandLineError.brief(whole) : String(whole)
    }
}
