/// The kind of failure, and so what a person or a program can do about it. Exit codes follow from it.
public enum FailureKind: String, Sendable, CaseIterable {
    /// A command was sent that must not run twice, and no answer came: it may have run.
    case outcomeUnknown
    /// The node did not answer; nothing has changed.
    case noAnswer
    /// There is no such node, fabric or device.
    case notFound
    /// The node refused.
    case refused
    /// The node has no such endpoint, cluster, attribute or command.
    case unsupported
    /// The device did not prove its origin.
    case attestationRefused
    /// The device refused to be commissioned.
    case commissioningRefused
    /// The issuer, or another service, did not do its part.
    case issuerFailed
    /// The files of this host cannot be read or written, or forbid it.
    case localState
    /// This host lacks something, such as Avahi.
    case serviceMissing
    /// The awaited state did not come about.
    case conditionNotMet
    /// The request is not valid; nothing was sent.
    case invalidInput
    /// The work was stopped.
    case interrupted
    /// A defect of ours.
    case defect
}

/// The code of an error: a stable text for programs, which says its kind where it is declared.
public protocol ErrorCode: RawRepresentable, Hashable, Sendable where RawValue == String {
    /// The kind of failure, from which the exit code follows.
    var kind: FailureKind { get }
}
