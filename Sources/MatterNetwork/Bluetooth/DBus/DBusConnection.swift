import CDBus
import MatterBase

/// A connection to the D-Bus system bus: calls with a deadline, signals, and calls of objects of our own.
///
/// It is private to its owner and honours `DBUS_SYSTEM_BUS_ADDRESS`. The end of the connection never ends the process.
actor DBusConnection {
    /// Incoming data, told on the thread of the connection.
    struct Handlers: Sendable {
        var signal: @Sendable (DBusSignal) -> Void
        var call: @Sendable (DBusCall) -> DBusAnswer = { _ in .unknownMethod }
        /// The bus has ended the connection.
        var lost: @Sendable () -> Void
    }

    typealias Outcome = Result<[DBusValue], DBusError>

    /// A call that waits for its answer.
    private struct Pending {
        let shot: OneShot<Outcome>
        let onAnswer: (@Sendable ([DBusValue]) -> Void)?
    }

    nonisolated let time: any TimeSource
    private nonisolated let library: DBusLibrary
    private nonisolated let loop: DBusLoop
    private nonisolated let opening = OneShot<Result<Void, DBusError>>()
    private var pending: [UInt32: Pending] = [:]
    private var handlers: Handlers?
    private var isOpen = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.thread.asUnownedSerialExecutor() }

    private init(_ library: DBusLibrary, _ time: any TimeSource) throws(BluetoothError) {
        self.library = library
        self.time = time
        loop = DBusLoop(library)
        try loop.start(self)
    }

    deinit { loop.thread.stop() }

    /// Connects to the system bus.
    ///
    /// - Parameter limit: how long the bus may be silent.
    static func open(
        library: String = DBusLibrary.systemName, within limit: Duration, _ time: any TimeSource
    ) async throws -> DBusConnection {
        let connection = try DBusConnection(try DBusLibrary(library), time)
        let outcome = await connection.opening.value(
            within: limit, time, late: .failure(DBusError(.timedOut)), cancelled: .failure(DBusError(.cancelled)))
        switch outcome {
        case .success: return connection
        case .failure(let error) where error.kind == .cancelled: throw CancellationError()
        case .failure(let error) where error.kind == .timedOut:
            throw BluetoothError(
                .busUnavailable, "Bluetooth needs the D-Bus system bus, which does not answer", cause: .hung)
        case .failure(let error) where error.shortName == "AccessDenied":
            throw BluetoothError(
                .notPermitted, "Bluetooth needs the D-Bus system bus, which refuses this user: \(error.words)")
        case .failure(let error):
            throw BluetoothError(
                .busUnavailable, "Bluetooth needs the D-Bus system bus, which does not answer: \(error.words)")
        }
    }

    func setHandlers(_ handlers: Handlers) { self.handlers = handlers }

    // MARK: Calls

    /// Calls a method, and waits for its answer.
    ///
    /// - Parameter onAnswer: gets the answer on the thread of the connection, before any message that came after it.
    @discardableResult
    nonisolated func call(
        _ call: DBusCall, within limit: Duration, onAnswer: (@Sendable ([DBusValue]) -> Void)? = nil
    ) async throws(DBusError) -> [DBusValue] {
        let shot = OneShot<Outcome>()
        Task { await self.send(call, Pending(shot: shot, onAnswer: onAnswer)) }
        let outcome = await shot.value(
            within: limit, time, late: .failure(DBusError(.timedOut)), cancelled: .failure(DBusError(.cancelled)))
        return try outcome.get()
    }

    private func send(_ call: DBusCall, _ waiting: Pending) {
        let shot = waiting.shot
        guard !shot.isFinished else { return }
        guard let message = library.message(call) else {
            return shot.finish(.failure(DBusError(.answered("InvalidArgs"), "D-Bus cannot carry this call")))
        }
        guard isOpen, let serial = loop.send(message) else {
            return shot.finish(.failure(DBusError(.disconnected)))
        }
        pending[serial] = waiting
    }

    /// Emits a signal of an object of ours. To be called on the thread of the connection.
    func emit(_ signal: DBusSignal) {
        guard isOpen, let message = library.message(signal) else { return }
        _ = loop.send(message)
    }
}

extension DBusConnection: DBusLoop.Owner {
    nonisolated func opened(_ failure: DBusError?) {
        assumeIsolated { $0.isOpen = failure == nil }
        opening.finish(failure.map { .failure($0) } ?? .success(()))
    }

    nonisolated func lost() {
        let (pending, handlers) = assumeIsolated { connection in
            connection.isOpen = false
            defer { connection.pending = [:] }
            return (connection.pending, connection.handlers)
        }
        for waiting in pending.values { waiting.shot.finish(.failure(DBusError(.disconnected))) }
        handlers?.lost()
    }

    nonisolated func received(_ message: DBusMessage) {
        switch message.kind {
        case CDBUS_RETURN: answered(message, .success(message.arguments))
        case CDBUS_ERROR:
            let words = message.arguments.first?.string ?? ""
            answered(message, .failure(DBusError(.answered(message.errorName), words)))
        case CDBUS_SIGNAL:
            let signal = DBusSignal(
                path: message.path, interface: message.interface, member: message.member,
                arguments: message.arguments, sender: message.sender)
            assumeIsolated { $0.handlers }?.signal(signal)
        case CDBUS_CALL:
            let call = DBusCall(
                destination: message.sender, path: message.path, interface: message.interface,
                member: message.member, arguments: message.arguments)
            let answer = assumeIsolated { $0.handlers }?.call(call) ?? .unknownMethod
            if message.wantsReply, let reply = message.answer(answer) { _ = loop.send(reply) }
        default: break
        }
    }

    private nonisolated func answered(_ message: DBusMessage, _ outcome: Outcome) {
        let serial = message.replyTo
        guard let waiting = assumeIsolated({ $0.pending.removeValue(forKey: serial) }) else { return }
        if case .success(let values) = outcome { waiting.onAnswer?(values) }
        waiting.shot.finish(outcome)
    }
}
