import MatterController

/// A map as a tree for people: each device below the one that leads it to a border router.
struct MapTree {
    /// A line, and how it stands out.
    struct Line {
        var text: String
        var style: TextStyle?

        func styled(_ hasColors: Bool) -> String { hasColors ? style?.applied(to: text) ?? text : text }
    }

    let map: NetworkMap
    private let words: MapWords

    init(_ map: NetworkMap) {
        self.map = map
        words = MapWords(map)
    }

    var lines: [Line] {
        var lines = map.meshes.flatMap(lines)
        for accessPoint in map.accessPoints {
            lines += list(
                "\(words.title(accessPoint)): \(MapWords.count(accessPoint.stations.count, "node"))",
                accessPoint.stations.map { station in
                    let weak = station.quality.map { $0 <= .weak ? " [\($0.rawValue)]" : "" } ?? ""
                    return line(
                        station.node, (station.rssi.map { ", \($0) dBm" } ?? "") + weak, isMarked: !weak.isEmpty)
                })
        }
        lines += list("Ethernet", map.wired.map { line($0) })
        for bridge in map.bridges {
            lines += list(
                "Behind \(MapWords.name(bridge.label)) (node \(bridge.nodeID.rawValue))",
                bridge.bridged.map { bridged in
                    let isGone = bridged.device.isReachable == false
                    return Line(
                        text: "\(MapWords.name(bridged.title))  endpoint \(bridged.endpoint.number)"
                            + (isGone ? " [unreachable]" : ""), style: isGone ? .yellow : nil)
                })
        }
        lines += list("On a network that they do not tell of", map.elsewhere.map { line($0) })
        lines += list(
            "No answer",
            map.silent.map { silent in
                Line(
                    text: "\(MapWords.name(silent.node.label))  node \(silent.node.nodeID.rawValue): "
                        + TerminalText.escaped(ErrorReport(silent.error, target: NodeTarget(silent.node)).message),
                    style: .red)
            })
        lines += list(
            "Remarks",
            map.findings.map { Line(text: "\($0.kind.rawValue): \(TerminalText.escaped($0.text))", style: .yellow) })
        return lines
    }

    private func line(_ node: NodeRecord, _ more: String = "", isMarked: Bool = false) -> Line {
        Line(
            text: "\(MapWords.name(node.label))  node \(node.nodeID.rawValue)\(more)", style: isMarked ? .yellow : nil)
    }

    private func list(_ title: String, _ items: [Line]) -> [Line] {
        guard !items.isEmpty else { return [] }
        return [Line(text: title, style: .bold)]
            + items.enumerated().map { index, item in
                Line(text: (index == items.count - 1 ? Self.last : Self.branch) + item.text, style: item.style)
            }
    }

    private static let (branch, last, trunk, gap) = ("├─ ", "└─ ", "│  ", "   ")

    // MARK: Thread

    private func lines(_ mesh: ThreadMesh) -> [Line] {
        let below = Dictionary(grouping: mesh.devices) { $0.nextHop ?? "" }
        var isPrinted: Set<MeshDevice.ID> = []
        var lines: [Line] = []
        func add(_ devices: [MeshDevice], _ lead: String) {
            let new = devices.filter { isPrinted.insert($0.id).inserted }
            for (index, device) in new.enumerated() {
                let isLast = index == new.count - 1
                let line = self.line(device, mesh)
                lines.append(
                    Line(text: lead + (isLast ? Self.last : Self.branch) + line.text, style: line.style))
                add(below[device.id] ?? [], lead + (isLast ? Self.gap : Self.trunk))
            }
        }
        let isKnown = Set(mesh.devices.map(\.id))
        add(mesh.devices.filter { $0.nextHop.map { !isKnown.contains($0) } ?? true }, "")
        // Tables that contradict each other may name devices in a circle.
        add(mesh.devices, "")
        return [Line(text: "\(words.title(mesh)): \(words.counts(mesh))", style: .bold)] + lines
    }

    private func line(_ device: MeshDevice, _ mesh: ThreadMesh) -> Line {
        let own = mesh.links.filter { $0.one == device.id || $0.other == device.id }
        let way = mesh.link(between: device.id, and: device.nextHop)
        let others = own.filter { $0.one != device.nextHop && $0.other != device.nextHop && !$0.isOfParent }
        var parts = [words.kind(device)]
        if let way { parts.append(words.strengths(way, from: device.id)) }
        if device.unknownChildren > 0 {
            parts.append("\(device.unknownChildren) unknown \(device.unknownChildren == 1 ? "child" : "children")")
        }
        if !others.isEmpty { parts.append("\(MapWords.count(others.count, way == nil ? "link" : "more link"))") }
        let marks = words.marks(device) + (way.map(words.marks) ?? [])
        let text = parts.filter { !$0.isEmpty }.joined(separator: ", ")
        return Line(
            text: "\(words.title(device))  \(text)" + marks.map { " [\($0)]" }.joined(),
            style: marks.isEmpty ? nil : .yellow)
    }
}
