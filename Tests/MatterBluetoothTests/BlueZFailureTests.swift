import Foundation
import TestSupport
import Testing

@testable import MatterNetwork

@Suite("BlueZFailure", .ownDaemons) struct BlueZFailureTests {
    private let adapter = BlueZTree.Adapter(
        DBusPath("/org/bluez/hci0"), ["Address": .string("00:00:00:00:00:01")])

    private static func bus(_ name: String) -> DBusError {
        DBusError(.answered("org.freedesktop.DBus.Error.\(name)"), "words")
    }

    @Test("without a daemon: no adapter, or a daemon that does not run")
    func daemon() {
        for name in ["ServiceUnknown", "NameHasNoOwner", "Spawn.ChildExited"] {
            #expect(BlueZFailure.atStart(Self.bus(name), RadioState()).code == .noAdapter)
            #expect(
                BlueZFailure.atStart(Self.bus(name), RadioState(adapters: ["hci0"])).code == .daemonUnavailable)
        }
        #expect(BlueZFailure.atStart(Self.bus("AccessDenied"), RadioState()).code == .notPermitted)
        #expect(BlueZFailure.atStart(DBusError(.timedOut), RadioState()).cause == .hung)
        #expect(BlueZFailure.atStart(DBusError(.disconnected), RadioState()).code == .disconnected)
        #expect(BlueZFailure.atStart(Self.bus("LimitsExceeded"), RadioState()).code == .refused)
    }

    @Test("an adapter that cannot be switched on: the switch that keeps it off, or else the adapter")
    func power() throws {
        let adapter = try #require(adapter)
        func error(_ name: String, _ doing: String, _ radio: RadioState) -> BluetoothError {
            BlueZFailure.ofAdapter(
                DBusError(.answered("org.bluez.Error.\(name)"), ""), adapter, doing: doing, radio)
        }
        let (soft, hard) = (RadioState(block: .soft), RadioState(block: .hard))
        #expect(error("Blocked", "switch on", RadioState()).code == .blocked)
        #expect(error("Failed", "switch on", soft).cause == .soft)
        #expect(error("Failed", "switch on", hard).cause == .hard)
        #expect(error("Failed", "switch on", RadioState()).code == .adapterOff)
        #expect(error("NotReady", "scan", RadioState()).code == .adapterOff)
        #expect(error("NotReady", "scan", soft).code == .blocked)
        #expect(error("InProgress", "scan", soft).code == .adapterBusy)
        #expect(error("Failed", "scan", soft).code == .refused)
    }

    @Test("the kernel's files say which adapters there are, and what blocks them")
    func radio() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("radio-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        func write(_ path: String, _ text: String) throws {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        #expect(RadioState(root: root.path) == RadioState())
        try write("bluetooth/hci1/x", "")
        try write("bluetooth/hci0/x", "")
        // A connection of the adapter, which the kernel lists beside it.
        try write("bluetooth/hci0:64/x", "")
        try write("rfkill/rfkill0/type", "wlan\n")
        try write("rfkill/rfkill0/hard", "1\n")
        try write("rfkill/rfkill1/type", "bluetooth\n")
        try write("rfkill/rfkill1/soft", "0\n")
        try write("rfkill/rfkill1/hard", "0\n")
        #expect(RadioState(root: root.path) == RadioState(adapters: ["hci0", "hci1"]))
        try write("rfkill/rfkill1/soft", "1\n")
        #expect(RadioState(root: root.path).block == .soft)
        try write("rfkill/rfkill1/hard", "1\n")
        #expect(RadioState(root: root.path).blocked?.cause == .hard)
    }
}
