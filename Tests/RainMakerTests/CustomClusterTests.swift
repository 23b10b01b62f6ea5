import MatterBase
import MatterLedger
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState
@testable import RainMaker

/// A device with one of the custom clusters on endpoint 0, and the link to it.
private struct DeviceBench {
    static let node = NodeID(0x5AF0_C0FF_EE00_0001)

    /// The commands that the device got.
    final class Told: Sendable {
        private struct State {
            var commands: [(id: CommandID, fields: TLVValue?)] = []
            var writes: [(attribute: AttributeID?, value: TLVValue)] = []
            var versions: [UInt32?] = []
            var accepted: [AttributeID: TLVValue] = [:]
        }

        private let state = Mutex(State())
        var commands: [(id: CommandID, fields: TLVValue?)] { state.withLock { $0.commands } }
        var writes: [(attribute: AttributeID?, value: TLVValue)] { state.withLock { $0.writes } }
        /// The data versions that writes named.
        var versions: [UInt32?] { state.withLock { $0.versions } }
        /// The values that were written, by attribute.
        var accepted: [AttributeID: TLVValue] { state.withLock { $0.accepted } }
        func accept(_ write: WriteOperation) {
            guard case .replace(let value) = write.change, let attribute = write.path.attribute else { return }
            state.withLock { $0.accepted[attribute] = value }
        }
        func note(_ command: CommandDataIB) {
            state.withLock { $0.commands.append((command.path.command, command.fields)) }
        }
        func note(_ write: WriteOperation) {
            guard case .replace(let value) = write.change else { return }
            state.withLock {
                $0.writes.append((write.path.attribute, value))
                $0.versions.append(write.dataVersion)
            }
        }
    }

    let state: TemporaryState
    let device: LoopbackDevice
    let controller: Controller
    let record: NodeRecord
    let told = Told()

    init(
        _ cluster: ClusterID, attributes: [AttributeID: TLVValue], commands: [UInt64] = [],
        answer: @escaping @Sendable (CommandDataIB, Told) -> DeviceModel.Answer = { _, _ in
            .outcome(.status(StatusIB(.success)))
        },
        writeStatus: @escaping @Sendable (Told) -> IMStatus = { _ in .success }
    ) async throws {
        state = try TemporaryState()
        let fabric = try TestFabric()
        var plan = LoopbackDevice.Plan()
        plan.fabrics = [try fabric.node(Self.node.rawValue)]
        let told = told
        plan.model.invoke = { command, _, _ in
            told.note(command)
            return answer(command, told)
        }
        plan.model.write = { operation, _ in
            told.note(operation)
            let status = writeStatus(told)
            if status == .success { told.accept(operation) }
            return status
        }
        func list(_ numbers: some Sequence<UInt64>) -> TLVValue {
            .array(numbers.map { TLVElement(.anonymous, .uint($0)) })
        }
        var all = attributes
        all[0xFFFB] = list(attributes.keys.sorted().map { UInt64($0.rawValue) })
        all[0xFFF9] = list(commands)
        let values = all
        plan.model.read = { path, _ in
            if path.cluster == 0x001D {
                var place = path
                place.endpoint = 0
                return [.value(place, .array([TLVElement(.anonymous, cluster.tlv)]))]
            }
            guard let attribute = path.attribute, let value = told.accepted[attribute] ?? values[attribute] else {
                return [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAttribute)))]
            }
            return [.value(path, value)]
        }
        device = try await .start(plan)
        var options = Controller.Options(
            state: state.directory, addresses: [device.address], logger: .silent, unixTime: { TestFabric.unixTime })
        options.time = testTime
        options.links = TestNetwork.links()
        options.processing = .milliseconds(800)
        controller = Controller(options)
        _ = try await controller.fabrics.add(fabric.local, name: "home", vendorID: VendorID(0xFFF1))
        record = NodeRecord(nodeID: Self.node, name: "hub")
        try await controller.context.nodes().save(record)
    }

    private var deadline: Instant { .testNow + .seconds(60) }

    func cluster(_ id: ClusterID) async throws -> CustomCluster {
        try await CustomCluster(id, "cluster", of: record, link: controller.links.link(to: record), deadline: deadline)
    }

    func rainMaker() async throws -> RainMakerDevice {
        RainMakerDevice(link: try await controller.links.link(to: record), node: record, deadline: deadline)
    }

    func end() async {
        await controller.close()
        await device.shutDown()
    }
}

