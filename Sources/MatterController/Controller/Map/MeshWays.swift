/// The ways of the devices of a Thread network to its border routers.
///
/// A router whose tables cannot be read may have ways that are not seen: it counts as one that has. So a single way is
/// named only where the tables show it.
struct MeshWays {
    private var mesh: ThreadMesh
    private let places: [MeshDevice.ID: Int]
    /// Neighbours by links that can be used.
    private let neighbors: [[Int]]
    /// Devices that answered.
    private let isRead: [Bool]

    /// The network with hops and ways, and the devices that stand between others and the border routers.
    static func judged(
        _ mesh: ThreadMesh, read: Set<MeshDevice.ID>
    ) -> (mesh: ThreadMesh, chokes: [(device: MeshDevice, dependents: [MeshDevice])]) {
        var ways = MeshWays(mesh, read)
        ways.addHops()
        if !ways.borders.isEmpty { ways.addWays() }
        return (ways.mesh, ways.chokes)
    }

    private init(_ mesh: ThreadMesh, _ read: Set<MeshDevice.ID>) {
        self.mesh = mesh
        let places = Dictionary(
            mesh.devices.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        var neighbors = [[Int]](repeating: [], count: mesh.devices.count)
        for link in mesh.links where link.isUsable {
            guard let one = places[link.one], let other = places[link.other] else { continue }
            neighbors[one].append(other)
            neighbors[other].append(one)
        }
        self.places = places
        self.neighbors = neighbors
        isRead = mesh.devices.map { read.contains($0.id) }
    }

    private func isBorder(_ index: Int) -> Bool { mesh.devices[index].borderRouter != nil }
    private func isRouter(_ index: Int) -> Bool { mesh.devices[index].isRouter }

    /// How far devices are from any of some, without one of them, or without a link.
    private func distances(
        from roots: [Int], without removed: Int? = nil, withoutLink cut: (one: Int, other: Int)? = nil
    ) -> [Int?] {
        var distances = [Int?](repeating: nil, count: neighbors.count)
        var queue = roots.filter { $0 != removed }
        for root in queue { distances[root] = 0 }
        var next = 0
        while next < queue.count {
            let place = queue[next]
            next += 1
            for neighbor in neighbors[place] where neighbor != removed && distances[neighbor] == nil {
                if let cut, cut == (place, neighbor) || cut == (neighbor, place) { continue }
                distances[neighbor] = (distances[place] ?? 0) + 1
                queue.append(neighbor)
            }
        }
        return distances
    }

    private var borders: [Int] { mesh.devices.indices.filter(isBorder) }

    private mutating func addHops() {
        let leaders = mesh.devices.indices.filter { mesh.devices[$0].role == .leader }
        let distances = distances(from: borders.isEmpty ? leaders : borders)
        for index in mesh.devices.indices {
            if !borders.isEmpty { mesh.devices[index].hops = distances[index] }
            guard !isBorder(index) else { continue }
            let nearer = neighbors[index].filter { next in
                distances[index].map { distance in distances[next].map { $0 < distance } ?? false } ?? false
            }
            let best = nearer.max { quality(index, $0) < quality(index, $1) }
            mesh.devices[index].nextHop = mesh.devices[index].parent ?? best.map { mesh.devices[$0].id }
        }
    }

    private func quality(_ one: Int, _ other: Int) -> LinkQuality {
        mesh.link(between: mesh.devices[one].id, and: mesh.devices[other].id)?.quality ?? .unusable
    }

    // MARK: Single ways

    private mutating func addWays() {
        let roots = mesh.devices.indices.filter { isBorder($0) || isRouter($0) && !isRead[$0] }
        let reached = distances(from: roots)
        let routers = mesh.devices.indices.filter { isRouter($0) && !isBorder($0) && isRead[$0] }
        // That all depends on the only border router of a part is said once.
        let lonely = Set(
            Dictionary(grouping: borders) { mesh.devices[$0].partitionID }.values.filter { $0.count == 1 }.flatMap {
                $0
            })
        var single: [Int: (through: Int, size: Int)] = [:]
        for choke in mesh.devices.indices where isRouter(choke) && neighbors[choke].count > 1 && !lonely.contains(choke)
        {
            let without = distances(from: roots, without: choke)
            let lost = routers.filter { $0 != choke && without[$0] == nil && reached[$0] != nil }
            for index in lost where single[index].map({ lost.count < $0.size }) ?? true {
                single[index] = (choke, lost.count)
            }
        }
        for index in routers {
            if reached[index] == nil {
                mesh.devices[index].wayOut = .none
            } else if let through = single[index]?.through {
                mesh.devices[index].wayOut = .single(through: mesh.devices[through].id)
            } else if neighbors[index].count == 1, let only = neighbors[index].first {
                mesh.devices[index].wayOut = .single(through: mesh.devices[only].id)
            } else if let border = neighbors[index].first(where: lonely.contains),
                distances(from: roots, withoutLink: (border, index))[index] == nil
            {
                mesh.devices[index].wayOut = .single(through: mesh.devices[border].id)
            } else {
                mesh.devices[index].wayOut = .several
            }
        }
        for index in mesh.devices.indices where !isRouter(index) && isRead[index] { addWay(ofEndDevice: index) }
    }

    /// An end device has one parent, and looks for another when that is gone. So it hangs on its parent only where no other
    /// is there; else it depends on what its parent depends on.
    private mutating func addWay(ofEndDevice index: Int) {
        guard mesh.devices[index].role != .detached else {
            mesh.devices[index].wayOut = .none
            return
        }
        guard let parent = mesh.devices[index].parent.flatMap({ places[$0] }) else { return }
        let others = mesh.devices.indices.contains { other in
            other != parent && isRouter(other) && mesh.devices[other].partitionID == mesh.devices[index].partitionID
        }
        guard others else {
            mesh.devices[index].wayOut = .single(through: mesh.devices[parent].id)
            return
        }
        mesh.devices[index].wayOut =
            isBorder(parent) ? .several : isRead[parent] ? mesh.devices[parent].wayOut : .several
    }

    /// The devices between others and the border routers, those with the most dependents first.
    private var chokes: [(device: MeshDevice, dependents: [MeshDevice])] {
        var dependents: [MeshDevice.ID: [MeshDevice]] = [:]
        for device in mesh.devices {
            if case .single(let through) = device.wayOut { dependents[through, default: []].append(device) }
        }
        var chokes: [(device: MeshDevice, dependents: [MeshDevice])] = []
        for device in mesh.devices {
            if let dependents = dependents[device.id] { chokes.append((device, dependents)) }
        }
        let order = chokes.indices.sorted { one, other in
            let counts = (chokes[one].dependents.count, chokes[other].dependents.count)
            return counts.0 == counts.1 ? one < other : counts.0 > counts.1
        }
        return order.map { chokes[$0] }
    }
}
