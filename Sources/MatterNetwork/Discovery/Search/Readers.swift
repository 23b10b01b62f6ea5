/// Reads the reports of a search as commissionable devices.
struct CommissionableReader {
    /// The number of the browser that asks for the filter's subtype.
    static let subtypeBrowser = 0

    private let filter: CommissionableFilter
    private let includingClosed: Bool
    private var known: [String: CommissionableDevice] = [:]

    init(_ filter: CommissionableFilter, includingClosed: Bool) {
        self.filter = filter
        self.includingClosed = includingClosed
    }

    /// The target of a search. On some networks, browsing by subtype finds nothing while the plain type does. So both are
    /// searched, and the filter is applied to the records.
    var target: ServiceSearch.Target {
        let all = MatterService.commissionable
        return .browse(filter.subtype.map { [MatterService.subtype($0, of: all), all] } ?? [all])
    }

    mutating func read(_ report: ServiceReport, interfaces: [LocalInterface]) -> CommissionableEvent? {
        switch report {
        case .updated(let instance):
            guard let device = device(instance, interfaces: interfaces) else { return lost(instance.name) }
            guard known.updateValue(device, forKey: instance.name) != device else { return nil }
            return .found(device)
        case .removed(let name): return lost(name)
        case .settled: return .allForNow
        case .named: return nil
        }
    }

    private mutating func lost(_ name: String) -> CommissionableEvent? {
        known.removeValue(forKey: name).map { .lost(instance: $0.instance) }
    }

    private func device(_ instance: ServiceInstance, interfaces: [LocalInterface]) -> CommissionableDevice? {
        let record = CommissionableRecord(instance.txt)
        let hasSubtype = filter.subtype != nil && instance.browsers.contains(Self.subtypeBrowser)
        let addresses = instance.usableAddresses(interfaces)
        guard !addresses.isEmpty, includingClosed || record.commissioningMode != .closed,
            filter.matches(record, hasSubtype: hasSubtype)
        else { return nil }
        return CommissionableDevice(
            instance: instance.name, host: instance.host, port: instance.port, addresses: addresses, record: record)
    }
}

/// Reads the reports of a search for one node.
struct OperationalReader {
    private let instance: OperationalInstance
    private var known: OperationalNode?

    init(_ instance: OperationalInstance) { self.instance = instance }

    var target: ServiceSearch.Target { .instance(instance.name) }

    mutating func read(_ report: ServiceReport, interfaces: [LocalInterface]) -> OperationalUpdate? {
        var node: OperationalNode?
        switch report {
        case .updated(let service):
            let addresses = service.usableAddresses(interfaces)
            if !addresses.isEmpty {
                node = OperationalNode(
                    instance: instance, host: service.host, port: service.port, addresses: addresses,
                    record: OperationalRecord(service.txt))
            }
        case .removed: break
        case .settled, .named: return nil
        }
        guard node != known else { return nil }
        known = node
        return node.map { .found($0) } ?? .lost
    }
}

/// Reads the reports of a search for the names of nodes.
struct OperationalListReader {
    private let compressedFabricID: UInt64?

    init(compressedFabricID: UInt64?) { self.compressedFabricID = compressedFabricID }

    /// By subtype and without, for the same reason as with commissionable devices.
    var target: ServiceSearch.Target {
        let all = MatterService.operational
        let fabric = compressedFabricID.map { MatterService.subtype(MatterService.fabricSubtype($0), of: all) }
        return .list(fabric.map { [$0, all] } ?? [all])
    }

    func read(_ report: ServiceReport) -> OperationalEvent? {
        switch report {
        case .named(let name): instance(name).map { .found($0) }
        case .removed(let name): instance(name).map { .lost($0) }
        case .settled: .allForNow
        case .updated: nil
        }
    }

    private func instance(_ name: String) -> OperationalInstance? {
        guard let instance = try? OperationalInstance(name: name),
            compressedFabricID == nil || compressedFabricID == instance.compressedFabricID
        else { return nil }
        return instance
    }
}

extension ServiceInstance {
    /// The addresses that a datagram can be sent to, best first.
    func usableAddresses(_ interfaces: [LocalInterface]) -> [ResolvedAddress] {
        var seen: Set<ResolvedAddress> = []
        let usable = addresses.compactMap {
            AddressPreference.usable($0.octets, interface: $0.interface, port: port, interfaces: interfaces)
        }
        return AddressPreference.sorted(usable.filter { seen.insert($0).inserted }, interfaces: interfaces)
    }
}
