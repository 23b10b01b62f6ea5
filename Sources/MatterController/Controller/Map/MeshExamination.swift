import MatterState

/// The remarks on a Thread network.
struct MeshExamination {
    let mesh: ThreadMesh
    let chokes: [(device: MeshDevice, dependents: [MeshDevice])]
    /// Whether border routers were looked for.
    let isSearched: Bool

    /// More end devices than this on one router are many.
    private static let mostChildren = 10
    private static let mostHops = 4
    private static let mostNames = 5

    var findings: [MapFinding] {
        network + borderRouters + ways + mesh.links.compactMap(link) + mesh.devices.compactMap(crowd)
    }

    private var borders: [MeshDevice] { mesh.devices.filter { $0.borderRouter != nil } }
    private var others: [MeshDevice] { mesh.devices.filter { $0.borderRouter == nil } }

    private func finding(_ kind: MapFinding.Kind, _ devices: [MeshDevice], _ text: String) -> MapFinding {
        MapFinding(kind: kind, devices: devices.map(\.id), text: text)
    }

    private func titles(_ devices: [MeshDevice]) -> String {
        let names = devices.prefix(Self.mostNames).map(\.title).joined(separator: ", ")
        let rest = devices.count - Self.mostNames
        return rest > 0 ? "\(names) and \(rest) more" : names
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    // MARK: The network

    private var network: [MapFinding] {
        var findings: [MapFinding] = []
        if mesh.partitions.count > 1 {
            let parts = mesh.partitions.map { part in
                titles(mesh.devices.filter { $0.partitionID == part.id && $0.isRouter })
            }.filter { !$0.isEmpty }
            findings.append(
                finding(
                    .splitNetwork, mesh.devices.filter(\.isRouter),
                    "the Thread network \(mesh.title) is split into \(mesh.partitions.count) parts: "
                        + parts.joined(separator: " | ")))
        }
        if isSearched, borders.isEmpty, !mesh.devices.isEmpty {
            findings.append(
                finding(
                    .noBorderRouter, mesh.devices,
                    "no border router advertises the Thread network \(mesh.title) of \(titles(mesh.devices))"))
        }
        return findings
    }

    private var borderRouters: [MapFinding] {
        var findings = borders.filter { $0.borderRouter?.isActive == false }.map { router in
            finding(.idleBorderRouter, [router], "the border router \(router.title) is not part of its network now")
        }
        if borders.count == 1, let only = borders.first {
            let depend = others.filter { $0.node != nil }.count
            findings.append(
                finding(
                    .lonelyBorderRouter, [only],
                    depend == 0
                        ? "the border router \(only.title) is alone in the Thread network \(mesh.title)"
                        : "the border router \(only.title) is the only one of the Thread network \(mesh.title): "
                            + "\(count(depend, "node")) depend\(depend == 1 ? "s" : "") on it"))
        }
        // Only nodes that pass messages on name all routers around them.
        let areTablesRead = mesh.devices.contains { $0.node != nil && $0.isRouter }
        for router in borders where borders.count > 1 && areTablesRead {
            guard !mesh.links.contains(where: { ($0.one == router.id || $0.other == router.id) && $0.isUsable })
            else { continue }
            findings.append(
                finding(
                    .unlinkedBorderRouter, [router],
                    "no device of the Thread network \(mesh.title) has a link to the border router \(router.title)"))
        }
        return findings
    }

    // MARK: Ways

    private var ways: [MapFinding] {
        var findings = mesh.devices.filter { $0.wayOut == .none }.map { device in
            finding(
                .noWayOut, [device],
                device.role == .detached
                    ? "\(device.title) is on no Thread network now"
                    : "\(device.title) has no link that leads to a border router")
        }
        findings += chokes.map { choke in
            let dependents = choke.dependents
            let verb = dependents.count == 1 ? "has a single way out" : "have a single way out"
            return finding(
                .singleWayOut, dependents + [choke.device],
                "\(titles(dependents)) \(verb), through \(choke.device.title)")
        }
        findings += mesh.devices.filter { ($0.hops ?? 0) > Self.mostHops }.map { device in
            finding(
                .manyHops, [device],
                "\(device.title) is \(device.hops ?? 0) links away from the next border router")
        }
        return findings
    }

    private func crowd(_ device: MeshDevice) -> MapFinding? {
        let children = mesh.devices.count { $0.parent == device.id } + device.unknownChildren
        guard children > Self.mostChildren else { return nil }
        return finding(.crowdedParent, [device], "\(children) end devices depend on \(device.title)")
    }

    // MARK: Links

    private func link(_ link: MeshLink) -> MapFinding? {
        guard let one = mesh.device(link.one), let other = mesh.device(link.other) else { return nil }
        let pair = "\(one.title) and \(other.title)"
        if link.isStale {
            let age = [link.hearing?.age, link.otherHearing?.age].compactMap { $0 }.min() ?? 0
            return finding(.staleLink, [one, other], "\(pair) have not heard each other for \(age) s")
        }
        if link.isOneSided {
            return finding(
                .oneSidedLink, [one, other],
                "the link of \(pair) is one-sided: \(hears(one, other, link.hearing)), "
                    + "\(hears(other, one, link.otherHearing))")
        }
        guard let quality = link.quality, quality <= .weak else { return nil }
        let words = [link.hearing, link.otherHearing].compactMap { $0 }.map(Self.text)
        return finding(
            .weakLink, [one, other], "the link of \(pair) is \(quality): \(words.joined(separator: ", back "))")
    }

    private func hears(_ one: MeshDevice, _ other: MeshDevice, _ hearing: MeshLink.Hearing?) -> String {
        guard let hearing, !hearing.isStale else { return "\(one.title) does not hear \(other.title)" }
        return "\(one.title) hears \(other.title) with \(Self.text(hearing))"
    }

    /// `link quality 1, -88 dBm, 12 % of frames lost`
    private static func text(_ hearing: MeshLink.Hearing) -> String {
        var words: [String] = []
        if let lqi = hearing.lqi { words.append("link quality \(lqi)") }
        if let rssi = hearing.rssi { words.append("\(rssi) dBm") }
        if let errors = hearing.frameErrors, errors >= 10 { words.append("\(errors) % of frames lost") }
        if let errors = hearing.messageErrors, errors >= 1 { words.append("\(errors) % of messages lost") }
        return words.isEmpty ? "an unknown strength" : words.joined(separator: ", ")
    }
}
