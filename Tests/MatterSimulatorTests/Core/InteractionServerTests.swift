import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("The Interaction Model server", .beside)
struct InteractionServerTests {
    private static let onOff = OnOff.id

    private func bench() throws -> (NodeBench, Caller) {
        let bench = try NodeBench()
        return (bench, try bench.commission(try NodeBench.Controller()))
    }

    @Test(
        "a read of something that is not there says what is missing",
        arguments: [
            (EndpointID(9), ClusterID(6), AttributeID(0), IMStatus.unsupportedEndpoint),
            (1, 0x101, 0, .unsupportedCluster),
            (1, 6, 0x99, .unsupportedAttribute), (1, 0x9999, 0xFFFD, .unsupportedCluster),
        ])
    func missing(endpoint: EndpointID, cluster: ClusterID, attribute: AttributeID, status: IMStatus) throws {
        let (bench, admin) = try bench()
        #expect(try bench.read(endpoint, cluster, attribute, by: admin).first?.refusal == status)
        let stranger = Caller(.case(NodeID(5), tags: []), fabricIndex: 1)
        #expect(try bench.read(endpoint, cluster, attribute, by: stranger).first?.refusal == .unsupportedAccess)
        #expect(try bench.write(endpoint, cluster, attribute, .uint(0), by: admin).status == status)
        #expect(try bench.write(endpoint, cluster, attribute, .uint(0), by: stranger).status == .unsupportedAccess)
    }

    @Test(
        "a command that is not there says what is missing",
        arguments: [
            (EndpointID(9), ClusterID(6), CommandID(0), IMStatus.unsupportedEndpoint),
            (1, 0x101, 0, .unsupportedCluster),
            (1, 6, 0x99, .unsupportedCommand),
        ])
    func missingCommand(endpoint: EndpointID, cluster: ClusterID, command: CommandID, status: IMStatus) throws {
        let (bench, admin) = try bench()
        #expect(try bench.invoke(endpoint, cluster, command, by: admin).status == status)
        let stranger = Caller(.case(NodeID(5), tags: []), fabricIndex: 1)
        #expect(try bench.invoke(endpoint, cluster, command, by: stranger).status == .unsupportedAccess)
    }

    /// A server that answers everything it is asked for, and remembers what that was.
    private struct PryingServer: ClusterServer {
        final class Asked { var attributes: [AttributeID] = [] }

        let asked: Asked
        let id = BooleanState.id
        let initialAttributes: [AttributeID: TLVValue] = [0: .bool(false)]

