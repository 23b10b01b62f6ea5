import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork

private let label = ConcreteAttributePath(endpoint: 0, cluster: 0x28, attribute: 5)
private let acl = ConcreteAttributePath(endpoint: 0, cluster: 0x1F, attribute: 0)
private let binding = ConcreteAttributePath(endpoint: 1, cluster: 0x1E, attribute: 0)

private func octets(_ count: Int, _ items: Int) -> TLVValue {
    .array((0..<items).map { TLVElement(.anonymous, .octets([UInt8](repeating: UInt8($0), count: count))) })
}

private func success(_ request: WriteRequest) -> WriteResponse {
    WriteResponse(
        statuses: request.writes.map { write in
            var path = write.path
            path.listIndex = nil
            return AttributeStatusIB(path: path, status: StatusIB(.success))
        })
}

@Suite("WriteTransaction")
struct WriteTransactionTests {
    /// Plays a peer that accepts everything.
    private func requests(
        _ transaction: inout WriteTransaction, maxPayload: Int = LinkProperties.udp.largestPayload
    ) throws -> [WriteRequest] {
        var requests: [WriteRequest] = []
        var action = try transaction.start(maxPayload: maxPayload)
        while case .send(_, let payload, true) = action {
            let request = try WriteRequest(decoding: payload)
            requests.append(request)
            action = try transaction.handle(success(request))
        }
        #expect(action == .finished)
        return requests
    }

