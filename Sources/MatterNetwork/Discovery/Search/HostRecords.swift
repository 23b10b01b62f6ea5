/// The address records of one host, as the two record browsers for it and the resolvers report them.
struct HostRecords {
    private struct Sighting: Hashable {
        let octets: [UInt8]
        let link: Link
    }

    /// More than any host has; a limit for hostile ones.
    static let limit = 64

    /// The instances that are on this host, by their keys.
    var users: Set<String> = []
    private var sightings: [Sighting] = []
    /// Told by a resolver and not confirmed by a record browser yet.
    private var provisional: Set<Sighting> = []
    /// The families whose cached records are complete: until then nothing is reported, so that the first report
    /// has them all.
    private var read: Set<ResolvedAddress.Family> = []

    /// The addresses, each once for every interface it was seen on.
    var addresses: [ServiceInstance.Address] {
        var seen: Set<ServiceInstance.Address> = []
        return sightings.map { ServiceInstance.Address(octets: $0.octets, interface: $0.link.interface) }
            .filter { seen.insert($0).inserted }
    }

    /// Takes the address that came with a resolver's answer: it is usable some milliseconds before the record browsers
    /// have started. Once they have, they know better.
    mutating func hint(_ octets: [UInt8], link: Link) {
        guard let family = Self.family(octets), !read.contains(family) else { return }
        let sighting = Sighting(octets: octets, link: link)
        guard insert(sighting) else { return }
        provisional.insert(sighting)
    }

    /// - Returns: whether the change is to be reported now.
    mutating func handle(_ change: RecordChange, _ family: ResolvedAddress.Family) -> Bool {
        switch change {
        case .added(let octets, let link):
            guard Self.family(octets) == family else { return false }
            let sighting = Sighting(octets: octets, link: link)
            provisional.remove(sighting)
            return insert(sighting) && read.contains(family)
        case .removed(let octets, let link):
            let sighting = Sighting(octets: octets, link: link)
            provisional.remove(sighting)
            sightings.removeAll { $0 == sighting }
            return true
        case .cacheRead:
            read.insert(family)
            let disproved = provisional.filter { Self.family($0.octets) == family }
            provisional.subtract(disproved)
            sightings.removeAll(where: disproved.contains)
            return true
        case .failed:
            read.insert(family)
            return true
        }
    }

    private mutating func insert(_ sighting: Sighting) -> Bool {
        guard sightings.count < Self.limit, !sightings.contains(sighting) else { return false }
        sightings.append(sighting)
        return true
    }

    private static func family(_ octets: [UInt8]) -> ResolvedAddress.Family? {
        switch octets.count {
        case 16: .ipv6
        case 4: .ipv4
        default: nil
        }
    }
}
