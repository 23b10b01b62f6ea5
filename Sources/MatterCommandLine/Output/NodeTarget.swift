import MatterController

/// A node as messages name it: by the word that the user gave.
public struct NodeTarget: Sendable {
    /// An id or a name.
    let word: String

    /// The name of a node or a device in messages.
    public init(_ word: String) { self.word = word }

    /// Where no word was given: the name, otherwise the id.
    public init(_ node: NodeRecord) { word = node.name ?? "\(node.nodeID.rawValue)" }

    /// `node 2`, `node 'kitchen'`.
    public var text: String { NameRule.parseNumber(word) == nil ? "node '\(word)'" : "node \(word)" }

    /// As it stands in a command that can be pasted.
    public var argument: String { ShellWord.quoted(word) }
}

/// A word of a command that is shown to be pasted into a shell.
enum ShellWord {
    static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || "0123456789._-/:@%+=,".unicodeScalars.contains(scalar)
        }
        return isPlain && !word.isEmpty
            ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
    }
}
