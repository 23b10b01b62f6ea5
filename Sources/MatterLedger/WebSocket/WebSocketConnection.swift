import CProcess
import Glibc
package import MatterCrypto
import Synchronization

/// A WebSocket (RFC 6455) to a server, which sends and receives texts.
///
/// It has a thread of its own, which ends with ``close()`` or with the server.
package final class WebSocketConnection: Sendable {
    /// How many messages may wait to be read: a server that sends what was not asked for is not waited for.
    private static let mostWaiting = 64
    private static let largestOutbox = 4 << 20
    /// How long a last frame may take.
    private static let farewell: Int32 = 500

    private struct State {
        var session: WebSocketSession
        var outbox: [UInt8] = []
        /// Whether the thread is to end once the outbox is empty.
        var isEnding = false
        var isOver = false
        /// Gets the outcome of the opening, once.
        var opening: CheckedContinuation<Void, any Error>?
        var opened: Result<Void, any Error>?
    }

    private let url: WebSocketURL
    private let settings: HTTPSettings
    private let library: CurlLibrary
    private let deadline: ContinuousClock.Instant
    private let alarm: Int32
    private let state: Mutex<State>
    private let incoming: AsyncThrowingStream<String, any Error>.Continuation
    private let (thread, threadEnd) = AsyncStream.makeStream(of: Void.self)
    /// The server's messages, in the order in which they came. They end with ``WebSocketError``.
    package let messages: AsyncThrowingStream<String, any Error>

    private init(
        _ url: WebSocketURL, _ settings: HTTPSettings, _ library: CurlLibrary, _ session: WebSocketSession,
        _ deadline: ContinuousClock.Instant
    ) throws(WebSocketError) {
        self.url = url
        self.settings = settings
        self.library = library
        self.deadline = deadline
        (messages, incoming) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        state = Mutex(State(session: session))
        alarm = cprocess_alarm()
        guard alarm >= 0 else { throw Self.shortage("descriptor") }
    }

    deinit { if alarm >= 0 { Glibc.close(alarm) } }

    private static func shortage(_ what: String) -> WebSocketError {
        WebSocketError(
            .unreachable, "there is no \(what) for a connection", hint: "see the limits of this process: ulimit -a")
    }

    /// Opens a WebSocket.
    ///
    /// - Parameters:
    ///   - settings: the certificate authorities that are trusted, and the longest message in bytes; no proxy is used.
    ///   - deadline: when it must be open.
    /// - Throws: ``WebSocketError``; ``HTTPError`` `libraryMissing`.
    package static func open(
        _ url: WebSocketURL, _ settings: HTTPSettings, random: any RandomSource, deadline: ContinuousClock.Instant
    ) async throws -> WebSocketConnection {
        let library = try CurlLibrary.open()
        let session = try WebSocketSession(url, largestMessage: settings.largestBody, random: random)
        let connection = try WebSocketConnection(url, settings, library, session, deadline)
        try connection.start()
        let watchdog = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            connection.end(with: WebSocketError(.timedOut, "\(url) did not open a WebSocket in time"))
        }
        defer { watchdog.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { connection.wait($0) }
            } onCancel: {
                connection.end(with: CancellationError())
            }
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private func wait(_ continuation: CheckedContinuation<Void, any Error>) {
        let early = state.withLock { state in
            if state.opened == nil { state.opening = continuation }
            return state.opened
        }
        if let early { continuation.resume(with: early) }
    }

    private func tellOpened(_ result: Result<Void, any Error>) {
        let waiting = state.withLock { state in
            if state.opened == nil { state.opened = result }
            return state.opening.take()
        }
        waiting?.resume(with: result)
    }

    // MARK: On other threads

    /// Sends a text.
    ///
    /// - Throws: ``WebSocketError`` `closed` if the connection has ended.
    package func send(_ text: String) throws {
        try state.withLock { state in
            guard !state.isOver, !state.isEnding else {
                throw WebSocketError(.closed, "the connection with \(url) has ended")
            }
            state.outbox += try state.session.text(text)
            cprocess_alarm_ring(alarm)
        }
    }

    /// Takes leave of the server. Returns when the thread has ended, or after a while if it does not.
    package func close() async {
        state.withLock { state in
            state.outbox += state.session.close()
            state.isEnding = true
            if !state.isOver { cprocess_alarm_ring(alarm) }
        }
        // Also in a task that is cancelled: libcurl's libraries are not to be in use when the process ends.
        await Task { [self] in
            await withTaskGroup { group in
                group.addTask { for await _ in self.thread {} }
                group.addTask { try? await Task.sleep(for: .milliseconds(Int64(Self.farewell))) }
                await group.next()
                group.cancelAll()
            }
        }.value
    }

    /// Ends it at once, whatever the thread does.
    private func end(with error: any Error) {
        tellOpened(.failure(error))
        incoming.finish(throwing: error)
        state.withLock { state in
            state.isEnding = true
            if !state.isOver { cprocess_alarm_ring(alarm) }
        }
    }

    // MARK: On the thread

    private func start() throws(WebSocketError) {
        let own = Unmanaged.passRetained(self)
        let failure = cprocess_start_thread(
            "websocket",
            { user in
                if let user { Unmanaged<WebSocketConnection>.fromOpaque(user).takeRetainedValue().run() }
                return nil
            }, own.toOpaque())
        guard failure == 0 else {
            own.release()
            throw Self.shortage("thread")
        }
    }

    private func run() {
        do {
            let stream = try CurlStream(url, settings, library, within: deadline - .now)
            state.withLock { $0.outbox = $0.session.request(userAgent: settings.userAgent) + $0.outbox }
            converse(over: stream)
        } catch {
            end(with: error)
        }
        state.withLock { $0.isOver = true }
        end(with: WebSocketError(.closed, "the connection with \(url) has ended"))
        threadEnd.finish()
    }

    private func converse(over stream: CurlStream) {
        var pending: ArraySlice<UInt8> = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let isEnding = state.withLock { state in
                pending += state.outbox
                state.outbox = []
                return state.isEnding
            }
            guard send(&pending, over: stream), pending.count <= Self.largestOutbox else {
                return act(on: state.withLock { $0.session.receiveEnd() })
            }
            if isEnding, pending.isEmpty { return }
            var isIdle = false
            while !isIdle {
                switch stream.receive(&buffer) {
                case .bytes(let count): act(on: state.withLock { $0.session.receive(buffer.prefix(count)) })
                case .later: isIdle = true
                case .ended: return act(on: state.withLock { $0.session.receiveEnd() })
                }
                // A pong, too, does not wait until the server falls silent.
                if state.withLock({ !$0.outbox.isEmpty || $0.isEnding }) { break }
            }
            guard isIdle else { continue }
            guard wait(for: stream.socket, isSending: !pending.isEmpty, isEnding: isEnding) else { return }
        }
    }

    /// - Returns: false if the connection has ended.
    private func send(_ pending: inout ArraySlice<UInt8>, over stream: CurlStream) -> Bool {
        while !pending.isEmpty {
            switch stream.send(pending) {
            case .bytes(let count): pending = pending.dropFirst(count)
            case .later: return true
            case .ended: return false
            }
        }
        return true
    }

    /// - Returns: false if a last frame takes too long.
    private func wait(for socket: Int32, isSending: Bool, isEnding: Bool) -> Bool {
        var descriptors = [
            pollfd(fd: socket, events: Int16(POLLIN | (isSending ? POLLOUT : 0)), revents: 0),
            pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&descriptors, nfds_t(descriptors.count), isEnding ? Self.farewell : -1)
        if descriptors[1].revents != 0 { cprocess_alarm_quiet(alarm) }
        return count > 0 || (count < 0 && errno == EINTR)
    }

    private func act(on actions: [WebSocketSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): state.withLock { $0.outbox += bytes }
            case .opened: tellOpened(.success(()))
            case .message(let text):
                if case .dropped = incoming.yield(text) {
                    end(with: WebSocketError(.tooLarge, "\(url) sends more messages than were asked for"))
                }
            case .end(let error):
                end(with: error ?? WebSocketError(.closed, "\(url) ended the connection"))
            }
        }
    }
}
