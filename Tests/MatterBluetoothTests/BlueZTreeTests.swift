import TestSupport
import Testing

@testable import MatterNetwork

/// Fed with what `bluetoothd` says, in the form of its signals.
@Suite("BlueZTree", .ownDaemons) struct BlueZTreeTests {
    private static let adapter = DBusPath("/org/bluez/hci0")
    private static let device = DBusPath("/org/bluez/hci0/dev_C8_5A_11_22_33_44")
    private static let service = DBusPath("/org/bluez/hci0/dev_C8_5A_11_22_33_44/service0010")
    private static let payload: [UInt8] = [0, 0x00, 0x0F, 0xF1, 0xFF, 0x01, 0x80, 0]

    private static func objects(_ objects: [DBusPath: [String: [String: DBusValue]]]) -> DBusValue {
        .dictionary(
            "o", "a{sa{sv}}", Dictionary(uniqueKeysWithValues: objects.map { (.path($0.key), interfaces($0.value)) }))
    }

    private static func interfaces(_ interfaces: [String: [String: DBusValue]]) -> DBusValue {
        .dictionary(
            "s", "a{sv}",
            Dictionary(uniqueKeysWithValues: interfaces.map { (.string($0.key), .properties($0.value)) }))
    }

    private static func added(_ path: DBusPath, _ values: [String: [String: DBusValue]]) -> DBusSignal {
        DBusSignal(
            path: DBusPath("/"), interface: BlueZ.objectManager, member: "InterfacesAdded",
            arguments: [.path(path), interfaces(values)])
    }

    private static func changed(
        _ path: DBusPath, _ interface: String, _ values: [String: DBusValue], gone: [String] = []
    ) -> DBusSignal {
        DBusSignal(
            path: path, interface: BlueZ.properties, member: "PropertiesChanged",
            arguments: [.string(interface), .properties(values), .strings(gone)])
    }

    private static func serviceData(_ bytes: [UInt8], uuid: String = BLEAdvertisement.serviceUUID) -> DBusValue {
        .properties([uuid: .bytes(bytes)])
    }

    private var tree = BlueZTree()

    init() {
        tree.reset(
            Self.objects([
                DBusPath("/org/bluez"): ["org.bluez.AgentManager1": [:]],
                DBusPath("/org/bluez/hci1"): [BlueZ.adapter: ["Address": .string("")]],
                Self.adapter: [
                    BlueZ.adapter: [
                        "Address": .string("00:1a:7d:da:71:13"), "Powered": .bool(false),
                        "Roles": .strings(["central", "peripheral", "central-peripheral"]),
                    ]
                ],
                Self.device: [
                    BlueZ.device: [
                        "Address": .string("C8:5A:11:22:33:44"), "ServiceData": Self.serviceData(Self.payload),
                        "Connected": .bool(false),
                    ]
                ],
            ]))
    }

    @Test("adapters: those that are initialised, with what they can")
    func adapters() {
        #expect(tree.adapters.map(\.name) == ["hci0"])
        #expect(tree.adapters.first?.address == "00:1A:7D:DA:71:13")
        #expect(tree.adapters.first?.isPowered == false)
        #expect(tree.adapters.first?.isCentral == true)
    }

