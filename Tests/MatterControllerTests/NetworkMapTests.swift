import MatterState
import TestSupport
import Testing

@testable import MatterController
@testable import MatterNetwork

/// A house in values: what its nodes and border routers tell.
struct MapScene {
    static let home: UInt64 = 0x1122_3344_5566_7788
    static let barn: UInt64 = 0xAABB_CCDD_EEFF_0011

    var readings: [MapReading] = []
    var routers: [BorderRouter]? = []

    var map: NetworkMap { NetworkMap(readings, routers) }

    /// The address of the radio of a device with this number.
    static func address(_ number: Int) -> UInt64 { 0x0200_0000_0000_0000 | UInt64(number) }

    /// A node on Thread.
    ///
    /// - Parameter rloc: the number of its router, and that of the child.
    mutating func add(
        _ number: Int, _ role: MeshDevice.Role, _ rloc: (router: UInt16, child: UInt16), _ rows: [NodeTables.Neighbor],
        routes: [NodeTables.Route] = [], partition: UInt32 = 1, network: UInt64 = home,
        change: (inout NodeTables.Thread) -> Void = { _ in }
    ) {
        var thread = NodeTables.Thread()
        thread.extendedPANID = network
        thread.networkName = network == Self.home ? "home" : "barn"
        (thread.channel, thread.role, thread.partitionID, thread.leaderRouterID) = (15, role, partition, 1)
        thread.extAddress = Self.address(number)
        thread.rloc16 = rloc.router << 10 | rloc.child
        (thread.neighbors, thread.routes, thread.hasTables) = (rows, routes, true)
        change(&thread)
        var tables = NodeTables()
        tables.thread = thread
        add(number, tables)
    }

    mutating func add(_ number: Int, _ tables: NodeTables) {
        readings.append(
            MapReading(
                node: NodeRecord(nodeID: NodeID(UInt64(number)), name: "n\(number)"), tables: .success(tables),
                readAt: 1_790_000_000 + Int64(number)))
    }

    /// A border router that advertises itself, by its number as a device.
    mutating func addBorderRouter(
        _ number: Int, _ changes: [String: [UInt8]] = [:], network: UInt64 = home, name: String? = nil
    ) throws {
        func bytes(_ value: UInt64) -> [UInt8] {
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        var txt: [String: [UInt8]] = [
            "nn": Array("home".utf8), "xp": bytes(network), "xa": bytes(Self.address(number)), "pt": [0, 0, 0, 1],
            "sb": [0, 0, 1, 0xB1], "vn": Array("Acme".utf8),
        ]
        txt.merge(changes) { $1 }
        let data = txt.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.flatMap { key, value in
            let entry = Array("\(key)=".utf8) + value
            return [UInt8(entry.count)] + entry
        }
        routers?.append(
            BorderRouter(
                instance: name ?? "border \(number)", host: "b\(number).local", addresses: [],
                txt: try TXTRecord(decoding: data)))
    }

    /// A row about a device with a number.
    static func row(
        _ number: Int, _ rloc: (router: UInt16, child: UInt16), lqi: UInt8 = 3, rssi: Int8? = -50, age: UInt32 = 10,
        isChild: Bool = false, isAwake: Bool = true
    ) -> NodeTables.Neighbor {
        NodeTables.Neighbor(
            extAddress: address(number), rloc16: rloc.router << 10 | rloc.child, age: age, lqi: lqi, rssi: rssi,
            frameErrors: 0, messageErrors: 0, isAwake: isAwake, isFull: isAwake, isChild: isChild)
    }
}

/// The joining of tables and advertisements.
@Suite("Network map", .beside) struct NetworkMapTests {
    private typealias Scene = MapScene
    private static func row(
        _ number: Int, _ rloc: (router: UInt16, child: UInt16), lqi: UInt8 = 3, rssi: Int8? = -50, age: UInt32 = 10,
        isChild: Bool = false, isAwake: Bool = true
    ) -> NodeTables.Neighbor {
        MapScene.row(number, rloc, lqi: lqi, rssi: rssi, age: age, isChild: isChild, isAwake: isAwake)
    }

