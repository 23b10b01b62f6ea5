import MatterController

/// The exit codes of the command-line contract.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    case defect = 1
    case notFound = 3
    case noAnswer = 4
    case refused = 5
    case unsupported = 6
    case attestationRefused = 7
    case commissioningRefused = 8
    case issuerFailed = 9
    case localState = 10
    case serviceMissing = 11
    /// The awaited condition was not met in time.
    case conditionNotMet = 12
    case usage = 64
    case interrupted = 130
}

extension ExitStatus {
    /// The one place where errors of all modules become exit codes.
    public init(_ error: any Error) {
        switch error {
        case let error as AdvisedError: self.init(error.error)
        case let error as CommissioningError where error.code == .stopped: self = .done
        case let error as InterruptedCommissioning: self.init(error.underlying)
        case let error as ControllerError where error.code == .outcomeUnknown && error.underlying is CancellationError:
            self = .interrupted
        default: self.init(FailureKind(error))
        }
    }

    init(_ kind: FailureKind) {
        self =
            switch kind {
            case .outcomeUnknown, .noAnswer: .noAnswer
            case .notFound: .notFound
            case .refused: .refused
            case .unsupported: .unsupported
            case .attestationRefused: .attestationRefused
            case .commissioningRefused: .commissioningRefused
            case .issuerFailed: .issuerFailed
            case .localState: .localState
            case .serviceMissing: .serviceMissing
            case .conditionNotMet: .conditionNotMet
            case .invalidInput: .usage
            case .interrupted: .interrupted
            case .defect: .defect
            }
    }

    /// The exit code after a status of the Interaction Model.
    init(status: IMStatus) { self = status == .success ? .done : Self(FailureKind(status: status)) }
}
