import MatterBase
import TestSupport
import Testing

@testable import MatterModel

private func data(_ path: ConcreteAttributePath, _ value: TLVValue) -> AttributeReportIB {
    .data(AttributeDataIB(dataVersion: 77, path: AttributePath(path), data: value))
}

@Suite("ReportDataChunker")
struct ReportDataChunkerTests {
    private let path = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)

    private func chunks(
        _ attributes: [AttributeReportIB], _ events: [EventReportIB] = [], subscription: UInt32? = nil,
        maxPayload: Int = 128
    ) throws -> [ReportData] {
        var chunker = try ReportDataChunker(
            attributes: attributes, events: events, subscriptionID: subscription,
            suppressesLastResponse: subscription == nil, maxPayload: maxPayload)
        var chunks: [ReportData] = []
        while let chunk = chunker.next() {
            #expect(chunk.payload.count <= maxPayload)
            let report = try ReportData(decoding: chunk.payload)
            #expect(report.encoded() == chunk.payload)
            #expect(report.hasMoreChunks == !chunk.isLast)
            chunks.append(report)
        }
        return chunks
    }

    @Test("a report of nothing is one message")
    func empty() throws {
        #expect(try chunks([]) == [ReportData(suppressesResponse: true)])
        #expect(try chunks([], subscription: 9) == [ReportData(subscriptionID: 9)])
    }

    @Test("only the last message of a read wants no answer, and none of a subscription")
    func suppression() throws {
        let values = (0..<6).map { _ in data(path, .octets([UInt8](repeating: 1, count: 40))) }
        let read = try chunks(values)
        #expect(read.count > 2)
        #expect(read.map(\.suppressesResponse) == read.indices.map { $0 == read.count - 1 })
        let report = try chunks(values, subscription: 70_000)
        #expect(report.allSatisfy { !$0.suppressesResponse && $0.subscriptionID == 70_000 })
        #expect(report.flatMap(\.attributes) == values)
    }

    @Test("a list that fits a message stays whole; one that does not begins with what fits and goes on item by item")
    func lists() throws {
        let small = TLVValue.array((0..<4).map { TLVElement(.anonymous, .octets([UInt8](repeating: $0, count: 10))) })
        let filler = data(path, .octets([UInt8](repeating: 9, count: 40)))
        #expect(try chunks([filler, data(path, small)]).map(\.attributes) == [[filler], [data(path, small)]])

        let items = (0..<12).map { TLVElement(.anonymous, .octets([UInt8](repeating: $0, count: 10))) }
        let split = try chunks([data(path, .array(items))])
        guard case .data(let first) = split.first?.attributes.first, case .array(let start) = first.data else {
            Issue.record("the list does not begin with a list")
            return
        }
        #expect(first.path.listIndex == nil)
        #expect((1..<12).contains(start.count))
        let rest = split.flatMap(\.attributes).dropFirst()
        #expect(
            Array(rest)
                == items[start.count...].map {
                    .data(
                        AttributeDataIB(
                            dataVersion: 77, path: AttributePath(path, listIndex: .append), data: $0.value))
                })
    }

    @Test("what fits no message is reported as RESOURCE_EXHAUSTED")
    func tooLarge() throws {
        let exhausted = AttributeReportIB.status(
            AttributeStatusIB(path: AttributePath(path), status: StatusIB(.resourceExhausted)))
        let huge = TLVValue.octets([UInt8](repeating: 0, count: 128))
        #expect(try chunks([data(path, huge)]).map(\.attributes) == [[exhausted]])
        let list = TLVValue.array([TLVElement(.anonymous, .uint(1)), TLVElement(.anonymous, huge)])
        #expect(try chunks([data(path, list)]).map(\.attributes) == [[exhausted]])
        let eventPath = EventPath(endpoint: 0, cluster: 40, event: 0)
        let event = EventDataIB(path: eventPath, number: 1, priority: .info, timestamp: .epoch(1), data: huge)
        #expect(
            try chunks([], [.data(event)]).map(\.events) == [
                [.status(EventStatusIB(path: eventPath, status: StatusIB(.resourceExhausted)))]
            ])
    }

    @Test("events follow attributes and fill up their last message")
    func events() throws {
        let events = (0..<9).map {
            EventReportIB.data(
                EventDataIB(
                    path: EventPath(endpoint: 0, cluster: 40, event: 0), number: $0, priority: .info,
                    timestamp: .epoch(1), data: nil))
        }
        let split = try chunks([data(path, .bool(true))], events)
        #expect(split.count > 1)
        #expect(split.first?.attributes.count == 1)
        #expect(split.first?.events.isEmpty == false)
        #expect(split.dropFirst().allSatisfy { $0.attributes.isEmpty })
        #expect(split.flatMap(\.events) == events)
    }

    @Test("messages too short to be of use are refused")
    func tooShort() {
        #expect(throws: InteractionError.self) {
            try ReportDataChunker(attributes: [], suppressesLastResponse: true, maxPayload: 127)
        }
    }
}

