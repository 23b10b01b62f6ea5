import MatterBase
import TestSupport
import Testing

@testable import MatterModel

private let onOff = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)
private let parts = ConcreteAttributePath(endpoint: 0, cluster: 0x1D, attribute: 3)

private func data(
    _ path: ConcreteAttributePath, _ value: TLVValue, version: UInt32? = 1, index: ListIndex? = nil
) -> AttributeReportIB {
    .data(AttributeDataIB(dataVersion: version, path: AttributePath(path, listIndex: index), data: value))
}

private func array(_ numbers: UInt64...) -> TLVValue { .array(numbers.map { TLVElement(.anonymous, .uint($0)) }) }

@Suite("ReadTransaction")
struct ReadTransactionTests {
    private func started(
        _ request: ReadRequest = ReadRequest(attributePaths: [AttributePath(onOff)]), limits: ReportLimits = .standard
    ) throws -> ReadTransaction {
        var transaction = ReadTransaction(request, limits: limits)
        let first = try sent(try transaction.start())
        #expect(first.opcode == .readRequest)
        #expect(first.expectsReply)
        #expect(try ReadRequest(decoding: first.payload) == request)
        return transaction
    }

    @Test("a report that wants no answer ends the read")
    func suppressed() throws {
        var transaction = try started()
        #expect(transaction.output == nil)
        let report = ReportData(attributes: [data(onOff, .bool(true), version: 9)], suppressesResponse: true)
        #expect(try transaction.handle(report) == .finished)
        let result = try #require(transaction.output)
        #expect(result.attributes == [AttributeReport(path: onOff, dataVersion: 9, outcome: .value(.bool(true)))])
        #expect(result.attribute(onOff)?.value == .bool(true))
        #expect(result.attribute(parts) == nil)
    }

