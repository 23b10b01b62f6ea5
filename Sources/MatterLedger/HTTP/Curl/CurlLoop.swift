import CCurl
import CProcess
import MatterBase
import Synchronization

/// The exchanges under way, on a thread of their own, which ends with ``close()``.
final class CurlLoop: Sendable {
    private struct Inbox {
        var begun: [CurlCall] = []
        var isClosing = false
        /// The thread has ended, or is about to: libcurl is not to be called any more.
        var isOver = false
    }

    private let library: CurlLibrary
    private let settings: HTTPSettings
    private let authorities: AuthorityBundle?
    /// Used on the loop's thread only, but for waking it, which libcurl allows on others; the lock of the inbox is held then,
    /// and `isOver` is set before it is freed. It comes from `ccurl_multi_init` alone, never from a response.
    private nonisolated(unsafe) let multi: OpaquePointer
    private let inbox = Mutex(Inbox())
    private let (thread, threadEnd) = AsyncStream.makeStream(of: Void.self)

    private init(_ settings: HTTPSettings, _ library: CurlLibrary) throws(HTTPError) {
        self.settings = settings
        self.library = library
        if let file = settings.authorityFile {
            authorities = try AuthorityBundle(file: file, system: library.authorityFile)
        } else {
            authorities = nil
        }
        guard let multi = ccurl_multi_init(library.handle) else { throw Self.shortage("memory") }
        self.multi = multi
    }

    /// - Throws: ``HTTPError`` with `invalidSettings`, or `unreachable` where there is no memory or thread.
    static func start(_ settings: HTTPSettings, library: CurlLibrary) throws(HTTPError) -> CurlLoop {
        let loop = try CurlLoop(settings, library)
        let own = Unmanaged.passRetained(loop)
        let failure = cprocess_start_thread(
            "curl",
            { user in
                if let user { Unmanaged<CurlLoop>.fromOpaque(user).takeRetainedValue().run() }
                return nil
            }, own.toOpaque())
        guard failure == 0 else {
            own.release()
            ccurl_multi_cleanup(library.handle, loop.multi)
            throw shortage("thread")
        }
        return loop
    }

    private static func shortage(_ what: String) -> HTTPError {
        HTTPError(
            .unreachable, "there is no \(what) for a connection", hint: "see the limits of this process: ulimit -a")
    }

    private static let closed = HTTPError(.connectionLost, "the connections were closed")

    // MARK: On other threads

    func begin(_ call: CurlCall) {
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isClosing, !inbox.isOver else { return false }
            inbox.begun.append(call)
            ccurl_multi_wake(library.handle, multi)
            return true
        }
        if !isTaken { call.finish(.failure(Self.closed)) }
    }

    /// Ends a call at once, whatever libcurl is doing with it.
    func end(_ call: CurlCall, with error: any Error) {
        call.finish(.failure(error))
        inbox.withLock { if !$0.isOver { ccurl_multi_wake(library.handle, multi) } }
    }

    func close() {
        inbox.withLock { inbox in
            inbox.isClosing = true
            if !inbox.isOver { ccurl_multi_wake(library.handle, multi) }
        }
    }

    /// Returns when the thread has ended, so that the process may, or after a while if it does not.
    func waitUntilClosed(atMost limit: Duration) async {
        await withTaskGroup { group in
            group.addTask { for await _ in self.thread {} }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: On the thread

    private func run() {
        var active: [CurlExchange] = []
        while true {
            let (begun, isClosing) = inbox.withLock { inbox in
                defer { inbox.begun = [] }
                return (inbox.begun, inbox.isClosing)
            }
            for call in begun where !call.isOver { start(call, &active) }
            for exchange in active where exchange.call.isOver || isClosing { end(exchange, with: nil) }
            active.removeAll { $0.call.isOver }
            guard !isClosing, ccurl_multi_perform(library.handle, multi) == 0 else { break }
            var code: Int32 = 0
            while let easy = ccurl_multi_ended(library.handle, multi, &code) {
                for exchange in active where exchange.easy == easy { end(exchange, with: exchange.result(code)) }
            }
            active.removeAll { $0.call.isOver }
            guard ccurl_multi_wait(library.handle, multi) == 0 else { break }
        }
        let begun = inbox.withLock { inbox in
            inbox.isOver = true
            return inbox.begun
        }
        for call in begun { call.finish(.failure(Self.closed)) }
        for exchange in active { end(exchange, with: nil) }
        active = []
        ccurl_multi_cleanup(library.handle, multi)
        threadEnd.finish()
    }

    private func start(_ call: CurlCall, _ active: inout [CurlExchange]) {
        do throws(HTTPError) {
            let exchange = try CurlExchange(call, settings, authorities: authorities?.path, library: library)
            guard ccurl_multi_add(library.handle, multi, exchange.easy) == 0 else { throw Self.shortage("memory") }
            active.append(exchange)
        } catch {
            call.finish(.failure(error))
        }
    }

    /// The caller goes on before libcurl has cleared up, which may have to wait for the name service.
    private func end(_ exchange: CurlExchange, with result: Result<HTTPResponse, any Error>?) {
        exchange.call.finish(result ?? .failure(Self.closed))
        ccurl_multi_remove(library.handle, multi, exchange.easy)
    }
}
