import CDBus

/// libdbus, opened at run time, so that hosts without it can do everything but Bluetooth.
final class DBusLibrary: Sendable {
    /// The file name of Debian's package libdbus-1-3.
    static let systemName = "libdbus-1.so.3"

    /// Safe to share: it points to a table of functions that `cdbus_open` fills from a file with a fixed name, and that is
    /// const for everything else. Nothing from the bus, a device or the user is ever written there.
    nonisolated(unsafe) let handle: OpaquePointer

    /// - Throws: `libraryMissing` where the file or a function in it is not there.
    init(_ name: String = systemName) throws(BluetoothError) {
        var message = [CChar](repeating: 0, count: 512)
        guard let handle = cdbus_open(name, &message, message.count) else {
            let words = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw BluetoothError(.libraryMissing, "Bluetooth needs the D-Bus library: \(words)")
        }
        self.handle = handle
    }

    deinit { cdbus_forget(handle) }

    /// A message for a call; `nil` for arguments that D-Bus cannot carry.
    func message(_ call: DBusCall) -> DBusMessage? {
        guard cdbus_is_path(handle, call.path.text) != 0 else { return nil }
        return DBusMessage(
            self, cdbus_call(handle, call.destination, call.path.text, call.interface, call.member), call.arguments)
    }

    func message(_ signal: DBusSignal) -> DBusMessage? {
        guard cdbus_is_path(handle, signal.path.text) != 0 else { return nil }
        return DBusMessage(
            self, cdbus_signal(handle, signal.path.text, signal.interface, signal.member), signal.arguments)
    }
}

/// A message of libdbus; it belongs to one thread at a time.
final class DBusMessage {
    let library: DBusLibrary
    let pointer: OpaquePointer

    /// Keeps a message that libdbus has handed over for a moment.
    init(retaining pointer: OpaquePointer, _ library: DBusLibrary) {
        self.library = library
        self.pointer = cdbus_retain(library.handle, pointer)
    }

    /// Takes a new message, and gives it arguments.
    init?(_ library: DBusLibrary, _ pointer: OpaquePointer?, _ arguments: [DBusValue]) {
        guard let pointer else { return nil }
        self.library = library
        self.pointer = pointer
        var place = CDBusPlace()
        cdbus_begin(library.handle, pointer, &place)
        for argument in arguments {
            guard argument.write(to: &place, library) else { return nil }
        }
    }

    deinit { cdbus_release(library.handle, pointer) }

    /// The answer to this call.
    func answer(_ answer: DBusAnswer) -> DBusMessage? {
        switch answer {
        case .values(let values): DBusMessage(library, cdbus_return(library.handle, pointer), values)
        case .error(let name, let words):
            DBusMessage(library, cdbus_error(library.handle, pointer, name, words), [])
        }
    }

    var kind: Int { Int(cdbus_kind(library.handle, pointer)) }
    var replyTo: UInt32 { cdbus_reply_to(library.handle, pointer) }
    var wantsReply: Bool { cdbus_wants_reply(library.handle, pointer) != 0 }
    var path: DBusPath { DBusPath(text(cdbus_path(library.handle, pointer))) }
    var interface: String { text(cdbus_interface(library.handle, pointer)) }
    var member: String { text(cdbus_member(library.handle, pointer)) }
    var sender: String { text(cdbus_sender(library.handle, pointer)) }
    var errorName: String { text(cdbus_error_name(library.handle, pointer)) }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    /// All arguments.
    var arguments: [DBusValue] {
        var place = CDBusPlace()
        guard cdbus_first(library.handle, pointer, &place) != 0 else { return [] }
        return DBusValue.all(at: &place, library)
    }
}
