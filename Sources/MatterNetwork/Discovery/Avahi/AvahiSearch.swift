import CAvahi

/// One search at work: carries out the actions of a ``ServiceSearch`` with Avahi objects, and owns them.
///
/// Lives inside ``AvahiConnection`` and is used on the loop's thread only.
final class AvahiSearch {
    /// An Avahi object and the callback that is released after it.
    private struct Object {
        let pointer: OpaquePointer
        let user: UnsafeMutableRawPointer
        let free: (OpaquePointer, OpaquePointer) -> Void
    }

    private enum Key: Hashable {
        case browser(Int)
        case resolver(String, ResolvedAddress.Family)
        case service(String)
        case address(String, ResolvedAddress.Family)
    }

    let id: Int
    private let type: String
    private var search: ServiceSearch
    private let deliver: (ServiceReport) -> Void
    private var objects: [Key: Object] = [:]
    private(set) var isStarted = false
    /// When each resolver was started: one that fails at once is not started again at once.
    private var starts: [Key: ContinuousClock.Instant] = [:]
    private static let shortestRetry = Duration.seconds(1)
    /// When to try again what avahi-daemon refused, e.g. because it serves too many objects already.
    private static let refusalRetry = Duration.seconds(5)
    /// Resumed when the search ends other than by cancellation.
    var parked: CheckedContinuation<DiscoveryError?, Never>?

    init(id: Int, type: String, _ target: ServiceSearch.Target, deliver: @escaping (ServiceReport) -> Void) {
        self.id = id
        self.type = type
        search = ServiceSearch(target)
        self.deliver = deliver
    }

    /// - Throws: `refused` where Avahi does not even take the first request.
    func start(_ connection: isolated AvahiConnection, _ client: OpaquePointer) throws(DiscoveryError) {
        isStarted = true
        for action in search.start() {
            guard perform(action, connection, client) else {
                let words = connection.library.words(cavahi_client_errno(connection.library.handle, client))
                throw DiscoveryError(.refused, "avahi-daemon refuses to search for \(type): \(words)")
            }
        }
    }

    func handle(_ event: LookupEvent, _ connection: isolated AvahiConnection, _ client: OpaquePointer) {
        if case .unresolved(let name, let family) = event { free(.resolver(name, family), connection) }
        for action in search.handle(event) where !perform(action, connection, client) {
            connection.noteRefusal(of: action, client)
            guard case .resolve(let name, let family) = action else { continue }
            connection.retry(search: id, after: Self.refusalRetry, .unresolved(name: name, family))
        }
    }

    /// Frees all objects. What had been found is reported as gone.
    func stop(_ connection: isolated AvahiConnection) {
        isStarted = false
        for key in Array(objects.keys) { free(key, connection) }
        for action in search.reset() { if case .report(let report) = action { deliver(report) } }
    }

    private func perform(
        _ action: LookupAction, _ connection: isolated AvahiConnection, _ client: OpaquePointer
    ) -> Bool {
        let library = connection.library.handle
        switch action {
        case .report(let report): deliver(report)
        case .browse(let number, let type):
            return make(.browser(number), .browser(number), connection, cavahi_service_browser_free) {
                cavahi_service_browser_new(library, client, type, AvahiCallback.browser, $0)
            }
        case .resolve(let name, let family): return resolve(name, family, connection, client)
        case .stopResolving(let name, let family): free(.resolver(name, family), connection)
        case .watchService(let name):
            return make(.service(name), .service(name: name), connection, cavahi_record_browser_free) {
                let record = "\(name).\(type).local"
                return cavahi_record_browser_new(
                    library, client, record, UInt16(CAVAHI_TYPE_SRV), AvahiCallback.record, $0)
            }
        case .unwatchService(let name): free(.service(name), connection)
        case .watchHost(let host):
            return watch(host, .ipv6, CAVAHI_TYPE_AAAA, connection, client)
                && watch(host, .ipv4, CAVAHI_TYPE_A, connection, client)
        case .unwatchHost(let host):
            for family in ResolvedAddress.Family.allCases { free(.address(host, family), connection) }
        }
        return true
    }

    private func watch(
        _ host: String, _ family: ResolvedAddress.Family, _ type: Int, _ connection: isolated AvahiConnection,
        _ client: OpaquePointer
    ) -> Bool {
        let library = connection.library.handle
        return make(.address(host, family), .address(host: host, family), connection, cavahi_record_browser_free) {
            cavahi_record_browser_new(library, client, host, UInt16(type), AvahiCallback.record, $0)
        }
    }

    private func resolve(
        _ name: String, _ family: ResolvedAddress.Family, _ connection: isolated AvahiConnection,
        _ client: OpaquePointer
    ) -> Bool {
        let key = Key.resolver(name, family)
        let now = ContinuousClock.now
        if let last = starts[key], now - last < Self.shortestRetry {
            connection.retry(search: id, after: Self.shortestRetry, .unresolved(name: name, family))
            return true
        }
        if starts.count > 2 * ServiceSearch.instanceLimit {
            starts = starts.filter { now - $0.value < Self.shortestRetry }
        }
        starts[key] = now
        let library = connection.library.handle
        let wanted = Int32(family == .ipv6 ? CAVAHI_INET6 : CAVAHI_INET)
        return make(key, .resolver(name: name, family), connection, cavahi_service_resolver_free) {
            cavahi_service_resolver_new(library, client, name, type, wanted, AvahiCallback.resolver, $0)
        }
    }

    /// Makes an Avahi object.
    ///
    /// - Returns: whether Avahi did.
    private func make(
        _ key: Key, _ role: AvahiCallback.Role, _ connection: isolated AvahiConnection,
        _ free: @escaping (OpaquePointer, OpaquePointer) -> Void, _ create: (UnsafeMutableRawPointer) -> OpaquePointer?
    ) -> Bool {
        let user = AvahiCallback(connection, owner: id, role).retained()
        guard let pointer = create(user) else {
            AvahiCallback.release(user)
            return false
        }
        self.free(key, connection)
        objects[key] = Object(pointer: pointer, user: user, free: free)
        return true
    }

    private func free(_ key: Key, _ connection: isolated AvahiConnection) {
        guard let object = objects.removeValue(forKey: key) else { return }
        object.free(connection.library.handle, object.pointer)
        AvahiCallback.release(object.user)
    }
}
