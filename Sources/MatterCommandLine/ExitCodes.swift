import JSON
import MatterCommissioning
import MatterController
import MatterCredentials
import MatterCrypto
import MatterDataModel
import MatterDiscovery
import MatterHTTP
import MatterInteraction
import MatterRecords
import MatterSession
import MatterSetupPayload
import MatterSimulator
import MatterStore
import MatterTLV
import MatterTransport

/// The exit codes of the command-line contract.
package enum ExitStatus: Int32, Sendable {
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
    case usage = 64
    case interrupted = 130
}

/// An error of a module that the command line does not know, with what the program ends with.
package protocol ExitStatusProviding: Error {
    var exitStatus: ExitStatus { get }
}

extension ExitStatus {
    /// The one place where errors of all modules become exit codes.
    package init(_ error: any Error) {
        switch error {
        case let error as AdvisedError: self.init(error.error)
        case let error as CommandLineError: self = error.status
        case let error as any ExitStatusProviding: self = error.exitStatus
        case is CancellationError: self = .interrupted
        case let error as CommissioningError: self.init(commissioning: error)
        case let error as InterruptedCommissioning: self.init(error.underlying)
        case let error as SessionError: self.init(session: error)
        case let error as ControllerError: self.init(controller: error)
        case let error as InteractionError: self.init(interaction: error)
        case let error as TransportError: self.init(transport: error)
        case let error as DiscoveryError where error.code == .outOfResources: self = .localState
        case let error as DiscoveryError: self = error.isLocalServiceMissing ? .serviceMissing : .notFound
        case let error as RecordError: self.init(record: error)
        case let error as HTTPError: self = error.code == .libraryMissing ? .serviceMissing : .issuerFailed
        case is StoreError: self = .localState
        case let error as SimulatorError:
            self = error.code == .stateInUse || error.code == .damagedState ? .localState : .usage
        case is SetupPayloadError, is DataModelError, is TLVError, is JSONError, is AttestationError: self = .usage
        case is CredentialsError: self = .localState
        case is CryptoError: self = .defect
        default: self = .defect
        }
    }

    private init(commissioning error: CommissioningError) {
        switch error.code {
        case .nothingDiscovered: self = .notFound
        case .wrongPasscode, .windowClosed, .failSafeBusy, .alreadyOnFabric, .fabricTableFull, .nocRejected,
            .invalidCSR, .sessionRefused:
            self = .commissioningRefused
        case .attestationRefused: self = .attestationRefused
        case .issuerFailed where (error.underlying as? any ExitStatusProviding)?.exitStatus == .serviceMissing:
            self = .serviceMissing
        case .issuerFailed, .issuedCertificateInvalid: self = .issuerFailed
        case .deviceRefused: self = .commissioningRefused
        case .commandFailed: self = error.status.map { ExitStatus(status: $0.status) } ?? .refused
        case .malformedAnswer: self = .refused
        case .goneAfterNOC, .noAnswer, .forgotten: self = .noAnswer
        case .stopped: self = .done
        case .interrupted: self = .interrupted
        case .impossibleStep: self = .defect
        }
    }

    private init(interaction error: InteractionError) {
        switch error.code {
        // A value that fits no message is not one that the device has refused.
        case .invalidRequest, .requestTooLarge: self = .usage
        default: self = error.status.map { ExitStatus(status: $0) } ?? .refused
        }
    }

    private init(session error: SessionError) {
        switch error.code {
        case .notDiscovered: self = .noAnswer
        case .unreachable, .silent, .noReply, .busy: self = .noAnswer
        case .refused: self = error.phase == "pase" ? .commissioningRefused : .noAnswer
        }
    }

    private init(controller error: ControllerError) {
        switch error.code {
        case .outcomeUnknown: self = error.underlying is CancellationError ? .interrupted : .noAnswer
        case .status: self = error.status.map { ExitStatus(status: $0.status) } ?? .refused
        case .unsupportedCluster: self = .unsupported
        case .ambiguousEndpoint, .otherIssuer: self = .usage
        case .noIssuer, .issuerProgram: self = .issuerFailed
        case .sessionsInUse: self = .localState
        case .removalRefused: self = .refused
        }
    }

    /// What a status of the Interaction Model comes to. An attribute that is there and cannot be written, or cannot be
    /// read, is a refusal.
    init(status: IMStatus) {
        switch status {
        case .success: self = .done
        case .unsupportedEndpoint, .unsupportedCluster, .unsupportedAttribute, .unsupportedCommand, .unsupportedEvent:
            self = .unsupported
        default: self = .refused
        }
    }

    private init(transport error: TransportError) {
        switch error.code {
        case .socket: self = .serviceMissing
        case .invalidAddress: self = .usage
        case .portInUse, .outOfResources: self = .localState
        // Only we ourselves can send out of turn.
        case .messageInFlight: self = .defect
        case .messageTooLarge: self = .refused
        default: self = .noAnswer
        }
    }

    private init(record error: RecordError) {
        switch error.code {
        case .invalid, .fabricExists, .fabricGone, .nameTaken, .nodeExists: self = .localState
        case .noFabric, .unknownFabric, .unknownNode, .pendingNode: self = .notFound
        case .ambiguousFabric, .invalidName: self = .usage
        }
    }
}
