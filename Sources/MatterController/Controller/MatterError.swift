import MatterLedger

/// Why something did not succeed.
public struct MatterError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure, and so what a program can do about it.
    public enum Code: String, Sendable, CaseIterable {
        /// A command was sent that must not run twice, and no answer came: it may have run. Read the state.
        case outcomeUnknown
        /// The node did not answer; nothing has changed.
        case noAnswer
        /// There is no such node or fabric, or no device with the setup code.
        case notFound
        /// The node refused.
        case refused
        /// The node has no such endpoint, cluster, attribute or command.
        case unsupported
        /// The device did not prove its origin as the ``TrustPolicy`` demands.
        case attestationRefused
        /// The device refused to be commissioned.
        case commissioningRefused
        /// The issuer gave no certificate, or another service, such as the Alliance's ledger, no answer.
        case issuerFailed
        /// The records of fabrics and nodes cannot be read or written, or forbid it.
        case localState
        /// This host lacks something, such as Avahi.
        case serviceMissing
        /// The arguments are not valid; nothing was sent.
        case invalidInput
        /// The work was stopped.
        case interrupted
        /// A defect of this library.
        case defect
    }

    /// The kind of failure.
    public let code: Code
    /// The exact failure, such as `pase.wrong-passcode`; `docs/exit-codes.md` lists them.
    public let id: String
    /// The fault, as a sentence. It may quote a device: escape it before it reaches a terminal.
    public let message: String
    /// The next step, where there is one.
    public let hint: String?
    /// The error of the layer below.
    package let underlying: any Error

    /// The message.
    public var description: String { message }

    /// Any error of this library, with what a program can do about it.
    public init(_ error: any Error) {
        let cause = (error as? InterruptedCommissioning)?.underlying ?? error
        underlying = cause
        code = Code(cause)
        let coded = cause as? any CodedError
        id = coded?.id ?? "internal"
        message = coded?.message ?? "\(cause)"
        // Steps that each program takes in its own way have no words here.
        hint = coded?.hint.flatMap { hint in
            hint.parts.allSatisfy { if case .words = $0 { true } else { false } } ? "\(hint)" : nil
        }
    }
}

extension MatterError.Code {
    /// The kind of an error of this package; `defect` for any other.
    package init(_ error: any Error) { self.init(FailureKind(error)) }

    package init(_ kind: FailureKind) {
        self =
            switch kind {
            case .outcomeUnknown: .outcomeUnknown
            // Nothing in the library waits for a condition; it would be an answer that did not come.
            case .noAnswer, .conditionNotMet: .noAnswer
            case .notFound: .notFound
            case .refused: .refused
            case .unsupported: .unsupported
            case .attestationRefused: .attestationRefused
            case .commissioningRefused: .commissioningRefused
            case .issuerFailed: .issuerFailed
            case .localState: .localState
            case .serviceMissing: .serviceMissing
            case .invalidInput: .invalidInput
            case .interrupted: .interrupted
            case .defect: .defect
            }
    }
}

/// Runs something, and gives its errors the form that programs see; an interruption stays `CancellationError`.
func reportingErrors<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch let error as CancellationError {
        throw error
    } catch let error as MatterError {
        throw error
    } catch {
        throw MatterError(error)
    }
}
