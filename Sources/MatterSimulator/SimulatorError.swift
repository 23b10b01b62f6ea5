package import MatterBase

/// Why a virtual device cannot be set up or cannot go on.
package struct SimulatorError: CodedError, Equatable {
    package enum Code: String, ErrorCode {
        /// No such device type, or one that cannot stand where it was put.
        case unknownDeviceType = "simulator.unknown-device-type"
        /// A fault that is not in the list, or with a parameter that does not fit.
        case invalidFault = "simulator.invalid-fault"
        /// Another process plays this device already.
        case stateInUse = "simulator.state-in-use"
        /// A record of the state directory that does not decode.
        case damagedState = "simulator.damaged-state"
        /// Attestation credentials that do not belong together or cannot be read.
        case invalidAttestation = "simulator.invalid-attestation"
        /// A description of networks that is not valid, or lacks the device.
        case invalidMesh = "simulator.invalid-mesh"

        package var kind: FailureKind {
            switch self {
            case .stateInUse, .damagedState: .localState
            case .unknownDeviceType, .invalidFault, .invalidAttestation, .invalidMesh: .invalidInput
            }
        }
    }

    package var code: Code
    /// A sentence for a person.
    package var reason: String
    package var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
