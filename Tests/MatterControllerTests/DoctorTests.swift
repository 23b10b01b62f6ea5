import Glibc
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterState

/// Judgements from facts, and facts from the files of a kernel that is not this one.
@Suite("Doctor")
struct DoctorTests {
    /// A machine on which everything is as it should be.
    private static let sound: HostFacts = {
        var facts = HostFacts()
        var uplink = HostFacts.Interface(name: "eth0", index: 2)
        uplink.addresses = [address("fe80::1", 64), address("fd00::1", 64)].compactMap { $0 }
        (uplink.isIPv6Disabled, uplink.acceptsAdvertisements, uplink.longestRoute) = (false, 1, 64)
        uplink.isForwarding = false
        facts.interfaces = [HostFacts.Interface(name: "lo", isLoopback: true), uplink]
        facts.firewall = .rules("")
        facts.largestReceiveBuffer = 212_992
        facts.service = .answers
        facts.responders = [
            .init(isIPv6: false, user: 100, program: "avahi-daemon"),
            .init(isIPv6: true, user: 100, program: "avahi-daemon"),
        ]
        facts.responderConfiguration = "[server]\nuse-ipv6=yes\n"
        facts.now = 1_790_000_000
        facts.past = (1_780_000_000, "our own certificate")
        facts.hardwareClock = 1_790_000_010
        (facts.isClockSynchronized, facts.hasEntropy, facts.mostOpenFiles) = (true, true, 1024)
        facts.adapters = ["hci0"]
        facts.state = .sound
        facts.nodeCount = 3
        facts.trustDate = 1_789_900_000
        facts.backup = .made(1_789_900_000, "/backup/one.age")
        return facts
    }()

    private static func address(_ text: String, _ length: Int) -> HostFacts.Address? {
        octets(text).map { HostFacts.Address(octets: $0, length: length) }
    }

    private static func octets(_ text: String) -> [UInt8]? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    /// One thing that is broken, and the check that has to say so.
    struct Break: Sendable, CustomTestStringConvertible {
        var subject: CheckSubject
        var verdict: Check.Verdict
        var change: @Sendable (inout HostFacts) -> Void
        var testDescription: String { "\(subject): \(verdict)" }

        init(_ subject: CheckSubject, _ verdict: Check.Verdict, _ change: @escaping @Sendable (inout HostFacts) -> Void)
        {
            (self.subject, self.verdict, self.change) = (subject, verdict, change)
        }
    }

    private static let breaks: [Break] = [
        Break(.interface, .failure) { $0.interfaces[1].isUp = false },
        Break(.interface, .failure) { $0.interfaces[1].isMulticast = false },
        Break(.ipv6, .failure) {
            $0.interfaces[1].isIPv6Disabled = true
            $0.interfaces[1].addresses = []
        },
        Break(.ipv6, .failure) { $0.hasIPv6 = false },
        Break(.duplicateAddress, .failure) { $0.interfaces[1].addresses[1].isDuplicate = true },
        Break(.hostAddress, .failure) {
            $0.hasThreadNodes = true
            $0.interfaces[1].addresses.removeLast()
        },
        Break(.routerAdvertisements, .warning) { $0.interfaces[1].acceptsAdvertisements = 0 },
        Break(.routerAdvertisements, .failure) {
            $0.interfaces[1].isForwarding = true
            $0.hasThreadNodes = true
        },
        Break(.routeInformation, .failure) {
            $0.interfaces[1].longestRoute = 0
            $0.hasThreadNodes = true
        },
        Break(.routeInformation, .note) { $0.interfaces[1].longestRoute = 48 },
        Break(.forwarding, .note) { $0.interfaces[1].isForwarding = true },
        Break(.containerNetworks, .note) { $0.interfaces.append(HostFacts.Interface(name: "docker0")) },
        Break(.containerNetworks, .warning) { $0.container = "Docker" },
        Break(.bridgeSnooping, .warning) { $0.interfaces[1].bridge = .init(isSnooping: true, isQuerier: false) },
        Break(.firewall, .failure) { $0.firewall = .rules(DoctorTests.dropping("udp dport 22 accept")) },
        Break(.firewall, .failure) { $0.firewall = .rules(DoctorTests.dropping("udp sport 5353 accept")) },
        Break(.firewall, .failure) {
            $0.firewall = .rules(
                "table ip6 f {\n\tchain input {\n\t\ttype filter hook input priority 0; policy accept;\n"
                    + "\t\tudp dport 5353 drop\n\t}\n}\n")
        },
        Break(.firewall, .failure) {
            // Answers of devices.
            $0.firewall = .rules(DoctorTests.dropping("udp sport 5353 accept\n\t\tmeta l4proto ipv6-icmp accept"))
        },
        Break(.firewall, .failure) {
            $0.firewall = .rules(
                "table ip6 f {\n\tchain output {\n\t\ttype filter hook output priority 0; policy accept;\n"
                    + "\t\tudp dport 5540 counter packets 1 bytes 60 drop\n\t}\n}\n")
        },
        Break(.firewall, .failure) {
            $0.firewall = .rules(
                "table ip6 f {\n\tchain input {\n\t\ttype filter hook input priority 0; policy accept;\n"
                    + "\t\tudp sport 5540 reject\n\t}\n}\n")
        },
        Break(.firewall, .notChecked) { $0.firewall = .unreadable("no") },
        Break(.connectionTracking, .note) { $0.trackingTime = 120 },
        Break(.connectionTracking, .warning) {
            $0.trackingTime = 120
            $0.firewall = .rules(
                DoctorTests.dropping(
                    "udp sport 5353 accept\n\t\tmeta l4proto ipv6-icmp accept\n\t\tct state established accept"))
        },
        Break(.receiveBuffer, .warning) { $0.nodeCount = 500 },
        Break(.bus, .failure) { $0.service = .noBus("no bus") },
        Break(.responder, .failure) { $0.service = .absent("no daemon") },
        Break(.secondResponder, .warning) {
            $0.responders?.append(.init(isIPv6: true, user: 101, program: "systemd-resolved"))
        },
        Break(.responderConfiguration, .failure) { $0.responderConfiguration = "use-ipv6 = no" },
        Break(.responderConfiguration, .failure) { $0.responderConfiguration = "allow-interfaces=eth1, wlan0" },
        Break(.responderConfiguration, .failure) { $0.responderConfiguration = "deny-interfaces=eth0" },
        Break(.responderConfiguration, .warning) { $0.responderConfiguration = "enable-reflector=yes" },
        Break(.responderConfiguration, .warning) { $0.responderConfiguration = "cache-entries-max=0" },
        Break(.clock, .failure) { $0.now = 1_700_000_000 },
        Break(.clock, .warning) { $0.hardwareClock = 1_790_200_000 },
        Break(.clockSynchronization, .note) { $0.isClockSynchronized = false },
        Break(.entropy, .failure) { $0.hasEntropy = false },
        Break(.bluetooth, .note) { $0.adapters = [] },
        Break(.runtimeFolder, .note) { $0.obstacleToKeeping = "no folder" },
        Break(.openFiles, .warning) { $0.mostOpenFiles = 64 },
        Break(.stateFolder, .failure) { $0.state = .fault("others may read it") },
        Break(.trustData, .note) { $0.trustDate = 1_770_000_000 },
        Break(.copies, .note) {
            $0.provenance = FabricProvenance(way: .copy, host: "den", isSameMachine: false, at: 1_789_000_000)
        },
        Break(.copies, .note) {
            $0.provenance = FabricProvenance(way: .export, host: nil, isSameMachine: nil, at: 1_789_000_000)
        },
        Break(.backup, .warning) { $0.backup = .none },
        Break(.backup, .warning) { $0.backup = .made(1_780_000_000, "/backup/old.age") },
    ]

