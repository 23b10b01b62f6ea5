/// The messages of the Interaction Model protocol (Matter core specification 10.2.1).
public enum InteractionModelOpcode: UInt8, CaseIterable, Sendable {
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case statusResponse = 0x01
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case readRequest = 0x02
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case subscribeRequest = 0x03
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case subscribeResponse = 0x04
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case reportData = 0x05
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case writeRequest = 0x06
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case writeResponse = 0x07
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case invokeRequest = 0x08
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case invokeResponse = 0x09
    /// An opcode of the interaction model (Matter core specification, 8.2.6).
    case timedRequest = 0x0A

    /// The protocol id, in the namespace of vendor 0, under which these opcodes are sent.
    package static let protocolID: UInt16 = 0x0001
}

extension InteractionModelOpcode: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String {
        switch self {
        case .statusResponse: "StatusResponse"
        case .readRequest: "ReadRequest"
        case .subscribeRequest: "SubscribeRequest"
        case .subscribeResponse: "SubscribeResponse"
        case .reportData: "ReportData"
        case .writeRequest: "WriteRequest"
        case .writeResponse: "WriteResponse"
        case .invokeRequest: "InvokeRequest"
        case .invokeResponse: "InvokeResponse"
        case .timedRequest: "TimedRequest"
        }
    }
}
