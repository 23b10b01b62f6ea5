import Glibc
public import MatterBase

/// Why the state directory could not be used, in words that help to put it right.
public struct StoreError: CodedError, Equatable {
    /// The kind of fault.
    public enum Code: String, ErrorCode {
        /// No environment variable says where the state directory is.
        case noHome = "state.no-home"
        /// A record, folder or lock name that the store does not allow.
        case invalidName = "state.invalid-name"
        /// Another process has held the lock for too long.
        case busy = "state.busy"
        /// A file that is truncated, altered or not a record at all.
        case damaged = "state.damaged"
        /// A record that a newer version of this program wrote.
        case newerVersion = "state.newer-version"
        /// A record that would be overwritten.
        case exists = "state.exists"
        /// More bytes than a record may have.
        case tooLarge = "state.too-large"
        /// A file or folder of another user.
        case notOwned = "state.not-owned"
        /// A symbolic link, a special file, or permissions that cannot be tightened.
        case insecure = "state.insecure"
        /// The operating system forbids it.
        case permission = "state.permission"
        /// The disk or the quota is full.
        case noSpace = "state.no-space"
        /// The file system can only be read.
        case readOnly = "state.read-only"
        /// Anything else that the operating system reports.
        case system = "state.io"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .localState }
    }

    /// The code to match on; its raw value is stable.
    public var code: Code
    /// A sentence for a person; it names the file.
    public var reason: String
    /// The next step, if it is known.
    public var hint: Hint?
    /// The file or folder, if there is one.
    package var path: String?
    /// For a damaged record: where its previous, undamaged copy is.
    var previousCopy: String?

    package init(
        _ code: Code, _ reason: String, hint: Hint? = nil, path: String? = nil, previousCopy: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.path = path
        self.previousCopy = previousCopy
    }
}

extension StoreError {
    /// The error for a failed system call.
    ///
    /// - Parameters:
    ///   - number: `errno`.
    ///   - action: what was tried, as in “cannot write”.
    package static func system(_ number: Int32, _ action: String, _ path: String) -> StoreError {
        let reason = "cannot \(action) \(path)"
        switch number {
        case ENOSPC, EDQUOT:
            return StoreError(
                .noSpace, "\(reason): no space left on the disk, or the quota is used up",
                hint: "free some space and try again", path: path)
        case EROFS:
            return StoreError(
                .readOnly, "\(reason): the file system is read-only",
                hint: .step("state.elsewhere"), path: path)
        case EACCES, EPERM:
            return StoreError(
                .permission, "\(reason): permission denied",
                hint: "check who owns it, or " + .step("state.elsewhere"), path: path)
        case ELOOP:
            return StoreError(
                .insecure, "\(reason): it is a symbolic link, or has too many of them",
                hint: "symbolic links inside the state directory are not followed", path: path)
        case ENOTDIR:
            return StoreError(.system, "\(reason): part of the path is a file, not a directory", path: path)
        case EISDIR:
            return StoreError(.system, "\(reason): it is a folder", path: path)
        case EMFILE, ENFILE:
            return StoreError(.system, "\(reason): too many open files", path: path)
        default:
            return StoreError(.system, "\(reason): \(String(cString: strerror(number)))", path: path)
        }
    }
}