    private static func dropping(_ rule: String) -> String {
        "table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; policy drop;\n\t\t\(rule)\n\t}\n}\n"
    }

    @Test("a machine that is sound fails no check")
    func sound() {
        for check in HostExamination(facts: Self.sound).checks {
            #expect(check.verdict == .ok, "\(check.subject.rawValue): \(check.seen)")
        }
    }

    @Test("what is broken is found, with a step that mends it, and nothing else is blamed for it", arguments: breaks)
    func broken(_ one: Break) throws {
        var facts = Self.sound
        one.change(&facts)
        let checks = HostExamination(facts: facts).checks
        let check = try #require(checks.first { $0.subject == one.subject })
        #expect(check.verdict == one.verdict, "\(check.seen)")
        #expect(check.cure != nil)
        let failures = checks.filter { $0.verdict == .failure && $0.subject != one.subject }
        // Without an address, the interface is of no use either.
        let allowed: Set<CheckSubject> = one.subject == .ipv6 ? [.interface] : []
        #expect(Set(failures.map(\.subject)).isSubset(of: allowed))
    }

    @Test("every check of the machine is broken by some test")
    func coverage() {
        let checks = Set(HostExamination(facts: Self.sound).checks.map(\.subject))
        #expect(checks == Set(Self.breaks.map(\.subject)))
        #expect(checks == Set(CheckSubject.allCases.filter { $0.layer == .host }))
    }

    // MARK: The files of a kernel

    private func folder(_ files: [String: String]) throws -> TemporaryFolder { try TemporaryFolder(files) }

