import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork

/// Lets two machines talk until both have nothing to say.
///
/// - Parameter server: one that has the client's request already.
/// - Returns: what was sent, in order, from the server's first message on.
func converse(
    _ client: inout some InteractionTransaction, _ server: inout some InteractionTransaction,
    maxPayload: Int = LinkProperties.udp.largestPayload
) throws -> [[UInt8]] {
    var payloads: [[UInt8]] = []
    var clientIsNext = true
    var action = try server.start(maxPayload: maxPayload)
    while case .send(let opcode, let payload, _) = action, payloads.count < 100_000 {
        payloads.append(payload)
        action =
            clientIsNext
            ? try client.handle(opcode: opcode.rawValue, payload: payload)
            : try server.handle(opcode: opcode.rawValue, payload: payload)
        clientIsNext.toggle()
    }
    return payloads
}

/// The message in an action; a failed expectation where there is none.
func sent(_ action: InteractionAction) throws -> (opcode: InteractionModelOpcode, payload: [UInt8], expectsReply: Bool)
{
    guard case .send(let opcode, let payload, let expectsReply) = action else {
        Issue.record("\(action) sends nothing")
        throw InteractionError(.invalidRequest, "no message")
    }
    return (opcode, payload, expectsReply)
}

extension InteractionAction {
    /// A StatusResponse of success.
    static func goOn(expectsReply: Bool) -> InteractionAction {
        .send(
            opcode: .statusResponse, payload: StatusResponse(.success).encoded(), expectsReply: expectsReply)
    }
}

extension InteractionTransaction {
    /// Starts on UDP.
    mutating func start() throws(InteractionError) -> InteractionAction {
        try start(maxPayload: LinkProperties.udp.largestPayload)
    }

    mutating func handle(_ message: some InteractionMessage) throws(InteractionError) -> InteractionAction {
        try handle(opcode: type(of: message).opcode.rawValue, payload: message.encoded())
    }
}

extension SeededGenerator {
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

    /// A value of any type; containers nest at most `depth` deep.
    mutating func value(depth: Int = 2) -> TLVValue {
        switch number(0...(depth > 0 ? 10 : 7)) {
        case 0: .int(Int64.random(in: .min ... .max, using: &self) >> Int64(number(0...63)))
        case 1: .uint(UInt64.random(in: 0 ... .max, using: &self) >> UInt64(number(0...63)))
        case 2: .bool(Bool.random(using: &self))
        case 3: .null
        case 4: .string(String(repeating: "ä", count: number(0...20)))
        case 5: .octets(octets(number(0...60)))
        case 6: .float(Float(number(-1000...1000)) / 8)
        case 7: .double(Double(number(-1000...1000)) / 16)
        case 8: .array((0..<number(0...6)).map { _ in TLVElement(.anonymous, value(depth: depth - 1)) })
        case 9: .list((0..<number(0...4)).map { _ in TLVElement(.anonymous, value(depth: depth - 1)) })
        default: .structure((0..<number(0...5)).map { TLVElement(UInt8($0), value(depth: depth - 1)) })
        }
    }

    /// A list long enough to need several messages now and then.
    mutating func list(items: ClosedRange<Int> = 0...120) -> TLVValue {
        .array((0..<number(items)).map { _ in TLVElement(.anonymous, value(depth: 1)) })
    }

    mutating func path() -> ConcreteAttributePath {
        ConcreteAttributePath(
            endpoint: EndpointID(UInt16(number(0...300))), cluster: ClusterID(UInt32(number(0...70_000))),
            attribute: AttributeID(UInt32(number(0...0xFFFF))))
    }
}
