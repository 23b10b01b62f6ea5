import CDBus
import MatterBase
import Synchronization

/// A connection to the bus, on a thread of its own.
final class DBusLoop: Sendable {
    /// Events on the connection; called on the thread.
    protocol Owner: AnyObject, Sendable {
        func opened(_ failure: DBusError?)
        func received(_ message: DBusMessage)
        func lost()
    }

    private struct OwnerReference: Sendable {
        weak var owner: (any Owner)?
    }

    let thread = LibraryThread("libdbus", wake: { cdbus_wake($0) }, quit: { cdbus_quit($0) })
    private let library: DBusLibrary
    private let reference = Mutex(OwnerReference())

    init(_ library: DBusLibrary) { self.library = library }

    /// Starts the thread, which connects to the bus before all else.
    ///
    /// - Throws: `outOfResources` where there is no memory, thread or descriptor for it.
    func start(_ owner: any Owner) throws(BluetoothError) {
        reference.withLock { $0.owner = owner }
        let callbacks = CDBusCallbacks(
            opened: { context, name, words in
                let failure = name.map { name in
                    DBusError(.answered(String(cString: name)), words.map { String(cString: $0) } ?? "")
                }
                DBusLoop.from(context)?.onThread { $0.opened(failure) }
            },
            work: { context in DBusLoop.from(context)?.thread.runJobs() },
            received: { context, message in
                guard let loop = DBusLoop.from(context) else { return }
                let message = DBusMessage(retaining: message, loop.library)
                loop.onThread { $0.received(message) }
            },
            lost: { context in DBusLoop.from(context)?.onThread { $0.lost() } },
            ended: { LibraryThread.ended($0) })
        guard thread.begin(for: self, { cdbus_start(library.handle, callbacks, $0) }) else {
            throw BluetoothError(.outOfResources, "the thread for D-Bus cannot be started")
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> DBusLoop? {
        context.map { Unmanaged<DBusLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func onThread(_ work: (any Owner) -> Void) {
        thread.enter()
        if let owner = reference.withLock({ $0.owner }) { work(owner) }
    }

    /// Sends a message, on the thread.
    ///
    /// - Returns: its serial number, or `nil` without a connection.
    func send(_ message: DBusMessage) -> UInt32? {
        thread.withLoop { loop in
            let serial = cdbus_send(loop, message.pointer)
            return serial == 0 ? nil : serial
        }
    }
}