    @Test("the facts are read from the kernel's files")
    func files() throws {
        let folder = try folder([
            "proc/net/if_inet6": "fe800000000000000000000000000001 02 40 20 80     eth0\n"
                + "fd000000000000000000000000000001 02 40 00 c8     eth0\n",
            "proc/net/ipv6_route":
                "fd000000000000000000000000000000 40 00000000000000000000000000000000 00 "
                + "00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0\n"
                + "00000000000000000000000000000000 00 00000000000000000000000000000000 00 "
                + "fe800000000000000000000000000002 00000400 00000001 00000000 00000003     eth0\n",
            "proc/net/udp": "  sl  local_address rem_address\n"
                + "  10: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   100        0 999 2 0 0\n",
            "proc/sys/net/ipv6/conf/eth0/accept_ra": "1\n",
            "proc/sys/net/ipv6/conf/eth0/accept_ra_rt_info_max_plen": "0\n",
            "proc/sys/net/ipv6/conf/eth0/disable_ipv6": "0\n", "proc/sys/net/ipv6/conf/eth0/forwarding": "1\n",
            "run/NetworkManager/devices/2": "[device]\nmanaged=full\n",
            "etc/avahi/avahi-daemon.conf": "[server]\nallow-interfaces=eth0\n",
            "sys/class/bluetooth/hci0/address": "", "sys/class/net/wlan0/wireless/x": "",
        ])
        defer { folder.remove() }
        var reader = HostReader(root: folder.path)
        reader.interfaces = { ["eth0", "wlan0"].map { HostFacts.Interface(name: $0, index: 2) } }
        // The kernel's answer: the name, a family, the address.
        reader.accessPoint = { request in
            guard String(cString: request.assumingMemoryBound(to: CChar.self)) == "wlan0" else { return false }
            request.copyMemory(from: Array("wlan0\0".utf8), byteCount: 6)
            (request + 16).copyMemory(from: [1, 0, 2, 0x11, 0x22, 0x33, 0x44, 0x55] as [UInt8], byteCount: 8)
            return true
        }
        let facts = reader.facts()
        #expect(facts.accessPoint?.interface == "wlan0")
        #expect(facts.accessPoint?.bssid == [2, 0x11, 0x22, 0x33, 0x44, 0x55])
        reader.accessPoint = { request in
            (request + 16).copyMemory(from: [1, 0, 0, 0, 0, 0, 0, 0] as [UInt8], byteCount: 8)
            return true
        }
        #expect(reader.facts().accessPoint == nil, "not connected")
        let uplink = try #require(facts.interfaces.first)
        #expect(uplink.addresses.map(\.isDuplicate) == [false, true])
        #expect(uplink.addresses.map(\.isTentative) == [false, true])
        #expect(uplink.acceptsAdvertisements == 1 && uplink.longestRoute == 0)
        #expect(uplink.isForwarding == true && uplink.manager == "NetworkManager")
        #expect(facts.responders == [HostFacts.Responder(isIPv6: false, user: 100, program: nil)])
        #expect(facts.adapters == ["hci0"])
        let (near, far) = (try #require(Self.octets("fd00::7")), try #require(Self.octets("fd11::7")))
        #expect(facts.route(to: near)?.gateway.allSatisfy { $0 == 0 } == true)
        #expect(facts.route(to: far)?.isDefault == true)
    }

    @Test(
        "malformed files of a kernel give no facts, and no crash",
        arguments: ["", "x", "fe80 02 40 20 80 eth0\n", "\u{0}\n:::\n"])
    func malformed(text: String) throws {
        let folder = try folder([
            "proc/net/if_inet6": text, "proc/net/ipv6_route": text, "proc/net/udp": text, "proc/net/udp6": text,
            "proc/sys/net/ipv6/conf/eth0/accept_ra": text, "etc/avahi/avahi-daemon.conf": text,
        ])
        defer { folder.remove() }
        let facts = HostReader(root: folder.path) { [HostFacts.Interface(name: "eth0", index: 2)] }.facts()
        #expect(facts.interfaces.first?.addresses.isEmpty == true && facts.routes.isEmpty && facts.responders == [])
        _ = HostExamination(facts: facts).checks
    }

    @Test("a firewall that drops is sound if it lets in all that is needed, and one of another port does not matter")
    func soundFirewall() {
        let needed = ["udp sport 5353 accept", "meta l4proto ipv6-icmp accept"]
        for answers in ["ct state established,related accept", "udp sport 5540 accept"] {
            #expect(FirewallRules(Self.dropping((needed + [answers]).joined(separator: "\n\t\t"))).fault == nil)
        }
        let other =
            "table ip6 f {\n\tchain output {\n\t\ttype filter hook output priority 0; policy accept;\n"
            + "\t\tudp dport 5541 drop\n\t}\n\tchain forward {\n\t\ttype filter hook forward priority 0;\n"
            + "\t\tudp dport 5540 drop\n\t}\n}\n"
        #expect(FirewallRules(other).fault == nil && !FirewallRules(other).drops)
    }

    // MARK: The network

    private func router(
        _ name: String, _ id: UInt8, network: String = "home", partition: UInt8 = 1, stamp: UInt8 = 1,
        state: UInt8 = 0x10,
        prefix: [UInt8] = []
    ) throws -> BorderRouter {
        func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
            let text = Array("\(key)=".utf8) + value
            return [UInt8(text.count)] + text
        }
        var data = entry("nn", Array(network.utf8)) + entry("xp", [UInt8](repeating: id, count: 8))
        data += entry("at", [0, 0, 0, 0, 0, stamp, 0, 0]) + entry("pt", [0, 0, 0, partition])
        data += entry("sb", [0, 0, 0x04, state])
        if !prefix.isEmpty { data += entry("omr", prefix) }
        let octets = try #require(Self.octets("fd00::9"))
        let address = try #require(ResolvedAddress(octets: octets, port: 49_191))
        return BorderRouter(
            instance: name, host: "\(name).local", addresses: [address], txt: try TXTRecord(decoding: data))
    }

    private func check(
        _ subject: CheckSubject, _ routers: [BorderRouter], answers: Set<String>? = ["fd00::9"],
        _ change: (inout HostFacts) -> Void = { _ in }
    ) throws -> Check {
        var host = Self.sound
        change(&host)
        var facts = NetworkFacts()
        (facts.answers, facts.borderRouters, facts.otherSelves) = (answers, routers, [])
        return try #require(NetworkExamination(facts: facts, host: host).checks.first { $0.subject == subject })
    }

    @Test("a fabric that came from elsewhere long ago is no concern any more, and is still told")
    func longAgo() throws {
        var facts = Self.sound
        facts.provenance = FabricProvenance(way: .copy, host: "den", isSameMachine: false, at: 1_780_000_000)
        let check = try #require(HostExamination(facts: facts).checks.first { $0.subject == .copies })
        #expect(check.verdict == .ok && check.seen.contains("den"))
    }

