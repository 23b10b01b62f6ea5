public import MatterState

/// Looks for the reasons why devices are not reached: on this machine, in its network, on the way to a node. It never
/// changes anything.
public struct DoctorService: FabricService {
    let context: FabricContext
    let links: NodeLinks
    let exports: ExportService

    /// How long a node may take for a bare message.
    private static let patience = Duration.seconds(1)
    /// The addresses of a node that are tried.
    private static let mostAddresses = 4

    init(_ context: FabricContext, _ links: NodeLinks, _ exports: ExportService) {
        self.context = context
        self.links = links
        self.exports = exports
    }

    // MARK: This machine and its network

    /// Looks at this machine, and at the network as it answers.
    ///
    /// - Throws: `CancellationError`.
    public func examine() async throws -> Checkup {
        let host = await machine()
        let network = try await network(host)
        return Checkup(HostExamination(facts: host).checks + NetworkExamination(facts: network, host: host).checks)
    }

    /// Looks at the way to a node, layer by layer, and at the node's own diagnostics.
    ///
    /// - Parameter budget: for the session and the reading.
    /// - Throws: `CancellationError`.
    public func examine(_ node: NodeRecord, budget: Budget) async throws -> Checkup {
        let host = await machine()
        let facts = try await way(to: node, host, budget)
        return Checkup(NodeExamination(facts: facts, host: host).checks)
    }

    // MARK: The machine

    private func machine() async -> HostFacts {
        let reader = HostReader()
        var facts = reader.facts()
        facts.now = options.unixTime()
        facts.service = await service()
        facts.firewall = await FirewallReader.rules()
        facts.obstacleToKeeping = links.obstacleToKeeping
        addState(to: &facts, reader)
        return facts
    }

    private func service() async -> HostFacts.Service? {
        guard let discovery = context.discovery() else { return nil }
        do throws(DiscoveryError) {
            try await discovery.check()
            return .answers
        } catch {
            return error.code == .busUnavailable ? .noBus(error.reason) : .absent(error.reason)
        }
    }

    private func addState(to facts: inout HostFacts, _ reader: HostReader) {
        let records = TrustRecords(options.state)
        facts.trustDate = try? TrustCatalogue(main: records.set(.main), test: nil, own: OwnTrust()).date
        var past: [(time: Int64, evidence: String)] = [
            (ProductionAuthorities.date, "the list of makers in this program")
        ]
        if let time = reader.changeTime(of: options.state.path) { past.append((time, "the folder with the state")) }
        do {
            let (all, faults) = try fabrics.sound()
            facts.state = all.isEmpty && !reader.isThere(options.state.path) ? .absent : .sound
            if let fault = reader.foreign(options.state.path) { facts.state = .fault(fault) }
            if let fault = faults.first { facts.state = .fault(MatterError(fault.error).message) }
            if !all.isEmpty {
                let fabric = try context.fabric()
                let nodes = try context.nodes().sound().nodes
                facts.nodeCount = nodes.count
                facts.hasThreadNodes = nodes.contains { $0.isOnThread }
                facts.backup = exports.lastBackup(of: fabric).map { .made($0.at, $0.path) } ?? .none
                facts.provenance = fabric.provenance
                if let noc = try? MatterCertificate(tlv: fabric.noc) {
                    past.append((MatterEpoch.unix(noc.notBefore), "our own certificate"))
                }
            }
        } catch let error as RecordError where error.code == .ambiguousFabric {
            // Several fabrics and none chosen: the folder is sound all the same.
            facts.state = .sound
        } catch {
            facts.state = .fault(MatterError(error).message)
        }
        facts.past = past.max { $0.time < $1.time }
    }

    // MARK: The network

    private var search: TimedSearch { TimedSearch(time: options.time) }
    private var probe: Probe { Probe(links: options.links, time: options.time, random: options.random) }

    private func network(_ host: HostFacts) async throws -> NetworkFacts {
        guard let discovery = context.discovery() else { return NetworkFacts() }
        let isLookedFor = host.service == .answers && host.backup != .noFabric
        async let selves = isLookedFor ? ownAddresses(discovery) : nil
        async let routers = host.service == .answers ? search.borderRouters(discovery) : nil
        var facts = NetworkFacts()
        do {
            let own = Set(host.interfaces.flatMap(\.addresses).map { LocalPrefix.text($0.octets) })
            facts.answers = try await probe.hosts().filter { host in
                !own.contains(String(host.prefix { $0 != "%" }))
            }
        } catch let error as TransportError {
            facts.obstacle = error.reason
        }
        facts.borderRouters = try await routers
        let known = Set(host.interfaces.flatMap(\.addresses).map(\.octets))
        // Without a fabric there is no node of ours.
        facts.otherSelves = host.backup == .noFabric ? [] : nil
        if let found = try await selves {
            let isOurs = found.allSatisfy { known.contains($0.octets) || $0.family == .ipv4 }
            facts.otherSelves = isOurs ? [] : found.map { "\($0)" }
        }
        return facts
    }