@Suite(.timed, .virtualTime) struct CustomClusterTests {
    private static let signature = "3045022100aa01"

    private static func rainMaker(withChallenge: Bool) -> [AttributeID: TLVValue] {
        var attributes: [AttributeID: TLVValue] = [1: .string("k3vNode"), 2: .string(signature)]
        if withChallenge { attributes[3] = .string("") }
        return attributes
    }

    @Test("the challenge is an attribute where the device has it, even if it has the command too")
    func challengeByAttribute() async throws {
        let bench = try await DeviceBench(
            RainMakerCluster.id, attributes: Self.rainMaker(withChallenge: true), commands: [0, 1])
        let evidence = try await bench.rainMaker().prove(as: "5af0c0ffee000001")
        #expect(evidence == RainMakerEvidence(nodeID: "k3vNode", signature: Self.signature))
        #expect(bench.told.commands.isEmpty)
        #expect(bench.told.writes.map(\.attribute) == [3])
        #expect(bench.told.writes.map(\.value) == [.string("5af0c0ffee000001")], "as it was given")
        await bench.end()
    }

    @Test("it is the command with a bare string where there is nothing else")
    func challengeByCommand() async throws {
        let bench = try await DeviceBench(
            RainMakerCluster.id, attributes: Self.rainMaker(withChallenge: false), commands: [0, 1])
        let evidence = try await bench.rainMaker().prove(as: DeviceBench.node.description)
        #expect(evidence?.signature == Self.signature)
        #expect(bench.told.writes.isEmpty)
        #expect(bench.told.commands.map(\.id) == [1])
        #expect(bench.told.commands.first?.fields == .string("5AF0C0FFEE000001"))
        await bench.end()
    }