    @Test("another host that acts as our own node is a warning, and one that was not looked for is not checked")
    func otherSelf() throws {
        func check(_ others: [String]?) throws -> Check {
            var facts = NetworkFacts()
            facts.otherSelves = others
            return try #require(NetworkExamination(facts: facts, host: Self.sound).checks.first)
        }
        let found = try check(["[fd00::9]:5541"])
        #expect(found.subject == .ownNode && found.verdict == .warning && found.seen.contains("fd00::9"))
        #expect(try check([]).verdict == .ok && check(nil).verdict == .notChecked)
    }

    @Test("a Thread network that is in one piece and can be reached fails no check")
    func soundNetwork() throws {
        let prefix: [UInt8] = [64, 0xFD, 0x11, 0, 0, 0, 0, 0, 0]
        let routers = [try router("one", 1, prefix: prefix), try router("two", 1, prefix: prefix)]
        for subject in CheckSubject.allCases where subject.layer == .network {
            let check = try check(subject, routers) { host in
                host.hasThreadNodes = true
                host.routes = [
                    .init(
                        prefix: Array(prefix[1...]) + [UInt8](repeating: 0, count: 8), length: 64,
                        gateway: Self.octets("fe80::9") ?? [], interface: "eth0")
                ]
            }
            #expect(check.verdict == .ok, "\(subject.rawValue): \(check.seen)")
        }
    }

    @Test("what is wrong in the network is found")
    func brokenNetwork() throws {
        let one = try router("one", 1)
        #expect(try check(.multicast, [one], answers: []).verdict == .failure)
        #expect(try check(.multicast, [], answers: []) { $0.nodeCount = 0 }.verdict == .warning)
        #expect(try check(.multicast, [], answers: nil).verdict == .notChecked)
        #expect(try check(.borderRouters, []) { $0.hasThreadNodes = true }.verdict == .failure)
        #expect(try check(.borderRouters, [try router("one", 1, state: 0x08)]).verdict == .failure)
        #expect(try check(.borderRouters, [one]) { $0.hasThreadNodes = true }.verdict == .note)
        #expect(try check(.threadNetworks, [one, try router("two", 2)]).verdict == .warning)
        #expect(try check(.threadNetworks, [one, try router("two", 2, network: "other")]).verdict == .note)
        #expect(try check(.threadPartitions, [one, try router("two", 1, partition: 2)]).verdict == .failure)
        #expect(try check(.threadDatasets, [one, try router("two", 1, stamp: 2)]).verdict == .warning)
        let reachable = try router("one", 1, prefix: [64, 0xFD, 0x11, 0, 0, 0, 0, 0, 0])
        #expect(try check(.threadRoutes, [reachable]).verdict == .failure)
        let toRouter = try check(.threadRoutes, [reachable]) { host in
            host.routes = [
                .init(
                    prefix: [UInt8](repeating: 0, count: 16), length: 0, gateway: Self.octets("fe80::1") ?? [],
                    interface: "eth0")
            ]
        }
        #expect(toRouter.verdict == .failure && toRouter.seen.contains("home router"))
    }

    // MARK: A node

