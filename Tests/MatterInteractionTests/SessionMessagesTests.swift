import MatterBase
import TestSupport
import Testing

@testable import MatterModel

/// One datagram of the recorded session, as far as these tests need it.
private struct RecordedMessage: Decodable {
    var direction: String
    var opcode: UInt8
    var `protocol`: UInt16
    var exchangeId: Int
    var payload: String
}

private struct Recording: Decodable {
    var messages: [RecordedMessage]

    /// The Interaction Model traffic, without retransmissions.
    static func load() throws -> [RecordedMessage] {
        let all: Recording = try Vectors.load("session-messages.json")
        var messages: [RecordedMessage] = []
        for message in all.messages where message.protocol == InteractionModelOpcode.protocolID {
            let isRepeated = messages.contains {
                $0.exchangeId == message.exchangeId && $0.direction == message.direction
                    && $0.opcode == message.opcode && $0.payload == message.payload && message.opcode != 1
            }
            if !isRepeated { messages.append(message) }
        }
        return messages
    }
}

/// The recorded peers spoke revision 11; ours is 12 and always last.
private func withOurRevision(_ payload: [UInt8]) -> [UInt8] {
    payload.suffix(4) == [0x24, 0xFF, 11, 0x18] ? payload.dropLast(2) + [InteractionModel.revision, 0x18] : payload
}

private func reencoded(_ opcode: UInt8, _ payload: [UInt8]) throws -> [UInt8]? {
    switch InteractionModelOpcode(rawValue: opcode) {
    case .statusResponse: try StatusResponse(decoding: payload).encoded()
    case .readRequest: try ReadRequest(decoding: payload).encoded()
    case .subscribeRequest: try SubscribeRequest(decoding: payload).encoded()
    case .subscribeResponse: try SubscribeResponse(decoding: payload).encoded()
    case .reportData: try ReportData(decoding: payload).encoded()
    case .writeRequest: try WriteRequest(decoding: payload).encoded()
    case .writeResponse: try WriteResponse(decoding: payload).encoded()
    case .invokeRequest: try InvokeRequest(decoding: payload).encoded()
    case .invokeResponse: try InvokeResponse(decoding: payload).encoded()
    case .timedRequest: try TimedRequest(decoding: payload).encoded()
    case nil: nil
    }
}

@Suite("Recorded sessions of a commercial commissioner", .vectors, .enabled(if: Vectors.available))
struct SessionMessagesTests {
    @Test("every message decodes and encodes to the same octets")
    func codecs() throws {
        let messages = try Recording.load()
        #expect(messages.count > 80)
        for message in messages {
            let payload = hex(message.payload)
            let again = try #require(try reencoded(message.opcode, payload))
            #expect(again == withOurRevision(payload), "\(message)")
        }
    }

    /// The client's machine for the request that opened an exchange.
    private func play(
        _ transaction: inout some InteractionTransaction, _ exchange: [RecordedMessage], expectingRequest: Bool = true
    ) throws {
        var action = try transaction.start()
        for message in exchange {
            if message.direction == "to device" {
                let ours = try sent(action)
                #expect(ours.opcode.rawValue == message.opcode)
                if expectingRequest { #expect(ours.payload == withOurRevision(hex(message.payload))) }
            } else {
                action = try transaction.handle(opcode: message.opcode, payload: hex(message.payload))
            }
        }
        #expect(transaction.output != nil)
    }

    @Test("our client machines say what the commissioner said")
    func replay() throws {
        let exchanges = Dictionary(grouping: try Recording.load(), by: \.exchangeId)
        #expect(exchanges.count > 30)
        for exchange in exchanges.values {
            guard let first = exchange.first else { continue }
            let payload = hex(first.payload)
            switch try InteractionRequest(opcode: first.opcode, payload: payload) {
            case .read(let request):
                var transaction = ReadTransaction(request)
                try play(&transaction, exchange)
                #expect(transaction.output?.attributes.isEmpty == false)
            case .subscribe(let request):
                var transaction = SubscribeTransaction(request)
                try play(&transaction, exchange)
                #expect(transaction.output?.maxInterval == 600)
                #expect((transaction.output?.reports.attributes.count ?? 0) > 60)
            case .invoke(let request):
                var transaction = InvokeTransaction(
                    request.commands.map { Command($0.path, fields: $0.fields ?? .structure([])) })
                try play(&transaction, exchange)
                #expect(transaction.output?.count == 1)
            case .write(let request):
                // The commissioner emptied the access control list first, which we never do.
                let items = request.writes.dropFirst().map { TLVElement(.anonymous, $0.data) }
                var transaction = WriteTransaction([
                    AttributeWrite(
                        ConcreteAttributePath(endpoint: 0, cluster: 0x1F, attribute: 0), value: .array(items))
                ])
                try play(&transaction, exchange, expectingRequest: false)
                #expect(transaction.output?.map(\.status.isSuccess) == [true])
            case .timed, .report:
                Issue.record("an exchange that is not in the recording")
            }
        }
    }
}
