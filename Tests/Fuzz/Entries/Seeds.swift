import MatterBase
import Synchronization
import TestSupport

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// Inputs of our own encoders, and a few of our own hand.
enum Seeds {
    /// August 2026, in Matter seconds.
    static let now: UInt32 = 838_857_600

    /// The same octets on every run.
    final class Dice: RandomSource {
        private let generator: Mutex<SeededGenerator>

        init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

        func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
            generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
        }
    }

    private static func text(_ lines: [String]) -> [[UInt8]] { lines.map { Array($0.utf8) } }

    // MARK: TLV and JSON

    static let value: TLVValue = .structure([
        TLVElement(0, .uint(7)), TLVElement(1, .int(-300)), TLVElement(2, .bool(true)), TLVElement(3, .null),
        TLVElement(4, .string("kitchen")), TLVElement(5, .octets([0, 1, 255])), TLVElement(6, .float(1.5)),
        TLVElement(7, .double(-2.25)), TLVElement(8, .array([TLVElement(.anonymous, .uint(1 << 40))])),
        TLVElement(9, .list([TLVElement(1, .string("")), TLVElement(1, .octets([]))])),
    ])

    static let tlv = [value, .null, .array([]), .string("x"), .uint(.max), .int(.min)]
        .map { TLVElement(.anonymous, $0).encoded() }

    static let json = text([
        #"{"a":1,"b":[true,false,null,-1.5e3,18446744073709551615],"c":{"\u00e9\n":"\ud83d\ude00"}}"#, "[]", "\"\"",
        "-0", "1e400", "[[[[[[1]]]]]]",
    ])

    // MARK: BTP

    static let btpValues: [[UInt8]] = [
        BTPHandshakeRequest(attMTU: 247, window: 6).encoded(),
        BTPHandshakeResponse(segmentSize: 244, window: 6).encoded(),
        BTPSegment(.whole(length: 3), acknowledged: 0, sequence: 0, payload: [1, 2, 3]).encoded(),
        BTPSegment(.beginning(length: 20), acknowledged: nil, sequence: 1, payload: [UInt8](0..<15)).encoded(),
        BTPSegment(.ending, acknowledged: nil, sequence: 2, payload: [UInt8](0..<5)).encoded(),
        BTPSegment(nil, acknowledged: 1, sequence: 3).encoded(),
    ]

    /// The messages of a central and a peripheral.
    static let btp: [[UInt8]] = [
        Pieces.joined([btpValues[0]] + btpValues[2..<5]),
        Pieces.joined([
            btpValues[1], BTPSegment(.whole(length: 2), acknowledged: nil, sequence: 1, payload: [1, 2]).encoded(),
            BTPSegment(nil, acknowledged: 0, sequence: 2).encoded(),
        ]),
    ]

    // MARK: The secure channel

    static let address = parsed("192.0.2.1:5540")
    static let instant = Instant.now
    private static func parsed(_ text: String) -> PeerAddress {
        do { return try PeerAddress(parsing: text) } catch { preconditionFailure("\(error)") }
    }
    private static let keys = SessionKeys(
        i2r: SecretBytes([UInt8](0x10..<0x20)), r2i: SecretBytes([UInt8](0x20..<0x30)),
        attestationChallenge: SecretBytes([UInt8](0x30..<0x40)))

    private static func parameters(_ role: Role) -> SecureSessionParameters {
        let isInitiator = role == .initiator
        return SecureSessionParameters(
            localSessionID: isInitiator ? 0x1001 : 0x2002, peerSessionID: isInitiator ? 0x2002 : 0x1001, role: role,
            keys: keys, localNodeID: isInitiator ? 5 : 6, peerNodeID: isInitiator ? 6 : 5, reliability: .standard,
            address: address)
    }

    private static let groupSecurity = GroupMessageSecurity(
        sessionID: 0x2222, key: SecretBytes(filled(16)), privacyKey: SecretBytes(filled(16)))

    /// A device with one session and one group.
    static let engine = Result {
        var engine = try MessageEngine(random: Dice(1)) { _, _, _ in true }
        _ = try engine.install(parameters(.responder), now: instant)
        engine.setGroups([GroupReception(fabricIndex: 1, groups: [7], security: groupSecurity)], fabrics: [1])
        return engine
    }

    /// Messages to that device, in its session and outside of one.
    static func datagrams() throws -> [[UInt8]] {
        var controller = try MessageEngine(random: Dice(2)) { _, _, _ in false }
        let session = try controller.install(parameters(.initiator), now: instant)
        var datagrams: [[UInt8]] = []
        func add(_ actions: [MessageEngine.Action]) {
            for case .transmit(let datagram, _) in actions { datagrams.append(datagram) }
        }
        for opcode in 1...4 as ClosedRange<UInt8> {
            let key = try controller.openExchange(on: session)
            add(
                try controller.send(
                    [opcode], opcode: opcode, protocolID: .interactionModel, on: key, now: instant))
        }
        datagrams.append(
            try controller.seal(
                OutgoingGroupMessage(
                    [1, 2, 3], opcode: 8, protocolID: .interactionModel, group: 7, source: 5, counter: 9,
                    security: groupSecurity, address: address)))
        let unsecured = try controller.openUnsecuredSession(
            to: [address], reliability: .standard, presumedActive: true)
        for opcode in [0x20, 0x30, 0x40, 0x10] as [UInt8] {
            let key = try controller.openExchange(on: unsecured)
            add(
                try controller.send(
                    [UInt8](repeating: opcode, count: 24), opcode: opcode, protocolID: .secureChannel, on: key,
                    now: instant))
        }
        return datagrams
    }

    private static let session = SessionParameters(
        reliability: .standard, dataModelRevision: 18, interactionModelRevision: 11,
        specificationVersion: 0x0104_0000)
    private static func filled(_ count: Int, _ byte: UInt8 = 9) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    static let checkInKey = try? CheckInKey(SecretBytes(filled(CheckInMessage.keyCount)))

    static func checkIns() throws -> [[UInt8]] {
        try checkInKey.map { key in
            try [
                CheckInMessage(counter: 7, activeThreshold: 5000), CheckInMessage(counter: .max, applicationData: []),
            ].map { try $0.sealed(with: key) }
        } ?? []
    }

    static let pase: [[UInt8]] = [
        PBKDFParamRequest(
            initiatorRandom: filled(32), initiatorSessionID: 7, hasPBKDFParameters: false, parameters: session
        ).encoded(),
        PBKDFParamResponse(
            initiatorRandom: filled(32), responderRandom: filled(32), responderSessionID: 8,
            pbkdf: PBKDFParameters(iterations: 1000, salt: filled(16)), parameters: session
        ).encoded(),
        PakeMessage.pake1(share: filled(65)), PakeMessage.pake2(share: filled(65), confirmation: filled(32)),
        PakeMessage.pake3(confirmation: filled(32)),
    ]

    static let sigma: [[UInt8]] = [
        Sigma1(
            initiatorRandom: filled(32), initiatorSessionID: 7, destinationID: filled(32), ephemeralKey: filled(65),
            parameters: session, resumption: .init(id: filled(16), mic: filled(16))
        ).encoded(),
        Sigma2(
            responderRandom: filled(32), responderSessionID: 8, ephemeralKey: filled(65), encrypted: filled(40),
            parameters: session
        ).encoded(),
        Sigma2Resume(resumptionID: filled(16), mic: filled(16), responderSessionID: 8, parameters: session).encoded(),
        Sigma3.encoded(filled(40)),
        SigmaProof(noc: filled(40), icac: filled(40), signature: filled(64), resumptionID: filled(16)).encoded(),
    ]

    static let statusReports = [
        StatusReport.sessionEstablished.encoded(), StatusReport.busy(wait: .seconds(1)).encoded(),
    ]
    static let sessionParameters = [TLVElement(.anonymous, session.value).encoded()]
    static let addresses = text([
        "192.0.2.1", "192.0.2.1:5540", "[2001:db8::1]:5541", "fe80::1%1", "[fe80::1%1]:5540", "::ffff:192.0.2.1",
    ])

    // MARK: The Interaction Model

    private static let onOff = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)
    private static let reportData = ReportData(
        attributes: [
            .data(AttributeDataIB(dataVersion: 1, path: AttributePath(onOff), data: value)),
            .data(AttributeDataIB(path: AttributePath(onOff, listIndex: .append), data: .uint(1))),
        ]).encoded()
    private static let success = StatusResponse(.success).encoded()
    private static let invokeRequest = InvokeRequest(
        isTimed: true, commands: [CommandDataIB(path: CommandPath(endpoint: 1, cluster: 6, command: 2), fields: value)]
    ).encoded()
    private static let writeRequest = WriteRequest(
        writes: [AttributeDataIB(dataVersion: 3, path: AttributePath(onOff), data: .bool(true))]
    ).encoded()
    private static let readRequest = ReadRequest(attributePaths: [AttributePath(), AttributePath(onOff)]).encoded()

    static let interaction = [
        reportData, success, invokeRequest, writeRequest, readRequest,
        SubscribeRequest(minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath()]).encoded(),
        SubscribeResponse(subscriptionID: 7, maxInterval: 60).encoded(), invokeResponse, writeResponse,
    ]

    /// {false, [{0: {path, status}}]} and the like, by hand: servers write these.
    private static let invokeResponse = TLVElement(
        .anonymous,
        .structure([
            TLVElement(0, .bool(false)),
            TLVElement(
                1,
                .array([
                    TLVElement(
                        .anonymous,
                        .structure([
                            TLVElement(
                                1,
                                .structure([
                                    TLVElement(
                                        0,
                                        .list([
                                            TLVElement(0, .uint(1)), TLVElement(1, .uint(6)), TLVElement(2, .uint(2)),
                                        ])), TLVElement(1, .structure([TLVElement(0, .uint(0))])),
                                ]))
                        ]))
                ])), TLVElement(255, .uint(12)),
        ])
    ).encoded()
    private static let writeResponse = TLVElement(
        .anonymous,
        .structure([
            TLVElement(
                0,
                .array([
                    TLVElement(
                        .anonymous,
                        .structure([
                            TLVElement(
                                0,
                                .list([
                                    TLVElement(2, .uint(0)), TLVElement(3, .uint(0x28)), TLVElement(4, .uint(5)),
                                ])), TLVElement(1, .structure([TLVElement(0, .uint(0))])),
                        ]))
                ])), TLVElement(255, .uint(12)),
        ])
    ).encoded()

    /// A peer's answers to a read, a subscription, writes and commands.
    static let conversations: [[UInt8]] = [
        [0] + Pieces.joined([[5] + reportData]),
        [1] + Pieces.joined([[5] + reportData, [4] + SubscribeResponse(subscriptionID: 7, maxInterval: 60).encoded()]),
        [2] + Pieces.joined([[7] + writeResponse, [7] + writeResponse]),
        [3] + Pieces.joined([[1] + success, [7] + writeResponse]),
        [4] + Pieces.joined([[1] + success, [9] + invokeResponse]), [5] + Pieces.joined([[9] + invokeResponse]),
    ]

    static let serverConversations = [
        Pieces.joined([[2] + readRequest]), Pieces.joined([[6] + writeRequest, [6] + writeRequest]),
        Pieces.joined([[8] + invokeRequest]),
    ]

    // MARK: Codes, records, names

    static let threadDatasets = [
        (try? ThreadDataset(name: "OpenThread", channel: 15, random: Dice(3)))?.encoded.copyBytes() ?? []
    ]

    static let setupPayloads =
        text([
            "34970112332", "749701123365521327694", "3497-011-2332",
        ])
        + [0, 3840].compactMap { (discriminator: UInt16) -> [UInt8]? in
            guard let long = try? SetupDiscriminator(long: discriminator), let passcode = try? SetupPasscode(20_202_021)
            else { return nil }
            var more = SetupExtensionData()
            more.serialNumber = .text("1234")
            more.commissioningTimeout = 900
            more.vendorElements = [.init(tag: 0x81, value: .number(-4))]
            let payload = SetupPayload(
                vendorID: 0xFFF1, productID: 0x8001, discoveryCapabilities: .onNetwork, discriminator: long,
                passcode: passcode, extensionData: discriminator == 0 ? SetupExtensionData() : more)
            return (try? payload.qrCode()).map { Array($0.utf8) }
        }

    static let txtRecords: [[UInt8]] = {
        var record = CommissionableRecord(
            longDiscriminator: 3840, commissioningMode: .basic, vendorID: 0xFFF1, productID: 0x8001, deviceType: 256,
            deviceName: "Lämp",
            parameters: AdvertisedParameters(
                idleInterval: .milliseconds(500), activeInterval: .milliseconds(300),
                activeThreshold: .milliseconds(4000), tcp: [.client, .server]))
        record.rotatingID = [1, 2, 3, 4]
        record.pairingHint = 33
        record.pairingInstruction = "press the button"
        return [(try? record.txt())?.encoded ?? [], [0], [3] + Array("a=b".utf8)]
    }()

    static let instanceNames = text(["0123456789ABCDEF-00000000000000FF", "87e1b004e235a130-0000000000000001"])

    private static let fabric = """
        {"name":"home","fabricId":"0x00000000000000FA","compressedFabricId":"0x87e1b004e235a130","vendorId":65521,\
        "issuer":"local","nodeId":112233,"nextNodeId":4,"root":"1530","noc":"1531","intermediate":"1532"}
        """
    private static let confirmation = """
        {"requestId":"r","nodeId":7,"matterNodeId":"0000000000000007","metadata":"{}","issuedAt":1786000000}
        """

    /// Made by age 1.1.1 for ``ageIdentity``.
    static let ageFiles = [
        hex(
            "6167652d656e6372797074696f6e2e6f72672f76310a2d3e2058323535313920544f62776237556343746245"
                + "4d77546a4a623562346e6a47697a6d744f32375331583772394d54637731670a69624650494a71703470524b"
                + "656b31684b5a5437514a6b2b776442616136625673455451345043792b336f0a2d2d2d206335576171374a4e"
                + "6674754a7959654f32416d344e44464e4d454234314a7a79716d7a74323476756d63770ad5d400f104d5ff29"
                + "9ccf41f0f7b0de3c0eea5a7ed63c9a77571387324634c73bbbec7f0566")
    ]
    static let ageIdentity = "AGE-SECRET-KEY-1A3WZ9ZKY989AX6XHAC3LFEQNT07PJA3MJAP82JQSNX820RU8DY8SD64G6X"

    /// A fabric without nodes.
    static var exports: [[UInt8]] {
        let made: Int64 = 1_795_000_000
        guard let fabric = try? LocalFabric.create(validity: .unlimited(from: 800_000_000)) else { return [] }
        let record = FabricRecord(fabric, name: "home", vendorID: .init(0xFFF1))
        let files = [
            ExportedFile(name: "fabric.json", contents: record.encoded()),
            ExportedFile(name: "keys/operational", contents: fabric.credentials.key.scalar.copyBytes()),
            ExportedFile(name: "keys/ipk", contents: fabric.credentials.ipkEpochKey.copyBytes()),
        ]
        guard let exported = try? ExportedFabric(files: files, madeAt: made) else { return [] }
        let document = ExportDocument(
            made: made, host: "pi", fabrics: [exported], networks: [], groupCounter: 7)
        return [document.encoded()]
    }

    static let records: [[UInt8]] = {
        var node = NodeRecord(nodeID: .init(7), name: "kitchen")
        node.vendorName = "Maker"
        node.addresses = [address]
        node.endpoints = [.init(number: 1, deviceTypes: [256], serverClusters: [6, 8, 29])]
        node.reliability = ReliabilityParameters(
            idleInterval: .milliseconds(1200), activeInterval: .milliseconds(700), activeThreshold: .milliseconds(900))
        node.commissionedAt = 1_786_000_000
        let pending = PendingNode(
            nodeID: .init(7), name: "kitchen", room: nil, receipt: .init(rawValue: "r"), noc: [0x15, 0x18],
            addresses: [address], fingerprint: .salted(salt: filled(16), digest: filled(32)),
            discriminator: nil, failSafeEnds: 1_786_000_000, vendorID: 0xFFF1, productID: 0x8001)
        var group = GroupRecord(group: 7, name: "lights", keySet: 0x8F3A, keyStart: 1_786_000_000)
        group.add(.init(nodeID: .init(7), endpoint: 1))
        group.add(.init(nodeID: .init(8), endpoint: 2, isPending: true))
        var registration = ICDRegistration(
            nodeID: .init(7), clientID: .init(9),
            sleep: .init(idle: 3600, active: 1000, threshold: 5000, triggers: 4, triggerInstruction: "wave"))
        if let checkInKey {
            registration.confirm(checkInKey, start: 7)
            for _ in 0..<2 { registration.offer(checkInKey) }
        }
        registration.note(CheckInMessage(counter: 9, activeThreshold: 5000), at: 1_786_000_000)
        return [node.encoded(), pending.encoded(), group.encoded(), registration.encoded()]
            + text([fabric, confirmation])
    }()

    static let answers = text([
        #"{"status":"failure","error_code":108016,"description":"Group id is missing"}"#,
        #"{"groups":[{"group_id":"g","group_name":"Lake","is_matter":true,"fabric_id":"4C414B45484F5553","fabric_details":{"root_ca":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n","ipk":"00112233445566778899AABBCCDDEEFF","group_cat_id_admin":"01A20001"}}],"next_id":"x","total":1}"#,
        #"{"nodes":["k"],"node_details":[{"id":"k","status":{"connectivity":{"connected":true,"timestamp":1}},"metadata":{"Matter":{"deviceName":"P","endpoints":{"0x1":{"clusters":{"servers":{"0x6":{}}}}}}}}]}"#,
        #"{"accesstoken":"a","idtoken":"i","refreshtoken":"r"}"#,
        #"{"sharing_requests":[{"request_id":"r","request_status":"pending","user_name":"u","group_ids":["g"]}]}"#,
        #"{"certificates":[{"user_noc":"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"}]}"#,
    ])

    static let urls = text([
        "https://api.example.org/v1", "http://127.0.0.1:8080/", "https://[::1]:8443/x?y#z",
        "e30.eyJleHAiOjE3OTAwMDAwMDB9.x",
    ])

    // MARK: Values

    /// On/Off, level, descriptor, ACL, name of the product, colour, thermostat, and what is unknown.
    static let attributeValues: [[UInt8]] = {
        let places: [(UInt16, UInt8)] = [
            (6, 0), (8, 0), (0x1D, 0), (0x1F, 0), (0x28, 3), (0x300, 0), (0x201, 0), (0x3E, 1), (0x30, 1), (0xFFF, 0),
        ]
        let values: [TLVValue] = [
            .bool(true), .uint(255), .array([TLVElement(.anonymous, .structure([TLVElement(0, .uint(256))]))]), value,
            .string("lamp\u{1B}[31m"), .int(-5),
        ]
        return places.enumerated().map { number, place in
            [UInt8(place.0 & 0xFF), UInt8(place.0 >> 8), place.1]
                + TLVElement(0, values[number % values.count]).encoded()
        }
    }()

    static let typedValues: [[UInt8]] = [
        (6, 0, 0, "true"), (8, 0, 0, "50%"), (0x01, 2, 0, "21.5C"), (0x1F, 0, 0, #"[{"privilege":5,"authMode":2}]"#),
        (0x28, 0, 5, "lamp"), (0x38, 0, 0, "2026-08-01T12:00:00Z"), (0, 3, 7, "2700K"), (0x3E, 0, 0, "hex:00ff"),
    ].map { [UInt8($0.0), UInt8($0.1), UInt8($0.2)] + Array($0.3.utf8) }

    static let paths = text(["1/on-off/on-off", "*/*/*", "1/6/0", "0/basic-information/node-label", "1/0xFFF1FC30/2"])

    static let definitions = text([
        """
        {"version":"1","source":"us","clusters":[{"id":"0xFFF1FC30","name":"Kettle","aliases":["boiler"],"revision":2,\
        "attributes":[{"id":0,"name":"Target","type":"temperature","writable":true,"min":0,"max":10000},\
        {"id":1,"name":"State","type":"StateEnum","nullable":true},{"id":2,"name":"Steps","type":"StepStruct","list":true}],\
        "commands":[{"id":0,"name":"Boil","direction":"request","fields":[{"id":0,"name":"Goal","type":"int16"}]}],\
        "events":[{"id":0,"name":"Boiled","priority":"critical","fields":[]}],\
        "enums":{"StateEnum":{"type":"enum8","values":{"0":"Cold","1":"Hot"}}},\
        "bitmaps":{"OptionsBitmap":{"type":"bitmap8","masks":{"1":"Loud","12":"Colour"}}},\
        "structs":{"StepStruct":{"fields":[{"id":0,"name":"Goal","type":"temperature"}]}}}],\
        "globalTypes":{"semantic":{},"enums":{},"bitmaps":{},"structs":{}},"deviceTypes":[]}
        """
    ])

    static let reports: [[UInt8]] = [TLVValue.bool(false), .uint(300), value].map { value in
        TLVElement(0, AttributeReportIB.data(AttributeDataIB(path: AttributePath(onOff), data: value)).tlv).encoded()
    }

    /// Of an indirect list and of an empty one.
    static let revocationLists = [
        hex(
            "308201533081fb020101300a06082a8648ce3d0403023011310f300d06035504030c065369676e6572170d32363039323131"
                + "34313332305a170d3239313132323030303030305a305c3020020105170d3233313131343232313332305a300c300a060355"
                + "1d1504030a010130380203009a01170d3233313131343232313332305a302230200603551d1d0101ff04163014a412301031"
                + "0e300c06035504030c054f74686572a05b3059300a0603551d140403020101301f0603551d23041830168014e040d4af8e97"
                + "757f943c32faa84eb828c9c8b30c302a0603551d1c0101ff0420301ea019a017861568747470733a2f2f63726c2e6578616d"
                + "706c652f618401ff300a06082a8648ce3d040302034700304402202adb420021da2986ae4bea97c81a910b41490ed7c456a8"
                + "c6004be28c3900c29c02201800269af5d55776465833bf9b3ea3f32757e6e36bef150bd35adc6e69beed7b"),
        hex(
            "3081c83071020101300a06082a8648ce3d0403023011310f300d06035504030c065369676e6572170d323630393231313431"
                + "3332305a170d3239313132323030303030305aa02f302d300a0603551d140403020101301f0603551d23041830168014e040"
                + "d4af8e97757f943c32faa84eb828c9c8b30c300a06082a8648ce3d0403020347003044022008e7d40979230985a94a87bf4a"
                + "49401a981de22103c5eca46c93f1e2b1ec2d4202206686c3e5321154ff845727f1820a540aaecfe8f556db3625d826c45c3e"
                + "1520ce"),
    ]

    static let revocations = text([
        #"[{"type":"revocation_set","issuer_subject_key_id":"63540E47F64B1C38D13884A462D16C195D8FFB3C","issuer_name":"MEYx","revoked_serial_numbers":["69CDF10DE9E54ED1"],"crl_signer_cert":""}]"#
    ])
}