    @Test("a last report that does not suppress the response is answered, and that ends the read")
    func answered() throws {
        var transaction = try started()
        #expect(
            try transaction.handle(ReportData(attributes: [data(onOff, .bool(true))])) == .goOn(expectsReply: false))
        #expect(transaction.output?.attributes.count == 1)
    }

    @Test("each chunk is answered, even one whose sender says that it wants no answer")
    func chunks() throws {
        var transaction = try started()
        var report = ReportData(attributes: [data(onOff, .bool(true))], hasMoreChunks: true)
        #expect(try transaction.handle(report) == .goOn(expectsReply: true))
        // CircuitMatter sets both flags on every chunk and waits for the answer all the same.
        report = ReportData(attributes: [data(parts, array(1))], hasMoreChunks: true, suppressesResponse: true)
        #expect(try transaction.handle(report) == .goOn(expectsReply: true))
        #expect(transaction.output == nil)
        #expect(try transaction.handle(ReportData(suppressesResponse: true)) == .finished)
        #expect(transaction.output?.attributes.map(\.path) == [onOff, parts])
    }

    @Test("a list is put together across chunks, and a later whole value replaces an earlier one in its place")
    func lists() throws {
        var transaction = try started()
        _ = try transaction.handle(
            ReportData(
                attributes: [
                    data(parts, array(7, 8)), data(onOff, .bool(false)), data(parts, array(1, 2), version: 2),
                ],
                hasMoreChunks: true))
        _ = try transaction.handle(
            ReportData(
                attributes: [
                    data(parts, .uint(3), version: 2, index: .append), data(onOff, .bool(true)),
                    data(parts, .null, version: 2, index: .append),
                ], suppressesResponse: true))
        let list: TLVValue = .array([
            TLVElement(.anonymous, .uint(1)), TLVElement(.anonymous, .uint(2)), TLVElement(.anonymous, .uint(3)),
            TLVElement(.anonymous, .null),
        ])
        #expect(
            transaction.output?.attributes == [
                AttributeReport(path: parts, dataVersion: 2, outcome: .value(list)),
                AttributeReport(path: onOff, dataVersion: 1, outcome: .value(.bool(true))),
            ])
    }

    @Test("items without a list before them make one; items behind anything else spoil that attribute alone")
    func appends() throws {
        var transaction = try started()
        _ = try transaction.handle(
            ReportData(attributes: [data(parts, .uint(1), index: .append)], suppressesResponse: true))
        #expect(transaction.output?.attribute(parts)?.value == array(1))

        let refused = AttributeReportIB.status(
            AttributeStatusIB(path: AttributePath(parts), status: StatusIB(.unsupportedAccess)))
        for faulty in [
            [data(parts, .bool(true)), data(parts, .bool(true), index: .append)],
            [refused, data(parts, .uint(1), index: .append), data(parts, .uint(2), index: .append)],
            [data(parts, array(1)), data(parts, .uint(2), index: .item(0))],
        ] {
            transaction = try started()
            _ = try transaction.handle(
                ReportData(attributes: faulty + [data(onOff, .bool(true))], suppressesResponse: true))
            guard case .unreadable(let reason) = transaction.output?.attribute(parts)?.outcome else {
                Issue.record("\(faulty) is read")
                continue
            }
            #expect(!reason.isEmpty)
            #expect(transaction.output?.attribute(onOff)?.value == .bool(true))
        }
    }

    @Test("a value of no attribute in particular is named, and hides no other")
    func wildcardValue() throws {
        var transaction = try started()
        let stray = AttributeReportIB.data(AttributeDataIB(path: AttributePath(cluster: 6), data: .null))
        _ = try transaction.handle(ReportData(attributes: [stray, data(onOff, .bool(true))], suppressesResponse: true))
        #expect(transaction.output?.attributes.map(\.path) == [onOff])
        #expect(transaction.output?.unattributed.count == 1)
    }

    @Test("the status of a path is a result, not an error")
    func pathStatus() throws {
        var transaction = try started()
        let status = AttributeReportIB.status(
            AttributeStatusIB(path: AttributePath(onOff), status: StatusIB(.unsupportedEndpoint)))
        _ = try transaction.handle(ReportData(attributes: [status], suppressesResponse: true))
        #expect(transaction.output?.attribute(onOff)?.outcome == .failure(StatusIB(.unsupportedEndpoint)))
        #expect(transaction.output?.attribute(onOff)?.value == nil)
    }

    @Test("a StatusResponse instead of a report is the peer's refusal, by name")
    func refused() throws {
        var transaction = try started()
        let error = #expect(throws: InteractionError.self) {
            try transaction.handle(StatusResponse(.pathsExhausted))
        }
        #expect(error?.code == .refused)
        #expect(error?.status == .pathsExhausted)
        #expect(error?.description == "the peer answered the ReadRequest with PATHS_EXHAUSTED")
        #expect(error?.statusForPeer == nil)
        #expect(transaction.output == nil)
    }

    @Test("what has no place in a read is refused, and the machine is dead afterwards")
    func unexpected() throws {
        let cases: [(UInt8, [UInt8], InteractionError.Code)] = [
            (1, StatusResponse(.success).encoded(), .protocolViolation),
            (1, [0x15], .malformed),
            (5, [0x15], .malformed),
            (9, hex(Samples.invokeResponse), .unexpectedMessage),
            (0x77, [], .unexpectedMessage),
            (5, ReportData(subscriptionID: 1).encoded(), .protocolViolation),
        ]
        for (opcode, payload, code) in cases {
            var transaction = try started()
            let error = #expect(throws: InteractionError.self) {
                try transaction.handle(opcode: opcode, payload: payload)
            }
            #expect(error?.code == code)
            #expect(error?.statusForPeer == .invalidAction)
            #expect(throws: InteractionError.self) { try transaction.handle(ReportData(suppressesResponse: true)) }
            #expect(transaction.output == nil)
        }
    }

    @Test("a machine starts once, and only then takes messages")
    func misuse() throws {
        var transaction = ReadTransaction(ReadRequest(attributePaths: [AttributePath(onOff)]))
        #expect(throws: InteractionError.self) { try transaction.handle(ReportData()) }
        _ = try transaction.start()
        #expect { try transaction.start() } throws: { ($0 as? InteractionError)?.code == .invalidRequest }
    }

    @Test("requests that cannot be sent are refused before anything is")
    func invalid() {
        var transaction = ReadTransaction(ReadRequest(attributePaths: []))
        #expect { try transaction.start() } throws: { ($0 as? InteractionError)?.code == .invalidRequest }
        transaction = ReadTransaction(ReadRequest(attributePaths: [AttributePath(attribute: 0)]))
        #expect { try transaction.start() } throws: { ($0 as? InteractionError)?.code == .invalidRequest }
        transaction = ReadTransaction(
            ReadRequest(attributePaths: Array(repeating: AttributePath(onOff), count: 9)))
        #expect { try transaction.start(maxPayload: 80) } throws: {
            ($0 as? InteractionError)?.code == .requestTooLarge
        }
    }

    @Test("a peer that reports without end is stopped by octets, by elements and by messages")
    func limits() throws {
        let report = ReportData(attributes: [data(parts, array(1, 2, 3))], hasMoreChunks: true)
        let size = report.encoded().count
        for limits in [
            ReportLimits(octets: 10 * size), ReportLimits(elements: 10 * 4), ReportLimits(messages: 10),
        ] {
            var transaction = try started(limits: limits)
            for _ in 0..<10 { _ = try transaction.handle(report) }
            let error = #expect(throws: InteractionError.self) { try transaction.handle(report) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.statusForPeer == .resourceExhausted)
        }
    }

    @Test("a hundred thousand appended items take no quadratic time")
    func manyItems() throws {
        var transaction = try started()
        let items = (0..<500).map { data(parts, .uint(UInt64($0)), index: .append) }
        let payload = ReportData(attributes: items, hasMoreChunks: true).encoded()
        for _ in 0..<200 { _ = try transaction.handle(opcode: 5, payload: payload) }
        _ = try transaction.handle(ReportData(suppressesResponse: true))
        guard case .array(let list) = transaction.output?.attribute(parts)?.value else {
            Issue.record("no list")
            return
        }
        #expect(list.count == 100_000)
    }
}

