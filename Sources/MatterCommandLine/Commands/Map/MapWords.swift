import MatterController

/// Words about a map, for the tree and the pictures. What comes from outside is escaped for a terminal.
struct MapWords {
    let map: NetworkMap
    /// The remarks about border routers, which stand beside them.
    private let alone: Set<MeshDevice.ID>

    init(_ map: NetworkMap) {
        self.map = map
        alone = Set(
            map.findings.filter { [.lonelyBorderRouter, .unlinkedBorderRouter, .idleBorderRouter].contains($0.kind) }
                .flatMap(\.devices))
    }

    static func name(_ text: String) -> String { TerminalText.escaped(text) }

    /// `Hub (Acme Hub 2)`
    func title(_ device: MeshDevice) -> String {
        let maker = [device.borderRouter?.vendor, device.borderRouter?.model].compactMap { $0 }.joined(separator: " ")
        return Self.name(maker.isEmpty ? device.title : "\(device.title) (\(maker))")
    }

    /// `border router, leader, node 5`
    func kind(_ device: MeshDevice) -> String {
        var words: [String] = []
        if device.borderRouter != nil { words.append("border router") }
        if let role = device.role, device.borderRouter == nil || role != .router { words.append(role.rawValue) }
        if let node = device.node { words.append("node \(node.nodeID.rawValue)") }
        return words.joined(separator: ", ")
    }

    /// The marks of a device.
    func marks(_ device: MeshDevice) -> [String] {
        var marks: [String] = []
        if alone.contains(device.id) { marks.append("alone") }
        switch device.wayOut {
        case .single: marks.append("single way out")
        case .none: marks.append("no way out")
        default: break
        }
        return marks
    }

    /// The marks of a link.
    func marks(_ link: MeshLink) -> [String] {
        var marks: [String] = []
        if link.isStale { marks.append("stale") }
        if let quality = link.quality, quality <= .weak { marks.append(quality.rawValue) }
        if link.isOneSided { marks.append("one-sided") }
        return marks
    }

    /// `LQI 3/2, -52/-60 dBm`: how a device hears the other, and how it is heard.
    func strengths(_ link: MeshLink, from device: MeshDevice.ID) -> String {
        let isFirst = link.one == device
        let (near, far) = (isFirst ? link.hearing : link.otherHearing, isFirst ? link.otherHearing : link.hearing)
        var words: [String] = []
        if near?.lqi != nil || far?.lqi != nil {
            words.append("LQI \(Self.number(near?.lqi))/\(Self.number(far?.lqi))")
        }
        if near?.rssi != nil || far?.rssi != nil {
            words.append("\(Self.number(near?.rssi))/\(Self.number(far?.rssi)) dBm")
        }
        return words.joined(separator: ", ")
    }

    private static func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "-" }

    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// `Thread network 'home' (1122334455667788), channel 15`
    func title(_ mesh: ThreadMesh) -> String {
        let id = mesh.extendedPANID.map { Hex.number($0, digits: 16, uppercase: true) }
        let name = mesh.name.map { "'\(Self.name($0))'" }
        let words = [name, id.map { name == nil ? $0 : "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        return "Thread network \(words.isEmpty ? "without an id" : words)"
            + (mesh.channel.map { ", channel \($0)" } ?? "")
    }

    /// `2 border routers, 6 routers, 9 end devices, 2 parts`
    func counts(_ mesh: ThreadMesh) -> String {
        let borders = mesh.devices.count { $0.borderRouter != nil }
        let routers = mesh.devices.count { $0.borderRouter == nil && $0.isRouter }
        let ends = mesh.devices.count - borders - routers
        let unknown = mesh.devices.reduce(0) { $0 + $1.unknownChildren }
        return [
            Self.count(borders, "border router"), Self.count(routers, "router"),
            Self.count(ends, "end device") + (unknown > 0 ? " and \(unknown) unknown" : ""),
        ].joined(separator: ", ") + (mesh.partitions.count > 1 ? ", in \(mesh.partitions.count) parts" : "")
    }

    func title(_ accessPoint: AccessPoint) -> String {
        let name = accessPoint.ssid.map { "'\(Self.name($0))'" }
        let address = accessPoint.address.map { name == nil ? $0 : "(\($0))" }
        let words = [name, address].compactMap { $0 }.joined(separator: " ")
        return "Wi-Fi \(words.isEmpty ? "without an address" : words)"
            + (accessPoint.channel.map { ", channel \($0)" } ?? "")
    }
}