    /// Two border routers and two routers, each of which hears all others, and a child.
    private static func sound() throws -> MapScene {
        var scene = MapScene()
        try scene.addBorderRouter(8)
        try scene.addBorderRouter(9)
        scene.add(
            1, .leader, (1, 0),
            [row(2, (2, 0)), row(8, (8, 0)), row(9, (9, 0)), row(3, (1, 1), isChild: true, isAwake: false)])
        scene.add(2, .router, (2, 0), [row(1, (1, 0)), row(8, (8, 0)), row(9, (9, 0))])
        scene.add(3, .sleepyEndDevice, (1, 1), [row(1, (1, 0))])
        return scene
    }

    private func kinds(_ map: NetworkMap) -> [MapFinding.Kind] { map.findings.map(\.kind) }

    @Test("a sound network is one mesh with roles, parents, hops, and nothing to remark")
    func sound() throws {
        let map = try Self.sound().map
        #expect(map.findings.isEmpty, "\(map.findings)")
        let mesh = try #require(map.meshes.first)
        #expect(map.meshes.count == 1 && mesh.name == "home" && mesh.channel == 15)
        #expect(mesh.partitions == [.init(id: 1, leader: "node-1")])
        #expect(mesh.devices.count == 5 && mesh.links.count == 6)
        #expect(mesh.device("node-1")?.role == .leader && mesh.device("node-2")?.role == .router)
        #expect(mesh.device("node-3")?.parent == "node-1" && mesh.device("node-3")?.hops == 2)
        let border = try #require(mesh.devices.first)
        // Its locator is known from the rows of others, its role from that.
        #expect(border.id == "border-router-0200000000000008" && border.rloc16 == 8 << 10 && border.role == .router)
        #expect(border.hops == 0 && border.wayOut == .unknown && mesh.device("node-2")?.wayOut == .several)
        let link = try #require(mesh.link(between: "node-1", and: "node-3"))
        #expect(link.isOfParent && link.quality == .good && link.hearing?.lqi == 3 && link.otherHearing?.rssi == -50)
        #expect(map.readAt == 1_790_000_001)
    }

    @Test("networks are told apart by their ids, not by their names, and nodes with the same locator stay apart")
    func networks() throws {
        var scene = try Self.sound()
        try scene.addBorderRouter(20, network: MapScene.barn)
        scene.add(21, .leader, (1, 0), [Self.row(20, (2, 0))], network: MapScene.barn)
        let map = scene.map
        #expect(map.meshes.map(\.extendedPANID) == [MapScene.home, MapScene.barn])
        #expect(map.meshes.last?.devices.map(\.id) == ["border-router-0200000000000014", "node-21"])
        #expect(kinds(map) == [.lonelyBorderRouter, .singleWayOut])
        #expect(map.findings.first?.text.contains("border 20 is the only one") == true, "\(map.findings)")
    }

    @Test("a border router alone in its network is one, also before a node is there")
    func alone() throws {
        var scene = MapScene()
        try scene.addBorderRouter(8)
        #expect(kinds(scene.map) == [.lonelyBorderRouter])
        #expect(scene.map.findings.first?.text == "the border router border 8 is alone in the Thread network home")
        // Those that do not say what network they are in are not put into one.
        try scene.addBorderRouter(9, ["xp": [], "xa": []])
        #expect(scene.map.meshes.map(\.extendedPANID) == [MapScene.home, nil])
        scene.routers = nil
        #expect(scene.map.meshes.isEmpty && scene.map.obstacle != nil)
    }

    @Test("a border router that is idle, or that no device of its network names, is told of")
    func unlinked() throws {
        var scene = try Self.sound()
        try scene.addBorderRouter(10, ["sb": [0, 0, 0, 8]])
        #expect(kinds(scene.map) == [.idleBorderRouter, .unlinkedBorderRouter])
        #expect(scene.map.findings.allSatisfy { $0.devices == ["border-router-020000000000000A"] })
    }

    @Test("two partitions of one network are a split, and locators mean something within each")
    func split() throws {
        var scene = try Self.sound()
        scene.add(5, .leader, (1, 0), [Self.row(6, (1, 1), isChild: true)], partition: 2)
        scene.add(6, .endDevice, (1, 1), [Self.row(5, (1, 0))], partition: 2)
        let map = scene.map
        let mesh = try #require(map.meshes.first)
        #expect(mesh.partitions == [.init(id: 1, leader: "node-1"), .init(id: 2, leader: "node-5")])
        #expect(mesh.device("node-6")?.parent == "node-5" && mesh.device("node-3")?.parent == "node-1")
        #expect(kinds(map).contains(.splitNetwork) && kinds(map).contains(.noWayOut))
        #expect(mesh.device("node-5")?.wayOut == MeshDevice.WayOut.none)
    }