    @Test("a device that is only known is not seen; its strength or its service data are signs of life")
    mutating func seen() {
        #expect(tree.device(Self.device)?.advertisement?.longDiscriminator == 0xF00)
        #expect(
            tree.handle(Self.changed(Self.device, BlueZ.device, ["Alias": .string("x")])) == [.device(Self.device)])
        #expect(
            tree.handle(Self.changed(Self.device, BlueZ.device, ["RSSI": .int16(-58)]))
                == [.seen(Self.device), .device(Self.device)])
        #expect(tree.device(Self.device)?.rssi == -58)
        // At the end of a scan the strength is taken away, which is no sign of life.
        #expect(
            tree.handle(Self.changed(Self.device, BlueZ.device, [:], gone: ["RSSI"])) == [.device(Self.device)])
        #expect(tree.device(Self.device)?.rssi == nil)
    }

    @Test("a new device with Matter's service data, whatever the form of its UUID")
    mutating func appears() {
        for uuid in ["fff6", "FFF6", "0000FFF6-0000-1000-8000-00805F9B34FB"] {
            let path = DBusPath("/org/bluez/hci0/dev_\(uuid.replacing("-", with: "_"))")
            let changes = tree.handle(
                Self.added(
                    path,
                    [
                        BlueZ.device: [
                            "Address": .string("aa:bb:cc:dd:ee:ff"), "RSSI": .int16(127),
                            "ServiceData": Self.serviceData(Self.payload, uuid: uuid),
                        ]
                    ]))
            #expect(changes == [.seen(path), .device(path)])
            let device = tree.device(path)
            #expect(device?.address == "AA:BB:CC:DD:EE:FF" && device?.rssi == nil)
            #expect(
                device?.advertisement == BLEAdvertisement(longDiscriminator: 0xF00, vendorID: 0xFFF1, productID: 0x8001)
            )
        }
    }

    @Test("service data of others, too short, or about something else make no commissionable device")
    mutating func others() {
        for data in [
            Self.serviceData(Self.payload, uuid: "0000feaf-0000-1000-8000-00805f9b34fb"),
            Self.serviceData([0, 0, 15]), Self.serviceData([1] + Self.payload.dropFirst()), .string("nonsense"),
        ] {
            _ = tree.handle(Self.changed(Self.device, BlueZ.device, ["ServiceData": data]))
            #expect(tree.device(Self.device)?.advertisement == nil)
        }
    }

    @Test("a device that is removed is gone")
    mutating func removed() {
        let signal = DBusSignal(
            path: DBusPath("/"), interface: BlueZ.objectManager, member: "InterfacesRemoved",
            arguments: [.path(Self.device), .strings([BlueZ.device, BlueZ.properties])])
        #expect(tree.handle(signal) == [.device(Self.device)])
        #expect(tree.device(Self.device) == nil)
        #expect(tree.handle(signal).isEmpty)
    }

    private mutating func offer(_ characteristics: [String: String], service: String) {
        _ = tree.handle(Self.added(Self.service, [BlueZ.gattService: ["UUID": .string(service)]]))
        for (name, uuid) in characteristics {
            _ = tree.handle(
                Self.added(
                    DBusPath("\(Self.service)/\(name)"),
                    [BlueZ.characteristic: ["UUID": .string(uuid), "MTU": .uint16(247), "Value": .bytes([9])]]))
        }
    }

    @Test("the Matter service with C1 and C2 in upper case, C3 optional, and the MTU")
    mutating func characteristics() {
        #expect(!tree.hasMatterService(Self.device))
        offer(["char1": BlueZ.c1.uppercased()], service: "FFF6")
        #expect(tree.hasMatterService(Self.device) && tree.characteristics(of: Self.device) == nil)
        offer(["char2": BlueZ.c2.uppercased()], service: "FFF6")
        let found = tree.characteristics(of: Self.device)
        #expect(found?.c1.name == "char1" && found?.c2.name == "char2" && found?.c3 == nil)
        #expect(found.map { tree.mtu($0.c1) } == 247)
        offer(["char3": BlueZ.c3], service: "FFF6")
        #expect(tree.characteristics(of: Self.device)?.c3?.name == "char3")
    }

    @Test("the characteristics of another device, or of another service, are not this one's")
    mutating func elsewhere() {
        offer(["char1": BlueZ.c1, "char2": BlueZ.c2], service: "180f")
        #expect(tree.characteristics(of: Self.device) == nil)
        #expect(tree.characteristics(of: DBusPath("/org/bluez/hci0/dev_C8_5A")) == nil)
    }

    @Test("an indication is every change of the value, also to the same one; an empty or remembered value is none")
    mutating func values() {
        offer(["char2": BlueZ.c2], service: "FFF6")
        let path = DBusPath("\(Self.service)/char2")
        for _ in 1...2 {
            #expect(
                tree.handle(Self.changed(path, BlueZ.characteristic, ["Value": .bytes([5, 0])])) == [
                    .value(path, [5, 0])
                ])
        }
        #expect(tree.handle(Self.changed(path, BlueZ.characteristic, ["Value": .bytes([])])) == [.other(path)])
        #expect(
            tree.handle(Self.changed(path, BlueZ.characteristic, ["Notifying": .bool(true)])) == [.other(path)])
    }

    @Test("signals of any other form change nothing")
    mutating func malformed() {
        let before = tree
        for arguments: [DBusValue] in [[], [.byte(1)], [.string("x"), .string("y")], [.path(Self.device)]] {
            for (interface, member) in [
                (BlueZ.objectManager, "InterfacesAdded"), (BlueZ.objectManager, "InterfacesRemoved"),
                (BlueZ.properties, "PropertiesChanged"), ("org.bluez.Device1", "Disconnected"),
            ] {
                let signal = DBusSignal(
                    path: Self.device, interface: interface, member: member, arguments: arguments)
                #expect(tree.handle(signal).isEmpty)
            }
        }
        #expect(tree == before)
        tree.reset(nil)
        #expect(tree == BlueZTree())
    }
}
