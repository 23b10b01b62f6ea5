import MatterBase
import MatterCrypto
import MatterLedger
package import MatterModel
import MatterNetwork
import MatterState

/// Why something did not succeed.
public struct MatterError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is, and so what a program can do about it.
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
        /// The issuer gave no certificate.
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

    /// What kind of failure it is.
    public let code: Code
    /// The exact failure, such as `pase.wrong-passcode`; `docs/exit-codes.md` lists them.
    public let id: String
    /// What is wrong, as a sentence. It may quote a device: escape it before it reaches a terminal.
    public let message: String
    /// The next step, where there is one.
    public let hint: String?
    /// The error of the layer below.
    package let underlying: any Error

    /// The message.
    public var description: String { message }

    package init(_ error: any Error) {
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
    package init(_ error: any Error) {
        switch error {
        case let error as MatterError: self = error.code
        case is CancellationError: self = .interrupted
        case let error as CommissioningError: self.init(commissioning: error)
        case let error as InterruptedCommissioning: self.init(error.underlying)
        case let error as SessionError:
            self = error.code == .refused && error.phase == .pase ? .commissioningRefused : .noAnswer
        case let error as ControllerError: self.init(controller: error)
        case let error as InteractionError: self.init(interaction: error)
        case let error as TransportError: self.init(transport: error)
        case let error as DiscoveryError where error.code == .outOfResources: self = .localState
        case let error as DiscoveryError: self = error.isLocalServiceMissing ? .serviceMissing : .notFound
        case let error as BluetoothError where error.code == .outOfResources: self = .localState
        case let error as BluetoothError: self = error.isLocalServiceMissing ? .serviceMissing : .noAnswer
        case let error as RecordError: self.init(record: error)
        case let error as LedgerError: self.init(ledger: error)
        case is StoreError, is CredentialsError: self = .localState
        case is SetupPayloadError, is SetupCodeListError, is DataModelError, is TLVError, is AttestationError,
            is ThreadDatasetError, is NetworkCredentialError:
            self = .invalidInput
        default: self = .defect
        }
    }

    private init(commissioning error: CommissioningError) {
        switch error.code {
        case .nothingDiscovered: self = .notFound
        case .wrongPasscode, .windowClosed, .failSafeBusy, .alreadyOnFabric, .fabricTableFull, .nocRejected,
            .invalidCSR, .sessionRefused, .deviceRefused, .termsRequired, .networkRefused,
            .handoverExpired:
            self = .commissioningRefused
        case .attestationRefused: self = .attestationRefused
        case .issuerFailed, .issuedCertificateInvalid: self = .issuerFailed
        case .commandFailed: self = error.status.map { Self(status: $0.status) } ?? .refused
        case .malformedAnswer: self = .refused
        case .goneAfterNOC, .noAnswer, .forgotten, .notOnNetwork: self = .noAnswer
        case .networkNeeded, .networkUnsuitable: self = .invalidInput
        case .stopped, .interrupted: self = .interrupted
        case .impossibleStep: self = .defect
        }
    }

    private init(interaction error: InteractionError) {
        switch error.code {
        // A value that fits no message is not one that the device has refused.
        case .invalidRequest, .requestTooLarge: self = .invalidInput
        default: self = error.status.map { Self(status: $0) } ?? .refused
        }
    }

    private init(controller error: ControllerError) {
        switch error.code {
        case .outcomeUnknown: self = .outcomeUnknown
        case .status: self = error.status.map { Self(status: $0.status) } ?? .refused
        case .unsupportedCluster, .deviceLacks: self = .unsupported
        case .ambiguousEndpoint, .otherIssuer, .lockout, .invalidAccessEntry, .ownFabric, .outOfLimits, .pinNeeded,
            .modeUnclear, .networkInUse:
            self = .invalidInput
        case .unknownAccessEntry, .unknownFabric, .unknownBinding, .unknownLockUser, .notRegistered,
            .unknownNetwork:
            self = .notFound
        case .bindingUnfinished: self = error.underlying.map { Self($0) } ?? .refused
        case .noIssuer, .issuerProgram: self = .issuerFailed
        case .sessionsInUse, .listening: self = .localState
        case .noCheckIn, .networkLost: self = .noAnswer
        case .removalRefused, .accessListFull, .groupConflict, .listDiffers, .listChanged, .fabricRefused, .windowOpen,
            .nodeBusy,
            .timeNotAccepted, .networkRefused, .refused, .codeTaken, .lockFull:
            self = .refused
        }
    }

    /// The meaning of a status of the Interaction Model. An attribute that is there and cannot be written, or cannot be
    /// read, is a refusal.
    package init(status: IMStatus) {
        switch status {
        case .unsupportedEndpoint, .unsupportedCluster, .unsupportedAttribute, .unsupportedCommand, .unsupportedEvent:
            self = .unsupported
        default: self = .refused
        }
    }

    private init(transport error: TransportError) {
        switch error.code {
        case .socket, .noInterface: self = .serviceMissing
        case .invalidAddress: self = .invalidInput
        case .portInUse, .outOfResources: self = .localState
        // Only we ourselves can send out of turn.
        case .messageInFlight: self = .defect
        case .messageTooLarge: self = .refused
        default: self = .noAnswer
        }
    }

    private init(ledger error: LedgerError) {
        switch error.code {
        case .unreachable where error.isLibraryMissing: self = .serviceMissing
        case .unreachable, .refused, .failing, .malformed, .tooLarge, .empty: self = .issuerFailed
        case .notFound, .unknown, .nothingToExport: self = .notFound
        case .unusable: self = .invalidInput
        case .damaged: self = .localState
        }
    }

    private init(record error: RecordError) {
        switch error.code {
        case .invalid, .fabricExists, .fabricGone, .nameTaken, .nodeExists, .groupExists, .roomExists:
            self = .localState
        case .noFabric, .unknownFabric, .unknownNode, .pendingNode, .unknownGroup, .unknownRoom,
            .unknownNetwork:
            self = .notFound
        case .ambiguousFabric, .invalidName, .ambiguousName, .bridgedDevice: self = .invalidInput
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