    // MARK: Links

    @Test(
        "a link is one-sided by two levels of quality, or by more than 15 dB",
        arguments: [(3, 1, -50, -50, true), (3, 2, -50, -50, false), (3, 3, -50, -66, true), (3, 3, -50, -65, false)])
    func oneSided(_ lqi: UInt8, _ other: UInt8, _ rssi: Int8, _ otherRSSI: Int8, _ expected: Bool) throws {
        var scene = try Self.sound()
        scene.readings[0].tables = Self.changing(scene.readings[0]) {
            $0.neighbors[0] = Self.row(2, (2, 0), lqi: lqi, rssi: rssi)
        }
        scene.readings[1].tables = Self.changing(scene.readings[1]) {
            $0.neighbors[0] = Self.row(1, (1, 0), lqi: other, rssi: otherRSSI)
        }
        #expect(kinds(scene.map).contains(.oneSidedLink) == expected, "\(scene.map.findings)")
        #expect(scene.map.meshes[0].link(between: "node-1", and: "node-2")?.isOneSided == expected)
    }

    private static func changing(
        _ reading: MapReading, _ change: (inout NodeTables.Thread) -> Void
    ) -> Result<NodeTables, any Error> {
        reading.tables.map { tables in
            var tables = tables
            if var thread = tables.thread {
                change(&thread)
                tables.thread = thread
            }
            return tables
        }
    }

    @Test("a router that does not name one that names it does not hear it, and the link leads nowhere")
    func deaf() throws {
        var scene = try Self.sound()
        scene.readings[1].tables = Self.changing(scene.readings[1]) { $0.neighbors.removeFirst() }
        let finding = try #require(scene.map.findings.first)
        #expect(finding.kind == .oneSidedLink && finding.text.contains("n2 does not hear n1"), "\(finding)")
        #expect(scene.map.meshes[0].link(between: "node-1", and: "node-2")?.isUsable == false)
    }

    @Test(
        "a link is as strong as the worst of what is told of it",
        arguments: [
            (3, -50, 0, 0, LinkQuality.good), (3, -70, 0, 0, .good), (3, -71, 0, 0, .fair), (2, -50, 0, 0, .fair),
            (1, -50, 0, 0, .weak), (3, -86, 0, 0, .weak), (3, -91, 0, 0, .unusable), (0, -50, 0, 0, .unusable),
            (3, -50, 10, 0, .fair), (3, -50, 31, 0, .weak), (3, -50, 0, 1, .fair), (3, -50, 0, 6, .weak),
        ] as [(UInt8, Int8, UInt8, UInt8, LinkQuality)])
    func quality(_ lqi: UInt8, _ rssi: Int8, _ frames: UInt8, _ messages: UInt8, _ expected: LinkQuality) throws {
        var scene = try Self.sound()
        for (reading, other) in [(0, (2, 2)), (1, (1, 1))] {
            scene.readings[reading].tables = Self.changing(scene.readings[reading]) {
                $0.neighbors[0] = Self.row(other.0, (UInt16(other.1), 0), lqi: lqi, rssi: rssi)
                ($0.neighbors[0].frameErrors, $0.neighbors[0].messageErrors) = (frames, messages)
            }
        }
        #expect(scene.map.meshes[0].link(between: "node-1", and: "node-2")?.quality == expected)
        #expect(kinds(scene.map).contains(.weakLink) == (expected <= .weak), "\(scene.map.findings)")
    }

    @Test("routes fill what neighbours leave open: by the mean of both directions, and no link without quality")
    func routes() throws {
        var scene = try Self.sound()
        for index in [0, 1] {
            scene.readings[index].tables = Self.changing(scene.readings[index]) { $0.neighbors = [] }
        }
        let route = NodeTables.Route(extAddress: MapScene.address(2), rloc16: 2 << 10, lqiIn: 3, lqiOut: 1, age: 5)
        scene.readings[0].tables = Self.changing(scene.readings[0]) { $0.routes = [route] }
        let link = try #require(scene.map.meshes[0].link(between: "node-1", and: "node-2"))
        #expect(link.quality == .fair && link.hearing?.lqi == 3 && link.otherHearing?.lqi == 1)
    }

