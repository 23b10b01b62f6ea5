import Glibc
import Synchronization

/// Runs a ``BTPSession`` on an event loop: performs its actions on a GATT connection, and keeps its timer.
final class BTPRunner: Sendable {
    /// The GATT connection, of either side.
    struct Edge: Sendable {
        /// Writes or indicates a value; returns when it is confirmed.
        var transmit: @Sendable ([UInt8]) async throws(TransportError) -> Void
        /// Subscribes to the indications; for a central only.
        var subscribe: @Sendable () async throws(TransportError) -> Void = {}
        var disconnect: @Sendable () async -> Void
    }

    /// The user of the session; called on the event loop.
    struct Owner: Sendable {
        var deliver: @Sendable ([UInt8]) -> Void
        /// Called once, with `nil` if we closed the session.
        var ended: @Sendable (TransportError?) -> Void
    }

    private enum Phase {
        case opening, open
        case over(TransportError?)
    }

    private struct State {
        var session: BTPSession
        var edge: Edge?
        var owner: Owner?
        var phase = Phase.opening
        var timer: (deadline: Instant, work: ScheduledWork)?
        /// The error of the GATT operation that ended the connection, which says more than its event.
        var cause: TransportError?
        var waitingForOpening: [CheckedContinuation<Result<Void, TransportError>, Never>] = []
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        /// True once the connection is let go of.
        var hasLeft = false
    }

    private let state: Mutex<State>
    private let time: any TimeSource
    private let eventLoop: any EventLoop

    init(_ session: BTPSession, time: any TimeSource, on eventLoop: any EventLoop) {
        state = Mutex(State(session: session))
        self.time = time
        self.eventLoop = eventLoop
    }

    func start(_ edge: Edge, _ owner: Owner) {
        state.withLock { ($0.edge, $0.owner) = (edge, owner) }
        post(.began)
    }

    var isOpen: Bool { state.withLock { $0.session.isOpen } }

    /// Why the session ended: the outer `nil` if it has not, the inner one if we closed it.
    var end: TransportError?? {
        state.withLock { if case .over(let error) = $0.phase { .some(error) } else { nil } }
    }

    /// Hands in an event from any thread.
    func post(_ event: BTPSession.Event) { eventLoop.execute { self.handle(event) } }

    /// Sends a message. To be called on the event loop.
    ///
    /// - Returns: the number of the error if it cannot be taken. What is not taken ends the session, since a reliable link
    ///   must not lose anything in silence.
    func send(_ message: [UInt8]) -> Int32? {
        let isTaken = state.withLock { $0.session.accepts(message) }
        guard isTaken else {
            guard isOpen else { return ENOTCONN }
            guard message.count <= BTP.largestMessage else { return EMSGSIZE }
            handle(.disconnected("more messages wait than the device takes"))
            return ENOBUFS
        }
        handle(.send(message))
        return nil
    }

    // MARK: Waiting

    /// Waits until the handshake is over. A task that is cancelled closes the session.
    func opened() async throws(TransportError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Void, TransportError>, Never>) in
                let known: Result<Void, TransportError>? = state.withLock { state in
                    switch state.phase {
                    case .opening:
                        state.waitingForOpening.append(continuation)
                        return nil
                    case .open: return .success(())
                    case .over(let error): return .failure(error ?? Self.closed)
                    }
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            post(.close)
        }
        try result.get()
    }

    /// Closes the session, and waits until the connection is let go of.
    func close() async {
        post(.close)
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.hasLeft { state.waitingForEnd.append(continuation) }
                return state.hasLeft
            }
            if isOver { continuation.resume() }
        }
    }

    private static let closed = TransportError(.closed, "the Bluetooth connection was closed")

    // MARK: On the event loop

    private func handle(_ event: BTPSession.Event) {
        let now = time.now
        let (actions, edge, owner) = state.withLock { ($0.session.handle(event, now: now), $0.edge, $0.owner) }
        for action in actions {
            switch action {
            case .transmit(let value): operate { () throws(TransportError) in try await edge?.transmit(value) }
            case .subscribe: operate { () throws(TransportError) in try await edge?.subscribe() }
            case .opened: finishOpening()
            case .deliver(let message): owner?.deliver(message)
            case .closed(let error): finish(error)
            }
        }
        schedule()
    }

    private func operate(_ operation: @escaping @Sendable () async throws(TransportError) -> Void) {
        time.start {
            do throws(TransportError) {
                try await operation()
                self.post(.confirmed)
            } catch {
                self.state.withLock { $0.cause = $0.cause ?? error }
                self.post(.disconnected(error.reason))
            }
        }
    }

    private func finishOpening() {
        let waiting = state.withLock { state in
            state.phase = .open
            defer { state.waitingForOpening = [] }
            return state.waitingForOpening
        }
        for continuation in waiting { continuation.resume(returning: .success(())) }
    }

    private func finish(_ ending: TransportError?) {
        let (error, waiting, owner, edge) = state.withLock { state in
            let error = ending.map { $0.code == .linkLost ? state.cause ?? $0 : $0 }
            state.phase = .over(error)
            defer { (state.waitingForOpening, state.owner) = ([], nil) }
            return (error, state.waitingForOpening, state.owner, state.edge)
        }
        for continuation in waiting { continuation.resume(returning: .failure(error ?? Self.closed)) }
        owner?.ended(error)
        time.start {
            await edge?.disconnect()
            let waiting = self.state.withLock { state in
                state.hasLeft = true
                defer { (state.waitingForEnd, state.edge) = ([], nil) }
                return state.waitingForEnd
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private func schedule() {
        let old: ScheduledWork? = state.withLock { state in
            let deadline = state.session.deadline
            guard deadline != state.timer?.deadline else { return nil }
            let old = state.timer?.work
            state.timer = deadline.map { deadline in
                (deadline, eventLoop.schedule(at: deadline) { [weak self] in self?.timerFired(deadline) })
            }
            return old
        }
        old?.cancel()
    }

    private func timerFired(_ deadline: Instant) {
        let isDue = state.withLock { state in
            guard state.timer?.deadline == deadline else { return false }
            state.timer = nil
            return true
        }
        if isDue { handle(.timer) }
    }
}
