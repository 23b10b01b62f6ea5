import MatterState

/// The links that a node's messages take first: those to its neighbours in the Thread network, and to its access point. The
/// limits are those that practitioners use (docs/commands/doctor.md).
extension NodeExamination {
    private typealias Neighbor = ThreadNetworkDiagnostics.NeighborTable

    /// In dBm.
    private static let (weakStrength, deadStrength) = (-85, -90)
    /// In seconds. A router is heard every 32 seconds at least; a child says something within its timeout, which is 240
    /// seconds with most.
    private static let (routerSilence, childSilence): (UInt32, UInt32) = (100, 240)
    /// In percent.
    private static let (mostLostMessages, mostLostFrames): (UInt8, UInt8) = (5, 30)
    private static let mostParentsPerDay: Double = 10
    private static let mostNamed = 4
    private static let weakWiFi: Int8 = -70

    // MARK: Thread

    private var routingRole: ThreadNetworkDiagnostics.RoutingRole? {
        facts.value(ThreadNetworkDiagnostics.routingRole).flatMap { $0 }
    }

    /// The link to the parent, by which all messages of an end device go.
    var threadParent: Check {
        guard facts.read != nil else { return unread(.threadParent) }
        guard let role = routingRole else { return Check(.threadParent, .ok, "the node is not on Thread") }
        guard role != .router, role != .leader else {
            return Check(.threadParent, .ok, "the node is a \(role) and has no parent")
        }
        guard let neighbors = facts.entries(ThreadNetworkDiagnostics.neighborTable) else {
            return unread(.threadParent)
        }
        guard let parent = parent(among: neighbors) else {
            return Check(
                .threadParent, .notChecked,
                neighbors.isEmpty
                    ? "the node (\(role)) names no neighbour" : "the node (\(role)) does not say which one it is")
        }
        let changes = parentChanges
        let seen = describe(parent) + (changes.map { "; \($0.count) changes of the parent in \($0.words)" } ?? "")
        if isDead(parent) { return Check(.threadParent, .failure, seen, cure: .step("doctor.thread-link")) }
        let isOld = (parent[Neighbor.Field.age] ?? 0) > Self.childSilence
        let isRestless = changes.map { $0.perDay > Self.mostParentsPerDay } ?? false
        if isWeak(parent) || isLossy(parent) || isOld || isRestless {
            return Check(.threadParent, .warning, seen, cure: .step("doctor.thread-link"))
        }
        return Check(.threadParent, .ok, seen)
    }

    /// The router with the same upper bits in its locator, or the only one there is.
    private func parent(among neighbors: [PartialStructure<Neighbor>]) -> PartialStructure<Neighbor>? {
        let (routerMask, childMask): (UInt16, UInt16) = (0xFC00, 0x01FF)
        let routers = neighbors.filter {
            $0[Neighbor.Field.isChild] != true && ($0[Neighbor.Field.rloc16] ?? 0) & childMask == 0
        }
        if let own = facts.value(ThreadNetworkDiagnostics.rloc16).flatMap({ $0 }) {
            return routers.first { $0[Neighbor.Field.rloc16] == own & routerMask }
        }
        return routers.count == 1 ? routers.first : nil
    }

    private var parentChanges: (count: UInt16, words: String, perDay: Double)? {
        guard let count = facts.value(ThreadNetworkDiagnostics.parentChangeCount),
            let up = facts.value(GeneralDiagnostics.upTime), up > 0
        else { return nil }
        // Of a shorter time a rate says nothing.
        return (count, Self.days(up), Double(count) / max(1, Double(up) / 86_400))
    }

