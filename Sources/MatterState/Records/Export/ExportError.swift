public import MatterModel

/// Why an export or a backup could not be made or read.
public struct ExportError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The document is truncated, altered, or contradicts itself; nothing was written.
        case damaged = "export.damaged"
        /// A newer version of this program made it.
        case newerVersion = "export.newer-version"
        /// The file is encrypted, and its passphrase or its identity was not given.
        case locked = "export.locked"
        /// The fabric is here already.
        case present = "export.present"
        /// There is no backup in the folder.
        case noBackup = "export.no-backup"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .damaged, .newerVersion, .present: .localState
            case .locked: .invalidInput
            case .noBackup: .notFound
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// A sentence for a person.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