    @Test("a device that refuses to sign, or gives nothing like a signature, has not proved anything")
    func challengeRefused() async throws {
        let refusing = try await DeviceBench(
            RainMakerCluster.id, attributes: Self.rainMaker(withChallenge: true), writeStatus: { _ in .failure })
        #expect(
            await code { _ = try await refusing.rainMaker().prove(as: DeviceBench.node.description) }
                == .challengeFailed)
        await refusing.end()
        for answer: TLVValue in [.string(""), .string("xyz"), .string("abc"), .uint(1), .null] {
            let bench = try await DeviceBench(
                RainMakerCluster.id, attributes: [1: .string("k3vNode"), 2: answer, 3: .string("")])
            #expect(
                await code { _ = try await bench.rainMaker().prove(as: DeviceBench.node.description) }
                    == .challengeFailed)
            await bench.end()
        }
        // No node id: not a RainMaker device.
        let plain = try await DeviceBench(RainMakerCluster.id, attributes: [1: .string(""), 3: .string("")])
        #expect(try await plain.rainMaker().prove(as: DeviceBench.node.description) == nil)
        await plain.end()
    }

    // MARK: Access

    private static let admin = CASEAuthenticatedTag(0x01A2_0001)
    private static let operate = CASEAuthenticatedTag(0x06D9_0001)

    private static let accessList = TLVValue.array([
        TLVElement(
            .anonymous,
            .structure([
                TLVElement(1, .uint(5)), TLVElement(2, .uint(2)),
                TLVElement(3, .array([TLVElement(.anonymous, .uint(admin.subject.rawValue))])), TLVElement(4, .null),
            ]))
    ])

    private func grant(_ bench: DeviceBench) async throws -> Bool {
        let own = NodeIdentity(
            nodeID: NodeID(77), fabricID: FabricID(1), cats: [Self.admin],
            publicKey: try P256PrivateKey.generate().publicKey)
        return try await bench.rainMaker().grant(admin: Self.admin, operate: Self.operate, own: own)
    }

    @Test("the access list is written as long as it is what was read, and read again if it is not")
    func changedMeanwhile() async throws {
        let bench = try await DeviceBench(
            0x001F, attributes: [0: Self.accessList],
            writeStatus: { $0.writes.count == 1 ? .dataVersionMismatch : .success })
        #expect(try await grant(bench))
        #expect(bench.told.writes.count == 2)
        #expect(bench.told.versions == [1, 1])
        guard case .array(let entries)? = bench.told.writes.last?.value else {
            Issue.record("no list was written")
            return
        }
        #expect(entries.count == 2)
        await bench.end()
    }

    @Test("a list that never rests, one that is refused, and one that is not shown, are errors")
    func accessRefused() async throws {
        for status: IMStatus in [.dataVersionMismatch, .unsupportedAccess] {
            let bench = try await DeviceBench(
                0x001F, attributes: [0: Self.accessList], writeStatus: { _ in status })
            let error = await #expect(throws: ControllerError.self) { try await grant(bench) }
            #expect(error?.status?.status == status)
            #expect(bench.told.writes.count == (status == .unsupportedAccess ? 1 : 4))
            await bench.end()
        }
        let hidden = try await DeviceBench(0x001F, attributes: [:])
        let error = await #expect(throws: ControllerError.self) { try await grant(hidden) }
        #expect(error?.status?.status == .unsupportedAttribute)
        #expect(hidden.told.writes.isEmpty)
        await hidden.end()
    }

    // MARK: Controller

    private static let status: [AttributeID: TLVValue] = [
        1: .bool(true), 2: .bool(true), 3: .bool(true), 4: .string("https://api.example"), 5: .string("G1"),
        6: .uint(2),
    ]

    private static func text(_ command: (id: CommandID, fields: TLVValue?)) -> String? {
        command.fields.flatMap { try? TLVFields($0, "fields").string(0) }
    }

    @Test("a token of any length goes in parts that fit messages", arguments: [1, 899, 900, 901, 1700, 2047])
    func tokenParts(count: Int) throws {
        let token = String((0..<count).map { Character(Unicode.Scalar(UInt8(0x21 + $0 % 90))) })
        let parts = try HubDevice.parts(of: SecretText(token))
        #expect(parts.map(\.revealed).joined() == token)
        #expect(parts.allSatisfy { (1...900).contains($0.count) })
        #expect(parts.count == (count + 899) / 900)
    }

    @Test("what is no token of a controller is refused before anything is sent")
    func noToken() {
        for text in ["", String(repeating: "x", count: 2048), "a b", "ü"] {
            #expect(throws: RainMakerError.self) { try HubDevice.parts(of: SecretText(text)) }
        }
    }

    @Test("the token in the controller is replaced, part by part")
    func setToken() async throws {
        let bench = try await DeviceBench(HubDevice.cluster, attributes: Self.status)
        let token = String(repeating: "abcdefghij", count: 170)
        try await HubDevice(bench.cluster(HubDevice.cluster)).setToken(SecretText(token))
        #expect(bench.told.commands.map(\.id) == [1, 0, 0])
        #expect(bench.told.commands.dropFirst().compactMap(Self.text).joined() == token)
        await bench.end()
    }

    @Test("after a part that may have arrived or not, all begins again")
    func lostPart() async throws {
        let bench = try await DeviceBench(HubDevice.cluster, attributes: Self.status) { command, told in
            // The second part, once: taken, and the answer never comes.
            command.path.command == 0 && told.commands.count == 3
                ? .acknowledgement : .outcome(.status(StatusIB(.success)))
        }
        let token = String(repeating: "x", count: 1700)
        try await HubDevice(bench.cluster(HubDevice.cluster)).setToken(SecretText(token))
        #expect(bench.told.commands.map(\.id) == [1, 0, 0, 1, 0, 0])
        await bench.end()
    }

    @Test("login, certificate and list are asked for in turn, and what came of them is read")
    func steps() async throws {
        let bench = try await DeviceBench(HubDevice.cluster, attributes: Self.status)
        let device = HubDevice(try await bench.cluster(HubDevice.cluster))
        try await device.authorize(BaseURL(parsing: "https://api.example"))
        try await device.updateNOC()
        let status = try await device.checkNOC(group: "G1")
        #expect(status.groupID == "G1" && status.fabricIndex == 2 && status.url == "https://api.example")
        await #expect(throws: ControllerError.self) { try await device.checkNOC(group: "G2") }
        try await device.updateDeviceList()
        #expect(bench.told.commands.map(\.id) == [2, 3, 4])
        #expect(bench.told.commands.first.flatMap(Self.text) == "https://api.example")
        let long = try BaseURL(parsing: "https://\(String(repeating: "a", count: 60)).example")
        #expect(await code { try await device.authorize(long) } == .invalidInput)
        #expect(bench.told.commands.count == 3)
        await bench.end()
    }

    @Test("a controller that says yes and does nothing is found out, and so is one that refuses")
    func controllerFailures() async throws {
        var attributes = Self.status
        attributes[2] = .bool(false)
        attributes[3] = .bool(false)
        let lying = try await DeviceBench(HubDevice.cluster, attributes: attributes)
        let liar = HubDevice(try await lying.cluster(HubDevice.cluster))
        await #expect(throws: ControllerError.self) { try await liar.authorize(BaseURL(parsing: "https://a.example")) }
        await #expect(throws: ControllerError.self) { try await liar.checkNOC(group: nil) }
        await lying.end()
        let refusing = try await DeviceBench(HubDevice.cluster, attributes: Self.status) { _, _ in
            .outcome(.status(StatusIB(.failure)))
        }
        let device = HubDevice(try await refusing.cluster(HubDevice.cluster))
        let error = await #expect(throws: ControllerError.self) { try await device.updateDeviceList() }
        #expect(error?.code == .status && error?.status?.status == .failure)
        await refusing.end()
    }

    @Test("a node without the cluster is told apart")
    func noCluster() async throws {
        let bench = try await DeviceBench(6, attributes: [:])
        let error = await #expect(throws: ControllerError.self) { try await bench.cluster(HubDevice.cluster) }
        #expect(error?.code == .unsupportedCluster)
        await bench.end()
    }

    // MARK: The small ones

    @Test("a dataset goes as hexadecimal text, and comes back as octets")
    func dataset() async throws {
        let bench = try await DeviceBench(
            BorderRouterDevice.cluster, attributes: [0: .octets([0x0E, 0x08]), 2: .octets([1, 2])])
        let device = BorderRouterDevice(try await bench.cluster(BorderRouterDevice.cluster))
        let state = try await device.state()
        #expect(state.dataset?.copyBytes() == [0x0E, 0x08] && state.borderAgentID == [1, 2])
        try await device.setDataset(SecretText("0e08 0000"))
        try await device.startNetwork()
        try await device.stopNetwork()
        #expect(bench.told.commands.map(\.id) == [0, 1, 2])
        #expect(bench.told.commands.first.flatMap(Self.text) == "0e080000")
        for wrong in ["", "0e0", "xyz", String(repeating: "00", count: 255)] {
            #expect(await code { try await device.setDataset(SecretText(wrong)) } == .invalidInput)
        }
        #expect(bench.told.commands.count == 3)
        await bench.end()
    }

    @Test("a participant's data is read one by one, and only what is given is sent")
    func participant() async throws {
        let bench = try await DeviceBench(
            ParticipantDevice.cluster, attributes: [0: .string("Ada"), 2: .string("ada@example.com")])
        let device = ParticipantDevice(try await bench.cluster(ParticipantDevice.cluster))
        #expect(try await device.data() == [.name: "Ada", .email: "ada@example.com"])
        try await device.send([.companyName: "Engines", .eventName: "Open Day"])
        #expect(bench.told.commands.map(\.id) == [0])
        #expect(
            bench.told.commands.first?.fields
                == .structure([TLVElement(1, .string("Engines")), TLVElement(4, .string("Open Day"))]))
        await bench.end()
    }
}
