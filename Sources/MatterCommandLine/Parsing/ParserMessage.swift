import ArgumentParser
import MatterController

extension CommandLineError {
    /// What the parser says on several lines, in the form that all errors have.
    ///
    /// - Parameter arguments: what was parsed.
    init(parsing error: any Error, _ arguments: [String]) {
        let lines = MatterCtl.fullMessage(for: error).split(separator: "\n")
        func text(after label: String) -> Substring? {
            lines.first { $0.hasPrefix(label) }.map { $0.dropFirst(label.count).drop { $0 == " " } }
        }
        var reason = Self.likely(Self.reason(MatterCtl.message(for: error)))
        // What the argument is for: "<node>  Node id or name."
        if let help = text(after: "Help:")?.split(separator: "  ", maxSplits: 1).last?.drop(while: { $0 == " " }) {
            reason += " (\(Self.lowered(String(help.hasSuffix(".") ? help.dropLast() : help))))"
        }
        if let negative = Self.negativeNumber(in: arguments, reason) { reason = negative }
        let page = lines.last { $0.contains("See '") }?.split(separator: "'").dropFirst().first ?? "matterctl --help"
        var hint = "see: \(page)"
        if let usage = text(after: "Usage:") { hint = "usage: \(Self.brief(usage)); \(hint)" }
        if LeadingOptions.precede(arguments, of: MatterCtl.self), let option = arguments.first {
            if let nearest = LeadingOptions.nearest(to: option) {
                hint = "did you mean \(nearest)?"
            } else {
                hint = "options of a single command belong after it: matterctl COMMAND \(option)"
            }
        }
        self.init(.usage, reason, hint: Hint(hint))
    }

    /// One line of what may be a sentence and a list of the values that are allowed.
    private static func reason(_ message: String) -> String {
        let bullet = "- "
        let lines = message.split(separator: "\n").map { $0.drop { $0 == " " } }
        let choices = lines.filter { $0.hasPrefix(bullet) }.map { $0.dropFirst(bullet.count) }
        let text = lines.filter { !$0.hasPrefix(bullet) }.joined(separator: " ")
        guard !choices.isEmpty else {
            // A short list stands in the sentence, which ends.
            let sentence = text.replacing(". Please provide one of ", with: ": use ")
            return lowered(
                sentence == text ? text : String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]))
        }
        let problem = text.replacing(". Please provide one of the following:", with: ": use one of")
        return lowered("\(problem) \(choices.joined(separator: ", "))")
    }

    /// Without the option that the parser proposes, if it is another word rather than another spelling. `--all`, which makes a
    /// command one for the whole house, is never proposed.
    private static func likely(_ reason: String) -> String {
        let parts = reason.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[2].hasSuffix(". Did you mean ") else { return reason }
        let isLikely =
            parts[3] != "--all" && !Suggestions.nearest(to: String(parts[1]), among: [String(parts[3])]).isEmpty
        return isLikely ? reason : "\(parts[0])'\(parts[1])'"
    }

    /// The parser's sentences begin with a capital, ours do not; names and abbreviations stay as they are.
    private static func lowered(_ text: String) -> String {
        guard let first = text.first, first.isUppercase, text.dropFirst().first.map({ !$0.isUppercase }) ?? false else {
            return text
        }
        return first.lowercased() + text.dropFirst()
    }

    /// The parser takes a negative number for an option, so that the one before it has no value.
    private static func negativeNumber(in arguments: [String], _ reason: String) -> String? {
        guard reason.hasPrefix("missing value for '") else { return nil }
        for (option, value) in zip(arguments, arguments.dropFirst())
        where option.hasPrefix("-") && NegativeNumbers.isNegativeNumber(value) {
            guard reason.hasPrefix("missing value for '\(option)") else { continue }
            return "a negative number is not allowed: \(option) \(value)"
        }
        return nil
    }

    /// A usage with its options left out.
    static func brief(_ usage: Substring) -> String {
        var words = usage.split(separator: " ")
        guard let first = words.firstIndex(where: { $0.hasPrefix("[-") }),
            let final = words.lastIndex(where: { $0.hasPrefix("[-") }),
            let last = words[final...].firstIndex(where: { $0.hasSuffix("]") })
        else { return String(usage) }
        words.replaceSubrange(first...last, with: ["[<options>]"])
        return words.joined(separator: " ")
    }
}
