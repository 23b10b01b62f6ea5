/// The objects of `bluetoothd`, kept current by its signals: adapters, devices, and what the devices offer.
///
/// It is fed with the answer to GetManagedObjects and with signals, and tells what each of them means for others.
struct BlueZTree: Equatable, Sendable {
    /// A change that something may wait for.
    enum Change: Equatable, Sendable {
        /// A device was heard: its signal's strength or its service data have come.
        case seen(DBusPath)
        /// The device's link, its services or the device itself have changed.
        case device(DBusPath)
        /// A characteristic has a new value.
        case value(DBusPath, [UInt8])
        /// A property of a characteristic or of an adapter has changed.
        case other(DBusPath)
    }

    private typealias Interfaces = [String: [String: DBusValue]]

    private var objects: [DBusPath: Interfaces] = [:]

    // MARK: What comes from the bus

    /// Starts over with the answer to GetManagedObjects.
    mutating func reset(_ answer: DBusValue?) {
        objects = (answer?.objects ?? [:]).mapValues(Self.interfaces)
    }

    /// The daemon is gone: all paths are void.
    mutating func clear() { objects = [:] }

    /// Takes in a signal.
    mutating func handle(_ signal: DBusSignal) -> [Change] {
        let first = signal.arguments.first
        let second = signal.arguments.dropFirst().first
        switch (signal.interface, signal.member) {
        case (BlueZ.objectManager, "InterfacesAdded"):
            guard let path = first?.path, let second else { return [] }
            return added(path, Self.interfaces(second))
        case (BlueZ.objectManager, "InterfacesRemoved"):
            guard let path = first?.path, let names = second?.strings else { return [] }
            return removed(path, names)
        case (BlueZ.properties, "PropertiesChanged"):
            guard let interface = first?.string, let values = second?.properties else { return [] }
            let invalidated = signal.arguments.dropFirst(2).first?.strings ?? []
            return changed(signal.path, interface, values, invalidated: invalidated)
        default: return []
        }
    }

    private static func interfaces(_ value: DBusValue) -> Interfaces {
        (value.properties ?? [:]).compactMapValues(\.properties)
    }

    private mutating func added(_ path: DBusPath, _ interfaces: Interfaces) -> [Change] {
        objects[path, default: [:]].merge(interfaces) { $1 }
        return interfaces.flatMap { name, values in changes(path, name, Set(values.keys), isNew: true) }
    }

    private mutating func removed(_ path: DBusPath, _ names: [String]) -> [Change] {
        guard var left = objects[path] else { return [] }
        for name in names { left[name] = nil }
        objects[path] = left.isEmpty ? nil : left
        return names.contains(BlueZ.device) ? [.device(path)] : [.other(path)]
    }

    private mutating func changed(
        _ path: DBusPath, _ interface: String, _ values: [String: DBusValue], invalidated: [String]
    ) -> [Change] {
        objects[path, default: [:]][interface, default: [:]].merge(values) { $1 }
        for name in invalidated { objects[path]?[interface]?[name] = nil }
        return changes(path, interface, Set(values.keys).union(invalidated), isNew: false)
    }

    /// - Parameter names: the properties that have come or gone.
    private func changes(_ path: DBusPath, _ interface: String, _ names: Set<String>, isNew: Bool) -> [Change] {
        switch interface {
        case BlueZ.device:
            // The strength goes when a scan ends; only one that comes is a sign of life.
            let values = objects[path]?[interface] ?? [:]
            let isSeen = names.contains { ($0 == "RSSI" || $0 == "ServiceData") && values[$0] != nil }
            return (isSeen ? [.seen(path)] : []) + [.device(path)]
        case BlueZ.characteristic:
            // The value of a new object is what the daemon remembers, and not an indication.
            guard !isNew, names.contains("Value"), let value = objects[path]?[interface]?["Value"]?.bytes,
                !value.isEmpty
            else { return [.other(path)] }
            return [.value(path, value)]
        default: return [.other(path)]
        }
    }

    // MARK: What there is

    private func properties(_ path: DBusPath, _ interface: String) -> [String: DBusValue]? {
        objects[path]?[interface]
    }

    private func paths(with interface: String, below parent: DBusPath) -> [DBusPath] {
        objects.filter { $0.value[interface] != nil && parent.isAbove($0.key) }.keys.sorted { $0.text < $1.text }
    }

    /// The adapters that are ready for use, by name.
    var adapters: [Adapter] {
        paths(with: BlueZ.adapter, below: DBusPath("/"))
            .compactMap { path in properties(path, BlueZ.adapter).flatMap { Adapter(path, $0) } }
            .sorted { ($0.number, $0.name) < ($1.number, $1.name) }
    }

