import MatterController

/// The question of a shell: `---complete SHELL …`.
struct CompletionCall {
    static let word = "---complete"

    private let shell: Substring
    private let arguments: ArraySlice<String>

    /// `nil` if this is a command line of another kind.
    init?(_ arguments: some Collection<String>) {
        let arguments = Array(arguments)
        guard arguments.first == Self.word, arguments.count > 2 else { return nil }
        shell = arguments[1][...]
        self.arguments = arguments.dropFirst(2)
    }

    /// The answer, a candidate in each line; before them whether files may follow. bash gets words that it can insert,
    /// other shells words with a description behind a tabulator.
    var lines: [String] {
        if shell == "bash" {
            // The characters that end a word for bash, and the line up to the cursor.
            let line = ShellLine(arguments.last ?? "", breaks: Set(arguments.first ?? ""))
            let answer = Completer(Array(line.words.dropFirst()), line.word).answer
            return [Self.head(answer)] + answer.candidates.compactMap(line.insertion)
        }
        let answer = Completer(Array(arguments.dropLast()), arguments.last ?? "").answer
        return [Self.head(answer)]
            + answer.candidates.map { TerminalText.escaped($0.word) + "\t" + TerminalText.escaped($0.note) }
    }

    private static func head(_ answer: Completer.Answer) -> String { answer.takesFiles ? "files" : "words" }
}