    @Test("a scalar is one block with its data version")
    func scalar() throws {
        var transaction = WriteTransaction([AttributeWrite(label, value: .string("hi"), dataVersion: 42)])
        let first = try sent(try transaction.start())
        #expect(hexString(first.payload) == hexString(hex(Samples.writeRequest)))
        #expect(try transaction.handle(success(try WriteRequest(decoding: first.payload))) == .finished)
        #expect(
            transaction.output == [AttributeWriteResult(path: AttributePath(label), status: StatusIB(.success))])
    }

    @Test("a list is replaced by an empty one, then grows item by item")
    func list() throws {
        var transaction = WriteTransaction([AttributeWrite(binding, value: octets(1, 2))])
        let requests = try requests(&transaction)
        #expect(
            requests.map(\.writes) == [
                [
                    AttributeDataIB(path: AttributePath(binding), data: .array([])),
                    AttributeDataIB(path: AttributePath(binding, listIndex: .append), data: .octets([0])),
                    AttributeDataIB(path: AttributePath(binding, listIndex: .append), data: .octets([1])),
                ]
            ])
        #expect(transaction.output?.count == 1)
    }

    @Test("an access control list is never empty in between")
    func accessControl() throws {
        var transaction = WriteTransaction([AttributeWrite(acl, value: octets(20, 4))])
        #expect(
            try requests(&transaction).map(\.writes) == [
                [AttributeDataIB(path: AttributePath(acl), data: octets(20, 4))]
            ])
        // A value that does not fit is appended.
        transaction = WriteTransaction([AttributeWrite(acl, value: octets(20, 8))])
        let split = try requests(&transaction, maxPayload: 128)
        #expect(split.count > 1)
        guard case .array(let items) = split.first?.writes.first?.data else {
            Issue.record("the first block is no list")
            return
        }
        #expect((2..<8).contains(items.count))
        #expect(split.dropFirst().allSatisfy { $0.writes.allSatisfy { $0.path.listIndex == .append } })
        #expect(split.map(\.hasMoreChunks) == split.indices.map { $0 < split.count - 1 })
    }

    @Test("only the first piece of a conditional list names the version, and the others come later")
    func conditional() throws {
        var transaction = WriteTransaction(
            [AttributeWrite(binding, value: octets(30, 6), dataVersion: 7)])
        let requests = try requests(&transaction, maxPayload: 128)
        #expect(requests.count > 1)
        #expect(
            requests.flatMap(\.writes).map(\.dataVersion) == [7]
                + Array(repeating: nil, count: requests.flatMap(\.writes).count - 1))
        #expect(requests.first?.writes.count == 1)
    }

    @Test("when the first piece of a list fails its items are not sent, and the peer learns that this was all")
    func failedStart() throws {
        var transaction = WriteTransaction(
            [AttributeWrite(binding, value: octets(30, 6), dataVersion: 7)])
        _ = try transaction.start(maxPayload: 128)
        let mismatch = AttributeStatusIB(path: AttributePath(binding), status: StatusIB(.dataVersionMismatch))
        let next = try sent(try transaction.handle(WriteResponse(statuses: [mismatch])))
        #expect(try WriteRequest(decoding: next.payload) == WriteRequest(writes: []))
        #expect(try transaction.handle(WriteResponse(statuses: [])) == .finished)
        #expect(transaction.output?.map(\.status) == [StatusIB(.dataVersionMismatch)])
    }

    @Test("each write has its own outcome; of a list's pieces the first failure counts")
    func outcomes() throws {
        var transaction = WriteTransaction([
            AttributeWrite(label, value: .string("x")), AttributeWrite(binding, value: octets(1, 2)),
        ])
        _ = try transaction.start()
        let path = AttributePath(binding)
        let action = try transaction.handle(
            WriteResponse(statuses: [
                AttributeStatusIB(path: path, status: StatusIB(.success)),
                AttributeStatusIB(path: path, status: StatusIB(.constraintError)),
                AttributeStatusIB(path: path, status: StatusIB(.resourceExhausted)),
                AttributeStatusIB(path: AttributePath(label), status: StatusIB(.failure, clusterStatus: 3)),
                AttributeStatusIB(path: AttributePath(acl), status: StatusIB(.failure)),
            ]))
        #expect(action == .finished)
        #expect(
            transaction.output?.map(\.status) == [StatusIB(.failure, clusterStatus: 3), StatusIB(.constraintError)])
    }

    @Test("a response that leaves a write out is refused")
    func missing() throws {
        var transaction = WriteTransaction([AttributeWrite(label, value: .null)])
        _ = try transaction.start()
        #expect { try transaction.handle(WriteResponse(statuses: [])) } throws: { error in
            (error as? InteractionError)?.code == .protocolViolation
        }
    }

    @Test("a timed write is announced first")
    func timed() throws {
        var transaction = WriteTransaction([AttributeWrite(label, value: .null)], timeout: 10_000)
        let announcement = try sent(try transaction.start())
        #expect(announcement.opcode == .timedRequest)
        #expect(hexString(announcement.payload) == hexString(hex(Samples.timedRequest)))
        let write = try sent(try transaction.handle(StatusResponse(.success)))
        #expect(write.opcode == .writeRequest)
        #expect(try WriteRequest(decoding: write.payload).isTimed)
    }

    @Test("a refused announcement is the peer's status")
    func refusedAnnouncement() throws {
        var transaction = WriteTransaction([AttributeWrite(label, value: .null)], timeout: 1)
        _ = try transaction.start()
        let error = #expect(throws: InteractionError.self) { try transaction.handle(StatusResponse(.busy)) }
        #expect(error?.status == .busy)
        transaction = WriteTransaction([AttributeWrite(label, value: .null)], timeout: 1)
        _ = try transaction.start()
        #expect(throws: InteractionError.self) { try transaction.handle(WriteResponse(statuses: [])) }
    }

    @Test("a timed or group write that needs two messages, and a value that needs more than one, are refused")
    func tooLarge() {
        let list = AttributeWrite(binding, value: octets(30, 6))
        for var transaction in [
            WriteTransaction([list], timeout: 100),
            WriteTransaction([list], isGroup: true),
            WriteTransaction(
                [AttributeWrite(label, value: .octets([UInt8](repeating: 0, count: 120)))]),
        ] {
            #expect { try transaction.start(maxPayload: 128) } throws: {
                ($0 as? InteractionError)?.code == .requestTooLarge
            }
        }
    }

    @Test("a group is not waited for")
    func group() throws {
        let write = AttributeWrite(endpoint: nil, cluster: 6, attribute: 0x4003, value: .uint(1))
        var transaction = WriteTransaction([write], isGroup: true)
        let message = try sent(try transaction.start())
        #expect(!message.expectsReply)
        #expect(try WriteRequest(decoding: message.payload).suppressesResponse)
        #expect(transaction.output == [])
    }

    @Test("contradictory writes are refused before anything is sent")
    func invalid() {
        let write = AttributeWrite(label, value: .null)
        for var transaction in [
            WriteTransaction([]), WriteTransaction([write, write]),
            WriteTransaction([write], timeout: 1, isGroup: true),
            WriteTransaction([AttributeWrite(endpoint: nil, cluster: 6, attribute: 0, value: .null)]),
        ] {
            #expect { try transaction.start() } throws: { ($0 as? InteractionError)?.code == .invalidRequest }
        }
    }

    @Test("what needs a timed interaction is repeated as one, once, and nothing else is")
    func timedRetry() throws {
        let writes = [AttributeWrite(label, value: .null), AttributeWrite(acl, value: octets(1, 1))]
        var transaction = WriteTransaction(writes)
        _ = try transaction.start()
        _ = try transaction.handle(
            WriteResponse(statuses: [
                AttributeStatusIB(path: AttributePath(acl), status: StatusIB(.needsTimedInteraction)),
                AttributeStatusIB(path: AttributePath(label), status: StatusIB(.success)),
            ]))
        var retry = try #require(transaction.timedRetry(timeout: 500))
        #expect(try sent(try retry.start()).opcode == .timedRequest)
        let message = try sent(try retry.handle(StatusResponse(.success)))
        let request = try WriteRequest(decoding: message.payload)
        #expect(request.writes.map(\.path) == [AttributePath(acl)])
        _ = try retry.handle(
            WriteResponse(statuses: [
                AttributeStatusIB(path: AttributePath(acl), status: StatusIB(.needsTimedInteraction))
            ]))
        #expect(retry.timedRetry(timeout: 500) == nil)
        let merged = try #require(transaction.output).replaced(by: [
            AttributeWriteResult(path: AttributePath(acl), status: StatusIB(.success))
        ])
        #expect(merged.map(\.status.isSuccess) == [true, true])
    }

    @Test("a StatusResponse of NEEDS_TIMED_INTERACTION is about all writes")
    func timedRetryOfAll() throws {
        var transaction = WriteTransaction([AttributeWrite(label, value: .null)])
        _ = try transaction.start()
        #expect(transaction.timedRetry(timeout: 1) == nil)
        #expect(throws: InteractionError.self) { try transaction.handle(StatusResponse(.needsTimedInteraction)) }
        #expect(transaction.timedRetry(timeout: 1) != nil)
    }
}

