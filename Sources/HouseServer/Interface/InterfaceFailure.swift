import MatterController

/// Failures of the library as numbers of the interface.
enum InterfaceFailure {
    static func error(_ error: any Error) -> InterfaceError {
        switch error {
        case let error as InterfaceError: return error
        case is CancellationError: return InterfaceError(.unknown, "the server ends")
        case let error as SessionError: return InterfaceError(.nodeNotResolving, error.reason)
        case let error as CommissioningError: return InterfaceError(.commissionFailed, "\(error)")
        case let error as ControllerError:
            if let status = error.status {
                return InterfaceError(
                    .stack, error.reason,
                    status: (status.status.rawValue, status.significantClusterStatus))
            }
            return InterfaceError(error.code == .outcomeUnknown ? .nodeNotResolving : .unknown, error.reason)
        default:
            let matter = MatterError(error)
            let code: InterfaceError.Code =
                switch matter.code {
                case .noAnswer, .outcomeUnknown: .nodeNotResolving
                case .refused: .stack
                case .notFound: .nodeNotExists
                default: .unknown
                }
            return InterfaceError(code, matter.message)
        }
    }
}
