import CAvahi
import Logging
import MatterBase

/// The connection to avahi-daemon, with everything that goes over it: an actor whose executor is Avahi's own thread.
///
/// If the daemon goes away, the connection waits for it to come back and then starts everything again; searches are
/// told that what they had found is gone, and end with `disconnected` if it takes too long.
actor AvahiConnection {
    /// How long searches wait for a daemon that went away; a restart takes it about a second.
    static let patience = Duration.seconds(5)
    private static let reconnectInterval = Duration.seconds(1)

    private struct Client {
        let pointer: OpaquePointer
        let user: UnsafeMutableRawPointer
    }

    let library: AvahiLibrary
    private nonisolated let loop: AvahiLoop
    private let logger: Logger
    private var client: Client?
    /// True if the daemon takes requests.
    private var isConnected = false
    /// True if the daemon has established this host's own name, without which nothing can be published.
    private var isRunning = false
    /// True if the client has lost the daemon and has to be made again.
    private var hasFailed = false
    private var isRecovering = false
    private var searches: [Int: AvahiSearch] = [:]
    private var publications: [Int: AvahiPublication] = [:]
    private var lastID = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.thread.asUnownedSerialExecutor() }

    /// Opens the library and starts the thread; the daemon is not talked to yet.
    init(_ names: AvahiLibrary.Names, logger: Logger) throws(DiscoveryError) {
        library = try AvahiLibrary(names)
        loop = try AvahiLoop(library)
        self.logger = logger
    }

    deinit { loop.thread.stop() }

    /// Makes the client, for which the bus and the daemon have to answer.
    func greet() throws(DiscoveryError) { _ = try connected() }

    /// Frees the client; the thread ends with the last reference to the connection.
    func shutDown() { disconnect() }

    func noteRefusal(of action: LookupAction, _ client: OpaquePointer) {
        let words = library.words(cavahi_client_errno(library.handle, client))
        logger.debug("avahi-daemon refuses a request", metadata: ["request": "\(action)", "reason": "\(words)"])
    }
}

// MARK: - Searches

extension AvahiConnection {
    /// Searches until the task is cancelled.
    ///
    /// - Parameter deliver: called on the loop's thread with every report.
    /// - Throws: what keeps the search from starting, or from going on.
    func run(
        _ target: ServiceSearch.Target, type: String, deliver: sending @escaping (ServiceReport) -> Void
    ) async throws(DiscoveryError) {
        lastID += 1
        let id = lastID
        let client = try connected()
        let search = AvahiSearch(id: id, type: type, target, deliver: deliver)
        searches[id] = search
        defer { searches.removeValue(forKey: id)?.stop(self) }
        try search.start(self, client)
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { searches[id]?.parked = $0 }
        } onCancel: {
            Task { await self.end(search: id, nil) }
        }
        if let error { throw error }
    }

    private func end(search id: Int, _ error: DiscoveryError?) {
        let parked = searches[id]?.parked
        searches[id]?.parked = nil
        parked?.resume(returning: error)
    }

    func lookup(_ event: LookupEvent, search id: Int) {
        guard let client, isConnected else { return }
        searches[id]?.handle(event, self, client.pointer)
    }

    func browserFailed(search id: Int) {
        // A daemon that goes away also fails the browsers: that is for the recovery to deal with.
        guard let client, isConnected else { return }
        let error = cavahi_client_errno(library.handle, client.pointer)
        guard Int(error) != CAVAHI_ERR_DISCONNECTED else { return }
        let words = library.words(error)
        Task { self.end(search: id, DiscoveryError(.refused, "avahi-daemon has ended the search: \(words)")) }
    }

    /// Feeds an event to a search later.
    func retry(search id: Int, after delay: Duration, _ event: LookupEvent) {
        Task { [weak self] in
            try? await Task.sleep(for: delay)
            await self?.lookup(event, search: id)
        }
    }
}

// MARK: - Publications

extension AvahiConnection {
    /// Publishes a service as soon as the daemon has established this host's name.
    ///
    /// - Returns: the id of the publication.
    func publish(_ service: ServicePublication) throws(DiscoveryError) -> Int {
        lastID += 1
        _ = try connected()
        let publication = AvahiPublication(id: lastID, service)
        publications[lastID] = publication
        do {
            if isRunning, let client { try publication.commit(self, client.pointer) }
        } catch {
            withdraw(publication: publication.id)
            throw error
        }
        return publication.id
    }