    @Test("rows of long ago say nothing of now: 100 s between routers, 240 s of a child")
    func stale() throws {
        var scene = try Self.sound()
        for (index, row) in [(0, Self.row(2, (2, 0), age: 101)), (1, Self.row(1, (1, 0), age: 300))] {
            scene.readings[index].tables = Self.changing(scene.readings[index]) { $0.neighbors[0] = row }
        }
        scene.readings[0].tables = Self.changing(scene.readings[0]) {
            $0.neighbors[3] = Self.row(3, (1, 1), age: 200, isChild: true, isAwake: false)
        }
        #expect(kinds(scene.map) == [.staleLink])
        #expect(scene.map.findings[0].text == "n1 and n2 have not heard each other for 101 s")
        #expect(scene.map.meshes[0].link(between: "node-1", and: "node-3")?.isStale == false)
    }

    // MARK: Ways out

    @Test("what hangs on one router is told once for that router, with all that depend on it")
    func singleWay() throws {
        var scene = try Self.sound()
        scene.readings[1].tables = Self.changing(scene.readings[1]) {
            $0.neighbors += [Self.row(4, (4, 0))]
        }
        scene.add(4, .router, (4, 0), [Self.row(2, (2, 0)), Self.row(5, (5, 0)), Self.row(6, (4, 1), isChild: true)])
        scene.add(5, .router, (5, 0), [Self.row(4, (4, 0))])
        scene.add(6, .sleepyEndDevice, (4, 1), [Self.row(4, (4, 0))])
        let mesh = scene.map.meshes[0]
        #expect(mesh.device("node-4")?.wayOut == .single(through: "node-2"))
        #expect(mesh.device("node-5")?.wayOut == .single(through: "node-4"))
        // A child could change its parent, and then depends on what its parent depends on.
        #expect(mesh.device("node-6")?.wayOut == .single(through: "node-2"))
        #expect(mesh.device("node-3")?.wayOut == .several)
        #expect(
            scene.map.findings.map(\.text) == [
                "n4, n6 have a single way out, through n2", "n5 has a single way out, through n4",
            ])
    }

    @Test("routers that cannot be asked may have other ways; a device with nothing but one of them has not")
    func unknownRouters() throws {
        var scene = try Self.sound()
        scene.readings[0].tables = Self.changing(scene.readings[0]) { $0.neighbors += [Self.row(30, (30, 0))] }
        scene.add(4, .router, (4, 0), [Self.row(30, (30, 0)), Self.row(31, (31, 0))])
        let mesh = scene.map.meshes[0]
        let unknown = try #require(mesh.device("router-7800"))
        #expect(unknown.role == .router && unknown.node == nil && unknown.extAddress == MapScene.address(30))
        #expect(mesh.device("node-4")?.wayOut == .several)
        scene.readings[3].tables = Self.changing(scene.readings[3]) { $0.neighbors.removeLast() }
        #expect(scene.map.meshes[0].device("node-4")?.wayOut == .single(through: "router-7800"))
    }

    @Test("end devices of others are counted at their parents, and many of them crowd it")
    func strangers() throws {
        var scene = try Self.sound()
        scene.readings[0].tables = Self.changing(scene.readings[0]) {
            $0.neighbors += (2...11).map { Self.row(40 + Int($0), (1, $0), isChild: true, isAwake: false) }
        }
        let mesh = scene.map.meshes[0]
        #expect(mesh.device("node-1")?.unknownChildren == 10 && mesh.devices.count == 5)
        #expect(kinds(scene.map) == [.crowdedParent])
    }

    @Test("a locator is enough to know the parent of a device that tells no table, and its router")
    func locator() throws {
        var scene = try Self.sound()
        scene.add(7, .sleepyEndDevice, (2, 5), []) { $0.hasTables = false }
        scene.add(11, .sleepyEndDevice, (33, 1), []) { $0.hasTables = false }
        let mesh = scene.map.meshes[0]
        #expect(mesh.device("node-7")?.parent == "node-2" && mesh.device("node-11")?.parent == "router-8400")
    }

    @Test("a device that names another address of its radio is found by its locator")
    func otherAddress() throws {
        var scene = try Self.sound()
        scene.readings[1].tables = Self.changing(scene.readings[1]) { $0.extAddress = 0x0011_2233_4455_6677 }
        let mesh = scene.map.meshes[0]
        #expect(mesh.devices.count == 5 && mesh.link(between: "node-1", and: "node-2")?.quality == .good)
    }

