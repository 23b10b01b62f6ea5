/// The objects of a device of our own on D-Bus: the Matter service with C1 and C2, and the advertisement.
///
/// `bluetoothd` calls their methods when a central does something. A call comes in, an answer and events go out.
struct PeripheralObjects: Equatable, Sendable {
    enum Event: Equatable, Sendable {
        /// A value was written to C1; the central's path, and the MTU of its link if it is told.
        case written([UInt8], central: DBusPath, mtu: UInt16?)
        case subscribed
        case unsubscribed
        /// The central has confirmed the last indication.
        case confirmed
        /// The daemon has ended the advertisement.
        case released
    }

    static let root = DBusPath("/matter")
    static let advertisementPath = DBusPath("/matter/advertisement")
    static let c2Path = DBusPath("/matter/service/c2")
    private static let servicePath = DBusPath("/matter/service")
    private static let c1Path = DBusPath("/matter/service/c1")

    /// The device's present description of itself.
    var advertisement: BLEAdvertisement?

    private typealias Properties = [String: DBusValue]

    private var objects: [DBusPath: (interface: String, properties: Properties)] {
        func characteristic(_ uuid: String, _ flag: String) -> (String, Properties) {
            (
                BlueZ.characteristic,
                ["UUID": .string(uuid), "Service": .path(Self.servicePath), "Flags": .strings([flag])]
            )
        }
        return [
            Self.servicePath: (
                BlueZ.gattService, ["UUID": .string(BLEAdvertisement.serviceUUID), "Primary": .bool(true)]
            ),
            Self.c1Path: characteristic(BlueZ.c1, "write"),
            Self.c2Path: characteristic(BlueZ.c2, "indicate"),
        ]
    }

    private var advertisementProperties: Properties {
        let data = DBusValue.properties([BLEAdvertisement.serviceUUID: .bytes(advertisement?.serviceData ?? [])])
        return ["Type": .string("peripheral"), "ServiceData": data, "Discoverable": .bool(true)]
    }

    static func == (one: PeripheralObjects, other: PeripheralObjects) -> Bool {
        one.advertisement == other.advertisement
    }

    /// Answers a call of one of the objects.
    func handle(_ call: DBusCall) -> (answer: DBusAnswer, event: Event?) {
        switch (call.interface, call.member) {
        case (BlueZ.objectManager, "GetManagedObjects") where call.path == Self.root:
            return (.values([managedObjects]), nil)
        case (BlueZ.properties, "GetAll"):
            guard let name = call.arguments.first?.string, let found = properties(call.path, name) else {
                return (.unknownMethod, nil)
            }
            return (.values([.properties(found)]), nil)
        case (BlueZ.properties, "Get"):
            let names = call.arguments.compactMap(\.string)
            guard names.count == 2, let value = properties(call.path, names[0])?[names[1]] else {
                return (
                    .error(name: "org.freedesktop.DBus.Error.InvalidArgs", words: "no such property"), nil
                )
            }
            return (.values([.variant(value)]), nil)
        case (BlueZ.advertisement, "Release") where call.path == Self.advertisementPath:
            return (.values([]), .released)
        case (BlueZ.characteristic, _): return characteristic(call)
        default: return (.unknownMethod, nil)
        }
    }

    private func properties(_ path: DBusPath, _ interface: String) -> Properties? {
        if path == Self.advertisementPath, interface == BlueZ.advertisement { return advertisementProperties }
        guard let object = objects[path], object.interface == interface else { return nil }
        return object.properties
    }

    private var managedObjects: DBusValue {
        var entries: [DBusValue: DBusValue] = [:]
        for (path, object) in objects {
            entries[.path(path)] = .dictionary(
                "s", "a{sv}", [.string(object.interface): .properties(object.properties)])
        }
        return .dictionary("o", "a{sa{sv}}", entries)
    }

    private func characteristic(_ call: DBusCall) -> (DBusAnswer, Event?) {
        switch (call.path, call.member) {
        case (Self.c1Path, "WriteValue"):
            guard let value = call.arguments.first?.bytes, let options = call.arguments.dropFirst().first?.properties,
                let central = options["device"]?.path
            else { return (.error(name: "org.bluez.Error.NotSupported", words: "no central is named"), nil) }
            let mtu = options["mtu"]?.integer.flatMap(UInt16.init(exactly:))
            return (.values([]), .written(value, central: central, mtu: mtu))
        case (Self.c2Path, "StartNotify"): return (.values([]), .subscribed)
        case (Self.c2Path, "StopNotify"): return (.values([]), .unsubscribed)
        case (Self.c2Path, "Confirm"): return (.values([]), .confirmed)
        case (Self.c1Path, _), (Self.c2Path, _):
            return (.error(name: "org.bluez.Error.NotPermitted", words: "the characteristic cannot do this"), nil)
        default: return (.unknownMethod, nil)
        }
    }

    /// The signal that makes the daemon indicate a value.
    static func indication(_ value: [UInt8]) -> DBusSignal {
        DBusSignal(
            path: c2Path, interface: BlueZ.properties, member: "PropertiesChanged",
            arguments: [.string(BlueZ.characteristic), .properties(["Value": .bytes(value)]), .strings([])])
    }
}
