import TestSupport
import Testing

@testable import MatterNetwork

@Suite("DBusValue", .ownDaemons) struct DBusValueTests {
    private let library: DBusLibrary

    init() throws { library = try DBusLibrary() }

    /// The value after a way through a message of libdbus.
    private func carried(_ values: [DBusValue]) throws -> [DBusValue] {
        let signal = DBusSignal(path: DBusPath("/a"), interface: "a.b", member: "C", arguments: values)
        return try #require(library.message(signal)).arguments
    }

    @Test("every kind of value comes through libdbus as it was")
    func roundTrip() throws {
        let values: [DBusValue] = [
            .byte(255), .bool(true), .int16(-58), .uint16(517), .int32(-1), .uint32(.max), .int64(.min), .uint64(.max),
            .double(-0.5), .string("Grüße"), .path(DBusPath("/org/bluez/hci0")), .signature("a{sv}"),
            .bytes([0, 1, 255]), .bytes([]), .strings(["central", "peripheral"]), .array("ay", [.bytes([1])]),
            .structure([.byte(1), .string("x")]), .variant(.bytes([7])), .variant(.variant(.bool(false))),
            .properties(["Transport": .string("le"), "DuplicateData": .bool(true)]), .properties([:]),
        ]
        #expect(try carried(values) == values)
    }

    @Test("the reply to GetManagedObjects, with its dictionaries in each other, is read whole")
    func nested() throws {
        let interfaces = DBusValue.dictionary(
            "s", "a{sv}", [.string(BlueZ.adapter): .properties(["Address": .string("00:00:00:00:00:01")])])
        let objects = DBusValue.dictionary("o", "a{sa{sv}}", [.path(DBusPath("/org/bluez/hci0")): interfaces])
        let carried = try carried([objects])
        #expect(carried == [objects])
        var tree = BlueZTree()
        tree.reset(carried.first)
        #expect(tree.adapters.map(\.name) == ["hci0"])
    }

    @Test(
        "what D-Bus cannot carry makes no message, and does not end the process",
        arguments: [
            DBusValue.path(DBusPath("not a path")), .path(DBusPath("/a//b")), .signature("{"), .string("a\0b"),
            .array("s", [.byte(1)]), .dictionary("s", "v", [.string("x"): .byte(1)]), .structure([]), .other,
        ])
    func unfit(_ value: DBusValue) {
        let call = DBusCall(
            destination: BlueZ.service, path: DBusPath("/"), interface: "a.b", member: "C", arguments: [value])
        #expect(library.message(call) == nil)
    }

    @Test("a call of a path that is none makes no message")
    func noPath() {
        let call = DBusCall(destination: BlueZ.service, path: DBusPath("../x"), interface: "a.b", member: "C")
        #expect(library.message(call) == nil)
    }

    @Test("a library that is not there is an error with its name")
    func noLibrary() {
        let error = #expect(throws: BluetoothError.self) { try DBusLibrary("libdbus-nowhere.so.3") }
        #expect(error?.code == .libraryMissing)
        #expect(error?.reason.contains("libdbus-nowhere.so.3") == true)
        // A library that lacks the functions is none either.
        #expect(throws: BluetoothError.self) { try DBusLibrary("libc.so.6") }
    }
}
