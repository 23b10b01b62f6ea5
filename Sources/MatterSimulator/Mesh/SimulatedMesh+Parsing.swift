import MatterModel

private typealias MeshFields = JSONFields<SimulatorError>

extension SimulatorError: JSONFieldFailure {
    package init(_ fault: JSONFieldFault, in name: String) {
        switch fault {
        case .notAnObject: self.init(.invalidMesh, "\(name) is not a JSON object")
        case .missing(let member): self.init(.invalidMesh, "\(name) lacks '\(member)'")
        case .wrong(let member, let expected): self.init(.invalidMesh, "\(name): '\(member)' is not \(expected)")
        }
    }
}

extension SimulatedMesh {
    private static let mostDevices = 4096
    /// A router has an id from 0 to 62 (Thread specification, 5.9.8).
    private static let mostRouters = 63
    private static let mostChildren: UInt16 = 511

    /// Reads a description.
    ///
    /// - Throws: ``SimulatorError`` that says what is wrong.
    package init(parsing contents: [UInt8]) throws(SimulatorError) {
        let json: JSONValue
        do { json = try JSONValue(parsing: contents) } catch {
            throw Self.invalid("the description of the networks is not valid JSON: \(error.message)")
        }
        let fields = try MeshFields(json, "the description of the networks")
        for value in try fields.array("thread") { networks.append(try Self.network(value)) }
        for value in try fields.array("wifi") { accessPoints.append(try Self.accessPoint(value)) }
        wired = try fields.strings("ethernet")
        let names =
            networks.flatMap(\.devices).map(\.name) + accessPoints.flatMap(\.devices).map(\.name) + wired
        guard names.count <= Self.mostDevices else { throw Self.invalid("more than \(Self.mostDevices) devices") }
        guard Set(names).count == names.count else { throw Self.invalid("two devices have the same name") }
    }

    private static func invalid(_ reason: String) -> SimulatorError { SimulatorError(.invalidMesh, reason) }

    // MARK: Thread

    private static func network(_ value: JSONValue) throws(SimulatorError) -> Network {
        let fields = try MeshFields(value, "a Thread network")
        let name = try fields.nonEmptyString("name")
        guard name.utf8.count <= 16 else { throw invalid("the name of a Thread network has at most 16 bytes") }
        let partition: UInt32 = try fields.optionalInteger("partition") ?? 1
        var network = Network(
            name: name, extendedPANID: try fields.hex("extendedPanId", digits: 16),
            panID: try fields.optionalInteger("panId") ?? 0x1234, channel: try fields.optionalInteger("channel") ?? 15,
            devices: [], links: [])
        var routers: Set<UInt16> = []
        for value in try fields.array("devices") {
            let device = try device(value, partition)
            network.devices.append(device)
            guard device.isRouter else { continue }
            guard routers.insert(device.rloc16).inserted else {
                throw invalid("two devices of '\(name)' have the router id \(device.rloc16 >> 10)")
            }
        }
        try number(&network)
        for value in try fields.array("links") { network.links.append(try link(value, network)) }
        // A child has a link to its parent, whether it is described or not.
        for device in network.devices {
            guard let parent = device.parent,
                !network.links.contains(where: { $0.joins(device.name) && $0.joins(parent) })
            else { continue }
            network.links.append(Link(one: device.name, other: parent))
        }
        return network
    }

    private static let roles: [(word: String, role: ThreadNetworkDiagnostics.RoutingRole)] = [
        ("leader", .leader), ("router", .router), ("reed", .reed), ("end-device", .endDevice),
        ("sleepy", .sleepyEndDevice),
    ]

