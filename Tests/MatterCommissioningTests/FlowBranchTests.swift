import MatterBase
import MatterTestKit
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

/// Properties that differ from device to device.
@Suite("Commissioning flow: branches")
struct FlowBranchTests {
    // MARK: Where the device is

    @Test(
        "the device decides where it may be used; where it leaves a choice, we choose",
        arguments: [
            (.uint(0), 0), (.uint(1), 1), (.uint(2), 2), (.uint(3), 2), (.uint(255), 2), (.uint(256), 2), (nil, 2),
            (.string("0"), 2), (.null, 2),
        ] as [(TLVValue?, UInt8)])
    func location(capability: TLVValue?, expected: UInt8) throws {
        let journey = try Journey.run {
            $0.device.attributes[FakeDevice.general(3)] = capability
            $0.configuration.country = "DE"
        }
        #expect(journey.error == nil)
        let sent = journey.commands.compactMap {
            if case .setRegulatoryConfig(let location, let country, _) = $0 { "\(location) \(country)" } else { nil }
        }
        #expect(sent == ["\(expected) DE"])
    }

    @Test("our choice is the one that was configured")
    func configuredLocation() throws {
        let journey = try Journey.run { $0.configuration.location = 1 }
        #expect(journey.commands.contains(.setRegulatoryConfig(location: 1, country: "XX", breadcrumb: 2)))
    }

    // MARK: Time

    private static let time = ["SetUTCTime", "SetTimeZone", "SetDSTOffset"]