    // MARK: Hostile tables

    @Test("ten thousand rows, zero addresses, rows about oneself and circles of parents end, and make no devices")
    func hostile() throws {
        var scene = try Self.sound()
        let rows = (0..<10_000).map { (index: Int) -> NodeTables.Neighbor in
            let address: UInt64 = index.isMultiple(of: 2) ? 0 : UInt64.max - UInt64(index)
            let rloc = UInt16(truncatingIfNeeded: index * 7919)
            return NodeTables.Neighbor(
                extAddress: address, rloc16: rloc, age: .max, lqi: 255, rssi: -128, frameErrors: 255,
                messageErrors: 255, isChild: index.isMultiple(of: 3))
        }
        scene.add(50, .router, (50, 0), rows + [Self.row(50, (50, 0))])
        scene.add(51, .endDevice, (51, 1), [Self.row(52, (52, 1), isChild: true)])
        scene.add(52, .endDevice, (52, 1), [Self.row(51, (51, 1), isChild: true)])
        scene.add(53, .router, (63, 511), []) { $0.extAddress = 0 }
        let map = scene.map
        let mesh = try #require(map.meshes.first)
        // At most one router for each of the 63 ids.
        #expect(mesh.devices.count { $0.node == nil } <= 65, "\(mesh.devices.count)")
        #expect(mesh.device("node-53")?.rloc16 == nil && mesh.device("node-53")?.extAddress == nil)
        #expect(Set(mesh.devices.map(\.id)).count == mesh.devices.count)
    }

    // MARK: Other networks

    @Test("nodes on Wi-Fi stand by their access points, with the weak ones marked")
    func wifi() throws {
        var scene = MapScene()
        func wifi(_ bssid: [UInt8]?, _ rssi: Int8?) -> NodeTables {
            var tables = NodeTables()
            tables.wifi = NodeTables.WiFi(bssid: bssid, ssid: "house", channel: 6, rssi: rssi)
            return tables
        }
        let address: [UInt8] = [2, 0, 0, 0, 0, 0x1F]
        scene.add(1, wifi(address, -81))
        scene.add(2, wifi(address, -55))
        scene.add(3, wifi(nil, -71))
        var wired = NodeTables()
        wired.isWired = true
        scene.add(4, wired)
        scene.add(5, NodeTables())
        let map = scene.map
        #expect(map.accessPoints.map(\.address) == ["02:00:00:00:00:1f", nil])
        #expect(map.accessPoints[0].stations.map(\.rssi) == [-55, -81])
        #expect(map.wired.map(\.label) == ["n4"] && map.elsewhere.map(\.label) == ["n5"])
        #expect(
            map.findings.map(\.text) == [
                "n1 hears house with -81 dBm, which is unusable", "n3 hears house with -71 dBm, which is weak",
            ])
    }

    @Test("a bridge has what it tells now behind it, and keeps the names that the user gave")
    func bridge() throws {
        var scene = MapScene()
        var tables = NodeTables()
        tables.isWired = true
        tables.bridged = [
            3: BridgedDevice(label: "Lamp", isReachable: false), 5: BridgedDevice(label: "New", isReachable: true),
        ]
        scene.add(1, tables)
        for (number, name) in [(UInt16(3), "my lamp"), (4, "gone")] {
            scene.readings[0].node.endpoints.append(
                NodeRecord.Endpoint(
                    number: number, deviceTypes: [], serverClusters: [], bridged: BridgedDevice(name: name)))
        }
        let bridge = try #require(scene.map.bridges.first)
        #expect(bridge.bridged.map(\.title) == ["my lamp", "New"])
        #expect(bridge.bridged.map(\.device.isReachable) == [false, true])
    }

    @Test("a node that gave no answer is on the map with the reason")
    func silent() throws {
        var scene = MapScene()
        scene.readings.append(
            MapReading(
                node: NodeRecord(nodeID: NodeID(9), name: "attic"),
                tables: .failure(ControllerError(.deviceLacks, "it is off"))))
        #expect(scene.map.silent.map(\.node.label) == ["attic"])
        #expect(MatterError(try #require(scene.map.silent.first).error).message == "it is off")
    }
}
