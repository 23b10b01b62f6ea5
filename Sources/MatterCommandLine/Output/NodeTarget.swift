import MatterController

/// A node as messages name it: by the word that the user gave.
package struct NodeTarget: Sendable {
    /// An id or a name.
    let word: String

    package init(_ word: String) { self.word = word }

    /// Where no word was given: the name, otherwise the id.
    package init(_ node: NodeRecord) { word = node.name ?? "\(node.nodeID.rawValue)" }

    /// `node 2`, `node 'kitchen'`.
    package var text: String { NameRule.parseNumber(word) == nil ? "node '\(word)'" : "node \(word)" }

    /// As it stands in a command that can be pasted.
    package var argument: String { ShellWord.quoted(word) }
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