        func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
            asked.attributes.append(attribute)
            return .bool(true)
        }
    }

    @Test("a server is asked only for attributes that it declared")
    func onlyDeclared() throws {
        let asked = PryingServer.Asked()
        let bench = try ClusterBench { [EndpointPlan(deviceTypes: [], servers: [PryingServer(asked: asked)])] }
        let attributes: [AttributeID] = [0, 1, 0x4000] + GlobalAttribute.all
        let values = attributes.map { bench.read(0x0045, $0) }
        #expect(Set(asked.attributes) == [0])
        #expect(Array(values[..<3]) == [.bool(true), nil, nil])
        #expect(values[3...].allSatisfy { $0 != nil && $0 != .bool(true) })
        asked.attributes = []
        let path = AttributePath(endpoint: 1, cluster: 0x0045)
        let read = try bench.node.read(
            ReadRequest(attributePaths: [path], isFabricFiltered: true), caller: bench.caller)
        #expect(read.attributes.count == 1 + GlobalAttribute.all.count)
        #expect(asked.attributes == [0])
    }

    @Test("fields that do not decode and fields out of range are told apart")
    func fields() throws {
        let (bench, admin) = try bench()
        func move(_ fields: [TLVElement]) throws -> IMStatus {
            try bench.invoke(1, LevelControl.id, 0, fields, by: admin).status
        }
        let rest = [TLVElement(2, .uint(0)), TLVElement(3, .uint(0))]
        #expect(try move([]) == .invalidCommand)
        #expect(try move([TLVElement(0, .string("x")), TLVElement(1, .null)] + rest) == .invalidCommand)
        #expect(try move([TLVElement(0, .uint(300)), TLVElement(1, .null)] + rest) == .invalidCommand)
        #expect(try move([TLVElement(0, .uint(255)), TLVElement(1, .null)] + rest) == .constraintError)
        #expect(
            try move([
                TLVElement(0, .uint(9)), TLVElement(1, .null), TLVElement(2, .uint(0x80)), TLVElement(3, .uint(0)),
            ]) == .constraintError)
        #expect(try move([TLVElement(0, .uint(9)), TLVElement(1, .null), TLVElement(77, .uint(1))] + rest) == .success)
        #expect(
            try bench.invoke(1, 3, 0x40, [TLVElement(0, .uint(3)), TLVElement(1, .uint(0))], by: admin).status
                == .constraintError)
    }

    @Test("values that are written are checked")
    func writes() throws {
        let (bench, admin) = try bench()
        func write(_ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue, endpoint: EndpointID = 1) throws
            -> IMStatus
        {
            try bench.write(endpoint, cluster, attribute, value, by: admin).status
        }
        #expect(try write(6, 0, .bool(true)) == .unsupportedWrite)
        #expect(try write(6, 0xFFFC, .uint(1)) == .unsupportedWrite)
        #expect(try write(6, 0x4001, .string("x")) == .invalidDataType)
        #expect(try write(6, 0x4001, .uint(70_000)) == .invalidDataType)
        #expect(try write(6, 0x4001, .null) == .invalidDataType)
        #expect(try write(6, 0x4003, .null) == .success)
        #expect(try write(6, 0x4003, .uint(7)) == .constraintError)
        #expect(try write(8, 0x11, .uint(255)) == .constraintError)
        #expect(try write(0x28, 5, .string(String(repeating: "x", count: 33)), endpoint: 0) == .constraintError)
        #expect(try write(0x28, 6, .string("DEU"), endpoint: 0) == .constraintError)
        #expect(try write(0x28, 6, .string("DE"), endpoint: 0) == .success)
        #expect(bench.value(0, 0x28, 6) == .string("DE"))
    }

    @Test("a conditional write needs the present data version")
    func dataVersions() throws {
        let (bench, admin) = try bench()
        func version() throws -> UInt32? {
            guard case .data(let data) = try bench.read(0, 0x28, 5, by: admin).first else { return nil }
            return data.dataVersion
        }
        let before = try #require(try version())
        func write(_ label: String, _ version: UInt32) throws -> IMStatus {
            try bench.write(0, 0x28, 5, .string(label), by: admin, dataVersion: version).status
        }
        #expect(try write("a", before) == .success)
        #expect(try version() == before &+ 1)
        #expect(try write("b", before) == .dataVersionMismatch)
        #expect(try bench.write(0, 0x28, 5, .string("a"), by: admin).isSuccess)
        #expect(try version() == before &+ 1, "the same value is no change")
        let filtered = ReadRequest(
            attributePaths: [AttributePath(endpoint: 0, cluster: 0x28), AttributePath(endpoint: 0, cluster: 0x30)],
            dataVersionFilters: [.init(path: ClusterPath(endpoint: 0, cluster: 0x28), dataVersion: before &+ 1)])
        let clusters = try bench.node.read(filtered, caller: admin).attributes.map(\.path.cluster)
        #expect(Set(clusters) == [0x30])
    }

    @Test("what is in the attribute list can be read, and nothing else")
    func globalAttributes() throws {
        let (bench, admin) = try bench()
        let reports = try bench.read(nil, nil, nil, by: admin)
        let found = Dictionary(grouping: reports) {
            ClusterPath(endpoint: $0.path.endpoint ?? 0, cluster: $0.path.cluster ?? 0)
        }
        #expect(found.count > 15)
        for (path, reports) in found {
            let list = bench.value(path.endpoint, path.cluster, 0xFFFB)?.items?.compactMap {
                $0.id(as: AttributeID.self)
            }
            #expect(reports.compactMap(\.path.attribute) == list, "\(path)")
        }
        let servers = bench.value(1, Descriptor.id, 1)?.items?.compactMap { $0.id(as: ClusterID.self) }
        #expect(servers == [3, 4, 6, 8, 0x1D, 0x62])
        #expect(bench.value(0, Descriptor.id, 3) == .array(of: [.uint(1)]))
    }

    @Test("flags of a wildcard leave out what they name")
    func wildcardFlags() throws {
        let (bench, admin) = try bench()
        func read(_ flags: WildcardPathFlags) throws -> [AttributePath] {
            let request = ReadRequest(attributePaths: [AttributePath(wildcardFlags: flags)])
            return try bench.node.read(request, caller: admin).attributes.map(\.path)
        }
        #expect(try read(.skipRootNode).allSatisfy { $0.endpoint != 0 })
        #expect(try read(.skipGlobalAttributes).allSatisfy { $0.attribute ?? 0 < 0xFFF8 })
        #expect(try read(.skipAttributeList).allSatisfy { $0.attribute != 0xFFFB })
        #expect(try read(.skipCommandLists).allSatisfy { $0.attribute != 0xFFF8 && $0.attribute != 0xFFF9 })
        #expect(try read(.skipDiagnosticsClusters).allSatisfy { $0.cluster != GeneralDiagnostics.id })
        #expect(try read([]).contains { $0.cluster == GeneralDiagnostics.id })
    }

    @Test("clusters of vendors are custom elements too, which a wildcard can leave out")
    func customClusters() throws {
        let bench = try NodeBench { $0.add(RainMakerOptions(nodeID: "x")) }
        let admin = try bench.commission(try NodeBench.Controller())
        func clusters(_ flags: WildcardPathFlags, cluster: ClusterID? = nil) throws -> Set<ClusterID?> {
            let path = AttributePath(cluster: cluster, wildcardFlags: flags)
            return Set(
                try bench.node.read(ReadRequest(attributePaths: [path]), caller: admin).attributes.map(\.path.cluster))
        }
        #expect(try clusters([]).contains(RainMakerCluster.id))
        #expect(try !clusters(.skipCustomElements).contains(RainMakerCluster.id))
        #expect(try clusters(.skipCustomElements).contains(OnOff.id))
        #expect(try clusters(.skipCustomElements, cluster: RainMakerCluster.id) == [RainMakerCluster.id])
    }

    @Test("requests that no server has to understand are refused as a whole")
    func refusedRequests() throws {
        let (bench, admin) = try bench()
        let all = ReadRequest(attributePaths: [AttributePath(attribute: 0)])
        #expect(throws: SimulatedNode.Refusal(status: .invalidAction)) { try bench.node.read(all, caller: admin) }
        let many = ReadRequest(
            attributePaths: Array(repeating: AttributePath(endpoint: 0, cluster: 0x28, attribute: 1), count: 65))
        #expect(throws: SimulatedNode.Refusal(status: .pathsExhausted)) { try bench.node.read(many, caller: admin) }
        let path = CommandPath(endpoint: 1, cluster: 6, command: 0)
        let two = InvokeRequest(commands: [
            CommandDataIB(path: path, fields: nil), CommandDataIB(path: path, fields: nil),
        ])
        #expect(throws: SimulatedNode.Refusal(status: .invalidAction)) { try bench.node.invoke(two, caller: admin) }
        #expect(throws: SimulatedNode.Refusal(status: .invalidAction)) {
            try bench.node.invoke(InvokeRequest(commands: []), caller: admin)
        }
    }

    @Test("several commands in one request keep their order")
    func severalCommands() throws {
        let (bench, admin) = try bench()
        let request = InvokeRequest(commands: [
            CommandDataIB(path: CommandPath(endpoint: 1, cluster: 6, command: 1), fields: nil, reference: 1),
            CommandDataIB(path: CommandPath(endpoint: 1, cluster: 6, command: 0x99), fields: nil, reference: 2),
        ])
        let outcomes = try bench.node.invoke(request, caller: admin)
        #expect(outcomes.map(\.status) == [.success, .unsupportedCommand])
    }

    @Test("a list is replaced, appended to, and never without a replacement")
    func lists() throws {
        let (bench, admin) = try bench()
        func label(_ text: String) -> TLVValue {
            .structure([TLVElement(0, .string(text)), TLVElement(1, .string("v"))])
        }
        let path = AttributePath(endpoint: 0, cluster: UserLabel.id, attribute: 0)
        var item = path
        item.listIndex = .append
        var receiver = WriteReceiver()
        var progress = SimulatedNode.WriteProgress()
        let first = try receiver.receive(
            WriteRequest(writes: [AttributeDataIB(path: path, data: .array(of: [label("a")]))], hasMoreChunks: true))
        #expect(bench.node.write(first, progress: &progress, caller: admin).map(\.status) == [.success])
        let rest = try receiver.receive(WriteRequest(writes: [AttributeDataIB(path: item, data: label("b"))]))
        #expect(bench.node.write(rest, progress: &progress, caller: admin).map(\.status) == [.success])
        #expect(bench.value(0, UserLabel.id, 0)?.items == [label("a"), label("b")])
        var fresh = WriteReceiver()
        let alone = try fresh.receive(WriteRequest(writes: [AttributeDataIB(path: item, data: label("c"))]))
        #expect(bench.node.write(alone, progress: &progress, caller: admin).map(\.status) == [.busy])
    }

    @Test("fabric-scoped commands need a fabric")
    func fabricScoped() throws {
        let bench = try NodeBench()
        #expect(
            try bench.invoke(0, GroupKeyManagement.id, 4, by: bench.pase).status == .unsupportedAccess)
    }

    @Test("events have numbers that only grow, over restarts too")
    func events() throws {
        let (bench, admin) = try bench()
        func read(_ minimum: UInt64 = 0) throws -> [EventDataIB] {
            let request = ReadRequest(
                attributePaths: [], eventPaths: [EventPath()], eventFilters: [EventFilter(minimum: minimum)])
            return try bench.node.read(request, caller: admin).events.compactMap {
                if case .data(let data) = $0 { data } else { nil }
            }
        }
        let numbers = try read().map(\.number)
        #expect(numbers.count >= 3)
        #expect(numbers == numbers.sorted())
        let last = try #require(numbers.last)
        #expect(try read(last).map(\.number) == [last])
        try bench.restart()
        #expect(try read().allSatisfy { $0.number > last })
        let unknown = ReadRequest(attributePaths: [], eventPaths: [EventPath(endpoint: 1, cluster: 6, event: 1)])
        guard case .status(let status) = try bench.node.read(unknown, caller: admin).events.first else {
            Issue.record("an unknown event has a status")
            return
        }
        #expect(status.status.status == .unsupportedEvent)
    }
}
