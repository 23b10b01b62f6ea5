/// The messages of the Interaction Model protocol (Matter core specification 10.2.1).
package enum InteractionModelOpcode: UInt8, CaseIterable, Sendable {
    case statusResponse = 0x01
    case readRequest = 0x02
    case subscribeRequest = 0x03
    case subscribeResponse = 0x04
    case reportData = 0x05
    case writeRequest = 0x06
    case writeResponse = 0x07
    case invokeRequest = 0x08
    case invokeResponse = 0x09
    case timedRequest = 0x0A

    /// The protocol id, in the namespace of vendor 0, under which these opcodes are sent.
    package static let protocolID: UInt16 = 0x0001
}

extension InteractionModelOpcode: CustomStringConvertible {
    package var description: String {
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
