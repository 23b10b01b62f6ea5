import ArgumentParser

/// When there are colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// On a terminal that can show them.
    case auto
    /// Also in a pipe.
    case always
    case never

    /// Where none is said.
    static let usual = ColorChoice.auto
}

/// How results and messages look. It is read before the parser reads the line: errors of the parser look the same.
struct Presentation: Sendable {
    static let wideHelp: ArgumentHelp = "Tables with all columns, however wide the terminal is."
    static let colorHelp = ArgumentHelp("Colours: auto, always or never (env NO_COLOR).", valueName: "WHEN")

    var isJSON = false
    var isWide = false
    var color = ColorChoice.auto

    init(_ arguments: some Collection<String>) {
        var before = ""
        for word in arguments.prefix(while: { $0 != "--" }) {
            if word == "--json" { isJSON = true }
            if word == "--wide" { isWide = true }
            let prefix = "--color="
            let said = word.hasPrefix(prefix) ? String(word.dropFirst(prefix.count)) : before == "--color" ? word : ""
            if let choice = ColorChoice(rawValue: said) { color = choice }
            before = word
        }
    }
}
