import MatterState

/// Joins the tables of the nodes of one Thread network with the advertisements of its border routers.
///
/// A device is known by its extended address, then by its routing locator within its partition. It reads nothing.
struct MeshBuilder {
    /// A routing locator: it means something within a partition only.
    private struct Place: Hashable {
        var partition: UInt32?
        var rloc: UInt16
    }

    /// A pair of devices, the smaller number first.
    private struct Pair: Hashable {
        var one: Int
        var other: Int
    }

    /// Both directions of a link: `hearing` is that of the smaller number.
    struct Edge {
        var hearing: MeshLink.Hearing?
        var otherHearing: MeshLink.Hearing?
        var isOfParent = false
    }

    private(set) var devices: [MeshDevice] = []
    private var edges: [Pair: Edge] = [:]
    private var byAddress: [UInt64: Int] = [:]
    private var byPlace: [Place: Int] = [:]
    /// The tables of devices that are nodes of ours and answered.
    private(set) var tables: [Int: NodeTables.Thread] = [:]
    /// Routing locators of end devices that are none of our nodes, by their parents.
    private var strangers: [Int: Set<UInt16>] = [:]
    /// The leaders by their partitions.
    private var leaders: [UInt32: UInt8] = [:]

    private static let childMask: UInt16 = 0x01FF
    private static let routerMask: UInt16 = 0xFC00
    /// A locator that no device has (Thread specification, 5.9.8): router id 63 is reserved.
    private static func isLocator(_ rloc: UInt16) -> Bool { rloc & routerMask != routerMask }
    private static func isAddress(_ address: UInt64) -> Bool { address != 0 && address != .max }

    init(_ nodes: [(node: NodeRecord, tables: NodeTables.Thread)], _ routers: [BorderRouter]) {
        for (node, tables) in nodes { add(node, tables) }
        for router in routers { add(router) }
        learn()
        for index in devices.indices { addNeighbors(of: index) }
        for index in devices.indices { addRoutes(of: index) }
        addParents()
        addRoles()
        for (parent, children) in strangers { devices[parent].unknownChildren = children.count }
    }

    // MARK: Devices

    private mutating func add(_ node: NodeRecord, _ tables: NodeTables.Thread) {
        var device = MeshDevice(id: "node-\(node.nodeID.rawValue)", title: node.label)
        device.node = node
        device.role = tables.role
        device.partitionID = tables.partitionID
        device.extAddress = tables.extAddress.flatMap { Self.isAddress($0) ? $0 : nil }
        device.rloc16 = tables.rloc16.flatMap { Self.isLocator($0) ? $0 : nil }
        self.tables[devices.count] = tables
        if let partition = tables.partitionID, let leader = tables.leaderRouterID, leaders[partition] == nil {
            leaders[partition] = leader
        }
        devices.append(device)
        register(devices.count - 1)
    }

    private mutating func add(_ router: BorderRouter) {
        let address = router.extendedAddress.flatMap { Self.isAddress($0) ? $0 : nil }
        if let known = address.flatMap({ byAddress[$0] }) {
            guard devices[known].borderRouter == nil else { return }
            devices[known].borderRouter = router
            devices[known].partitionID = devices[known].partitionID ?? router.partitionID
            return
        }
        let name = address.map { Hex.number($0, digits: 16, uppercase: true) } ?? router.instance
        var device = MeshDevice(id: "border-router-\(name)", title: router.instance)
        device.borderRouter = router
        device.extAddress = address
        device.partitionID = router.partitionID
        devices.append(device)
        register(devices.count - 1)
    }

    /// The first device with an address or a locator has it: two with the same one are a mistake of theirs.
    private mutating func register(_ index: Int) {
        if let address = devices[index].extAddress, byAddress[address] == nil { byAddress[address] = index }
        if let rloc = devices[index].rloc16 {
            let place = Place(partition: devices[index].partitionID, rloc: rloc)
            if byPlace[place] == nil { byPlace[place] = index }
        }
    }

