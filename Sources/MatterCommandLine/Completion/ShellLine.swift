/// A command line as bash has it, up to the cursor, taken apart into words without their quotes.
struct ShellLine: Equatable {
    /// The words before the one at the cursor.
    private(set) var words: [String] = []
    /// The word at the cursor, as far as it goes.
    private(set) var word = ""
    /// The beginning of ``word`` that bash takes for finished: it lies before a character such as `=`.
    private(set) var lead = ""
    /// The quote that is open at the cursor.
    private(set) var quote: Character?

    /// - Parameter breaks: the characters at which bash begins another word (`COMP_WORDBREAKS`).
    init(_ text: String, breaks: Set<Character>) {
        var isWord = false
        var leadBeforeQuote = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                isEscaped = false
                // Within quotes a backslash stands for itself before what it need not protect.
                if quote == "\"", !"\"\\$`".contains(character) { word.append("\\") }
                word.append(character)
            } else if character == "\\", quote != "'" {
                (isEscaped, isWord) = (true, true)
            } else if let open = quote {
                if character == open { (quote, lead) = (nil, leadBeforeQuote) } else { word.append(character) }
            } else if character == "'" || character == "\"" {
                (quote, isWord) = (character, true)
                (leadBeforeQuote, lead) = (lead, word)
            } else if character == " " || character == "\t" || character == "\n" {
                if isWord { words.append(word) }
                (word, lead, isWord) = ("", "", false)
            } else {
                // The word of bash that begins with one of these has it.
                let isPrefix = character == "@" || character == "$"
                if breaks.contains(character), isPrefix { lead = word }
                word.append(character)
                isWord = true
                if breaks.contains(character), !isPrefix { lead = word }
            }
        }
        if isEscaped { word.append("\\") }
    }

    /// A candidate for ``word`` as bash has to insert it; `nil` if bash cannot replace what it differs in.
    func insertion(of candidate: Candidate) -> String? {
        guard candidate.word.hasPrefix(lead) else { return nil }
        let rest = candidate.word.dropFirst(lead.count)
        switch quote {
        // bash closes the quote itself.
        case "'": return rest.reduce(into: "") { $0 += $1 == "'" ? "'\\''" : "\($1)" }
        case .some: return Self.escaped(rest, "\"\\$`")
        case nil:
            return Self.escaped(rest, " \t\"'\\$`!&|;<>()[]{}*?#~") + (candidate.isFinished ? " " : "")
        }
    }

    private static func escaped(_ text: Substring, _ special: String) -> String {
        text.reduce(into: "") { escaped, character in
            if special.contains(character) { escaped.append("\\") }
            escaped.append(character)
        }
    }
}

/// A word that may stand at the cursor.
struct Candidate: Equatable {
    /// All of it, without quotes.
    var word: String
    /// Its meaning, for shells that show that.
    var note = ""
    /// Whether a blank may follow.
    var isFinished = true
}
