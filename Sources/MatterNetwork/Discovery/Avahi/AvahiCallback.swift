import CAvahi

/// The context of an Avahi object's callbacks: which search it serves and what it was asked.
///
/// One is retained for every Avahi object and released after that object has been freed. Avahi calls back on the loop's
/// thread only, which is where objects are made and freed, so it never meets a released one.
final class AvahiCallback {
    enum Role {
        case client
        case browser(Int)
        case resolver(name: String, ResolvedAddress.Family)
        case service(name: String)
        case address(host: String, ResolvedAddress.Family)
        case group
    }

    private weak var connection: AvahiConnection?
    private let library: AvahiLibrary
    /// The search or publication.
    private let owner: Int
    let role: Role

    init(_ connection: AvahiConnection, owner: Int, _ role: Role) {
        self.connection = connection
        library = connection.library
        self.owner = owner
        self.role = role
    }

    /// The pointer for Avahi, which holds a reference to the callback.
    func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func release(_ user: UnsafeMutableRawPointer) { Unmanaged<AvahiCallback>.fromOpaque(user).release() }

    private static func from(_ user: UnsafeMutableRawPointer?) -> AvahiCallback? {
        user.map { Unmanaged<AvahiCallback>.fromOpaque($0).takeUnretainedValue() }
    }

    private func deliver(_ event: LookupEvent) {
        let owner = owner
        connection?.assumeIsolated { $0.lookup(event, search: owner) }
    }
}

// MARK: - The functions that Avahi calls

extension AvahiCallback {
    static let client: CAvahiClientCallback = { _, state, user in
        AvahiCallback.from(user)?.connection?.assumeIsolated { $0.clientChanged(state) }
    }

    static let group: CAvahiEntryGroupCallback = { _, state, user in
        guard let callback = AvahiCallback.from(user) else { return }
        let owner = callback.owner
        callback.connection?.assumeIsolated { $0.groupChanged(state, publication: owner) }
    }

    static let browser: CAvahiServiceBrowserCallback = { _, interface, transport, event, name, _, _, _, user in
        guard let callback = AvahiCallback.from(user), case .browser(let number) = callback.role else { return }
        let name = name.map { String(cString: $0) } ?? ""
        let link = Link(interface: interface, transport: transport)
        switch Int(event) {
        case CAVAHI_BROWSER_NEW: callback.deliver(.appeared(name: name, browser: number, link: link))
        case CAVAHI_BROWSER_REMOVE: callback.deliver(.vanished(name: name, browser: number, link: link))
        case CAVAHI_BROWSER_ALL_FOR_NOW: callback.deliver(.settled(browser: number))
        case CAVAHI_BROWSER_FAILURE:
            let owner = callback.owner
            callback.connection?.assumeIsolated { $0.browserFailed(search: owner) }
        default: break
        }
    }

    static let resolver: CAvahiServiceResolverCallback = {
        _, interface, transport, event, _, _, _, host, address, port, txt, _, user in
        guard let callback = AvahiCallback.from(user), case .resolver(let name, let family) = callback.role else {
            return
        }
        guard Int(event) == CAVAHI_RESOLVER_FOUND, let host, let address else {
            return callback.deliver(.unresolved(name: name, family))
        }
        let octets = [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            count = buffer.baseAddress.map { cavahi_address_octets(address, $0) } ?? 0
        }
        let location = ServiceLocation(
            host: String(cString: host), port: port, txt: callback.octets(txt), address: octets,
            link: Link(interface: interface, transport: transport))
        callback.deliver(.resolved(name: name, family, location))
    }

    static let record: CAvahiRecordBrowserCallback = { _, interface, transport, event, _, _, _, data, size, _, user in
        guard let callback = AvahiCallback.from(user) else { return }
        let data = data.map { Array(UnsafeRawBufferPointer(start: $0, count: size)) } ?? []
        let link = Link(interface: interface, transport: transport)
        let change: RecordChange
        switch Int(event) {
        case CAVAHI_BROWSER_NEW: change = .added(data, link)
        case CAVAHI_BROWSER_REMOVE: change = .removed(data, link)
        case CAVAHI_BROWSER_CACHE_EXHAUSTED: change = .cacheRead
        case CAVAHI_BROWSER_FAILURE: change = .failed
        default: return
        }
        switch callback.role {
        case .service(let name): callback.deliver(.service(name: name, change))
        case .address(let host, let family): callback.deliver(.address(host: host, family, change))
        case .client, .browser, .resolver, .group: break
        }
    }

    /// The data of a TXT record.
    private func octets(_ txt: OpaquePointer?) -> [UInt8] {
        let size = cavahi_txt_octets(library.handle, txt, nil, 0)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = cavahi_txt_octets(library.handle, txt, buffer.baseAddress, size)
        }
    }
}