    /// Takes from the rows of others what devices do not say of themselves.
    private mutating func learn() {
        for (observer, tables) in tables.sorted(by: { $0.key < $1.key }) {
            let partition = devices[observer].partitionID
            let rows =
                tables.neighbors.map { ($0.extAddress, $0.rloc16) } + tables.routes.map { ($0.extAddress, $0.rloc16) }
            for case (let address?, let rloc?) in rows where Self.isAddress(address) && Self.isLocator(rloc) {
                if let known = byAddress[address] {
                    if devices[known].partitionID == nil { devices[known].partitionID = partition }
                    guard devices[known].rloc16 == nil, devices[known].partitionID == partition else { continue }
                    devices[known].rloc16 = rloc
                    register(known)
                } else if let known = byPlace[Place(partition: partition, rloc: rloc)] {
                    // Some devices name another address of theirs, so that the locator has to tell.
                    byAddress[address] = known
                    if devices[known].extAddress == nil { devices[known].extAddress = address }
                }
            }
        }
    }

    /// A router that is none of our nodes and does not advertise itself.
    private mutating func router(_ address: UInt64?, _ rloc: UInt16?, _ partition: UInt32?) -> Int {
        let name =
            rloc.map { Hex.number($0, digits: 4, uppercase: true) }
            ?? Hex.number(address ?? 0, digits: 16, uppercase: true)
        // Locators repeat in the parts of a network.
        let suffix = devices.contains { $0.id == "router-\(name)" } ? "-\(partition.map { "\($0)" } ?? "x")" : ""
        var device = MeshDevice(id: "router-\(name)\(suffix)", title: "unknown router \(name)")
        device.role = .router
        device.extAddress = address
        device.rloc16 = rloc
        device.partitionID = partition
        devices.append(device)
        register(devices.count - 1)
        return devices.count - 1
    }

    // MARK: Links

    /// The device that a row names; a router is added if it is not known. `nil` for an end device that is none of our nodes,
    /// which is counted with its parent, and for a row that names nothing.
    private mutating func device(
        _ address: UInt64?, _ rloc: UInt16?, seenBy observer: Int, isRouter: Bool, isChild: Bool
    ) -> Int? {
        let partition = devices[observer].partitionID
        let address = address.flatMap { Self.isAddress($0) ? $0 : nil }
        let rloc = rloc.flatMap { Self.isLocator($0) ? $0 : nil }
        if let known = address.flatMap({ byAddress[$0] }) { return known }
        if let known = rloc.flatMap({ byPlace[Place(partition: partition, rloc: $0)] }) { return known }
        guard let rloc else { return nil }
        if rloc & Self.childMask == 0, isRouter, !isChild { return router(address, rloc, partition) }
        guard rloc & Self.childMask != 0 else { return nil }
        let parent = isChild ? observer : byPlace[Place(partition: partition, rloc: rloc & Self.routerMask)]
        if let parent { strangers[parent, default: []].insert(rloc) }
        return nil
    }

    private mutating func addNeighbors(of observer: Int) {
        for row in tables[observer]?.neighbors ?? [] {
            guard
                let other = device(
                    row.extAddress, row.rloc16, seenBy: observer, isRouter: row.isAwake && row.isFull,
                    isChild: row.isChild),
                other != observer
            else { continue }
            let isOfParent = row.isChild || isChild(observer, of: other) || isChild(other, of: observer)
            var hearing = MeshLink.Hearing()
            hearing.lqi = row.lqi.map { min(3, Int($0)) }
            hearing.rssi = row.rssi.map { Int($0) }
            hearing.age = row.age.map { Int($0) }
            hearing.frameErrors = row.frameErrors.map { min(100, Int($0)) }
            hearing.messageErrors = row.messageErrors.map { min(100, Int($0)) }
            hearing.isStale = Self.isStale(hearing.age, isOfParent: isOfParent)
            note(hearing, by: observer, of: other, isOfParent: isOfParent)
            if row.isChild, devices[other].parent == nil { devices[other].parent = devices[observer].id }
        }
    }