@Suite("Events in a read")
struct EventReadTests {
    private let path = EventPath(endpoint: 0, cluster: 0x28, event: 0)

    private func event(_ number: UInt64, _ timestamp: EventTimestamp) -> EventReportIB {
        .data(EventDataIB(path: path, number: number, priority: .info, timestamp: timestamp, data: nil))
    }

    private func read(_ reports: [ReportData]) throws -> ReadResult {
        var transaction = ReadTransaction(ReadRequest(attributePaths: [], eventPaths: [EventPath()]))
        _ = try transaction.start()
        for report in reports { _ = try transaction.handle(report) }
        return try #require(transaction.output)
    }

    @Test("delta times become absolute within their message")
    func deltas() throws {
        let result = try read([
            ReportData(
                events: [
                    event(1, .epoch(1_000)), event(2, .deltaEpoch(5)), event(3, .deltaEpoch(6)), event(4, .system(50)),
                    event(5, .deltaSystem(1)), event(6, .deltaEpoch(9)),
                ], hasMoreChunks: true),
            ReportData(events: [event(7, .deltaSystem(3))], suppressesResponse: true),
        ])
        #expect(
            result.events.map(\.event?.timestamp) == [
                .epoch(1_000), .epoch(1_005), .epoch(1_011), .system(50), .system(51), .deltaEpoch(9), .deltaSystem(3),
            ])
        #expect(result.lastEventNumber == 7)
    }

    @Test("a time beyond 64 bits and a path with a wildcard are refused")
    func refusals() {
        #expect(throws: InteractionError.self) {
            try read([ReportData(events: [event(1, .epoch(.max)), event(2, .deltaEpoch(1))])])
        }
        let wildcard = EventStatusIB(path: EventPath(endpoint: 0), status: StatusIB(.unsupportedEvent))
        #expect(throws: InteractionError.self) { try read([ReportData(events: [.status(wildcard)])]) }
    }

    @Test("the status of an event path is a result")
    func status() throws {
        let status = EventStatusIB(path: path, status: StatusIB(.unsupportedEvent))
        let result = try read([ReportData(events: [.status(status)], suppressesResponse: true)])
        #expect(result.events.map(\.outcome) == [.failure(StatusIB(.unsupportedEvent))])
        #expect(result.lastEventNumber == nil)
    }
}

