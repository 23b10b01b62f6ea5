import MatterController

/// A map as a graph for Graphviz.
struct MapDOT {
    private let map: NetworkMap
    private let words: MapWords

    init(_ map: NetworkMap) {
        self.map = map
        words = MapWords(map)
    }

    var text: String {
        var lines = [
            "graph house {", "  graph [overlap=false, splines=true, fontname=\"sans-serif\"];",
            "  node [fontname=\"sans-serif\", shape=ellipse];", "  edge [fontname=\"sans-serif\", fontsize=10];",
        ]
        var isDrawn: Set<String> = []
        for (index, mesh) in map.meshes.enumerated() {
            lines += ["  subgraph cluster_\(index) {", "    label=\(Self.quoted(words.title(mesh)));"]
            for device in mesh.devices where isDrawn.insert(device.id).inserted {
                lines.append("    \(Self.quoted(device.id)) [\(attributes(device))];")
            }
            lines += mesh.links.map { "    \(edge($0))" } + ["  }"]
        }
        for (index, accessPoint) in map.accessPoints.enumerated() {
            let id = Self.quoted("access-point-\(index)")
            lines.append("  \(id) [shape=box, label=\(Self.quoted(words.title(accessPoint)))];")
            for station in accessPoint.stations {
                lines += node(station.node, &isDrawn)
                let look = Look(station.quality, isStale: false)
                lines.append(
                    "  \(id) -- \(Self.id(station.node)) [color=\"\(look.color)\", style=\(look.style), "
                        + "label=\(Self.quoted(station.rssi.map { "\($0) dBm" } ?? ""))];")
            }
        }
        if !map.wired.isEmpty { lines.append("  \"ethernet\" [shape=box, label=\"Ethernet\"];") }
        for node in map.wired {
            lines += self.node(node, &isDrawn) + ["  \"ethernet\" -- \(Self.id(node));"]
        }
        for node in map.elsewhere + map.silent.map(\.node) { lines += self.node(node, &isDrawn) }
        for bridge in map.bridges {
            for bridged in bridge.bridged {
                let id = Self.quoted("node-\(bridge.nodeID.rawValue)/\(bridged.endpoint.number)")
                lines.append("  \(id) [shape=plaintext, label=\(Self.quoted(MapWords.name(bridged.title)))];")
                let style = bridged.device.isReachable == false ? "dotted" : "solid"
                lines.append("  \(Self.id(bridge)) -- \(id) [style=\(style)];")
            }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// A colour and a style of line for a quality: one of the two is enough to see it.
    private struct Look {
        var color = "gray50"
        var style = "dotted"

        init(_ quality: LinkQuality?, isStale: Bool) {
            guard !isStale else { return }
            (color, style) =
                switch quality {
                case .good?: ("darkgreen", "bold")
                case .fair?: ("goldenrod", "solid")
                case .weak?: ("darkorange", "dashed")
                case .unusable?: ("red", "dotted")
                case nil: ("gray50", "solid")
                }
        }
    }

    private func attributes(_ device: MeshDevice) -> String {
        let marks = words.marks(device)
        let label = [words.title(device), words.kind(device)] + marks.map { "[\($0)]" }
        let shape = device.borderRouter != nil ? "house" : device.isRouter ? "ellipse" : "plaintext"
        var attributes = "shape=\(shape), label=\(Self.quoted(label.filter { !$0.isEmpty }))"
        if !marks.isEmpty { attributes += ", color=\"red\", penwidth=2" }
        if device.node == nil, device.borderRouter == nil { attributes += ", style=dashed" }
        return attributes
    }

    private func edge(_ link: MeshLink) -> String {
        let look = Look(link.quality, isStale: link.isStale)
        var attributes = "color=\"\(look.color)\", style=\(look.style)"
        let label = [words.strengths(link, from: link.one)] + words.marks(link).map { "[\($0)]" }
        if !words.marks(link).isEmpty { attributes += ", label=\(Self.quoted(label.filter { !$0.isEmpty }))" }
        return "\(Self.quoted(link.one)) -- \(Self.quoted(link.other)) [\(attributes)];"
    }

    private func node(_ node: NodeRecord, _ isDrawn: inout Set<String>) -> [String] {
        guard isDrawn.insert("node-\(node.nodeID.rawValue)").inserted else { return [] }
        return ["  \(Self.id(node)) [label=\(Self.quoted(MapWords.name(node.label)))];"]
    }

    private static func id(_ node: NodeRecord) -> String { quoted("node-\(node.nodeID.rawValue)") }

    /// A text that ends where it should: the language has no other escapes than these two, and one of its own for lines. In labels
    /// it also reads references of HTML.
    private static func quoted(_ lines: [String]) -> String {
        let text = lines.map { line in
            // By scalars: a quotation mark with an accent is one character.
            line.unicodeScalars.reduce(into: "") { text, scalar in
                if scalar == "\\" || scalar == "\"" { text.append("\\") }
                text.unicodeScalars.append(scalar)
                if scalar == "&" { text.append("amp;") }
            }
        }
        return "\"\(text.joined(separator: "\\n"))\""
    }

    private static func quoted(_ text: String) -> String { quoted([TerminalText.escaped(text)]) }
}