    /// Routes fill what tables of neighbours leave open.
    private mutating func addRoutes(of observer: Int) {
        for row in tables[observer]?.routes ?? [] {
            guard let other = device(row.extAddress, row.rloc16, seenBy: observer, isRouter: true, isChild: false),
                other != observer
            else { continue }
            func hearing(_ lqi: UInt8) -> MeshLink.Hearing {
                var hearing = MeshLink.Hearing()
                hearing.lqi = min(3, Int(lqi))
                hearing.age = row.age.map { Int($0) }
                hearing.isStale = Self.isStale(hearing.age, isOfParent: false)
                hearing.isOfRoute = true
                return hearing
            }
            note(hearing(row.lqiIn), by: observer, of: other, isOfParent: false)
            note(hearing(row.lqiOut), by: other, of: observer, isOfParent: false)
        }
    }

    private func isChild(_ child: Int, of parent: Int) -> Bool {
        guard let rloc = devices[child].rloc16, rloc & Self.childMask != 0 else { return false }
        return devices[parent].rloc16 == rloc & Self.routerMask
    }

    /// Routers hear each other every half minute; a child answers within its timeout.
    private static func isStale(_ age: Int?, isOfParent: Bool) -> Bool { (age ?? 0) > (isOfParent ? 240 : 100) }

    private mutating func note(_ hearing: MeshLink.Hearing, by observer: Int, of other: Int, isOfParent: Bool) {
        let pair = Pair(one: min(observer, other), other: max(observer, other))
        var edge = edges[pair] ?? Edge()
        let path: WritableKeyPath<Edge, MeshLink.Hearing?> = observer < other ? \.hearing : \.otherHearing
        edge.isOfParent = edge.isOfParent || isOfParent
        if let known = edge[keyPath: path] {
            // Of two rows about one device the later one counts, and a neighbour before a route.
            if !hearing.isOfRoute, known.isOfRoute || (hearing.age ?? .max) < (known.age ?? .max) {
                edge[keyPath: path] = hearing
            }
        } else {
            edge[keyPath: path] = hearing
        }
        edges[pair] = edge
    }

    /// A locator names the parent, also of devices that sleep and have no table.
    private mutating func addParents() {
        for index in devices.indices {
            guard let rloc = devices[index].rloc16, rloc & Self.childMask != 0 else { continue }
            let place = Place(partition: devices[index].partitionID, rloc: rloc & Self.routerMask)
            let parent = byPlace[place] ?? router(nil, place.rloc, place.partition)
            guard parent != index else { continue }
            devices[index].parent = devices[parent].id
            let pair = Pair(one: min(index, parent), other: max(index, parent))
            edges[pair, default: Edge()].isOfParent = true
        }
        // An end device without a locator of its own has one neighbour: its parent.
        for (index, tables) in tables where devices[index].parent == nil {
            guard [.endDevice, .sleepyEndDevice].contains(tables.role) else { continue }
            let found = edges.filter { $0.key.one == index || $0.key.other == index }
            guard found.count == 1, let pair = found.first?.key else { continue }
            devices[index].parent = devices[pair.one == index ? pair.other : pair.one].id
            edges[pair]?.isOfParent = true
        }
    }

    private mutating func addRoles() {
        for index in devices.indices {
            if devices[index].role == nil, let rloc = devices[index].rloc16 {
                devices[index].role = rloc & Self.childMask == 0 ? .router : .endDevice
            }
            guard let partition = devices[index].partitionID, let leader = leaders[partition],
                devices[index].rloc16 == UInt16(leader) << 10, devices[index].role == .router
            else { continue }
            devices[index].role = .leader
        }
    }

    // MARK: The network