    @Test(
        "a device gets the time it can use",
        arguments: [
            (nil, false, []), (0, false, ["SetUTCTime"]), (0, true, ["SetUTCTime"]),
            (1, false, ["SetUTCTime", "SetTimeZone"]), (1, true, time), (0xE, true, ["SetUTCTime"]), (0xF, true, time),
        ] as [(UInt64?, Bool, [String])])
    func timeSynchronization(features: UInt64?, needsDST: Bool, expected: [String]) throws {
        let journey = try Journey.run {
            $0.device.timeFeatures = features
            $0.device.needsDSTOffset = needsDST
        }
        #expect(journey.error == nil)
        #expect(journey.names.filter { Self.time.contains($0) } == expected)
        // All of it before the certificate; the offset only where the device asks for it.
        let start = try #require(journey.names.firstIndex(of: "SetRegulatoryConfig"))
        let (asked, offset) = (expected.filter { $0 != "SetDSTOffset" }, expected.filter { $0 == "SetDSTOffset" })
        #expect(
            journey.names[(start + 1)...].starts(with: asked + ["AddTrustedRootCertificate"] + offset + ["AddNOC"]))
    }

    @Test("time and zone are the host's")
    func timeValues() throws {
        let journey = try Journey.run { $0.device.timeFeatures = 1 }
        #expect(journey.commands.contains(.setUTCTime(microseconds: 838_857_600_000_000)))
        #expect(journey.commands.contains(.setTimeZone(Journey.timeZone)))
    }

    @Test("a device gets as many changes of daylight saving time as it has room for", arguments: [nil, 1, 2, 20])
    func daylightSaving(room: UInt64?) throws {
        let journey = try Journey.run {
            $0.device.timeFeatures = 1
            $0.device.needsDSTOffset = true
            $0.device.attributes[FakeDevice.dstListSize] = room.map { .uint($0) }
        }
        let periods = Array(Journey.timeZone.periods.prefix(Int(room ?? 1)))
        #expect(journey.commands.contains(.setDSTOffset(periods)))
    }

    // MARK: The product

    @Test(
        "the product of the code is compared with what the device says, where both say something",
        arguments: [
            (nil, nil, false), (FakeDevice.vendorID, FakeDevice.productID, false), (FakeDevice.vendorID, 1, true),
            (1, FakeDevice.productID, true), (nil, 1, true), (0, 0, false),
        ] as [(UInt16?, UInt16?, Bool)])
    func product(vendor: UInt16?, product: UInt16?, isNamed: Bool) throws {
        let journey = try Journey.run {
            $0.configuration.expectedProduct = .init(vendorID: vendor, productID: product)
        }
        #expect(journey.error == nil)
        #expect(journey.log.contains { $0.hasPrefix("note: the setup code is for") } == isNamed)
    }

    @Test(
        "a device that does not take the time is commissioned all the same", arguments: time,
        [
            .status(StatusIB(.failure, clusterStatus: 2)), .status(StatusIB(.unsupportedCommand)),
            .response(command: 3, fields: .structure([])), .response(command: 3, fields: nil),
        ] as [CommandResult.Outcome])
    func refusedTime(command: String, outcome: CommandResult.Outcome) throws {
        let journey = try Journey.run {
            $0.device.timeFeatures = 1
            $0.device.needsDSTOffset = true
            $0.device.oddities[command] = outcome
        }
        #expect(journey.error == nil && journey.result != nil && journey.names.contains(command))
    }

    // MARK: The fail-safe

    @Test(
        "before the node is looked for, the fail-safe is extended as far as the device and our patience go",
        arguments: [
            (120, 900, 120), (10, 900, 60), (3600, 900, 900), (120, 60, 60), (120, 0, 60), (65535, 65535, 65535),
        ]
            as [(UInt16, UInt64, UInt16)])
    func extension_(wanted: UInt16, granted: UInt64, expected: UInt16) throws {
        let journey = try Journey.run {
            $0.configuration.operationalSeconds = wanted
            $0.device.attributes[FakeDevice.general(1)] = .structure([
                TLVElement(0, .uint(60)), TLVElement(1, .uint(granted)),
            ])
        }
        let armed = journey.commands.compactMap {
            if case .armFailSafe(let seconds, _) = $0 { seconds } else { nil }
        }
        #expect(armed == [60, expected])
    }

    @Test(
        "an extension that is not granted is no reason to give up",
        arguments: [
            .status(StatusIB(.constraintError)), .status(StatusIB(.success)), .response(command: 1, fields: nil),
            .response(command: 1, fields: .structure([TLVElement(0, .uint(1))])),
        ] as [CommandResult.Outcome])
    func refusedExtension(outcome: CommandResult.Outcome) throws {
        var journey = try Journey()
        var flow = CommissioningFlow(journey.configuration)
        journey.configuration.until = .addNOC
        try journey.run()
        // The same device up to here, and then its refusal.
        var events: [CommissioningFlow.Event] = [.began]
        var log: [String] = []
        while !events.isEmpty, !log.contains("connect") {
            for action in try flow.handle(events.removeFirst()).flatMap(Journey.single) {
                switch action {
                case .invoke(let command):
                    let isExtension = flow.stage == .network
                    let result = try journey.device.answer(command)
                    events.append(
                        .answered(command, isExtension ? .init(path: result.path, outcome: outcome) : result))
                case .read(let paths): events.append(.read(journey.device.read(paths)))
                case .verify: events.append(.verified)
                case .issue(let csr, let context):
                    events.append(.issued(try journey.issue(csr, context, journey.fabric), requested: nil))
                case .record: events.append(.recorded)
                case .connect: log.append("connect")
                default: break
                }
            }
        }
        #expect(log == ["connect"])
    }

    @Test("breadcrumbs grow")
    func breadcrumbs() throws {
        let crumbs = try Journey.run().commands.compactMap { command -> UInt64? in
            switch command {
            case .armFailSafe(_, let breadcrumb), .setRegulatoryConfig(_, _, let breadcrumb): breadcrumb
            default: nil
            }
        }
        #expect(crumbs == [1, 2, 3])
    }

    // MARK: Encoding

    @Test("commands have the numbers and fields of the specification")
    func encoding() {
        func check(_ command: CommissioningCommand, _ cluster: ClusterID, _ number: CommandID, _ fields: [TLVElement]) {
            #expect(
                command.command == Command(endpoint: 0, cluster: cluster, command: number, fields: .structure(fields)),
                "\(command.name)")
        }
        check(.armFailSafe(seconds: 60, breadcrumb: 9), 0x30, 0, [TLVElement(0, .uint(60)), TLVElement(1, .uint(9))])
        check(
            .setRegulatoryConfig(location: 2, country: "XX", breadcrumb: 5), 0x30, 2,
            [TLVElement(0, .uint(2)), TLVElement(1, .string("XX")), TLVElement(2, .uint(5))])
        check(.commissioningComplete, 0x30, 4, [])
        check(.setUTCTime(microseconds: 77), 0x38, 0, [TLVElement(0, .uint(77)), TLVElement(1, .uint(2))])
        check(
            .setTimeZone(TimeZoneRules(name: "Atlantic/Azores", standardOffset: -3600)), 0x38, 2,
            [
                TLVElement(
                    0,
                    .array([
                        TLVElement(
                            .anonymous,
                            .structure([
                                TLVElement(0, .int(-3600)), TLVElement(1, .uint(0)),
                                TLVElement(2, .string("Atlantic/Azores")),
                            ]))
                    ]))
            ])
        check(
            .setDSTOffset([.init(offset: 3600, starts: 946_684_801, ends: 946_684_803)]), 0x38, 4,
            [
                TLVElement(
                    0,
                    .array([
                        TLVElement(
                            .anonymous,
                            .structure([
                                TLVElement(0, .int(3600)), TLVElement(1, .uint(1_000_000)),
                                TLVElement(2, .uint(3_000_000)),
                            ]))
                    ]))
            ])
        check(.certificateChain(.paiCertificate), 0x3E, 2, [TLVElement(0, .uint(2))])
        check(.certificateChain(.dacCertificate), 0x3E, 2, [TLVElement(0, .uint(1))])
        check(.attestation(nonce: [1]), 0x3E, 0, [TLVElement(0, .octets([1]))])
        check(.csr(nonce: [2]), 0x3E, 4, [TLVElement(0, .octets([2]))])
        check(.addTrustedRoot([3]), 0x3E, 0x0B, [TLVElement(0, .octets([3]))])
        check(
            .addNOC(noc: [1], icac: [2], ipk: SecretBytes([3]), adminSubject: .max, adminVendor: 0xFFF1), 0x3E, 6,
            [
                TLVElement(0, .octets([1])), TLVElement(1, .octets([2])), TLVElement(2, .octets([3])),
                TLVElement(3, .uint(.max)), TLVElement(4, .uint(0xFFF1)),
            ])
        check(
            .addNOC(noc: [1], icac: nil, ipk: SecretBytes([3]), adminSubject: 1, adminVendor: 1), 0x3E, 6,
            [
                TLVElement(0, .octets([1])), TLVElement(2, .octets([3])), TLVElement(3, .uint(1)),
                TLVElement(4, .uint(1)),
            ])
    }

    // MARK: What the device says of itself

    @Test("what a device says is taken where it makes sense")
    func information() throws {
        var device = try FakeDevice()
        device.timeFeatures = 5
        device.attributes[FakeDevice.general(0)] = .uint(12)
        device.attributes[FakeDevice.general(1)] = .structure([TLVElement(0, .uint(30)), TLVElement(1, .uint(600))])
        let icd = ConcreteAttributePath(
            endpoint: 0, cluster: IcdManagement.id, attribute: GlobalAttribute.featureMap)
        device.attributes[icd] = .uint(0x4)
        let information = DeviceInformation(device.read(DeviceInformation.paths))
        #expect(information.vendorID == FakeDevice.vendorID && information.productID == FakeDevice.productID)
        #expect(information.breadcrumb == 12 && information.failSafeExpiry == 30)
        #expect(information.maxCumulativeFailSafe == 600 && information.timeSynchronizationFeatures?.rawValue == 5)
        #expect(information.isLongIdleTime && !information.isFabricTableFull)
        device.attributes[icd] = .uint(0x3)
        #expect(!DeviceInformation(device.read(DeviceInformation.paths)).isLongIdleTime)
    }

    @Test("values of other endpoints and of other types are passed over")
    func strangeInformation() {
        let elsewhere = DeviceInformation.paths.compactMap(\.concrete).map { path in
            AttributeReport(
                path: ConcreteAttributePath(endpoint: 1, cluster: path.cluster, attribute: path.attribute),
                dataVersion: nil, outcome: .value(.uint(1)))
        }
        #expect(DeviceInformation(ReadResult(attributes: elsewhere)) == DeviceInformation())
        let values: [TLVValue] = [
            .null, .bool(true), .string("1"), .octets([1]), .int(-1), .uint(.max), .structure([]), .array([]),
            .double(1),
        ]
        for value in values {
            let reports = DeviceInformation.paths.compactMap(\.concrete).map {
                AttributeReport(path: $0, dataVersion: nil, outcome: .value(value))
            }
            let information = DeviceInformation(ReadResult(attributes: reports))
            #expect(information.vendorID == nil && information.fabrics == [], "\(value)")
            #expect(information.failSafeExpiry == 60 && information.maxCumulativeFailSafe == 900)
            #expect(!information.isFabricTableFull)
        }
    }

    @Test("damaged attributes are harmless")
    func mutation() async throws {
        let fabric = TLVValue.structure([
            TLVElement(1, .octets([UInt8](repeating: 4, count: 65))), TLVElement(2, .uint(0xFFF1)),
            TLVElement(3, .uint(1)), TLVElement(4, .uint(2)), TLVElement(5, .string("label")),
            TLVElement(254, .uint(1)),
        ])
        let corpus = [
            TLVValue.array([TLVElement(.anonymous, fabric), TLVElement(.anonymous, fabric)]), fabric,
            .structure([TLVElement(0, .uint(60)), TLVElement(1, .uint(900))]), .uint(0x1_0000), .array([]),
        ].map { TLVElement(.anonymous, $0).encoded() }
        var mutator = Mutator(seed: 11, corpus: corpus)
        let paths = DeviceInformation.paths.compactMap(\.concrete)
        var decoded = 0
        for number in 0..<Effort.inputs(20_000) {
            if number.isMultiple(of: 100) { await Task.yield() }
            guard let value = try? TLVElement(decoding: mutator.next()).value else { continue }
            decoded += 1
            let report = AttributeReport(
                path: paths[number % paths.count], dataVersion: nil, outcome: .value(value))
            let information = DeviceInformation(ReadResult(attributes: [report]))
            #expect(information.fabrics.count <= 2000)
        }
        #expect(decoded > Effort.inputs(1000))
    }
}
