/// The way an mDNS answer took: the same record is reported once for each interface and protocol.
struct Link: Hashable, Sendable {
    let interface: Int32
    let transport: Int32
}

/// A finding of one lookup of a search.
enum LookupEvent: Hashable, Sendable {
    /// A browser, by its number, has seen an instance.
    case appeared(name: String, browser: Int, link: Link)
    case vanished(name: String, browser: Int, link: Link)
    /// A browser has reported everything that answers at once.
    case settled(browser: Int)
    /// The resolver for an instance and an address family has an answer, or a new one.
    case resolved(name: String, ResolvedAddress.Family, ServiceLocation)
    /// It gave up (Avahi does so after five seconds), or could not be started.
    case unresolved(name: String, ResolvedAddress.Family)
    /// News of the SRV records of an instance.
    case service(name: String, RecordChange)
    /// News of the address records of a host.
    case address(host: String, ResolvedAddress.Family, RecordChange)
}

/// The answer of a resolver.
struct ServiceLocation: Hashable, Sendable {
    let host: String
    let port: UInt16
    /// The data of the TXT record.
    let txt: [UInt8]
    /// One address of the host.
    let address: [UInt8]
    let link: Link
}

/// A finding of a record browser.
enum RecordChange: Hashable, Sendable {
    case added([UInt8], Link)
    case removed([UInt8], Link)
    /// The daemon has reported all that it knew beforehand.
    case cacheRead
    case failed
}

/// An action of the edge for a search.
enum LookupAction: Hashable, Sendable {
    case browse(Int, type: String)
    case resolve(name: String, ResolvedAddress.Family)
    case stopResolving(name: String, ResolvedAddress.Family)
    /// Follow the A and AAAA records of a host.
    case watchHost(String)
    case unwatchHost(String)
    /// Follow the SRV records of an instance.
    case watchService(name: String)
    case unwatchService(name: String)
    case report(ServiceReport)
}

/// The findings of a search, before they are read as Matter.
enum ServiceReport: Hashable, Sendable {
    /// An instance exists; only from a search that does not resolve.
    case named(String)
    /// An instance can be reached, or something about it changed.
    case updated(ServiceInstance)
    case removed(name: String)
    /// Everything that answers at once has been reported.
    case settled
}

/// A DNS-SD instance with all that is needed to reach it.
struct ServiceInstance: Hashable, Sendable {
    /// An address record, and the interface it came from.
    struct Address: Hashable, Sendable {
        let octets: [UInt8]
        let interface: Int32
    }

    let name: String
    let host: String
    let port: UInt16
    let txt: TXTRecord
    /// The browsers that have it.
    let browsers: Set<Int>
    /// In the order in which they came.
    let addresses: [Address]
}