    /// The links to its neighbours. Of children that sleep it is the only way.
    var threadNeighbours: Check {
        guard facts.read != nil else { return unread(.threadNeighbours) }
        guard let role = routingRole else { return Check(.threadNeighbours, .ok, "the node is not on Thread") }
        guard let neighbors = facts.entries(ThreadNetworkDiagnostics.neighborTable) else {
            return unread(.threadNeighbours)
        }
        guard role == .router || role == .leader else {
            return Check(.threadNeighbours, .ok, "the node is a \(role): nothing goes through it")
        }
        func isChild(_ neighbor: PartialStructure<Neighbor>) -> Bool { neighbor[Neighbor.Field.isChild] == true }
        let children = neighbors.filter(isChild)
        let sleepers = children.count { $0[Neighbor.Field.rxOnWhenIdle] == false }
        let counts =
            "\(Spelled.count(neighbors.count - children.count, "router")), "
            + "\(children.count) \(children.count == 1 ? "child" : "children")"
            + (sleepers > 0 ? " (\(sleepers) asleep)" : "")
        let harmful =
            children.filter { isWeak($0) || isDead($0) || isLossy($0) }
            + neighbors.filter { !isChild($0) && isLossy($0) && !isSilent($0) }
        let silent = neighbors.filter { isSilent($0) }
        guard harmful.isEmpty else {
            return Check(
                .threadNeighbours, .warning, "\(counts); weak: \(list(harmful))",
                cure: .step("doctor.thread-neighbours"))
        }
        guard silent.isEmpty else {
            return Check(
                .threadNeighbours, .note, "\(counts); not heard for long: \(list(silent))",
                cure: .step("doctor.silent-neighbours"))
        }
        return Check(.threadNeighbours, .ok, counts)
    }

    private func list(_ neighbors: [PartialStructure<Neighbor>]) -> String {
        let rest = neighbors.count - Self.mostNamed
        return neighbors.prefix(Self.mostNamed).map(describe).joined(separator: "; ")
            + (rest > 0 ? "; \(rest) more" : "")
    }

    private func describe(_ neighbor: PartialStructure<Neighbor>) -> String {
        typealias Field = Neighbor.Field
        let isAsleep = neighbor[Field.isChild] == true && neighbor[Field.rxOnWhenIdle] == false
        var facts = [
            (neighbor[Field.rloc16].map { "0x" + Hex.number($0, digits: 4, uppercase: true) } ?? "a neighbour")
                + (isAsleep ? " (sleeps)" : "")
        ]
        facts += neighbor[Field.lqi].map { ["link quality \($0)"] } ?? []
        facts += neighbor[Field.averageRssi].map { ["\($0) dBm"] } ?? []
        if let lost = neighbor[Field.messageErrorRate], lost > 0 { facts.append("\(lost) % of the messages lost") }
        if let lost = neighbor[Field.frameErrorRate], lost > Self.mostLostFrames {
            facts.append("\(lost) % of the frames lost")
        }
        facts += neighbor[Field.age].map { ["heard \($0) s ago"] } ?? []
        return facts.joined(separator: ", ")
    }

    private func isDead(_ neighbor: PartialStructure<Neighbor>) -> Bool {
        neighbor[Neighbor.Field.lqi] == 0 || Int(neighbor[Neighbor.Field.averageRssi] ?? 0) < Self.deadStrength
    }

    private func isWeak(_ neighbor: PartialStructure<Neighbor>) -> Bool {
        neighbor[Neighbor.Field.lqi] == 1 || Int(neighbor[Neighbor.Field.averageRssi] ?? 0) < Self.weakStrength
    }

    private func isLossy(_ neighbor: PartialStructure<Neighbor>) -> Bool {
        neighbor[Neighbor.Field.messageErrorRate] ?? 0 > Self.mostLostMessages
            || neighbor[Neighbor.Field.frameErrorRate] ?? 0 > Self.mostLostFrames
    }

    private func isSilent(_ neighbor: PartialStructure<Neighbor>) -> Bool {
        let limit = neighbor[Neighbor.Field.isChild] == true ? Self.childSilence : Self.routerSilence
        return neighbor[Neighbor.Field.age] ?? 0 > limit
    }

    // MARK: Wi-Fi