    var devices: [Device] { paths(with: BlueZ.device, below: DBusPath("/")).compactMap(device) }

    func device(_ path: DBusPath) -> Device? { properties(path, BlueZ.device).map { Device(path, $0) } }

    /// The adapter of a device: its property, or the object above it.
    func adapter(of device: DBusPath) -> Adapter? {
        adapters.first { $0.path.isAbove(device) }
    }

    /// True if the device offers the service of Matter.
    func hasMatterService(_ device: DBusPath) -> Bool { matterService(device) != nil }

    private func matterService(_ device: DBusPath) -> DBusPath? {
        paths(with: BlueZ.gattService, below: device).first { path in
            properties(path, BlueZ.gattService)?["UUID"]?.string.map(BlueZ.fullUUID) == BLEAdvertisement.serviceUUID
        }
    }

    /// The characteristics of the Matter service; `nil` without C1 and C2.
    func characteristics(of device: DBusPath) -> MatterCharacteristics? {
        guard let service = matterService(device) else { return nil }
        var found: [String: DBusPath] = [:]
        for path in paths(with: BlueZ.characteristic, below: service) {
            guard let uuid = properties(path, BlueZ.characteristic)?["UUID"]?.string else { continue }
            found[BlueZ.fullUUID(uuid)] = path
        }
        guard let c1 = found[BlueZ.c1], let c2 = found[BlueZ.c2] else { return nil }
        return MatterCharacteristics(c1: c1, c2: c2, c3: found[BlueZ.c3])
    }

    /// The ATT MTU of a characteristic's link; `nil` where BlueZ does not tell, which it does from 5.62 on.
    func mtu(_ characteristic: DBusPath) -> UInt16? {
        properties(characteristic, BlueZ.characteristic)?["MTU"]?.integer.flatMap(UInt16.init(exactly:))
    }
}

/// The characteristics of the Matter service of a device.
struct MatterCharacteristics: Equatable, Sendable {
    var c1: DBusPath
    var c2: DBusPath
    var c3: DBusPath?
}

extension BlueZTree {
    /// A Bluetooth adapter of this host.
    struct Adapter: Equatable, Sendable {
        let path: DBusPath
        let address: String
        let isPowered: Bool
        /// True if it can connect to devices; older versions of BlueZ do not tell.
        let isCentral: Bool
        /// True if it can be a device.
        let isPeripheral: Bool

        /// `hci0`.
        var name: String { path.name }
        /// The number in its name, which orders adapters.
        var number: Int { Int(name.drop { !$0.isNumber }) ?? .max }

        /// - Returns: `nil` for one that is not initialised yet: it has no address.
        init?(_ path: DBusPath, _ properties: [String: DBusValue]) {
            guard let address = properties["Address"]?.string, !address.isEmpty else { return nil }
            self.path = path
            self.address = address.uppercased()
            isPowered = properties["Powered"]?.bool ?? false
            let roles = properties["Roles"]?.strings
            isCentral = roles?.contains { $0.hasPrefix("central") } ?? true
            isPeripheral = roles?.contains { $0.hasSuffix("peripheral") } ?? true
        }
    }

    /// A device that `bluetoothd` knows.
    struct Device: Equatable, Sendable {
        let path: DBusPath
        let address: String
        let rssi: Int?
        let isConnected: Bool
        let areServicesResolved: Bool
        /// True if the host and the device have exchanged keys.
        let isPaired: Bool
        /// Its Matter service data, if it is open for commissioning.
        let advertisement: BLEAdvertisement?

        init(_ path: DBusPath, _ properties: [String: DBusValue]) {
            self.path = path
            address = properties["Address"]?.string?.uppercased() ?? ""
            // 127 is no strength but "not known" (Bluetooth core specification, volume 4, part E, 7.7.65.2).
            rssi = properties["RSSI"]?.integer.flatMap { $0 == 127 ? nil : $0 }
            isConnected = properties["Connected"]?.bool ?? false
            areServicesResolved = properties["ServicesResolved"]?.bool ?? false
            isPaired = properties["Paired"]?.bool ?? false || properties["Bonded"]?.bool ?? false
            let data = properties["ServiceData"]?.properties?.first {
                BlueZ.fullUUID($0.key) == BLEAdvertisement.serviceUUID
            }
            advertisement = data?.value.bytes.flatMap(BLEAdvertisement.init(serviceData:))
        }
    }
}
