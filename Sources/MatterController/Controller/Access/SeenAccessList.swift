public import MatterState

/// A number in an access control list: an entry of the list that the user was shown.
extension SeenList {
    /// - Parameters:
    ///   - time: when it is shown, in milliseconds since 1970.
    ///   - isResult: see ``isResult``.
    ///   - lines: what is shown of each entry.
    public init(_ entries: [AccessControlEntry], time: UInt64, isResult: Bool = false, lines: [String] = []) {
        var hash = SHA256()
        for entry in entries { hash.update(SHA256.hash(TLVElement(.anonymous, entry.unplaced.tlv).encoded())) }
        self.init(digest: hash.digest(), time: time, isResult: isResult, entries: lines)
    }

    /// Whether numbers of a command mean entries of a list: they do if that list is the one that was shown, and was before the
    /// command began. A list that another command has shown since may be one that the user has not seen.
    ///
    /// - Parameter shown: `nil` if none was ever shown.
    package func isMeant(after shown: SeenList?, by command: CommandStart) -> Bool {
        guard let shown else { return true }
        return shown.digest == digest && shown.time < (shown.isResult ? command.made : command.taken)
    }
}

/// When a command began, in milliseconds since 1970.
///
/// Of two commands with the same number at once, the second may not be loaded yet when the first has done its work and shown its
/// result: so what a change showed must be older than the process. A shell may run a last command in a process of its own that is
/// older than what `acl ls` before it showed: such a list must be older than the moment at which the program took its arguments.
public struct CommandStart: Equatable, Sendable {
    /// When its process was made, at the earliest: in milliseconds since 1970.
    package var made: UInt64
    /// When the program took its arguments: in milliseconds since 1970.
    package var taken: UInt64

    // memberwise: public
}