    func instance(publication id: Int) -> String? { publications[id]?.instance }

    func update(publication id: Int, txt: TXTRecord, subtypes: [String]?) throws(DiscoveryError) {
        guard let publication = publications[id] else { return }
        try publication.update(txt: txt, subtypes: subtypes, self, client?.pointer)
    }

    /// Waits until the other hosts have been told.
    func established(publication id: Int) async throws {
        guard let outcome = publications[id]?.outcome else {
            lastID += 1
            let waiter = lastID
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard let publication = publications[id] else { return continuation.resume() }
                    publication.waiting[waiter] = continuation
                }
            } onCancel: {
                Task { await self.cancelWait(waiter, publication: id) }
            }
        }
        try outcome.get()
    }

    private func cancelWait(_ waiter: Int, publication id: Int) {
        publications[id]?.waiting.removeValue(forKey: waiter)?.resume(throwing: CancellationError())
    }

    func withdraw(publication id: Int) { publications.removeValue(forKey: id)?.withdraw(self) }

    func groupChanged(_ state: Int32, publication id: Int) {
        guard let client else { return }
        publications[id]?.groupChanged(state, self, client.pointer)
    }
}

// MARK: - The client

extension AvahiConnection {
    /// The client, made now if there is none.
    private func connected() throws(DiscoveryError) -> OpaquePointer {
        if client == nil { try connect(waitForDaemon: false) }
        guard let client, isConnected else {
            throw DiscoveryError(.daemonUnavailable, "discovery needs avahi-daemon, which has stopped")
        }
        return client.pointer
    }

    private func connect(waitForDaemon: Bool) throws(DiscoveryError) {
        let user = AvahiCallback(self, owner: 0, .client).retained()
        var error: Int32 = 0
        guard
            let pointer = loop.makeClient(waitForDaemon: waitForDaemon, AvahiCallback.client, user, &error)
        else {
            AvahiCallback.release(user)
            isConnected = false
            isRunning = false
            hasFailed = false
            throw library.connectionError(error)
        }
        client = Client(pointer: pointer, user: user)
    }

    /// Called by Avahi, also before ``connect(waitForDaemon:)`` has the client.
    func clientChanged(_ state: Int32) {
        logger.trace("avahi client", metadata: ["state": "\(state)"])
        switch Int(state) {
        case CAVAHI_CLIENT_FAILURE:
            isConnected = false
            isRunning = false
            hasFailed = true
            // The client cannot be freed from within its own callback.
            Task { await self.recover() }
        case CAVAHI_CLIENT_CONNECTING:
            isConnected = false
            isRunning = false
        default:
            isConnected = true
            isRunning = state == CAVAHI_CLIENT_RUNNING
            Task { self.resume() }
        }
    }

    /// Starts what waits for the daemon, and withdraws what it cannot publish at present.
    private func resume() {
        guard let client, isConnected else { return }
        for search in searches.values where !search.isStarted {
            do {
                try search.start(self, client.pointer)
            } catch {
                end(search: search.id, error)
            }
        }
        for publication in publications.values {
            if isRunning {
                publication.recommit(self, client.pointer)
            } else {
                publication.reset(self)
            }
        }
    }

    private func disconnect() {
        for search in searches.values { search.stop(self) }
        for publication in publications.values { publication.detach(self) }
        isConnected = false
        isRunning = false
        hasFailed = false
        guard let client else { return }
        cavahi_client_free(library.handle, client.pointer)
        AvahiCallback.release(client.user)
        self.client = nil
    }

    /// Waits for the daemon to come back, as long as there are searches.
    private func recover() async {
        guard !isRecovering, hasFailed else { return }
        isRecovering = true
        defer { isRecovering = false }
        logger.debug("avahi-daemon went away")
        let deadline = ContinuousClock.now + Self.patience
        while !isConnected, !(searches.isEmpty && publications.isEmpty) {
            if hasFailed { disconnect() }
            if client == nil { try? connect(waitForDaemon: true) }
            if isConnected { return }
            if ContinuousClock.now >= deadline { failSearches() }
            try? await Task.sleep(for: Self.reconnectInterval)
        }
        if !isConnected { disconnect() }
    }

    private func failSearches() {
        let seconds = Self.patience.components.seconds
        let error = DiscoveryError(
            .disconnected, "avahi-daemon has stopped and did not come back within \(seconds) s")
        for id in searches.keys { end(search: id, error) }
    }
}
