import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork

@Suite("Damaged messages")
struct MutationTests {
    /// The samples, and messages from our own chunker.
    private var corpus: [[UInt8]] {
        var generator = SeededGenerator(seed: 1)
        var corpus = Samples.all
        for _ in 0..<10 {
            let attribute = AttributeDataIB(
                dataVersion: 1,
                path: AttributePath(generator.path(), listIndex: generator.number(0...2) == 0 ? .append : nil),
                data: generator.value(depth: 1))
            corpus.append(ReportData(subscriptionID: 7, attributes: [.data(attribute)]).encoded())
            corpus.append(WriteRequest(writes: [attribute]).encoded())
        }
        return corpus
    }

    /// A message that decodes encodes to one that decodes to the same octets.
    private func check<Message: InteractionMessage>(_ type: Message.Type, _ bytes: [UInt8]) -> Bool {
        guard let message = try? Message(decoding: bytes) else { return false }
        let encoded = message.encoded()
        #expect((try? Message(decoding: encoded))?.encoded() == encoded)
        return true
    }

    @Test("decoders refuse or accept damaged messages, and what they accept they can repeat")
    func decoders() {
        var mutator = Mutator(seed: 20, corpus: corpus)
        var accepted = 0
        for _ in 0..<Effort.inputs(20_000) {
            let bytes = mutator.next()
            for isAccepted in [
                check(StatusResponse.self, bytes), check(ReadRequest.self, bytes), check(SubscribeRequest.self, bytes),
                check(SubscribeResponse.self, bytes), check(ReportData.self, bytes), check(WriteRequest.self, bytes),
                check(WriteResponse.self, bytes), check(InvokeRequest.self, bytes), check(InvokeResponse.self, bytes),
                check(TimedRequest.self, bytes),
            ] where isAccepted { accepted += 1 }
            // One who hands a report on looks at this field only.
            if let report = try? ReportData(decoding: bytes) {
                #expect(ReportData.subscription(of: bytes) == report.subscriptionID)
            }
        }
        // Damage often leaves a message readable: a test that refused everything would test little.
        #expect(accepted > Effort.inputs(1_000))
    }

    /// Feeds damaged messages until the machine gives up or is done, which it has to.
    ///
    /// - Returns: how many messages it took.
    private func feed(
        _ transaction: inout some InteractionTransaction, _ mutator: inout Mutator, opcodes: [UInt8],
        maxPayload: Int = LinkProperties.udp.largestPayload, _ generator: inout SeededGenerator
    ) throws -> Int {
        _ = try transaction.start(maxPayload: maxPayload)
        for count in 1...60 {
            let opcode =
                generator.number(0...9) == 0
                ? UInt8(generator.number(0...255)) : opcodes.randomElement(using: &generator) ?? 0
            do {
                let action = try transaction.handle(opcode: opcode, payload: mutator.next())
                if case .send(_, _, true) = action { continue }
                if action == .wait { continue }
                #expect(transaction.output != nil)
            } catch {
                #expect(transaction.output == nil)
            }
            #expect(throws: InteractionError.self) {
                try transaction.handle(opcode: opcode, payload: mutator.next())
            }
            return count
        }
        return 60
    }

    @Test("machines survive damaged messages")
    func machines() throws {
        var generator = SeededGenerator(seed: 31)
        var mutator = Mutator(
            seed: 30, corpus: corpus + Array(repeating: StatusResponse(.success).encoded(), count: 20))
        let path = ConcreteAttributePath(endpoint: 0, cluster: 0x28, attribute: 5)
        var messages = 0
        while messages < Effort.inputs(20_000) {
            var read = ReadTransaction(ReadRequest(attributePaths: [AttributePath()]))
            messages += try feed(&read, &mutator, opcodes: [5], &generator)
            var subscribe = SubscribeTransaction(
                SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: 1, attributePaths: [AttributePath()]))
            messages += try feed(&subscribe, &mutator, opcodes: [4, 5], &generator)
            var write = WriteTransaction(
                [AttributeWrite(path, value: generator.list(items: 0...60))])
            messages += try feed(&write, &mutator, opcodes: [7], maxPayload: 400, &generator)
            var timedWrite = WriteTransaction([AttributeWrite(path, value: .null)], timeout: 9)
            messages += try feed(&timedWrite, &mutator, opcodes: [1, 7], &generator)
            let commands = (0..<3).map { Command(endpoint: $0, cluster: 6, command: 2) }
            var invoke = InvokeTransaction(commands, maxPathsPerInvoke: 3)
            messages += try feed(&invoke, &mutator, opcodes: [9], &generator)
            var timedInvoke = InvokeTransaction([commands[1]], timeout: 9)
            messages += try feed(&timedInvoke, &mutator, opcodes: [1, 9], &generator)
            var reporter = ReportResponder.subscribe(
                SubscribeResponse(subscriptionID: 1, maxInterval: 1),
                attributes: (0..<20).map { _ in
                    .data(AttributeDataIB(path: AttributePath(path), data: .octets(generator.octets(50))))
                })
            messages += try feed(&reporter, &mutator, opcodes: [1], maxPayload: 128, &generator)
        }
    }

    @Test("a running subscription and a server's write survive damaged messages")
    func longLived() {
        var mutator = Mutator(seed: 40, corpus: corpus)
        let now = ContinuousClock.now
        var state = SubscriptionState(
            Subscription(id: 7, maxInterval: 1, reports: ReadResult()), maximumRoundTrip: .zero, now: now)
        var reports = 0
        var writes = 0
        for _ in 0..<Effort.inputs(20_000) {
            let bytes = mutator.next()
            if (try? state.handle(opcode: 5, payload: bytes, at: now))?.report != nil { reports += 1 }
            var receiver = WriteReceiver()
            if let chunk = try? receiver.receive(bytes) {
                writes += 1
                #expect(chunk.response([]).statuses.count >= chunk.operations.count)
            }
        }
        #expect(reports > Effort.inputs(100))
        #expect(writes > Effort.inputs(100))
    }
}