    // MARK: A node

    private func way(to node: NodeRecord, _ host: HostFacts, _ budget: Budget) async throws -> NodeWayFacts {
        var facts = NodeWayFacts(node: node)
        facts.known = options.addresses.isEmpty ? node.addresses : options.addresses
        if let discovery = context.discovery(), host.service == .answers {
            facts.advertised = try await addresses(of: node.nodeID, discovery)
        }
        let advertised = (facts.advertised ?? []).compactMap { address in
            PeerAddress(octets: address.octets, scope: address.scope?.index ?? 0, port: address.port)
        }
        let (probe, patience) = (probe, Self.patience)
        let targets = (advertised.isEmpty ? facts.known : advertised).prefix(Self.mostAddresses)
        facts.echoes = try await withThrowingTaskGroup(of: (Int, PeerAddress, NodeWayFacts.Echo).self) { group in
            for (place, address) in targets.enumerated() where address.udp != nil || address.isOnNetwork {
                group.addTask { (place, address, try await probe.echo(of: address, within: patience)) }
            }
            var all: [(Int, PeerAddress, NodeWayFacts.Echo)] = []
            for try await echo in group { all.append(echo) }
            return all.sorted { $0.0 < $1.0 }.map { ($0.1, $0.2) }
        }
        try await ask(node, &facts, budget)
        addKnowledge(to: &facts)
        return facts
    }

    /// Where our own node is advertised, by us or by another; `nil` if that was not found out.
    private func ownAddresses(_ discovery: any Discovery) async throws -> [ResolvedAddress]? {
        guard let fabric = try? context.fabric() else { return nil }
        return try await addresses(of: fabric.nodeID, discovery)
    }

    private func addresses(of node: NodeID, _ discovery: any Discovery) async throws -> [ResolvedAddress]? {
        let identity = try context.fabric().compressedFabricID.rawValue
        let found = Gathered<Bool, [ResolvedAddress]>()
        let isWhole = try await search.run {
            for try await update in discovery.resolveOperational(
                compressedFabricID: identity, nodeID: node.rawValue)
            {
                guard case .found(let node) = update else {
                    found[true] = []
                    continue
                }
                found[true] = node.addresses
                // Those that come later are of the same kind.
                if node.addresses.contains(where: { $0.family == .ipv6 }) { break }
            }
        }
        return isWhole ? found[true] ?? [] : nil
    }

    private func ask(_ node: NodeRecord, _ facts: inout NodeWayFacts, _ budget: Budget) async throws {
        do {
            let (time, read, fabrics, log) = try await links.withLink(to: node) { [options] link in
                let deadline = budget.deadline(for: node)
                let began = options.time.now
                // A session that was kept answers only to a message.
                let fabrics = try await link.fabrics(deadline: deadline)
                let time = options.time.now - began
                let read = try? await link.read(NodeWayFacts.paths, deadline: deadline)
                let isOnWiFi = read?.first(WiFiNetworkDiagnostics.bssid) != nil
                let log = isOnWiFi ? try? await link.readEvents(NodeWayFacts.wifiLog, deadline: deadline) : nil
                return (time, read, fabrics, log)
            }
            facts.answerTime = time
            facts.read = read
            facts.wifiEvents = log
            facts.fabrics = fabrics
            facts.readAt = WallClock.unixMicroseconds()
        } catch {
            try Task.checkCancellation()
            facts.failure = error
        }
    }

    private func addKnowledge(to facts: inout NodeWayFacts) {
        if let noc = try? MatterCertificate(tlv: context.fabric().noc), noc.notAfter != MatterEpoch.none {
            facts.ownEnd = MatterEpoch.unix(noc.notAfter)
        }
        if let fabric = try? context.fabric() { facts.identityKeySince = try? FabricAges.identityKey(of: fabric) }
        guard let vendor = facts.node.vendorID, let product = facts.node.productID else { return }
        let cache = LedgerCache(options.state, .main)
        guard let known = cache.known(.versions(vendor, product)), let newest = known.answer?.max() else { return }
        let version = cache.known(.version(vendor, product, newest))?.answer?.text
        facts.newest = (newest, version ?? "version \(newest)", DayText.day(known.date))
    }
}

extension NodeRecord {
    /// Whether the node is known to be on a Thread network.
    fileprivate var isOnThread: Bool {
        endpoints.contains { $0.serverClusters.contains(ThreadNetworkDiagnostics.id.rawValue) }
    }
}
