import CAvahi
import Dispatch
public import Logging
import Synchronization

/// Discovery and advertising through the host's avahi-daemon.
///
/// Making one costs nothing: the library is opened, the thread started and the daemon contacted at the first search or
/// publication. They end when the last reference, search and publication is gone.
public final class AvahiDiscovery: Discovery, Advertiser {
    private let library: AvahiLibrary.Names
    private let logger: Logger
    private let patience: Duration
    private let connection = Mutex<AvahiConnection?>(nil)
    private let hasAnswered = Atomic(false)

    /// How long the bus and the daemon may be silent before they are taken for hung, unless told otherwise.
    public static let standardPatience = Duration.seconds(8)

    /// - Parameters:
    ///   - logger: told, at debug level, what Avahi refuses and when it goes away.
    ///   - patience: how long the bus and the daemon may be silent before a search fails.
    public init(logger: Logger? = nil, patience: Duration = standardPatience) {
        library = .system
        self.logger = logger ?? Self.silent
        self.patience = patience
    }

    /// - Parameter library: other file names than the usual ones.
    init(library: AvahiLibrary.Names) {
        self.library = library
        logger = Self.silent
        patience = Self.standardPatience
    }

    private static let silent = Logger(label: "matterctl.discovery") { _ in SwiftLogNoOpLogHandler() }

    deinit {
        guard let connection = connection.withLock({ $0 }) else { return }
        Task { await connection.shutDown() }
    }

    /// Whether this machine is on a network.
    public var hasNetwork: Bool {
        LocalInterface.current().contains { !$0.isLoopback && !$0.prefixes.isEmpty }
    }

    private func opened() throws(DiscoveryError) -> AvahiConnection {
        try connection.withLock { connection throws(DiscoveryError) in
            if let connection { return connection }
            let new = try AvahiConnection(library, logger: logger)
            connection = new
            return new
        }
    }

    /// The devices that can be commissioned, as they come.
    public func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
        let reader = CommissionableReader(filter, includingClosed: includingClosed)
        return stream(reader.target, type: MatterService.commissionable) {
            var reader = reader
            return { reader.read($0, interfaces: LocalInterface.current()) }
        }
    }

    /// The addresses of a node, as they are found.
    public func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
        let reader = OperationalReader(OperationalInstance(compressedFabricID: compressedFabricID, nodeID: nodeID))
        // Only the latest update matters.
        return stream(reader.target, type: MatterService.operational, buffering: .bufferingNewest(1)) {
            var reader = reader
            return { reader.read($0, interfaces: LocalInterface.current()) }
        }
    }

    /// The nodes of a fabric, or of all, as they come.
    public func browseOperational(
        compressedFabricID: UInt64?
    ) -> AsyncThrowingStream<OperationalEvent, any Error> {
        let reader = OperationalListReader(compressedFabricID: compressedFabricID)
        return stream(reader.target, type: MatterService.operational) { { reader.read($0) } }
    }

    /// Looks for Thread border routers.
    public func browseBorderRouters() -> AsyncThrowingStream<BorderRouterEvent, any Error> {
        let reader = BorderRouterReader()
        return stream(reader.target, type: BorderRouterReader.type) {
            var reader = reader
            return { reader.read($0, interfaces: LocalInterface.current()) }
        }
    }

    /// A stream of what a search finds; ending the stream ends the search.
    ///
    /// - Parameter makeReader: makes the function that turns reports into events; it is used on Avahi's thread.
    private func stream<Event: Sendable>(
        _ target: ServiceSearch.Target, type: String,
        buffering: AsyncThrowingStream<Event, any Error>.Continuation.BufferingPolicy = .unbounded,
        makeReader: @escaping @Sendable () -> (ServiceReport) -> Event?
    ) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream(bufferingPolicy: buffering) { continuation in
            let task = Task {
                do throws(DiscoveryError) {
                    let read = makeReader()
                    try await self.answering().run(target, type: type) { report in
                        if let event = read(report) { continuation.yield(event) }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

// MARK: - Silence

extension AvahiDiscovery {
    /// How long silence lasts before the bus is asked by itself, to tell which of the two is hung.
    private static let suspicion = Duration.milliseconds(500)

    /// Waits until the bus and the daemon have answered.
    ///
    /// - Throws: what keeps them from it; `busUnavailable` or `daemonUnavailable` if one of them is silent for too long.
    public func check() async throws(DiscoveryError) { _ = try await answering() }

    /// The connection, once the daemon has answered on it.
    ///
    /// Avahi's calls wait for the bus and the daemon, some of them for ever, on Avahi's own thread; so they are not
    /// waited for here.
    private func answering() async throws(DiscoveryError) -> AvahiConnection {
        let connection = try opened()
        if hasAnswered.load(ordering: .relaxed) { return connection }
        let (answers, send) = AsyncStream.makeStream(of: Result<Void, DiscoveryError>.self)
        let greeting = Task {
            do throws(DiscoveryError) {
                try await connection.greet()
                self.hasAnswered.store(true, ordering: .relaxed)
                send.yield(.success(()))
            } catch {
                send.yield(.failure(error))
            }
        }
        let watch = Task { try? await send.yield(.failure(self.silence(connection.library))) }
        defer {
            greeting.cancel()
            watch.cancel()
        }
        for await answer in answers {
            try answer.get()
            return connection
        }
        // The search was cancelled, and its error is not read.
        throw DiscoveryError(.disconnected, "the search was cancelled")
    }

    /// Waits as long as silence is borne.
    ///
    /// - Returns: which of the two is silent; without a network, that there is none: an answer would find nothing either.
    private func silence(_ library: AvahiLibrary) async throws -> DiscoveryError {
        let busAnswers = Flag()
        let first = min(Self.suspicion, patience / 2)
        try await Task.sleep(for: first)
        // It may hang as the other call does, and then keeps its thread.
        DispatchQueue.global().async { if cavahi_bus_answers(library.handle) != 0 { busAnswers.raise() } }
        try await Task.sleep(for: patience - first)
        do throws(DiscoveryError) { try checkNetwork() } catch { return error }
        return busAnswers.isRaised
            ? DiscoveryError(.daemonUnavailable, "discovery needs avahi-daemon, which does not answer", isHung: true)
            : DiscoveryError(
                .busUnavailable, "discovery needs the D-Bus system bus, which does not answer", isHung: true)
    }
}

/// Something that happens once, on another thread.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .relaxed) }

    func raise() { value.store(true, ordering: .relaxed) }
}

// MARK: - Advertising

extension AvahiDiscovery {
    package func publish(_ service: ServicePublication) async throws(DiscoveryError) -> any PublishedService {
        let connection = try await answering()
        return AvahiPublishedService(self, connection, id: try await connection.publish(service))
    }
}

/// A publication; taken back when it is no longer referred to.
final class AvahiPublishedService: PublishedService {
    /// Keeps the connection open.
    private let discovery: AvahiDiscovery
    private let connection: AvahiConnection
    private let id: Int

    init(_ discovery: AvahiDiscovery, _ connection: AvahiConnection, id: Int) {
        self.discovery = discovery
        self.connection = connection
        self.id = id
    }

    deinit {
        let (connection, id) = (connection, id)
        Task { await connection.withdraw(publication: id) }
    }

    var instance: String? { get async { await connection.instance(publication: id) } }

    func established() async throws { try await connection.established(publication: id) }

    func update(txt: TXTRecord, subtypes: [String]?) async throws(DiscoveryError) {
        try await connection.update(publication: id, txt: txt, subtypes: subtypes)
    }

    func withdraw() async { await connection.withdraw(publication: id) }
}
