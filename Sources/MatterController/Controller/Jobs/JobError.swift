public import MatterState

/// Why a job, or its work on a node, cannot go on.
public struct JobError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// There is no job of that number.
        case unknown = "job.unknown"
        /// Another process does the job's work.
        case running = "job.running"
        /// The job is done, or was cancelled.
        case ended = "job.ended"
        /// An earlier job has still to do the opposite somewhere.
        case opposite = "job.opposite"
        /// The identity that the job acted under is gone.
        case identityGone = "job.identity-gone"
        /// The node has no room for another administrator.
        case listFull = "job.list-full"
        /// The node wakes only to check in with the other controller.
        case sleeper = "job.sleeper"
        /// The other controller may not administer the node.
        case notAdministrator = "job.not-administrator"
        /// The node has left the fabric.
        case notOnFabric = "job.not-on-fabric"
        /// The node would have no administrator.
        case lastAdministrator = "job.last-administrator"
        /// The node took the list, and does not let us administer it.
        case notAdmitted = "job.not-admitted"
        /// An administrator of the fabric is not ours, and cannot follow a rotation.
        case foreignAdministrator = "job.foreign-administrator"
        /// The identity key was rotated while a command ran that had the old one.
        case keyChanged = "job.key-changed"
        /// The keys of a rotation are gone.
        case keyGone = "job.key-gone"
        /// A rotation cannot go back any more.
        case noWayBack = "job.no-way-back"
        /// The node took keys or a certificate, and has others.
        case notTaken = "job.not-taken"
        /// The node lacks a command that the work needs.
        case unsupported = "job.unsupported"
        /// The keys or certificates of the fabric are those of a service.
        case serviceKeys = "job.service-keys"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .unknown, .notOnFabric: .notFound
            case .running, .opposite, .identityGone, .keyChanged, .keyGone: .localState
            case .ended, .noWayBack: .invalidInput
            case .sleeper: .noAnswer
            case .unsupported: .unsupported
            case .listFull, .notAdministrator, .lastAdministrator, .notAdmitted, .foreignAdministrator, .notTaken,
                .serviceKeys:
                .refused
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
