import MatterBase
import TestSupport
import Testing

@testable import MatterModel

/// One hand-made payload of each message, with what it says.
enum Samples {
    static let onOff = AttributePath(endpoint: 1, cluster: 6, attribute: 0)

    static let statusResponse = "15 240080 24FF0C 18"
    static let timedRequest = "15 25001027 24FF0C 18"
    static let readRequest = """
        15 3600 17 240201 240306 240400 18 17 18 18
        3601 17 240100 240228 240300 2904 18 18
        3602 15 240107 18 18
        2903
        3604 15 3700 240101 240206 18 2601EFBEADDE 18 18
        24FF0C 18
        """
    static let subscribeRequest = """
        15 2800 240101 25025802
        3603 17 240201 18 18
        3604 17 2904 18 18
        3605 15 240107 18 18
        2907
        3608 15 3700 240101 240206 18 24012A 18 18
        24FF0C 18
        """
    static let subscribeResponse = "15 260004030201 25025802 24FF0C 18"
    static let reportData = """
        15 240007
        3601
        15 3501 24002A 3701 240201 240306 240400 18 2902 18 18
        15 3501 24002A 3701 240200 24031F 240400 3405 18 240209 18 18
        15 3500 3700 240209 240306 240400 18 3501 24007F 18 18 18
        18
        3602
        15 3501 3700 240100 240228 240300 18 240105 240202 240464 3507 240001 18 18 18
        15 3500 3700 240100 240228 240363 18 3501 2400C7 18 18 18
        18
        2903 2904 24FF0C 18
        """
    static let writeRequest = """
        15 2800 2801 3602 15 24002A 3701 240200 240328 240405 18 2C02026869 18 18 2803 24FF0C 18
        """
    static let writeResponse = """
        15 3600 15 3700 240200 240328 240405 18 3501 240001 240102 18 18 18 24FF0C 18
        """
    static let invokeRequest = """
        15 2800 2901 3602
        15 3700 240001 240106 240202 18 3501 18 18
        15 3700 240002 240106 240201 18 240201 18
        18 24FF0C 18
        """
    static let invokeResponse = """
        15 2800 3601
        15 3500 3700 240000 240130 240201 18 3501 240000 2C0100 18 18 18
        15 3501 3700 240001 240106 240202 18 3501 240000 18 240201 18 18
        18 2902 24FF0C 18
        """

    static let all = [
        statusResponse, timedRequest, readRequest, subscribeRequest, subscribeResponse, reportData, writeRequest,
        writeResponse, invokeRequest, invokeResponse,
    ].map(hex)
}

@Suite("Messages")
struct MessageCodecTests {
    private func check<Message: InteractionMessage>(_ sample: String, _ message: Message) throws {
        #expect(try Message(decoding: hex(sample)) == message)
        #expect(hexString(message.encoded()) == hexString(hex(sample)))
    }

    @Test("StatusResponse and TimedRequest")
    func small() throws {
        try check(Samples.statusResponse, StatusResponse(.invalidAction))
        try check(Samples.timedRequest, TimedRequest(timeout: 10_000))
    }

    @Test("ReadRequest")
    func readRequest() throws {
        try check(
            Samples.readRequest,
            ReadRequest(
                attributePaths: [Samples.onOff, AttributePath()],
                eventPaths: [EventPath(endpoint: 0, cluster: 0x28, event: 0, isUrgent: true)],
                eventFilters: [EventFilter(minimum: 7)], isFabricFiltered: true,
                dataVersionFilters: [
                    DataVersionFilter(path: ClusterPath(endpoint: 1, cluster: 6), dataVersion: 0xDEAD_BEEF)
                ]))
    }

    @Test("SubscribeRequest and SubscribeResponse")
    func subscribe() throws {
        try check(
            Samples.subscribeRequest,
            SubscribeRequest(
                keepsSubscriptions: false, minIntervalFloor: 1, maxIntervalCeiling: 600,
                attributePaths: [AttributePath(endpoint: 1)], eventPaths: [EventPath(isUrgent: true)],
                eventFilters: [EventFilter(minimum: 7)], isFabricFiltered: true,
                dataVersionFilters: [DataVersionFilter(path: ClusterPath(endpoint: 1, cluster: 6), dataVersion: 42)]))
        try check(Samples.subscribeResponse, SubscribeResponse(subscriptionID: 0x0102_0304, maxInterval: 600))
    }