    private static func device(_ value: JSONValue, _ partition: UInt32) throws(SimulatorError) -> Device {
        let fields = try MeshFields(value, "a device on Thread")
        let name = try fields.nonEmptyString("name")
        let word = try fields.nonEmptyString("role")
        guard let role = roles.first(where: { $0.word == word })?.role else {
            throw invalid("'\(name)': a role is \(roles.map(\.word).joined(separator: ", "))")
        }
        var device = Device(
            name: name, role: role, extAddress: try fields.optionalHex("extAddress", digits: 16) ?? address(of: name),
            partition: try fields.optionalInteger("partition") ?? partition, rloc16: 0,
            parent: try fields.optionalString("parent"))
        if role == .leader || role == .router {
            guard device.parent == nil else { throw invalid("'\(name)' is a router and has a parent") }
            let id: UInt16 = try fields.integer("router")
            guard id < mostRouters else { throw invalid("'\(name)': a router id is 0 to 62") }
            device.rloc16 = id << 10
        } else if device.parent == nil {
            throw invalid("'\(name)' is an end device and has no parent")
        }
        return device
    }

    /// Gives children their numbers, in their order, and the partitions of their parents.
    private static func number(_ network: inout Network) throws(SimulatorError) {
        var children: [UInt16: UInt16] = [:]
        for index in network.devices.indices {
            guard let name = network.devices[index].parent else { continue }
            guard let parent = network.devices.first(where: { $0.name == name && $0.isRouter }) else {
                throw invalid("the parent of '\(network.devices[index].name)' is a router of the same network")
            }
            let number = (children[parent.rloc16] ?? 0) + 1
            guard number <= mostChildren else { throw invalid("'\(name)' has more than \(mostChildren) children") }
            children[parent.rloc16] = number
            network.devices[index].rloc16 = parent.rloc16 | number
            network.devices[index].partition = parent.partition
        }
    }

    /// An address that is the same for the same name, and marked as one that was not bought (FNV-1a).
    private static func address(of name: String) -> UInt64 {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return hash & ~0x0300_0000_0000_0000 | 0x0200_0000_0000_0000
    }

    private static func link(_ value: JSONValue, _ network: Network) throws(SimulatorError) -> Link {
        let fields = try MeshFields(value, "a link")
        let names = try fields.strings("devices")
        let found = names.map { name in network.devices.first { $0.name == name } }
        guard names.count == 2, names[0] != names[1], let one = found[0], let other = found[1] else {
            throw invalid("a link is between two devices of its network, not \(names.joined(separator: ", "))")
        }
        guard one.isRouter && other.isRouter || one.parent == other.name || other.parent == one.name else {
            throw invalid("'\(one.name)' and '\(other.name)': an end device has a link to its parent only")
        }
        var link = Link(one: one.name, other: other.name)
        func pair<T: FixedWidthInteger>(_ key: String, _ usual: [T?]) throws(SimulatorError) -> [T?] {
            guard fields[key] != nil else { return usual }
            let values = try fields.array(key)
            guard values.count == 2 else { throw invalid("'\(key)' of a link has two values") }
            var pair: [T?] = []
            for value in values {
                guard value.isNull || value.integer(as: T.self) != nil else {
                    throw invalid("'\(key)' of a link has two numbers of \(T.bitWidth) bits, or null")
                }
                pair.append(value.integer(as: T.self))
            }
            return pair
        }
        link.lqi = try pair("lqi", link.lqi)
        link.rssi = try pair("rssi", link.rssi)
        link.age = try pair("age", link.age).map { $0 ?? 0 }
        link.frameErrors = try pair("frameErrors", link.frameErrors).map { $0 ?? 0 }
        link.messageErrors = try pair("messageErrors", link.messageErrors).map { $0 ?? 0 }
        return link
    }

    // MARK: Wi-Fi

    private static func accessPoint(_ value: JSONValue) throws(SimulatorError) -> AccessPoint {
        let fields = try MeshFields(value, "a Wi-Fi access point")
        let ssid = try fields.nonEmptyString("ssid")
        let bssid = try fields.octets("bssid")
        guard ssid.utf8.count <= 32, bssid.count == 6 else {
            throw invalid("an access point has an SSID of at most 32 bytes and a BSSID of 6")
        }
        var accessPoint = AccessPoint(
            ssid: ssid, bssid: bssid, channel: try fields.optionalInteger("channel") ?? 6, devices: [])
        for value in try fields.array("devices") {
            let device = try MeshFields(value, "a device on Wi-Fi")
            accessPoint.devices.append((try device.nonEmptyString("name"), try device.optionalInteger("rssi") ?? -55))
        }
        return accessPoint
    }
}
