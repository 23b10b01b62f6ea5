import MatterController

/// Faults that the command line itself finds: with its arguments, or with what it was to do.
public struct CommandLineError: CodedError {
    /// The possible faults of a command line.
    public enum Code: String, ErrorCode, CaseIterable {
        case aclControllers = "acl.controllers"
        case aclIncomplete = "acl.incomplete"
        case aclLockout = "acl.lockout"
        case attestIncomplete = "attest.incomplete"
        case attestUntrusted = "attest.untrusted"
        case checkFailed = "check.failed"
        case cloudDevicesRemain = "cloud.devices-remain"
        case conformFailed = "conform.failed"
        case commissionIncomplete = "commission.incomplete"
        case dataModelUnknownCluster = "data-model.unknown-cluster"
        case groupIncomplete = "group.incomplete"
        case doctorFault = "doctor.fault"
        case groupNotReached = "group.not-reached"
        case imStatus = "im.status"
        case interrupted
        case jobIncomplete = "job.incomplete"
        case nameInvalid = "name.invalid"
        case nodeIncomplete = "node.incomplete"
        case outputFailed = "output.failed"
        case policyMalformed = "policy.malformed"
        case policyRefused = "policy.refused"
        case processNoProc = "process.no-proc"
        case processNoResources = "process.no-resources"
        case processOverdue = "process.overdue"
        case shareIncomplete = "share.incomplete"
        case threadNoBorderRouter = "thread.no-border-router"
        case threadNoDataset = "thread.no-dataset"
        case threadNotConfirmed = "thread.not-confirmed"
        case threadNotHere = "thread.not-here"
        case threadSeveralNetworks = "thread.several-networks"
        case usage
        case usageCapability = "usage.capability"
        case usageConfirmationNeeded = "usage.confirmation-needed"
        case usageCount = "usage.count"
        case usageDataVersion = "usage.data-version"
        case usageFile = "usage.file"
        case usageFlow = "usage.flow"
        case usageGroup = "usage.group"
        case usageGroupTarget = "usage.group-target"
        case usageHandover = "usage.handover"
        case usageIpk = "usage.ipk"
        case usageIssuer = "usage.issuer"
        case usageLogFile = "usage.log-file"
        case usageName = "usage.name"
        case usageNoAnswer = "usage.no-answer"
        case usageNoArguments = "usage.no-arguments"
        case usageNoPassword = "usage.no-password"
        case usageNoPayload = "usage.no-payload"
        case usageNoTerminal = "usage.no-terminal"
        case usageNoUrl = "usage.no-url"
        case usageNotConfirmed = "usage.not-confirmed"
        case usagePaaOut = "usage.paa-out"
        case usageSecretArgument = "usage.secret-argument"
        case usageSessions = "usage.sessions"
        case usageStoreFabric = "usage.store-fabric"
        case usageSubject = "usage.subject"
        case usageType = "usage.type"
        case usageUnknownCommand = "usage.unknown-command"
        case usageValue = "usage.value"
        case usageWildcard = "usage.wildcard"
        case watchNotMet = "watch.not-met"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind {
            switch self {
            case .aclControllers, .aclIncomplete, .attestIncomplete, .cloudDevicesRemain, .commissionIncomplete,
                .groupIncomplete, .jobIncomplete, .nodeIncomplete, .shareIncomplete,
                .threadNoDataset:
                .noAnswer
            case .attestUntrusted: .attestationRefused
            case .checkFailed, .doctorFault, .conformFailed, .groupNotReached, .watchNotMet: .conditionNotMet
            case .imStatus: .unsupported
            case .interrupted: .interrupted
            case .threadNoBorderRouter, .threadNotHere: .notFound
            case .outputFailed, .policyMalformed, .policyRefused, .processNoResources, .processOverdue: .localState
            case .processNoProc: .serviceMissing
            case .aclLockout, .dataModelUnknownCluster, .nameInvalid, .threadNotConfirmed, .threadSeveralNetworks,
                .usage, .usageCapability, .usageConfirmationNeeded, .usageCount, .usageDataVersion, .usageFile,
                .usageFlow, .usageGroup, .usageGroupTarget, .usageHandover, .usageIpk, .usageIssuer, .usageLogFile,
                .usageName, .usageNoAnswer, .usageNoArguments, .usageNoPassword, .usageNoPayload, .usageNoTerminal,
                .usageNoUrl, .usageNotConfirmed, .usagePaaOut, .usageSecretArgument, .usageSessions, .usageStoreFabric,
                .usageSubject,
                .usageType, .usageUnknownCommand, .usageValue, .usageWildcard:
                .invalidInput
            }
        }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?
    /// That of the first failure, for an error that stands for several.
    public var kind: FailureKind
    /// That of the error underneath, if the code stands for one.
    public var id: String

    /// - Parameters:
    ///   - hint: the next step, if it is not that of the id in ``Hints``.
    ///   - kind: that of the code, if none is given.
    ///   - id: that of the code, if none is given.
    public init(
        _ code: Code, _ reason: String, hint: Hint? = nil, kind: FailureKind? = nil, id: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.kind = kind ?? code.kind
        self.id = id ?? code.rawValue
    }
}