    @Test("ReportData")
    func reportData() throws {
        let acl = AttributePath(endpoint: 0, cluster: 0x1F, attribute: 0, listIndex: .append)
        let absent = AttributePath(endpoint: 9, cluster: 6, attribute: 0)
        try check(
            Samples.reportData,
            ReportData(
                subscriptionID: 7,
                attributes: [
                    .data(AttributeDataIB(dataVersion: 42, path: Samples.onOff, data: .bool(true))),
                    .data(AttributeDataIB(dataVersion: 42, path: acl, data: .uint(9))),
                    .status(AttributeStatusIB(path: absent, status: StatusIB(.unsupportedEndpoint))),
                ],
                events: [
                    .data(
                        EventDataIB(
                            path: EventPath(endpoint: 0, cluster: 0x28, event: 0), number: 5, priority: .critical,
                            timestamp: .system(100), data: .structure([TLVElement(.context(0), .uint(1))]))),
                    .status(
                        EventStatusIB(
                            path: EventPath(endpoint: 0, cluster: 0x28, event: 0x63),
                            status: StatusIB(.unsupportedEvent))),
                ], hasMoreChunks: true, suppressesResponse: true))
    }

    @Test("a string that was cut off in the middle of a character spoils no answer; a request is refused for it")
    func brokenText() throws {
        // A node label of "Küche", stored by a device that cut it to two octets.
        let path = "3701 240200 240328 240405 18"
        let report = try ReportData(
            decoding: hex("15 3601 15 3501 24002A \(path) 2C02024BC3 18 18 15 3501 24002A \(path) 240207 18 18 18 18"))
        let values = report.attributes.map { if case .data(let data) = $0 { data.data } else { TLVValue?.none } }
        #expect(values == [.string("K\u{FFFD}"), .uint(7)])
        let error = #expect(throws: InteractionError.self) {
            _ = try WriteRequest(
                decoding: hex("15 2800 2801 3602 15 24002A 3701 240200 240328 240405 18 2C02024BC3 18 18 2803 18"))
        }
        #expect(error?.code == .malformed)
    }

    @Test("the subscription of a report is read without the rest: in any place, and where what follows is damaged")
    func subscription() {
        #expect(ReportData.subscription(of: hex(Samples.reportData)) == 7)
        #expect(ReportData.subscription(of: hex("15 3601 15 2400 05 18 18 260009000000 18")) == 9)
        #expect(ReportData.subscription(of: hex("15 2400 07 FF")) == 7)
        for none in [
            "", "15 18", "15 3601 15 2400 05 18 18 18", "15 2C0001 41 18", "15 3600 18 18", "2400 07", "15 2401",
        ] {
            #expect(ReportData.subscription(of: hex(none)) == nil, "\(none)")
        }
    }

    @Test("WriteRequest and WriteResponse")
    func write() throws {
        let nodeLabel = AttributePath(endpoint: 0, cluster: 0x28, attribute: 5)
        try check(
            Samples.writeRequest,
            WriteRequest(writes: [AttributeDataIB(dataVersion: 42, path: nodeLabel, data: .string("hi"))]))
        try check(
            Samples.writeResponse,
            WriteResponse(statuses: [
                AttributeStatusIB(path: nodeLabel, status: StatusIB(.failure, clusterStatus: 2))
            ]))
    }

    @Test("InvokeRequest and InvokeResponse")
    func invoke() throws {
        try check(
            Samples.invokeRequest,
            InvokeRequest(
                isTimed: true,
                commands: [
                    CommandDataIB(path: CommandPath(endpoint: 1, cluster: 6, command: 2), fields: .structure([])),
                    CommandDataIB(path: CommandPath(endpoint: 2, cluster: 6, command: 1), fields: nil, reference: 1),
                ]))
        try check(
            Samples.invokeResponse,
            InvokeResponse(
                responses: [
                    .command(
                        CommandDataIB(
                            path: CommandPath(endpoint: 0, cluster: 0x30, command: 1),
                            fields: .structure([
                                TLVElement(.context(0), .uint(0)), TLVElement(.context(1), .string("")),
                            ]))),
                    .status(
                        CommandStatusIB(
                            path: CommandPath(endpoint: 1, cluster: 6, command: 2), status: StatusIB(.success),
                            reference: 1)),
                ], hasMoreChunks: true))
    }

    @Test("unknown fields, another or no revision, wide and signed integers are accepted")
    func tolerance() throws {
        let plain = StatusResponse(.invalidAction)
        for sample in [
            "15 240080 18", "15 240080 24FF0B 18", "15 240080 25FF2C01 18", "15 240080 2401 05 3602 18 24FF0C 18",
            "15 270080000000 00000000 24FF0C 18", "15 21008000 24FF0C 18", "15 24FF0C 240080 18",
            "15 240080 44010005 18",
        ] {
            #expect(try StatusResponse(decoding: hex(sample)) == plain, "\(sample)")
        }
        // Flags that may be absent, and a bare string for the fields of a command.
        #expect(try WriteRequest(decoding: hex("15 2801 3602 18 18")) == WriteRequest(writes: []))
        #expect(try ReportData(decoding: hex("15 18")) == ReportData())
        #expect(
            try InvokeRequest(decoding: hex("15 2800 2801 3602 15 3700 240001 240106 240202 18 2C010141 18 18 18"))
                .commands.first?.fields == .string("A"))
    }

    /// The fault, an encoding that has it, and what the decoder says.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sample: String
        var code: TLVError.Code

        init(_ what: String, _ sample: String, _ code: TLVError.Code) {
            (testDescription, self.sample, self.code) = (what, sample, code)
        }
    }

    private func refuses<Message: InteractionMessage>(_ type: Message.Type, _ refusal: Refusal) {
        let error = #expect(throws: InteractionError.self) { try Message(decoding: hex(refusal.sample)) }
        #expect(error?.code == .malformed)
        #expect(error?.underlying?.code == refusal.code)
        #expect(error?.opcode == Message.opcode.rawValue)
    }

    @Test(
        "malformed messages are refused",
        arguments: [
            Refusal("nothing", "", .truncated),
            Refusal("an array", "16 18", .wrongType),
            Refusal("a list", "17 240080 18", .wrongType),
            Refusal("no end", "15 240080", .truncated),
            Refusal("a field twice", "15 240080 240081 18", .invalidTag),
            Refusal("a tagged structure", "3500 240080 18", .invalidTag),
            Refusal("no status", "15 24FF0C 18", .missingField),
            Refusal("a status of 32 bits", "15 2600 00000001 18", .outOfRange),
            Refusal("a negative status", "15 2000FF 18", .outOfRange),
            Refusal("null for a status", "15 3400 18", .wrongType),
            Refusal("true for a status", "15 2900 18", .wrongType),
            Refusal("a revision in words", "15 240080 2CFF0141 18", .wrongType),
        ])
    func refusals(_ refusal: Refusal) {
        refuses(StatusResponse.self, refusal)
    }

    @Test(
        "malformed parts of a report are refused",
        arguments: [
            Refusal("reports in a structure", "15 3501 18 18", .wrongType),
            Refusal("a tagged report", "15 3601 3501 18 18 18", .invalidTag),
            Refusal("the reports twice", "15 3601 18 3601 18 18", .invalidTag),
            Refusal(
                "an event without a time", "15 3602 15 3501 3700 240100 240228 240300 18 240105 240202 18 18 18 18",
                .missingField),
            Refusal(
                "an event with two times",
                "15 3602 15 3501 3700 240100 240228 240300 18 240105 240202 240464 240364 18 18 18 18", .malformed),
        ])
    func reportRefusals(_ refusal: Refusal) {
        refuses(ReportData.self, refusal)
    }

    /// A report about 1/6/0 that is sound.
    private static let soundReport = "15 3501 3701 240201 240306 240400 18 2902 18 18"

    @Test(
        "a malformed report leaves the others of its message readable, and is named",
        arguments: [
            Refusal("a report that is a list", "15 3601 17 18 18 18", .wrongType),
            Refusal("neither status nor data", "15 3601 15 18 18 18", .missingField),
            Refusal(
                "both status and data",
                """
                15 3601 15 3500 3700 240201 240306 240400 18 3501 240000 18 18
                3501 3701 240201 240306 240400 18 2902 18 18 18 18
                """, .malformed),
            Refusal("no path", "15 3601 15 3501 2902 18 18 18 18", .missingField),
            Refusal("no value", "15 3601 15 3501 3701 240201 240306 240400 18 18 18 18 18", .missingField),
            Refusal(
                "a path that is a structure", "15 3601 15 3501 3501 240201 240306 240400 18 2902 18 18 18 18",
                .wrongType
            ),
            Refusal(
                "an endpoint twice", "15 3601 15 3501 3701 240201 240201 240306 240400 18 2902 18 18 18 18", .invalidTag
            ),
            Refusal(
                "tag compression", "15 3601 15 3501 3701 2900 240306 240400 18 2902 18 18 18 18", .malformed),
            Refusal(
                "an endpoint of 17 bits", "15 3601 15 3501 3701 260200000100 240306 240400 18 2902 18 18 18 18",
                .outOfRange),
            Refusal(
                "a list index of true", "15 3601 15 3501 3701 240201 240306 240400 2905 18 2902 18 18 18 18",
                .wrongType),
            Refusal(
                "a value with a tag twice",
                "15 3601 15 3501 3701 240201 240306 240407 18 3502 240001 240002 18 18 18 18 18", .invalidTag),
            Refusal(
                "a value with an untagged member",
                "15 3601 15 3501 3701 240201 240306 240407 18 3502 0401 18 18 18 18 18", .invalidTag),
            Refusal(
                "a value with a tagged item", "15 3601 15 3501 3701 240201 240306 240407 18 3602 240001 18 18 18 18 18",
                .invalidTag),
        ])
    func reportFaults(_ fault: Refusal) throws {
        let alone = try ReportData(decoding: hex(fault.sample))
        let named = alone.attributes.compactMap { if case .unreadable(_, let reason) = $0 { reason } else { nil } }
        #expect(alone.attributes.count == named.count)
        #expect((named + alone.unattributed).count == 1)
        #expect((named + alone.unattributed).allSatisfy { !$0.isEmpty })
        let beside = "15 3601 \(Self.soundReport) " + fault.sample.dropFirst("15 3601 ".count)
        let both = try ReportData(decoding: hex(beside))
        #expect(
            both.attributes.first == (try ReportData(decoding: hex("15 3601 \(Self.soundReport) 18 18"))).attributes[0])
        #expect(both.attributes.count + both.unattributed.count == 2)
    }

    @Test("mandatory fields are demanded")
    func mandatory() {
        #expect(throws: InteractionError.self) { try ReadRequest(decoding: hex("15 18")) }
        #expect(throws: InteractionError.self) { try SubscribeRequest(decoding: hex("15 2900 240100 2907 18")) }
        #expect(throws: InteractionError.self) { try SubscribeResponse(decoding: hex("15 240001 18")) }
        #expect(throws: InteractionError.self) { try WriteRequest(decoding: hex("15 2801 18")) }
        #expect(throws: InteractionError.self) { try WriteResponse(decoding: hex("15 18")) }
        #expect(throws: InteractionError.self) { try InvokeRequest(decoding: hex("15 2800 2801 18")) }
        #expect(throws: InteractionError.self) { try InvokeRequest(decoding: hex("15 2801 3602 18 18")) }
        #expect(throws: InteractionError.self) { try InvokeResponse(decoding: hex("15 2800 18")) }
        // A command path without a cluster.
        #expect(throws: InteractionError.self) {
            try InvokeRequest(decoding: hex("15 2800 2801 3602 15 3700 240001 240202 18 18 18 18"))
        }
    }

    @Test("a payload beyond what transports carry, and one nested too deep, are refused")
    func limits() {
        #expect { try StatusResponse(decoding: [UInt8](repeating: 0x18, count: 65_537)) } throws: { error in
            (error as? InteractionError)?.code == .limitExceeded
        }
        let deep = hex("15 2701") + [UInt8](repeating: 0x16, count: 4_000)
        #expect(throws: InteractionError.self) { try ReportData(decoding: deep) }
    }

    @Test("a message that opens an exchange is told by its opcode")
    func requests() throws {
        #expect(
            try InteractionRequest(opcode: 2, payload: hex(Samples.readRequest))
                == .read(ReadRequest(decoding: hex(Samples.readRequest))))
        #expect(
            try InteractionRequest(opcode: 10, payload: hex(Samples.timedRequest))
                == .timed(TimedRequest(timeout: 10_000)))
        for opcode: UInt8 in [0, 1, 4, 7, 9, 11, 255] {
            #expect { try InteractionRequest(opcode: opcode, payload: hex("15 18")) } throws: { error in
                (error as? InteractionError)?.code == .unexpectedMessage
            }
        }
    }
}
