import MatterBase
import Testing

@testable import MatterModel
@testable import MatterNetwork

/// The messages of `--dry-run` are those that would be sent.
@Suite("Rehearsals") struct RehearsalTests {
    private let room = LinkProperties.udp.largestPayload

    @Test("a write has the messages of the real one, and stays as it is", arguments: [nil, 10_000] as [UInt16?])
    func writes(_ timeout: UInt16?) throws {
        let items = (0..<(timeout == nil ? 40 : 3)).map { _ in
            TLVElement(.anonymous, .octets([UInt8](repeating: 7, count: 60)))
        }
        let writes = [
            AttributeWrite(endpoint: 1, cluster: 0x1E, attribute: 0, value: .array(items)),
            AttributeWrite(endpoint: 0, cluster: 0x28, attribute: 5, value: .string("hi")),
        ]
        var transaction = WriteTransaction(writes, timeout: timeout)
        let rehearsed = try transaction.rehearsed(maxPayload: room)
        #expect(rehearsed.count > 1 && rehearsed.map(\.opcode).contains(.timedRequest) == (timeout != nil))
        var action = try transaction.start(maxPayload: room)
        for message in rehearsed {
            #expect(action == .send(opcode: message.opcode, payload: message.payload, expectsReply: true))
            let (opcode, answer): (InteractionModelOpcode, [UInt8]) =
                message.opcode == .timedRequest
                ? (.statusResponse, StatusResponse(.success).encoded())
                : (
                    .writeResponse,
                    WriteResponse(
                        statuses: writes.map { AttributeStatusIB(path: $0.path, status: StatusIB(.success)) }
                    ).encoded()
                )
            action = try transaction.handle(opcode: opcode.rawValue, payload: answer)
        }
        #expect(action == .finished)
    }

    @Test("an invoke has its request, after the announcement if it is timed; what cannot be sent cannot be rehearsed")
    func invokes() throws {
        let commands = [1, 2].map { Command(endpoint: $0, cluster: 0x06, command: 0x02) }
        var transaction = InvokeTransaction(commands, maxPathsPerInvoke: 2)
        let rehearsed = try transaction.rehearsed(maxPayload: room)
        #expect(rehearsed.map(\.opcode) == [.invokeRequest])
        #expect(
            try transaction.start(maxPayload: room)
                == .send(opcode: .invokeRequest, payload: try #require(rehearsed.first?.payload), expectsReply: true))
        let timed = try InvokeTransaction(commands, timeout: 500, maxPathsPerInvoke: 2).rehearsed(maxPayload: room)
        #expect(timed.map(\.opcode) == [.timedRequest, .invokeRequest])
        #expect(try InvokeRequest(decoding: timed[1].payload).isTimed)
        #expect(throws: InteractionError.self) { try InvokeTransaction(commands).rehearsed(maxPayload: room) }
        #expect(throws: InteractionError.self) { try WriteTransaction([]).rehearsed(maxPayload: room) }
    }
}
