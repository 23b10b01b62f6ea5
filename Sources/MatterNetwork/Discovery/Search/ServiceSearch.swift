/// A search for DNS-SD instances as a pure state machine: lookup events in, actions out.
///
/// Each instance is resolved for IPv6 and IPv4 side by side. The first answer already carries an address and is reported
/// at once; then the address records of the host are followed, on all interfaces. An instance that does not answer is
/// asked for again and again.
struct ServiceSearch {
    /// How instances get into the search.
    enum Target: Hashable, Sendable {
        /// Browse the types, resolve what appears.
        case browse([String])
        /// Browse the types, report names only.
        case list([String])
        /// Resolve one instance that is known by name.
        case instance(String)
    }

    private struct Sighting: Hashable {
        let browser: Int
        let link: Link
    }

    private struct Location: Hashable {
        let host: String
        let port: UInt16
        let txt: TXTRecord
    }

    private struct Instance {
        let name: String
        var sightings: Set<Sighting> = []
        /// The families with a resolver at work.
        var resolvers: Set<ResolvedAddress.Family> = []
        var location: Location?
        /// True if neither an answer nor a failure has come yet.
        var isPending = true
        var isWatched = false
        var serviceRecords: [RecordChange] = []
        var reported: ServiceInstance?
    }

    /// More instances than a browse is willing to follow: avahi-daemon allows 1024 objects to a client.
    static let instanceLimit = 400
    /// More names than a list is willing to hold: they cost no object of the daemon.
    static let listLimit = 10_000

    private let target: Target
    private var instances: [String: Instance] = [:]
    private var hosts: [String: HostRecords] = [:]
    private var settledBrowsers: Set<Int> = []
    private var hasSettled = false

    init(_ target: Target) { self.target = target }

    /// The first actions, also after ``reset()``.
    mutating func start() -> [LookupAction] {
        switch target {
        case .browse(let types), .list(let types):
            return types.enumerated().map { .browse($0, type: $1) }
        case .instance(let name):
            instances[Self.key(name)] = Instance(name: name)
            var actions: [LookupAction] = []
            resolve(Self.key(name), &actions)
            return actions
        }
    }

    /// Forgets everything, because the lookups have ended by themselves.
    ///
    /// - Returns: the reports that all that was there is gone.
    mutating func reset() -> [LookupAction] {
        let names = instances.values.filter { $0.reported != nil || isListing }.map(\.name).sorted()
        self = ServiceSearch(target)
        return names.map { .report(.removed(name: $0)) }
    }

    mutating func handle(_ event: LookupEvent) -> [LookupAction] {
        var actions: [LookupAction] = []
        switch event {
        case .appeared(let name, let browser, let link):
            appeared(name, Sighting(browser: browser, link: link), &actions)
        case .vanished(let name, let browser, let link):
            vanished(Self.key(name), Sighting(browser: browser, link: link), &actions)
        case .settled(let browser):
            settledBrowsers.insert(browser)
        case .resolved(let name, let family, let location):
            resolved(Self.key(name), family, location, &actions)
        case .unresolved(let name, let family):
            unresolved(Self.key(name), family, &actions)
        case .service(let name, let change):
            serviceChanged(Self.key(name), change, &actions)
        case .address(let host, let family, let change):
            guard hosts[Self.key(host)]?.handle(change, family) == true else { break }
            for user in hosts[Self.key(host)]?.users.sorted() ?? [] { report(user, &actions) }
        }
        reportSettled(&actions)
        return actions
    }

    /// Names of DNS compare without regard to case.
    private static func key(_ name: String) -> String { name.lowercased() }

    private var isListing: Bool { if case .list = target { true } else { false } }

    private var browserCount: Int {
        switch target {
        case .browse(let types), .list(let types): types.count
        case .instance: 0
        }
    }
}

// MARK: - What browsers say

extension ServiceSearch {
    private mutating func appeared(_ name: String, _ sighting: Sighting, _ actions: inout [LookupAction]) {
        let key = Self.key(name)
        if instances[key] != nil {
            instances[key]?.sightings.insert(sighting)
            report(key, &actions)
            return
        }
        guard instances.count < (isListing ? Self.listLimit : Self.instanceLimit) else { return }
        instances[key] = Instance(name: name, sightings: [sighting], isPending: !isListing)
        if isListing {
            actions.append(.report(.named(name)))
        } else {
            resolve(key, &actions)
        }
    }

    private mutating func vanished(_ key: String, _ sighting: Sighting, _ actions: inout [LookupAction]) {
        guard var instance = instances[key] else { return }
        instance.sightings.remove(sighting)
        instances[key] = instance
        guard instance.sightings.isEmpty else { return report(key, &actions) }
        for family in ResolvedAddress.Family.allCases where instance.resolvers.contains(family) {
            actions.append(.stopResolving(name: instance.name, family))
        }
        if isListing { actions.append(.report(.removed(name: instance.name))) }
        forgetLocation(key, &actions)
        instances[key] = nil
    }