@Suite("WriteReceiver")
struct WriteReceiverTests {
    private func append(_ value: TLVValue) -> AttributeDataIB {
        AttributeDataIB(path: AttributePath(binding, listIndex: .append), data: value)
    }
    private let empty = AttributeDataIB(path: AttributePath(binding), data: .array([]))

    @Test("items join the list that they follow; each block is answered")
    func joining() throws {
        var receiver = WriteReceiver()
        let chunk = try receiver.receive(
            WriteRequest(writes: [
                AttributeDataIB(dataVersion: 3, path: AttributePath(label), data: .string("x")), empty,
                append(.uint(1)), append(.uint(2)),
            ]))
        #expect(
            chunk.operations.map(\.change) == [
                .replace(.string("x")),
                .replace(.array([TLVElement(.anonymous, .uint(1)), TLVElement(.anonymous, .uint(2))])),
            ])
        #expect(chunk.operations.map(\.dataVersion) == [3, nil])
        #expect(chunk.isLast)
        let response = chunk.response([StatusIB(.success), StatusIB(.constraintError)])
        #expect(response.statuses.map(\.status.status) == [.success] + Array(repeating: .constraintError, count: 3))
        #expect(
            response.statuses.map(\.path) == [AttributePath(label)] + Array(repeating: AttributePath(binding), count: 3)
        )
        #expect(chunk.response([]).statuses.allSatisfy { $0.status == StatusIB(.failure) })
    }

    @Test("items in a later message are appended")
    func laterMessage() throws {
        var receiver = WriteReceiver()
        #expect(try receiver.receive(WriteRequest(writes: [empty], hasMoreChunks: true).encoded()).isLast == false)
        let chunk = try receiver.receive(WriteRequest(writes: [append(.uint(1)), append(.uint(2))]).encoded())
        #expect(chunk.operations.map(\.change) == [.append([.uint(1), .uint(2)])])
        #expect(throws: InteractionError.self) { try receiver.receive(WriteRequest(writes: [empty])) }
    }

    @Test("items that follow another list's replacement are appended to their own")
    func interleaved() throws {
        var receiver = WriteReceiver()
        let other = AttributeDataIB(path: AttributePath(acl), data: .array([]))
        let chunk = try receiver.receive(WriteRequest(writes: [empty, other, append(.uint(1))]))
        #expect(chunk.operations.map(\.path) == [AttributePath(binding), AttributePath(acl), AttributePath(binding)])
        #expect(chunk.operations.map(\.change) == [.replace(.array([])), .replace(.array([])), .append([.uint(1)])])
    }

    @Test("a write does not become a timed one midway")
    func timedMidway() throws {
        var receiver = WriteReceiver()
        _ = try receiver.receive(WriteRequest(writes: [empty], hasMoreChunks: true))
        #expect { try receiver.receive(WriteRequest(isTimed: true, writes: [])) } throws: { error in
            (error as? InteractionError)?.code == .protocolViolation
        }
    }

    @Test("items without a list before them are answered BUSY, single positions UNSUPPORTED_WRITE")
    func refusedItems() throws {
        var receiver = WriteReceiver()
        let item = AttributeDataIB(path: AttributePath(binding, listIndex: .item(1)), data: .null)
        let chunk = try receiver.receive(WriteRequest(writes: [append(.uint(1)), item]))
        #expect(chunk.operations.map(\.change) == [.refuse(.busy), .refuse(.unsupportedWrite)])
    }

    @Test("timed and group writes in several messages, and wildcard paths, are refused whole")
    func violations() {
        for request in [
            WriteRequest(isTimed: true, writes: [], hasMoreChunks: true),
            WriteRequest(suppressesResponse: true, writes: [], hasMoreChunks: true),
            WriteRequest(writes: [AttributeDataIB(path: AttributePath(cluster: 6, attribute: 0), data: .null)]),
            WriteRequest(writes: [AttributeDataIB(path: AttributePath(endpoint: 0, cluster: 6), data: .null)]),
        ] {
            var receiver = WriteReceiver()
            let error = #expect(throws: InteractionError.self) { try receiver.receive(request) }
            #expect(error?.statusForPeer == .invalidAction)
        }
    }

    @Test("a write to a group may leave out the endpoint")
    func group() throws {
        var receiver = WriteReceiver()
        let block = AttributeDataIB(path: AttributePath(cluster: 6, attribute: 0), data: .null)
        let chunk = try receiver.receive(WriteRequest(suppressesResponse: true, writes: [block]))
        #expect(chunk.suppressesResponse)
        #expect(chunk.operations.map(\.path) == [block.path])
    }

    @Test("an interaction that writes lists without end is stopped")
    func limit() throws {
        var receiver = WriteReceiver()
        let lists = (0..<16).map {
            AttributeDataIB(path: AttributePath(endpoint: $0, cluster: 6, attribute: 0), data: .array([]))
        }
        for _ in 0..<100 { _ = try receiver.receive(WriteRequest(writes: lists, hasMoreChunks: true)) }
        #expect {
            for endpoint in (UInt16(100)..<5_000).map({ EndpointID($0) }) {
                let list = AttributeDataIB(
                    path: AttributePath(endpoint: endpoint, cluster: 6, attribute: 0), data: .array([]))
                _ = try receiver.receive(WriteRequest(writes: [list], hasMoreChunks: true))
            }
        } throws: { ($0 as? InteractionError)?.code == .limitExceeded }
    }

    @Test("what a client writes arrives, whatever the size of messages")
    func conversation() throws {
        var generator = SeededGenerator(seed: 11)
        var longest = 0
        for round in 0..<300 {
            let maxPayload = generator.number(200...1_300)
            var wanted: [ConcreteAttributePath: TLVValue] = [:]
            for _ in 0..<generator.number(1...4) {
                var path = generator.path()
                if generator.number(0...3) == 0 { path.cluster = 0x1F }
                wanted[path] =
                    generator.number(0...2) == 0
                    ? .octets(generator.octets(generator.number(0...100))) : generator.list(items: 0...40)
            }
            var transaction = WriteTransaction(
                wanted.map {
                    AttributeWrite($0.key, value: $0.value, dataVersion: generator.number(0...1) == 0 ? 5 : nil)
                })
            var receiver = WriteReceiver()
            var stored: [AttributePath: TLVValue] = [:]
            var action: InteractionAction
            do {
                action = try transaction.start(maxPayload: maxPayload)
            } catch {
                #expect(error.code == .requestTooLarge)
                continue
            }
            var messages = 0
            while case .send(_, let payload, true) = action {
                messages += 1
                #expect(payload.count <= maxPayload)
                let chunk = try receiver.receive(payload)
                for operation in chunk.operations {
                    switch operation.change {
                    case .replace(let value):
                        stored[operation.path] = value
                    case .append(let items):
                        guard case .array(let before) = stored[operation.path] else {
                            Issue.record("an append to nothing")
                            continue
                        }
                        stored[operation.path] = .array(before + items.map { TLVElement(.anonymous, $0) })
                    case .refuse(let status):
                        Issue.record("\(status)")
                    }
                }
                action = try transaction.handle(
                    chunk.response(chunk.operations.map { _ in StatusIB(.success) }))
            }
            #expect(action == .finished)
            #expect(stored.count == wanted.count, "round \(round)")
            for (path, value) in wanted { #expect(stored[AttributePath(path)] == value, "round \(round)") }
            #expect(transaction.output?.allSatisfy { $0.status.isSuccess } == true)
            longest = max(longest, messages)
        }
        #expect(longest > 10)
    }
}