@Suite("ReportResponder")
struct ReportResponderTests {
    /// Random reports and what a client is to make of them.
    private func reports(
        _ generator: inout SeededGenerator, maxPayload: Int
    ) -> (reports: [AttributeReportIB], expected: [AttributeReport]) {
        var reports: [AttributeReportIB] = []
        var expected: [AttributeReport] = []
        for number in 0..<generator.number(0...20) {
            let path = ConcreteAttributePath(
                endpoint: EndpointID(UInt16(number)), cluster: ClusterID(UInt32(generator.number(0...70_000))),
                attribute: 1)
            switch generator.number(0...9) {
            case 0:
                let status = StatusIB(.unsupportedAttribute)
                reports.append(.status(AttributeStatusIB(path: AttributePath(path), status: status)))
                expected.append(AttributeReport(path: path, dataVersion: nil, outcome: .failure(status)))
            case 1:
                reports.append(data(path, .octets(generator.octets(maxPayload))))
                expected.append(
                    AttributeReport(path: path, dataVersion: nil, outcome: .failure(StatusIB(.resourceExhausted))))
            case 2...5:
                let items = (0..<generator.number(0...60)).map { _ in
                    TLVElement(.anonymous, .octets(generator.octets(generator.number(0...50))))
                }
                reports.append(data(path, .array(items)))
                expected.append(AttributeReport(path: path, dataVersion: 77, outcome: .value(.array(items))))
            default:
                let value = generator.value(depth: 0)
                reports.append(data(path, value))
                expected.append(AttributeReport(path: path, dataVersion: 77, outcome: .value(value)))
            }
        }
        return (reports, expected)
    }

    @Test("a read yields what the server holds, whatever the size of messages")
    func read() throws {
        var generator = SeededGenerator(seed: 3)
        var longest = 0
        var fullest = Int.max
        for round in 0..<300 {
            let maxPayload = generator.number(128...1_200)
            let (reports, expected) = reports(&generator, maxPayload: maxPayload)
            let events = (0..<generator.number(0...12)).map { number in
                EventDataIB(
                    path: EventPath(endpoint: 0, cluster: 40, event: 0), number: UInt64(number), priority: .info,
                    timestamp: .epoch(1), data: .octets(generator.octets(generator.number(0...60))))
            }
            var client = ReadTransaction(ReadRequest(attributePaths: [AttributePath()]))
            _ = try client.start()
            var server = ReportResponder.read(
                attributes: reports, events: events.map { .data($0) })
            let payloads = try converse(&client, &server, maxPayload: maxPayload)
            longest = max(longest, payloads.count)
            #expect(payloads.allSatisfy { $0.count <= maxPayload })
            fullest = min(fullest, payloads.map { maxPayload - $0.count }.min() ?? .max)
            #expect(client.output?.attributes == expected, "round \(round)")
            #expect(client.output?.events.map(\.event?.data) == events.map(\.data), "round \(round)")
            #expect(server.output != nil)
        }
        #expect(longest > 50)
        #expect(fullest == 0)
    }

    @Test("a subscription is set up with what the server holds, whatever the size of messages")
    func subscribe() throws {
        var generator = SeededGenerator(seed: 4)
        for round in 0..<200 {
            let maxPayload = generator.number(128...1_200)
            let (reports, expected) = reports(&generator, maxPayload: maxPayload)
            let id = UInt32.random(in: 0 ... .max, using: &generator)
            var client = SubscribeTransaction(
                SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: 9, attributePaths: [AttributePath()]))
            _ = try client.start()
            var server = ReportResponder.subscribe(
                SubscribeResponse(subscriptionID: id, maxInterval: 9), attributes: reports)
            let payloads = try converse(&client, &server, maxPayload: maxPayload)
            #expect(payloads.allSatisfy { $0.count <= maxPayload })
            #expect(client.output?.id == id)
            #expect(client.output?.reports.attributes == expected, "round \(round)")
            #expect(server.output != nil)
        }
    }

    @Test("a later report is done when the subscriber has answered its last message")
    func laterReport() throws {
        var server = ReportResponder.report(subscriptionID: 7, attributes: [])
        let message = try sent(try server.start())
        #expect(message.expectsReply)
        #expect(server.output == nil)
        #expect(try server.handle(StatusResponse(.success)) == .finished)
        #expect(server.output != nil)
    }

    @Test("a subscriber that does not know the subscription ends it")
    func unknownSubscription() throws {
        var server = ReportResponder.report(subscriptionID: 7, attributes: [])
        _ = try server.start()
        let error = #expect(throws: InteractionError.self) { try server.handle(StatusResponse(.invalidSubscription)) }
        #expect(error?.status == .invalidSubscription)
        #expect(server.output == nil)
        #expect(throws: InteractionError.self) { try server.handle(StatusResponse(.success)) }
    }
}
