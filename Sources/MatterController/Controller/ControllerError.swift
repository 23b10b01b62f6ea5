public import MatterModel

/// Why a controller could not do what it was asked to, once its own layers had no better name for it.
public struct ControllerError: CodedError {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// The command was sent and may have run; its outcome is unknown.
        case outcomeUnknown = "command.outcome-unknown"
        /// The device answered a path with a status.
        case status = "im.status"
        /// The device answered a command with a response that says no.
        case refused = "command.refused"
        /// No endpoint of the node has the cluster.
        case unsupportedCluster = "node.unsupported-cluster"
        /// Several endpoints have it, and none was named.
        case ambiguousEndpoint = "node.ambiguous-endpoint"
        /// The fabric cannot issue certificates here.
        case noIssuer = "issuer.none"
        /// Groups do not take what was to be sent: they take commands, and none that is timed; nothing was sent.
        case groupTarget = "usage.group-target"
        /// The fabric has another issuer than was asked for.
        case otherIssuer = "usage.issuer"
        /// The external program that issues certificates failed, or printed something unusable.
        case issuerProgram = "issuer.program-failed"
        /// Other processes of this machine had all sessions that the node grants, until the deadline; nothing was sent.
        case sessionsInUse = "node.sessions-in-use"
        /// The device refused to forget the fabric.
        case removalRefused = "node.removal-refused"
        /// The new access control list would keep us from administering the node; nothing was written.
        case lockout = "acl.lockout"
        /// No node may accept an entry of the new access control list; nothing was written.
        case invalidAccessEntry = "acl.invalid-entry"
        /// The node has no room for the new access control list; nothing was written.
        case accessListFull = "acl.full"
        /// The access control list has no such entry, or none that names the subject.
        case unknownAccessEntry = "acl.unknown-entry"
        /// The device has no fabric with that number.
        case unknownFabric = "fabrics.unknown"
        /// The fabric that was to be removed from a device is ours.
        case ownFabric = "fabrics.own"
        /// The device refused to remove or to name a fabric.
        case fabricRefused = "fabrics.refused"
        /// The source has no such binding.
        case unknownBinding = "binding.unknown"
        /// One half of a binding failed, and the other half could not be taken back; the error underneath came first.
        case bindingUnfinished = "binding.unfinished"
        /// The node has another group, or another group key set, under the id of ours.
        case groupConflict = "group.conflict"
        /// The node accepted a list and has another one.
        case listDiffers = "node.list-differs"
        /// A list is not the one that the change was meant for; ``state`` has the list that the node has now.
        case listChanged = "node.list-changed"
        /// The device has a commissioning window open.
        case windowOpen = "window.open"
        /// Another administrator is at work on the device.
        case nodeBusy = "window.busy"
        /// The device keeps its own time.
        case timeNotAccepted = "time.not-accepted"
        /// The device could not do what it was asked to with its network.
        case networkRefused = "net.refused"
        /// The device was told to join a network, and was not reached there.
        case networkLost = "net.not-reached"
        /// The network that is to be removed is the one that the device is on.
        case networkInUse = "net.in-use"
        /// The device has no such network.
        case unknownNetwork = "net.unknown"
        /// The device has the cluster and lacks a feature or a command of it; nothing was sent.
        case deviceLacks = "node.lacks"
        /// A value is outside the limits that the device has; nothing was sent.
        case outOfLimits = "node.limits"
        /// The lock wants a PIN code with its commands.
        case pinNeeded = "lock.pin-needed"
        /// The lock has the PIN code already.
        case codeTaken = "lock.duplicate-code"
        /// The lock has no such user, or the user no such code.
        case unknownLockUser = "lock.unknown-user"
        /// The lock has room for no more users or codes.
        case lockFull = "lock.full"
        /// The mode of the thermostat does not say which of its temperatures is meant.
        case modeUnclear = "thermostat.mode"
        /// The node sleeps, and does not check in with our node.
        case notRegistered = "icd.not-registered"
        /// The node sleeps, and has not checked in within the time.
        case noCheckIn = "icd.no-check-in"
        /// Another process takes the check-ins of the fabric's nodes.
        case listening = "icd.listening"
        /// A file is no capture of network traffic.
        case captureUnreadable = "capture.unreadable"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .outcomeUnknown: .outcomeUnknown
            case .unsupportedCluster, .deviceLacks: .unsupported
            case .captureUnreadable, .ambiguousEndpoint, .groupTarget, .otherIssuer, .lockout, .invalidAccessEntry,
                .ownFabric,
                .outOfLimits, .pinNeeded,
                .modeUnclear, .networkInUse:
                .invalidInput
            case .unknownAccessEntry, .unknownFabric, .unknownBinding, .unknownLockUser, .notRegistered,
                .unknownNetwork:
                .notFound
            case .noIssuer, .issuerProgram: .issuerFailed
            case .sessionsInUse, .listening: .localState
            case .noCheckIn, .networkLost: .noAnswer
            case .status, .bindingUnfinished, .removalRefused, .accessListFull, .groupConflict, .listDiffers,
                .listChanged, .fabricRefused, .windowOpen, .nodeBusy, .timeNotAccepted, .networkRefused, .refused,
                .codeTaken, .lockFull:
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
    /// The status that the node answered; `nil` if it did not.
    public var status: StatusIB?
    /// The attribute, command or event that the status is about.
    public var place: ElementPath?
    /// For an unknown outcome, or a list that has changed: what was read back afterwards.
    public var state: [(path: ConcreteAttributePath, value: TLVValue)] = []
    /// The error that led to this one; `nil` if there is none.
    public var underlying: (any Error)?
    /// For a network that the device could not join.
    package var network: NetworkFailure?
    /// For a refusal: what the response says.
    public var refusal: Refusal?
    /// For sessions in use: the processes that have them.
    public var holders: [Int32] = []

    /// An error with its words, and the place on the node that it is about.
    public init(
        _ code: Code, _ reason: String, hint: Hint? = nil, status: StatusIB? = nil, at place: ElementPath? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.status = status
        self.place = place
        self.underlying = underlying
    }
}

extension ControllerError {
    /// Facts for programs, by name.
    public var facts: [Fact] {
        if let network { return network.facts }
        return [Fact("response", refusal?.name), Fact("responseCode", refusal?.number)].compactMap { $0 }
    }
}

extension ControllerError {
    /// A status of the device, or the fault underneath, says more than the code.
    public var kind: FailureKind {
        switch code {
        case .status: status.map { FailureKind(status: $0.status) } ?? code.kind
        case .bindingUnfinished: underlying.map { FailureKind($0) } ?? code.kind
        default: code.kind
        }
    }
}

extension FailureKind {
    /// The kind of any error; `defect` for one that is not ours.
    public init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .interrupted
        case let error as InterruptedCommissioning: self.init(error.underlying)
        case let error as MatterError: self.init(error.underlying)
        case let error as any CodedError: self = error.kind
        default: self = .defect
        }
    }
}
