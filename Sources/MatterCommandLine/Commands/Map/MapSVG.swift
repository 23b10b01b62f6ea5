import MatterController

/// A map as a picture that stands alone: no font, script or file from elsewhere. The same map gives the same picture.
struct MapSVG {
    static let width = 1200.0
    static let margin = 20.0
    private static let gap = 16.0
    private static let mostRemarks = 40
    /// The characters of a remark on a line.
    private static let lineLength = 165

    private let map: NetworkMap
    private let words: MapWords

    init(_ map: NetworkMap) {
        self.map = map
        words = MapWords(map)
    }

    var text: String {
        var canvas = SVGCanvas()
        canvas.text("Network of the house", at: .init(x: Self.margin, y: 36), "title")
        if map.readAt > 0 {
            canvas.text(
                "read \(DateText.time(map.readAt))", at: .init(x: Self.width - Self.margin, y: 36), "soft", .end)
        }
        var y = MapLegend.draw(on: &canvas, at: 60) + Self.gap
        for mesh in map.meshes { y = MeshDrawing(mesh, words).draw(on: &canvas, at: y) + Self.gap }
        y = addCards(to: &canvas, at: y)
        y = addRemarks(to: &canvas, at: y)
        if map.isEmpty {
            canvas.text("no node, and no border router", at: .init(x: Self.margin, y: y + 20), "soft")
            y += 40
        }
        return canvas.document(width: Self.width, height: y + Self.margin, title: "Network of the house")
    }

    // MARK: Cards

    private var cards: [StarCard] {
        var cards = map.accessPoints.map { accessPoint in
            StarCard(
                title: words.title(accessPoint), hub: "AP",
                items: accessPoint.stations.map { station in
                    StarCard.Item(
                        station.node, value: station.rssi.map { "\($0) dBm" }, look: station.quality?.rawValue)
                })
        }
        cards.append(StarCard(title: "Ethernet", hub: "LAN", items: map.wired.map { StarCard.Item($0, look: "good") }))
        cards += map.bridges.map { bridge in
            StarCard(
                title: "Behind \(MapWords.name(bridge.label)) (node \(bridge.nodeID.rawValue))",
                hub: "\(bridge.nodeID.rawValue)",
                items: bridge.bridged.map { bridged in
                    let isGone = bridged.device.isReachable == false
                    return StarCard.Item(
                        mark: "\(bridged.endpoint.number)", name: bridged.title, value: isGone ? "unreachable" : nil,
                        look: isGone ? "stale" : nil)
                })
        }
        cards.append(
            StarCard(
                title: "On a network that they do not tell of", hub: "?", items: map.elsewhere.map { StarCard.Item($0) }
            ))
        cards.append(
            StarCard(
                title: "No answer", hub: "?",
                items: map.silent.map { silent in
                    StarCard.Item(
                        silent.node,
                        value: TableLayout.cut(
                            TerminalText.escaped(MatterError.text(silent.error)), to: StarCard.longestValue, "…"),
                        look: "stale")
                }))
        return cards.filter { !$0.items.isEmpty }
    }

    /// In two columns, each card below the shorter one.
    private func addCards(to canvas: inout SVGCanvas, at top: Double) -> Double {
        var ends = [top, top]
        for card in cards {
            let column = ends[0] <= ends[1] ? 0 : 1
            let x = Self.margin + Double(column) * (StarCard.width + Self.gap)
            ends[column] = card.draw(on: &canvas, at: .init(x: x, y: ends[column])) + Self.gap
        }
        return max(ends[0], ends[1])
    }

    // MARK: Remarks

    private func addRemarks(to canvas: inout SVGCanvas, at top: Double) -> Double {
        guard !map.findings.isEmpty || map.obstacle != nil else { return top }
        var y = top + 22
        canvas.text("Remarks", at: .init(x: Self.margin, y: y), "head")
        var remarks = map.findings.prefix(Self.mostRemarks).map { ($0.kind.rawValue, $0.text) }
        let rest = map.findings.count - Self.mostRemarks
        if rest > 0 { remarks.append(("", "and \(rest) more: matterctl map")) }
        if let obstacle = map.obstacle { remarks.append(("", "border routers were not looked for: \(obstacle)")) }
        for (kind, text) in remarks {
            let lines = TableLayout.folded(TerminalText.escaped(text), to: Self.lineLength - 25)
            for (index, line) in lines.enumerated() {
                y += 18
                if index == 0 { canvas.text(kind, at: .init(x: Self.margin, y: y), "strong") }
                canvas.text(line, at: .init(x: Self.margin + 165, y: y), "")
            }
        }
        return y + 10
    }
}

extension MatterError {
    /// An error in words.
    fileprivate static func text(_ error: any Error) -> String { ErrorReport(error, target: nil).message }
}

/// A thing in the middle, and what hangs on it: an access point, a cable, a bridge.
struct StarCard {
    struct Item {
        var mark: String
        var name: String
        var value: String?
        /// The class of the line.
        var look: String?

        init(mark: String, name: String, value: String? = nil, look: String? = nil) {
            self.mark = mark
            self.name = TerminalText.escaped(name)
            (self.value, self.look) = (value, look)
        }

        init(_ node: NodeRecord, value: String? = nil, look: String? = nil) {
            self.init(mark: "\(node.nodeID.rawValue)", name: node.label, value: value, look: look)
        }
    }

    static let width = 572.0
    static let longestValue = 36
    private static let row = 25.0
    private static let head = 46.0

    let title: String
    /// The sign in the middle.
    let hub: String
    let items: [Item]

    /// - Returns: the lower end.
    func draw(on canvas: inout SVGCanvas, at corner: SVGCanvas.Point) -> Double {
        let height = Self.head + Double(items.count) * Self.row + 12
        canvas.box(corner, Self.width, height, "card", round: 10)
        canvas.text(
            TableLayout.cut(title, to: 62, "…"), at: .init(x: corner.x + 16, y: corner.y + 26), "head")
        let center = SVGCanvas.Point(
            x: corner.x + 44, y: corner.y + Self.head + Double(items.count) * Self.row / 2)
        let dots = items.indices.map { index in
            SVGCanvas.Point(x: corner.x + 190, y: corner.y + Self.head + (Double(index) + 0.5) * Self.row)
        }
        for (item, dot) in zip(items, dots) { canvas.line(center, dot, item.look ?? "plain") }
        canvas.box(.init(x: center.x - 17, y: center.y - 13), 34, 26, "hub", round: 6)
        canvas.text(
            TableLayout.cut(hub, to: 5, "…"), at: .init(x: center.x, y: center.y + 3.5), "inside", .middle)
        for (item, dot) in zip(items, dots) {
            canvas.circle(dot, 10, "node", title: item.name)
            canvas.text(TableLayout.cut(item.mark, to: 5, "…"), at: .init(x: dot.x, y: dot.y + 3.5), "inside", .middle)
            let room = item.value == nil ? 46 : 46 - TableLayout.width(of: item.value ?? "")
            canvas.text(
                TableLayout.cut(item.name, to: max(12, room), "…"), at: .init(x: dot.x + 17, y: dot.y + 4), "name")
            if let value = item.value {
                let isBad = ["weak", "unusable", "stale"].contains(item.look)
                canvas.text(
                    value, at: .init(x: corner.x + Self.width - 16, y: dot.y + 4), isBad ? "bad" : "soft", .end)
            }
        }
        return corner.y + height
    }
}