    /// The radio of an access point that the node is connected to, beside the one of this host.
    var accessPoint: Check {
        guard facts.read != nil else { return unread(.accessPoint) }
        let strength = facts.value(WiFiNetworkDiagnostics.rssi).flatMap { $0 }
        guard let told = facts.value(WiFiNetworkDiagnostics.bssid) else {
            return strength == nil
                ? Check(.accessPoint, .ok, "the node is not on Wi-Fi") : unread(.accessPoint)
        }
        guard let bssid = told, bssid.count == 6, bssid.contains(where: { $0 != 0 }) else {
            return Check(.accessPoint, .notChecked, "the node is on no Wi-Fi network now")
        }
        let channel = facts.value(WiFiNetworkDiagnostics.channelNumber).flatMap { $0 }
        let seen =
            Self.text(bssid) + (channel.map { ", channel \($0)" } ?? "") + (strength.map { ", \($0) dBm" } ?? "")
        guard let own = host.accessPoint else {
            return Check(.accessPoint, .ok, "\(seen); this host is not on Wi-Fi, or its kernel does not say where")
        }
        if own.bssid == bssid { return Check(.accessPoint, .ok, "\(seen), as \(own.interface) of this host") }
        // The radios of one device have addresses that differ at either end.
        if own.bssid.count == 6, own.bssid[1...4] == bssid[1...4] {
            return Check(
                .accessPoint, .ok, "\(seen); by its address another radio of the one that \(own.interface) is on")
        }
        let both = "\(seen), while \(own.interface) of this host is on \(Self.text(own.bssid))"
        return strength ?? 0 < Self.weakWiFi
            ? Check(.accessPoint, .warning, both, cure: .step("doctor.access-point"))
            : Check(
                .accessPoint, .note, "\(both): multicast has to pass between the two",
                cure: .step("doctor.two-access-points"))
    }

    private static func text(_ bssid: [UInt8]) -> String {
        bssid.map { Hex.number($0, digits: 2) }.joined(separator: ":")
    }

    /// How often the node lost its access point, by its own log.
    var wifiConnection: Check {
        guard facts.read != nil else { return unread(.wifiConnection) }
        guard facts.value(WiFiNetworkDiagnostics.bssid) != nil || facts.value(WiFiNetworkDiagnostics.rssi) != nil else {
            return Check(.wifiConnection, .ok, "the node is not on Wi-Fi")
        }
        guard let events = facts.wifiEvents else {
            return Check(.wifiConnection, .notChecked, "the node's log cannot be read")
        }
        typealias Event = WiFiNetworkDiagnostics.Event
        func ages(_ event: EventID) -> [Int64?] {
            events.filter { $0.path.event == event }.compactMap { report in
                if case .event(let event) = report.outcome { age(event) } else { nil }
            }
        }
        let (lost, refused) = (ages(Event.disconnection), ages(Event.associationFailure))
        let recent = (lost + refused).count { $0.map { $0 < 86_400 } ?? false }
        guard !lost.isEmpty || !refused.isEmpty else {
            return Check(.wifiConnection, .ok, "its log tells of no lost connection")
        }
        let seen =
            "its log has \(lost.count) lost connections and \(refused.count) refused ones, \(recent) of the last day"
        return recent >= 3
            ? Check(.wifiConnection, .warning, seen, cure: .step("doctor.wifi-connection"))
            : Check(.wifiConnection, .ok, seen)
    }

    /// How long ago an event happened, in seconds; `nil` if it cannot be told.
    private func age(_ event: EventReport.Event) -> Int64? {
        switch event.timestamp {
        case .epoch(let milliseconds):
            return Int64(clamping: facts.readAt / 1_000_000) - Int64(clamping: milliseconds / 1000)
        case .system(let milliseconds):
            guard let up = facts.value(GeneralDiagnostics.upTime) else { return nil }
            let age = Int64(clamping: up) - Int64(clamping: milliseconds / 1000)
            // Of an earlier run.
            return age >= 0 ? age : nil
        case .deltaEpoch, .deltaSystem: return nil
        }
    }
}
