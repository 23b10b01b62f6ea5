import TestSupport
import Testing

@testable import MatterNetwork

@Suite("AdapterChoice", .ownDaemons) struct AdapterChoiceTests {
    private static func adapter(_ name: String, _ address: String, roles: [String]?) -> BlueZTree.Adapter? {
        var properties: [String: DBusValue] = ["Address": .string(address), "Powered": .bool(true)]
        if let roles { properties["Roles"] = .strings(roles) }
        return BlueZTree.Adapter(DBusPath("/org/bluez/\(name)"), properties)
    }

    private let all = [
        adapter("hci2", "00:00:00:00:00:03", roles: ["peripheral"]),
        adapter("hci3", "00:00:00:00:00:04", roles: ["central", "peripheral"]),
        adapter("hci10", "00:00:00:00:00:0A", roles: nil),
    ].compactMap { $0 }

    @Test("without a word it is the first one that can connect to devices")
    func standard() throws {
        #expect(try AdapterChoice([]).adapters(of: all).map(\.name) == ["hci3"])
        #expect(try AdapterChoice([]).peripheralAdapters(of: all).map(\.name) == ["hci2"])
    }

    @Test("an adapter is named by its name or its address, in any case; 'all' is every one that is able")
    func named() throws {
        #expect(try AdapterChoice(["hci10"]).adapters(of: all).map(\.name) == ["hci10"])
        #expect(try AdapterChoice(["00:00:00:00:00:0a", "hci3"]).adapters(of: all).map(\.name) == ["hci10", "hci3"])
        #expect(try AdapterChoice(["hci3", "hci3"]).adapters(of: all).map(\.name) == ["hci3"])
        #expect(try AdapterChoice(["all"]).adapters(of: all).map(\.name) == ["hci3", "hci10"])
    }

    @Test("an adapter that is not there, or cannot do it, is an error that says what there is")
    func missing() {
        let unknown = #expect(throws: BluetoothError.self) { try AdapterChoice(["hci7"]).adapters(of: all) }
        #expect(unknown?.code == .unknownAdapter)
        #expect(unknown?.details.first?.contains("hci3 (00:00:00:00:00:04)") == true)
        #expect(throws: BluetoothError(.noAdapter, "the Bluetooth adapter 'hci2' cannot connect to devices")) {
            try AdapterChoice(["hci2"]).adapters(of: all)
        }
        #expect(throws: BluetoothError(.noAdapter, "this host has no Bluetooth adapter")) {
            try AdapterChoice([]).adapters(of: [])
        }
    }

    @Test("an adapter that is not initialised has no address, and is left out")
    func uninitialised() {
        #expect(Self.adapter("hci0", "", roles: nil) == nil)
    }
}