    /// A node that is well, on Wi-Fi and on Thread at once.
    private static let wellRead: [ConcreteAttributePath: TLVValue] = {
        typealias General = GeneralDiagnostics.Attribute
        typealias Thread = ThreadNetworkDiagnostics.Attribute
        typealias WiFi = WiFiNetworkDiagnostics.Attribute
        func path(_ cluster: ClusterID, _ attribute: AttributeID) -> ConcreteAttributePath {
            ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: attribute)
        }
        return [
            path(WiFiNetworkDiagnostics.id, WiFi.rssi): .int(-50),
            path(WiFiNetworkDiagnostics.id, WiFi.bssid): .octets([2, 0x11, 0x22, 0x33, 0x44, 0x55]),
            path(ThreadNetworkDiagnostics.id, Thread.routingRole): .uint(5),
            path(ThreadNetworkDiagnostics.id, Thread.neighborTable): .array(of: [neighbor(quality: 3, strength: -60)]),
            path(ThreadNetworkDiagnostics.id, Thread.txTotalCount): .uint(1000),
            path(ThreadNetworkDiagnostics.id, Thread.txRetryCount): .uint(10),
            path(ThreadNetworkDiagnostics.id, Thread.txErrCcaCount): .uint(1),
            path(GeneralDiagnostics.id, General.rebootCount): .uint(3),
            path(GeneralDiagnostics.id, General.bootReason): .uint(1),
            path(GeneralDiagnostics.id, General.upTime): .uint(36_000),
            path(GeneralDiagnostics.id, General.deviceLoadStatus): load(established: 12),
            path(BasicInformation.id, BasicInformation.Attribute.capabilityMinima): minima(sessions: 3),
            path(GeneralDiagnostics.id, General.activeHardwareFaults): .array(of: []),
            path(SoftwareDiagnostics.id, SoftwareDiagnostics.Attribute.currentHeapFree): .uint(50_000),
            path(SoftwareDiagnostics.id, SoftwareDiagnostics.Attribute.currentHeapUsed): .uint(50_000),
            path(PowerSource.id, PowerSource.Attribute.batPercentRemaining): .uint(180),
            path(TimeSynchronization.id, TimeSynchronization.Attribute.utcTime): .uint(843_000_000_000_000),
            path(BasicInformation.id, BasicInformation.Attribute.softwareVersion): .uint(7),
        ]
    }()

    /// Two subscriptions now, one of them ours, and as many as that since the start.
    private static func load(established: UInt64, ours: UInt64 = 1) -> TLVValue {
        typealias Field = GeneralDiagnostics.DeviceLoad.Field
        return .structure([
            TLVElement(Field.currentSubscriptions.number, .uint(2)),
            TLVElement(Field.currentSubscriptionsForFabric.number, .uint(ours)),
            TLVElement(Field.totalSubscriptionsEstablished.number, .uint(established)),
            TLVElement(Field.totalInteractionModelMessagesSent.number, .uint(70)),
            TLVElement(Field.totalInteractionModelMessagesReceived.number, .uint(80)),
        ])
    }

    private static func minima(sessions: UInt64) -> TLVValue {
        typealias Field = BasicInformation.CapabilityMinima.Field
        return .structure([
            TLVElement(Field.caseSessionsPerFabric.number, .uint(sessions)),
            TLVElement(Field.subscriptionsPerFabric.number, .uint(3)),
        ])
    }

    private static func neighbor(quality: UInt64, strength: Int64) -> TLVValue {
        typealias Field = ThreadNetworkDiagnostics.NeighborTable.Field
        return .structure([
            TLVElement(Field.lqi.number, .uint(quality)), TLVElement(Field.averageRssi.number, .int(strength)),
        ])
    }

    private func node(
        _ subject: CheckSubject, _ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue
    ) throws -> Check {
        var values = Self.wellRead
        values[ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: attribute)] = value
        return try check(subject, reading: values)
    }

    private func check(
        _ subject: CheckSubject, reading values: [ConcreteAttributePath: TLVValue],
        on host: HostFacts = sound, _ change: (inout NodeWayFacts) -> Void = { _ in }
    ) throws -> Check {
        var facts = NodeWayFacts(node: NodeRecord(nodeID: NodeID(1)))
        facts.read = ReadResult(
            attributes: values.map { AttributeReport(path: $0.key, dataVersion: nil, outcome: .value($0.value)) })
        facts.readAt = UInt64(MatterEpoch.unixSeconds) * 1_000_000 + 843_000_000_000_000
        facts.answerTime = .milliseconds(20)
        facts.newest = (7, "1.7", "2026-09-21")
        facts.identityKeySince = Int64(MatterEpoch.unixSeconds) + 843_000_000 - 86_400 * 10
        change(&facts)
        return try #require(
            NodeExamination(facts: facts, host: host).checks.first { $0.subject == subject })
    }

    /// A neighbour of a router, or of an end device.
    private static func neighbor(
        _ rloc: UInt64, quality: UInt64 = 3, strength: Int64 = -60, age: UInt64 = 10, lost: UInt64 = 0,
        frames: UInt64 = 0, isChild: Bool = false, isAwake: Bool = true
    ) -> TLVValue {
        typealias Field = ThreadNetworkDiagnostics.NeighborTable.Field
        return .structure([
            TLVElement(Field.age.number, .uint(age)), TLVElement(Field.rloc16.number, .uint(rloc)),
            TLVElement(Field.lqi.number, .uint(quality)), TLVElement(Field.averageRssi.number, .int(strength)),
            TLVElement(Field.frameErrorRate.number, .uint(frames)),
            TLVElement(Field.messageErrorRate.number, .uint(lost)),
            TLVElement(Field.rxOnWhenIdle.number, .bool(isAwake)), TLVElement(Field.isChild.number, .bool(isChild)),
        ])
    }

    private func thread(
        _ subject: CheckSubject, role: UInt64, _ neighbors: [TLVValue], own: UInt64? = nil, changes: UInt64? = nil
    ) throws -> Check {
        typealias Thread = ThreadNetworkDiagnostics.Attribute
        var values: [ConcreteAttributePath: TLVValue] = [:]
        func put(_ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue) {
            values[ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: attribute)] = value
        }
        let cluster = ThreadNetworkDiagnostics.id
        put(cluster, Thread.routingRole, .uint(role))
        put(cluster, Thread.neighborTable, .array(of: neighbors))
        if let own { put(cluster, Thread.rloc16, .uint(own)) }
        if let changes {
            put(cluster, Thread.parentChangeCount, .uint(changes))
            put(GeneralDiagnostics.id, GeneralDiagnostics.Attribute.upTime, .uint(172_800))
        }
        return try check(subject, reading: values)
    }

    @Test("the parent of an end device is judged, also where it is not the best of its neighbours")
    func threadParent() throws {
        let (good, weak) = (Self.neighbor(0x0400), Self.neighbor(0x0800, quality: 1, strength: -88, age: 12))
        let sleepy: UInt64 = 2
        let sound = try thread(.threadParent, role: sleepy, [good])
        #expect(sound.verdict == .ok && sound.seen == "0x0400, link quality 3, -60 dBm, heard 10 s ago")
        let poor = try thread(.threadParent, role: sleepy, [weak])
        #expect(poor.verdict == .warning && poor.cure != nil)
        #expect(poor.seen == "0x0800, link quality 1, -88 dBm, heard 12 s ago")
        // A router nearby does not help: its messages go by its parent. The check of the best link is content.
        #expect(try thread(.threadParent, role: 4, [good, weak], own: 0x0805).verdict == .warning)
        #expect(try thread(.threadLink, role: 4, [good, weak], own: 0x0805).verdict == .ok)
        #expect(try thread(.threadParent, role: 4, [good, weak], own: 0x0405).verdict == .ok)
        #expect(try thread(.threadParent, role: 4, [good, weak]).verdict == .notChecked)
        let dead = [Self.neighbor(0x0400, quality: 0), Self.neighbor(0x0400, strength: -92)]
        for neighbor in dead { #expect(try thread(.threadParent, role: sleepy, [neighbor]).verdict == .failure) }
        let bad = [
            Self.neighbor(0x0400, age: 241), Self.neighbor(0x0400, lost: 6), Self.neighbor(0x0400, frames: 31),
            Self.neighbor(0x0400, strength: -86),
        ]
        for neighbor in bad { #expect(try thread(.threadParent, role: sleepy, [neighbor]).verdict == .warning) }
        let limits = [Self.neighbor(0x0400, strength: -85, age: 240, lost: 5, frames: 30)]
        #expect(try thread(.threadParent, role: sleepy, limits).verdict == .ok)
        let restless = try thread(.threadParent, role: sleepy, [good], changes: 21)
        #expect(restless.verdict == .warning && restless.seen.hasSuffix("21 changes of the parent in 2 days"))
        #expect(try thread(.threadParent, role: sleepy, [good], changes: 20).verdict == .ok)
        #expect(try thread(.threadParent, role: sleepy, []).verdict == .notChecked)
        #expect(try thread(.threadParent, role: 5, [weak]).seen.contains("no parent"))
    }

    @Test("the neighbours of a router are judged: children that sleep have no other way")
    func threadNeighbours() throws {
        let router: UInt64 = 5
        let (one, other) = (Self.neighbor(0x0400), Self.neighbor(0x0800, quality: 1, strength: -88))
        let child = Self.neighbor(0x0C01, isChild: true, isAwake: false)
        let sound = try thread(.threadNeighbours, role: router, [one, other, child])
        #expect(sound.verdict == .ok && sound.seen == "2 routers, 1 child (1 asleep)", "\(sound.seen)")
        let far = Self.neighbor(0x0C02, quality: 1, strength: -89, age: 30, isChild: true, isAwake: false)
        let weak = try thread(.threadNeighbours, role: router, [one, child, far])
        #expect(weak.verdict == .warning && weak.cure != nil)
        #expect(weak.seen.hasSuffix("weak: 0x0C02 (sleeps), link quality 1, -89 dBm, heard 30 s ago"), "\(weak.seen)")
        #expect(try thread(.threadNeighbours, role: router, [Self.neighbor(0x0400, lost: 9)]).verdict == .warning)
        let gone = Self.neighbor(0x0C03, age: 300, isChild: true, isAwake: false)
        let silent = try thread(.threadNeighbours, role: router, [one, gone])
        #expect(silent.verdict == .note && silent.seen.contains("0x0C03"), "\(silent.seen)")
        #expect(try thread(.threadNeighbours, role: router, [Self.neighbor(0x0400, age: 101)]).verdict == .note)
        #expect(try thread(.threadNeighbours, role: router, [Self.neighbor(0x0400, age: 100)]).verdict == .ok)
        // Of very many, some are named.
        let many = (0..<9).map { Self.neighbor(UInt64(0x0C01 + $0), quality: 1, isChild: true) }
        let crowd = try thread(.threadNeighbours, role: router, many)
        #expect(crowd.seen.hasSuffix("; 5 more") && crowd.seen.components(by: "0x0C").count == 5, "\(crowd.seen)")
        #expect(try thread(.threadNeighbours, role: 2, [far]).verdict == .ok)
    }

    @Test("the access point of a node is compared with this host's")
    func accessPoint() throws {
        typealias WiFi = WiFiNetworkDiagnostics.Attribute
        func judged(_ own: [UInt8]?, strength: Int64 = -50, bssid: TLVValue? = nil) throws -> Check {
            var values = Self.wellRead
            let cluster = WiFiNetworkDiagnostics.id
            values[ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: WiFi.rssi)] = .int(strength)
            if let bssid {
                values[ConcreteAttributePath(endpoint: 0, cluster: cluster, attribute: WiFi.bssid)] = bssid
            }
            var host = Self.sound
            host.accessPoint = own.map { ("wlan0", $0) }
            return try check(.accessPoint, reading: values, on: host)
        }
        let same = try judged([2, 0x11, 0x22, 0x33, 0x44, 0x55], strength: -80)
        #expect(same.verdict == .ok && same.seen == "02:11:22:33:44:55, -80 dBm, as wlan0 of this host")
        #expect(try judged([6, 0x11, 0x22, 0x33, 0x44, 0x56], strength: -80).verdict == .ok, "another band")
        let near = try judged([2, 0x99, 0x22, 0x33, 0x44, 0x55])
        #expect(near.verdict == .note && near.seen.contains("02:99:22:33:44:55"))
        let far = try judged([2, 0x99, 0x22, 0x33, 0x44, 0x55], strength: -71)
        #expect(far.verdict == .warning && far.cure != nil)
        #expect(try judged(nil, strength: -80).verdict == .ok)
        #expect(try judged(nil, bssid: .null).verdict == .notChecked)
        #expect(try judged(nil, bssid: .octets([0, 0, 0, 0, 0, 0])).verdict == .notChecked)
        #expect(try judged([1], bssid: .octets([1])).verdict == .notChecked)
    }

    @Test("a node that loses its Wi-Fi again and again is told by its own log")
    func wifiConnection() throws {
        let now = UInt64(MatterEpoch.unixSeconds) + 843_000_000
        func event(_ number: UInt64, _ timestamp: EventTimestamp, _ event: EventID) -> EventReport {
            EventReport(
                path: ConcreteEventPath(endpoint: 0, cluster: WiFiNetworkDiagnostics.id, event: event),
                outcome: .event(
                    EventReport.Event(number: number, priority: .info, timestamp: timestamp, data: nil)))
        }
        typealias Event = WiFiNetworkDiagnostics.Event
        func judged(_ events: [EventReport]?, up: UInt64 = 0) throws -> Check {
            var values = Self.wellRead
            values[
                ConcreteAttributePath(
                    endpoint: 0, cluster: GeneralDiagnostics.id, attribute: GeneralDiagnostics.Attribute.upTime)
            ] = .uint(up)
            return try check(.wifiConnection, reading: values) { $0.wifiEvents = events }
        }
        #expect(try judged(nil).verdict == .notChecked && judged([]).verdict == .ok)
        let lately = (1...3).map { event(UInt64($0), .epoch((now - 3600 * UInt64($0)) * 1000), Event.disconnection) }
        #expect(try judged(lately).verdict == .warning)
        #expect(try judged(Array(lately.dropLast())).verdict == .ok)
        #expect(
            try judged(lately.dropLast() + [event(9, .epoch((now - 90_000) * 1000), Event.disconnection)]).verdict
                == .ok)
        let refused = event(9, .system(900_000 * 1000), Event.associationFailure)
        #expect(try judged(lately.dropLast() + [refused], up: 903_600).verdict == .warning)
        // Before the node's last start: the time is not known.
        #expect(try judged(lately.dropLast() + [refused], up: 100).verdict == .ok)
    }

    @Test("a node that is well fails no check")
    func soundNode() throws {
        let subjects: [CheckSubject] = [
            .session, .wifiSignal, .accessPoint, .threadLink, .threadNeighbours, .threadParent, .radioErrors, .reboots,
            .faults, .memory, .nodeBattery, .nodeClock, .certificate, .identityKey, .software, .load, .subscriptions,
            .sessionTable,
        ]
        for subject in subjects {
            let check = try check(subject, reading: Self.wellRead)
            #expect(check.verdict == .ok, "\(subject.rawValue): \(check.seen)")
        }
    }

    @Test("what a node tells of itself is judged")
    func brokenNode() throws {
        typealias WiFi = WiFiNetworkDiagnostics.Attribute
        typealias Thread = ThreadNetworkDiagnostics.Attribute
        typealias General = GeneralDiagnostics.Attribute
        let (wifi, thread, general) = (WiFiNetworkDiagnostics.id, ThreadNetworkDiagnostics.id, GeneralDiagnostics.id)
        #expect(try node(.wifiSignal, wifi, WiFi.rssi, .int(-75)).verdict == .warning)
        #expect(try node(.wifiSignal, wifi, WiFi.rssi, .int(-85)).verdict == .failure)
        let weak = TLVValue.array(of: [Self.neighbor(quality: 1, strength: -80)])
        let dead = TLVValue.array(of: [Self.neighbor(quality: 3, strength: -92)])
        #expect(try node(.threadLink, thread, Thread.neighborTable, weak).verdict == .warning)
        #expect(try node(.threadLink, thread, Thread.neighborTable, dead).verdict == .failure)
        #expect(try node(.threadLink, thread, Thread.neighborTable, .array(of: [.null])).verdict == .note)
        #expect(try node(.radioErrors, thread, Thread.txRetryCount, .uint(400)).verdict == .warning)
        #expect(try node(.radioErrors, thread, Thread.txErrCcaCount, .uint(200)).verdict == .warning)
        #expect(try node(.reboots, general, General.bootReason, .uint(2)).verdict == .warning)
        #expect(try node(.faults, general, General.activeHardwareFaults, .array(of: [.uint(1)])).verdict == .failure)
        #expect(try node(.faults, general, General.activeNetworkFaults, .array(of: [.uint(1)])).verdict == .warning)
        let heap = SoftwareDiagnostics.Attribute.currentHeapFree
        #expect(try node(.memory, SoftwareDiagnostics.id, heap, .uint(4_000)).verdict == .warning)
        #expect(try node(.memory, SoftwareDiagnostics.id, heap, .uint(.max)).verdict == .notChecked)
        let charge = PowerSource.Attribute.batPercentRemaining
        #expect(try node(.nodeBattery, PowerSource.id, charge, .uint(12)).verdict == .warning)
        #expect(try node(.nodeBattery, PowerSource.id, charge, .uint(4)).verdict == .failure)
        let time = TimeSynchronization.Attribute.utcTime
        #expect(try node(.nodeClock, TimeSynchronization.id, time, .uint(843_000_300_000_000)).verdict == .warning)
        #expect(try node(.nodeClock, TimeSynchronization.id, time, .uint(0)).verdict == .failure)
        #expect(try node(.nodeClock, TimeSynchronization.id, time, .null).verdict == .note)
        let version = BasicInformation.Attribute.softwareVersion
        #expect(try node(.software, BasicInformation.id, version, .uint(6)).verdict == .note)
    }

    @Test("a node whose subscriptions are set up again and again, or are all in use, and one with few sessions")
    func load() throws {
        let (cluster, attribute) = (GeneralDiagnostics.id, GeneralDiagnostics.Attribute.deviceLoadStatus)
        // In ten hours: ten that were lost are the most of an hour each.
        let busy = try node(.load, cluster, attribute, Self.load(established: 13))
        #expect(busy.verdict == .warning && busy.cure != nil)
        #expect(busy.seen == "13 subscriptions set up, 80 messages received, 70 sent in 10 h", "\(busy.seen)")
        #expect(try node(.load, cluster, attribute, .structure([])).verdict == .notChecked)
        let full = try node(.subscriptions, cluster, attribute, Self.load(established: 3, ours: 3))
        #expect(full.verdict == .warning && full.cure != nil)
        let table = try node(
            .sessionTable, BasicInformation.id, BasicInformation.Attribute.capabilityMinima, Self.minima(sessions: 2))
        #expect(table.verdict == .note && table.cure != nil)
    }

    @Test("the age of the identity key is told; after two years its exchange is proposed")
    func identityKey() throws {
        let now = Int64(MatterEpoch.unixSeconds) + 843_000_000
        func check(days: Int64?) throws -> Check {
            try self.check(.identityKey, reading: [:]) { $0.identityKeySince = days.map { now - $0 * 86_400 } }
        }
        #expect(try check(days: 730).verdict == .ok && check(days: 1).seen.hasSuffix(", 1 day old"))
        let old = try check(days: 731)
        #expect(old.verdict == .note && old.cure != nil && old.seen.hasSuffix("731 days old"), "\(old.seen)")
        #expect(try check(days: nil).verdict == .notChecked)
    }

    @Test("nothing that is read of a node for a bundle is a secret, nor has one in it")
    func noSecrets() throws {
        func holds(_ type: DataType, _ depth: Int) -> Bool {
            guard case .structure(let definition) = type.kind, depth < 8 else { return false }
            return definition.fields.contains { $0.isSecret || holds($0.type, depth + 1) }
        }
        #expect(NodeWayFacts.paths.count > 20)
        for path in NodeWayFacts.paths {
            let attribute = try #require(
                path.cluster.flatMap { cluster in
                    path.attribute.flatMap { Catalogue.standard.attribute(cluster: cluster, $0) }
                })
            #expect(!attribute.isSecret && !holds(attribute.type, 0), "\(attribute.name)")
        }
    }

    @Test("the way to a node is judged layer by layer")
    func way() throws {
        let address = try PeerAddress(parsing: "[fd00::7]:5540")
        let silent = try check(.datagram, reading: [:]) { facts in
            facts.echoes = [(address, .silent)]
            facts.answerTime = nil
        }
        #expect(silent.verdict == .failure)
        #expect(try check(.datagram, reading: [:]) { $0.echoes = [(address, .silent)] }.verdict == .ok)
        let refused = try check(.datagram, reading: [:]) { facts in
            facts.echoes = [(address, .refused(ENETUNREACH))]
            facts.answerTime = nil
        }
        #expect(refused.verdict == .failure && refused.seen.contains("unreachable"))
        #expect(try check(.route, reading: [:]) { $0.known = [address] }.verdict == .warning)
        #expect(try check(.session, reading: [:]) { $0.answerTime = .seconds(6) }.verdict == .warning)
        #expect(try check(.advertisement, reading: [:]) { $0.advertised = [] }.verdict == .warning)
        let soon = Int64(MatterEpoch.unixSeconds) + 843_000_000 + 86_400 * 30
        #expect(try check(.certificate, reading: [:]) { $0.ownEnd = soon }.verdict == .warning)
        #expect(try check(.certificate, reading: [:]) { $0.ownEnd = soon - 86_400 * 60 }.verdict == .failure)
    }

    // MARK: Without names

    @Test("checks of the network and of the machine name what only they know: border routers, networks, hosts, folders")
    func names() throws {
        let router = try router("Ada Speaker", 1, network: "Ada's mesh")
        for subject in CheckSubject.allCases where subject.layer == .network {
            let names = try check(subject, [router]).names
            #expect(Set(names).isSuperset(of: ["Ada Speaker", "Ada's mesh", "0101010101010101"]), "\(names)")
        }
        var facts = Self.sound
        facts.provenance = FabricProvenance(way: .copy, host: "den", isSameMachine: false, at: 1_789_000_000)
        facts.backup = .made(1_789_900_000, "/media/ada/one.age")
        let names = HostExamination(facts: facts).checks.flatMap(\.names)
        #expect(names.contains("den") && names.contains("/media/ada/one.age"))
    }

    @Test("names and addresses are replaced by words, the same by the same")
    func anonymous() {
        var anonymizer = Anonymizer(["kitchen", "home", "nas"])
        let text = anonymizer.text("kitchen at [fd00::7%eth0]:5540, homely nas, fe80::1 and 192.168.1.2; fd00::7 again")
        #expect(!text.contains("kitchen") && !text.contains("fd00::7") && !text.contains("192.168"))
        #expect(text.contains("homely") && text.contains("5540") && text.contains("eth0"))
        #expect(text.split(separator: " ").count { $0.contains("fd-address-1") } == 2)
        #expect(anonymizer.text("at 12:30, version 1.2.3") == "at 12:30, version 1.2.3")
    }
}

extension String {
    fileprivate func components(by separator: String) -> [Substring] { split(separator: separator) }
}

/// A folder of files that a test needs.
private struct TemporaryFolder {
    let path: String

    init(_ files: [String: String]) throws {
        var template = Array("/tmp/doctor-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
        for (name, text) in files {
            var folder = path
            for part in name.split(separator: "/").dropLast() {
                folder += "/\(part)"
                mkdir(folder, 0o700)
            }
            let file = try #require(fopen("\(path)/\(name)", "w"))
            fwrite(Array(text.utf8), 1, text.utf8.count, file)
            fclose(file)
        }
    }

    func remove() {
        func clear(_ path: String) {
            if let folder = opendir(path) {
                while let entry = readdir(folder) {
                    let name = withUnsafeBytes(of: entry.pointee.d_name) {
                        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                    }
                    if name != ".", name != ".." { clear("\(path)/\(name)") }
                }
                closedir(folder)
                rmdir(path)
            } else {
                unlink(path)
            }
        }
        clear(path)
    }
}