@Suite("Splitting a read")
struct ReadSplitTests {
    private let paths = (0..<30).map { AttributePath(endpoint: EndpointID($0), cluster: 6, attribute: 0) }

    @Test("no request has more paths than every server accepts, and none is lost")
    func count() throws {
        let request = ReadRequest(
            attributePaths: paths, eventPaths: [EventPath(endpoint: 1), EventPath(endpoint: 2)],
            eventFilters: [EventFilter(minimum: 3)], isFabricFiltered: false)
        let parts = try request.split(maxPayload: 1_178)
        #expect(parts.map { $0.attributePaths.count + $0.eventPaths.count } == [9, 9, 9, 5])
        #expect(parts.flatMap(\.attributePaths) == paths)
        #expect(parts.flatMap(\.eventPaths) == request.eventPaths)
        #expect(parts.map(\.eventFilters.count) == [0, 0, 0, 1])
        #expect(parts.allSatisfy { !$0.isFabricFiltered })
    }

    @Test("requests fit the payload limit")
    func size() throws {
        let parts = try ReadRequest(attributePaths: paths).split(maxPayload: 60)
        #expect(parts.allSatisfy { $0.encoded().count <= 60 })
        #expect(parts.flatMap(\.attributePaths) == paths)
        #expect { try ReadRequest(attributePaths: paths).split(maxPayload: 12) } throws: { error in
            (error as? InteractionError)?.code == .requestTooLarge
        }
    }

    @Test("filters go where their cluster is asked for, as far as there is room")
    func filters() throws {
        let filters = (0..<30).map {
            DataVersionFilter(path: ClusterPath(endpoint: $0, cluster: 6), dataVersion: 0x0102_0304)
        }
        let parts = try ReadRequest(attributePaths: paths, dataVersionFilters: filters).split(maxPayload: 1_178)
        #expect(parts.flatMap(\.dataVersionFilters) == filters)
        #expect(parts[1].dataVersionFilters.map(\.path.endpoint) == Array(9..<18))
        let wildcard = ReadRequest(attributePaths: [AttributePath(cluster: 6)], dataVersionFilters: filters)
        let tight = try wildcard.split(maxPayload: 100)
        #expect(tight.count == 1)
        #expect((1..<10).contains(tight[0].dataVersionFilters.count))
        #expect(tight[0].encoded().count <= 100)
    }

    @Test("results of several requests merge; what is later replaces what is earlier")
    func merge() {
        func report(_ endpoint: EndpointID, _ value: Bool) -> AttributeReport {
            AttributeReport(
                path: ConcreteAttributePath(endpoint: endpoint, cluster: 6, attribute: 0),
                dataVersion: UInt32(endpoint.rawValue),
                outcome: .value(.bool(value)))
        }
        var result = ReadResult(attributes: [report(1, false), report(2, false)])
        result.merge(ReadResult(attributes: [report(3, true), report(1, true)]))
        #expect(result.attributes == [report(1, true), report(2, false), report(3, true)])
        #expect(result.dataVersionFilters.map(\.dataVersion) == [1, 2, 3])
    }
}
