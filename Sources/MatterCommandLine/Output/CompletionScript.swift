/// The parser's completion scripts, which know no aliases: lets `list` be completed wherever `ls` is.
enum CompletionScript {
    private static let (name, alias) = ("ls", "list")

    /// - Parameter script: for bash, zsh or fish, as the parser writes it.
    static func withAliases(_ script: String) -> String {
        script.split(separator: "\n", omittingEmptySubsequences: false).flatMap(lines).joined(separator: "\n")
    }

    private static func lines(_ line: Substring) -> [String] {
        let text = String(line)
        let bare = line.drop { $0 == " " }
        let indent = String(line.prefix(line.count - bare.count))
        // bash and zsh: the branch of the subcommands, and the function that it calls.
        if bare.hasPrefix("\(name)|") { return [indent + "\(name)|\(alias)" + bare.dropFirst(name.count)] }
        if bare.hasPrefix("\"_matterctl_") {
            for word in ["${subcommand}\"", "${words[1]}\""] where text.contains(word) {
                let parts = text.split(separator: word, maxSplits: 1, omittingEmptySubsequences: false)
                return [parts[0] + word.dropLast(2) + "/#\(alias)/\(name)}\"" + parts[1]]
            }
        }
        // bash: the words to choose from.
        let words = "compgen -W '\(name) "
        if text.contains(words) {
            return [text.split(separator: words, maxSplits: 1).joined(separator: "compgen -W '\(name) \(alias) ")]
        }
        // zsh: the words with their descriptions.
        if bare.hasPrefix("'\(name):") { return [text, indent + "'\(alias):" + bare.dropFirst(name.count + 2)] }
        // fish: both.
        if bare == "case '\(name)'" { return [indent + "case '\(name)' '\(alias)'"] }
        let offer = " -fa '\(name)' "
        if text.contains(offer) {
            return [text, text.split(separator: offer, maxSplits: 1).joined(separator: " -fa '\(alias)' ")]
        }
        return [text]
    }
}