    /// The network with its devices and links, without judgements about its ways.
    func mesh(_ id: UInt64?, _ routers: [BorderRouter]) -> ThreadMesh {
        var mesh = ThreadMesh(extendedPANID: id)
        mesh.name =
            routers.lazy.compactMap(\.networkName).first { !$0.isEmpty }
            ?? tables.sorted { $0.key < $1.key }.lazy.compactMap(\.value.networkName).first
        mesh.channel = tables.sorted { $0.key < $1.key }.lazy.compactMap(\.value.channel).first
        mesh.ignoredRows = tables.values.reduce(0) { $0 + $1.ignoredRows }
        let numbers = Set(devices.compactMap(\.partitionID)).sorted()
        mesh.partitions = numbers.map { number in
            ThreadMesh.Partition(
                id: number, leader: devices.first { $0.partitionID == number && $0.role == .leader }?.id)
        }
        mesh.devices = devices.enumerated().sorted { one, other in
            let ranks = (Self.rank(one.element), Self.rank(other.element))
            return ranks.0 == ranks.1 ? one.offset < other.offset : ranks.0 < ranks.1
        }.map(\.element)
        mesh.links = edges.sorted { one, other in
            (one.key.one, one.key.other) < (other.key.one, other.key.other)
        }.map { link($0.key, $0.value) }
        return mesh
    }

    private static func rank(_ device: MeshDevice) -> Int {
        device.borderRouter != nil ? 0 : device.isRouter ? device.node == nil ? 2 : 1 : 3
    }

    private func link(_ pair: Pair, _ edge: Edge) -> MeshLink {
        var link = MeshLink(one: devices[pair.one].id, other: devices[pair.other].id)
        (link.hearing, link.otherHearing, link.isOfParent) = (edge.hearing, edge.otherHearing, edge.isOfParent)
        let fresh = (
            edge.hearing.flatMap { $0.isStale ? nil : $0 }, edge.otherHearing.flatMap { $0.isStale ? nil : $0 }
        )
        link.isStale = fresh.0 == nil && fresh.1 == nil && (edge.hearing != nil || edge.otherHearing != nil)
        link.quality = Self.quality(fresh.0, fresh.1)
        let isDeaf = isDeaf(pair.one, fresh.0, fresh.1, edge) || isDeaf(pair.other, fresh.1, fresh.0, edge)
        link.isOneSided = isDeaf || Self.differ(fresh.0, fresh.1)
        link.isUsable = !link.isStale && !isDeaf && link.quality != .unusable
        return link
    }

    /// Whether a router has a table of neighbours in which the other one is missing, or has not been heard for long.
    private func isDeaf(
        _ index: Int, _ own: MeshLink.Hearing?, _ others: MeshLink.Hearing?, _ edge: Edge
    ) -> Bool {
        guard own == nil, others != nil, !edge.isOfParent, devices[index].isRouter,
            let table = tables[index]?.neighbors
        else { return false }
        return !table.isEmpty
    }

    private static func differ(_ one: MeshLink.Hearing?, _ other: MeshLink.Hearing?) -> Bool {
        guard let one, let other else { return false }
        if let left = one.lqi, let right = other.lqi, abs(left - right) >= 2 { return true }
        if let left = one.rssi, let right = other.rssi, abs(left - right) > 15 { return true }
        return false
    }

    private static func quality(_ one: MeshLink.Hearing?, _ other: MeshLink.Hearing?) -> LinkQuality? {
        if let one, let other, one.isOfRoute, other.isOfRoute {
            // Both numbers are of one row.
            let sum = (one.lqi ?? 0) + (other.lqi ?? 0)
            return LinkQuality(level: max(1, (sum + 1) / 2))
        }
        return [one, other].compactMap { $0.flatMap(quality) }.min()
    }

    private static func quality(_ hearing: MeshLink.Hearing) -> LinkQuality? {
        var worst: LinkQuality?
        func take(_ quality: LinkQuality) { worst = min(worst ?? quality, quality) }
        if let lqi = hearing.lqi { take(LinkQuality(level: lqi)) }
        if let rssi = hearing.rssi { take(rssi < -90 ? .unusable : rssi < -85 ? .weak : rssi < -70 ? .fair : .good) }
        if let errors = hearing.frameErrors { take(errors > 30 ? .weak : errors >= 10 ? .fair : .good) }
        if let errors = hearing.messageErrors { take(errors > 5 ? .weak : errors >= 1 ? .fair : .good) }
        return worst
    }
}