    private mutating func reportSettled(_ actions: inout [LookupAction]) {
        guard !hasSettled, browserCount > 0, settledBrowsers.count == browserCount,
            !instances.values.contains(where: \.isPending)
        else { return }
        hasSettled = true
        actions.append(.report(.settled))
    }
}

// MARK: - What resolvers and record browsers say

extension ServiceSearch {
    private mutating func resolve(_ key: String, _ actions: inout [LookupAction]) {
        guard let instance = instances[key] else { return }
        for family in ResolvedAddress.Family.allCases {
            instances[key]?.resolvers.insert(family)
            actions.append(.resolve(name: instance.name, family))
        }
    }

    private mutating func resolved(
        _ key: String, _ family: ResolvedAddress.Family, _ answer: ServiceLocation, _ actions: inout [LookupAction]
    ) {
        // A port of 0 is believed to be a device that is shutting down; the resolver goes on and will say better.
        guard let instance = instances[key], instance.resolvers.contains(family), answer.port != 0, !answer.host.isEmpty
        else { return }
        let txt = (try? TXTRecord(decoding: answer.txt)) ?? .empty
        let location = Location(host: answer.host, port: answer.port, txt: txt)
        if let old = instance.location, Self.key(old.host) != Self.key(location.host) { leave(key, old.host, &actions) }
        instances[key]?.location = location
        instances[key]?.isPending = false
        // One resolver is enough to follow the SRV and TXT records. Only that for IPv6 may be it: after an IPv4 answer it
        // is left to bring an IPv6 address, some milliseconds before the record browsers would.
        if family == .ipv6, instance.resolvers.contains(.ipv4) {
            instances[key]?.resolvers.remove(.ipv4)
            actions.append(.stopResolving(name: instance.name, .ipv4))
        }
        let isNewHost = hosts[Self.key(location.host)] == nil
        hosts[Self.key(location.host), default: HostRecords()].users.insert(key)
        hosts[Self.key(location.host)]?.hint(answer.address, link: answer.link)
        report(key, &actions)
        if isNewHost { actions.append(.watchHost(location.host)) }
        // Without a browser a goodbye goes unnoticed: a resolver keeps quiet about it for five seconds.
        if case .instance = target, instances[key]?.isWatched == false {
            instances[key]?.isWatched = true
            actions.append(.watchService(name: instance.name))
        }
    }

    private mutating func unresolved(
        _ key: String, _ family: ResolvedAddress.Family, _ actions: inout [LookupAction]
    ) {
        guard instances[key]?.resolvers.remove(family) != nil, instances[key]?.resolvers.isEmpty == true else { return }
        instances[key]?.isPending = false
        forgetLocation(key, &actions)
        resolve(key, &actions)
    }

    private mutating func serviceChanged(_ key: String, _ change: RecordChange, _ actions: inout [LookupAction]) {
        guard var instance = instances[key], instance.isWatched else { return }
        switch change {
        case .added:
            guard instance.serviceRecords.count < HostRecords.limit else { return }
            instance.serviceRecords.append(change)
            instances[key] = instance
        case .removed(let data, let link):
            instance.serviceRecords.removeAll { $0 == .added(data, link) }
            instances[key] = instance
            if instance.serviceRecords.isEmpty { forgetLocation(key, &actions) }
        case .cacheRead, .failed: return
        }
    }

    /// Reports an instance if that says anything new.
    private mutating func report(_ key: String, _ actions: inout [LookupAction]) {
        guard let instance = instances[key], let location = instance.location else { return }
        let addresses = hosts[Self.key(location.host)]?.addresses ?? []
        if addresses.isEmpty {
            guard instance.reported != nil else { return }
            instances[key]?.reported = nil
            actions.append(.report(.removed(name: instance.name)))
            return
        }
        let news = ServiceInstance(
            name: instance.name, host: location.host, port: location.port, txt: location.txt,
            browsers: Set(instance.sightings.map(\.browser)), addresses: addresses)
        guard news != instance.reported else { return }
        instances[key]?.reported = news
        actions.append(.report(.updated(news)))
    }

    /// Takes back where an instance is, and what was started for that; its resolvers are left alone.
    private mutating func forgetLocation(_ key: String, _ actions: inout [LookupAction]) {
        guard let instance = instances[key] else { return }
        if instance.reported != nil { actions.append(.report(.removed(name: instance.name))) }
        if let location = instance.location { leave(key, location.host, &actions) }
        if instance.isWatched { actions.append(.unwatchService(name: instance.name)) }
        instances[key]?.reported = nil
        instances[key]?.location = nil
        instances[key]?.isWatched = false
        instances[key]?.serviceRecords = []
    }

    private mutating func leave(_ key: String, _ host: String, _ actions: inout [LookupAction]) {
        let hostKey = Self.key(host)
        guard hosts[hostKey]?.users.remove(key) != nil, hosts[hostKey]?.users.isEmpty == true else { return }
        hosts[hostKey] = nil
        actions.append(.unwatchHost(host))
    }
}
