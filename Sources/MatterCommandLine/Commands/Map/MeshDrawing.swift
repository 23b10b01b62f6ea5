import MatterController

/// A Thread network as a picture: border routers and routers in a ring, end devices outside of it beside their parents.
struct MeshDrawing {
    private typealias Point = SVGCanvas.Point

    /// A router with what hangs on it.
    private struct Slot {
        var device: MeshDevice
        var children: [MeshDevice]
        var height: Double
        var isRight = false
        var place = Point(x: 0, y: 0)
    }

    private static let child = 24.0
    private static let least = 70.0
    private static let head = 56.0
    private static let center = MapSVG.width / 2
    /// How far routers are from the middle at the ends of the ring, and half-way.
    private static let narrow = 110.0
    private static let wide = 250.0
    private static let outside = 400.0
    private static let longestName = 24

    private let mesh: ThreadMesh
    private let words: MapWords
    private var slots: [Slot] = []
    /// End devices whose parent is not known.
    private var strays: [MeshDevice] = []
    private var places: [MeshDevice.ID: Point] = [:]
    private var height = 0.0

    init(_ mesh: ThreadMesh, _ words: MapWords) {
        self.mesh = mesh
        self.words = words
        let routers = Self.ordered(mesh)
        let known = Set(routers.map(\.id))
        let ends = mesh.devices.filter { !known.contains($0.id) }
        let children = Dictionary(grouping: ends) { $0.parent ?? "" }
        slots = routers.map { router in
            let own = children[router.id] ?? []
            let rows = own.count + (router.unknownChildren > 0 ? 1 : 0)
            return Slot(device: router, children: own, height: max(Self.least, Double(rows) * Self.child + 44))
        }
        strays = ends.filter { !known.contains($0.parent ?? "") }
        arrange()
    }

    /// Routers by the tree of their ways, so that neighbours stand together.
    private static func ordered(_ mesh: ThreadMesh) -> [MeshDevice] {
        let routers = mesh.devices.filter(\.isRouter)
        let below = Dictionary(grouping: routers) { $0.nextHop ?? "" }
        var isTaken: Set<MeshDevice.ID> = []
        var ordered: [MeshDevice] = []
        func add(_ device: MeshDevice) {
            guard isTaken.insert(device.id).inserted else { return }
            ordered.append(device)
            for next in below[device.id] ?? [] { add(next) }
        }
        for device in routers where device.nextHop == nil { add(device) }
        for device in routers { add(device) }
        return ordered
    }

    // MARK: Places

    /// The right half from the top, then the left half from the bottom, each about as high as the other.
    private mutating func arrange() {
        let all = slots.reduce(0) { $0 + $1.height }
        var right = 0.0
        for index in slots.indices where right + slots[index].height / 2 <= all / 2 {
            slots[index].isRight = true
            right += slots[index].height
        }
        height = max(right, all - right, slots.isEmpty ? 0 : 120)
        place(slots.indices.filter { slots[$0].isRight })
        place(slots.indices.filter { !slots[$0].isRight }.reversed())
    }

    private mutating func place(_ indices: [Int]) {
        let used = indices.reduce(0) { $0 + slots[$1].height }
        let spare = (height - used) / Double(max(1, indices.count))
        var y = 0.0
        for index in indices {
            let middle = y + (slots[index].height + spare) / 2
            let part = height > 0 ? (middle - height / 2) / (height / 2) : 0
            let reach = Self.narrow + (Self.wide - Self.narrow) * max(0, 1 - part * part).squareRoot()
            slots[index].place = Point(x: Self.center + (slots[index].isRight ? reach : -reach), y: middle)
            places[slots[index].device.id] = slots[index].place
            for (row, child) in slots[index].children.enumerated() {
                places[child.id] = place(ofRow: row, in: slots[index])
            }
            y += slots[index].height + spare
        }
    }

    private func place(ofRow row: Int, in slot: Slot) -> Point {
        let rows = slot.children.count + (slot.device.unknownChildren > 0 ? 1 : 0)
        return Point(
            x: Self.center + (slot.isRight ? Self.outside : -Self.outside),
            y: slot.place.y + (Double(row) - Double(rows - 1) / 2) * Self.child)
    }

    // MARK: Drawing

    /// - Returns: the lower end.
    func draw(on canvas: inout SVGCanvas, at top: Double) -> Double {
        let strayRows = (strays.count + 3) / 4
        let total = Self.head + height + 20 + (strayRows > 0 ? 20 + Double(strayRows) * Self.child : 0)
        canvas.box(
            .init(x: MapSVG.margin, y: top), MapSVG.width - 2 * MapSVG.margin, total, "card", round: 10)
        canvas.text(words.title(mesh), at: .init(x: MapSVG.margin + 16, y: top + 26), "head")
        canvas.text(words.counts(mesh), at: .init(x: MapSVG.margin + 16, y: top + 45), "soft")
        let shift = top + Self.head
        func shifted(_ place: Point) -> Point { Point(x: place.x, y: place.y + shift) }
        // The worst links lie above the others.
        let links = mesh.links.enumerated().sorted { one, other in
            let ranks = (rank(one.element), rank(other.element))
            return ranks.0 == ranks.1 ? one.offset < other.offset : ranks.0 < ranks.1
        }.map(\.element)
        for link in links {
            guard let one = places[link.one], let other = places[link.other] else { continue }
            draw(link, shifted(one), shifted(other), on: &canvas)
        }
        for slot in slots { draw(slot, shifted, on: &canvas) }
        for link in links where !words.marks(link).isEmpty {
            guard let one = places[link.one], let other = places[link.other] else { continue }
            drawMark(of: link, shifted(one), shifted(other), on: &canvas)
        }
        for (index, device) in strays.enumerated() {
            let place = Point(
                x: MapSVG.margin + 34 + Double(index % 4) * 285,
                y: shift + height + 34 + Double(index / 4) * Self.child)
            drawEnd(device, place, isRight: true, on: &canvas)
        }
        return top + total
    }

    private func rank(_ link: MeshLink) -> Int {
        if link.isOneSided { return 4 }
        if let quality = link.quality, quality <= .weak { return 3 }
        return isMain(link) ? 2 : link.isStale ? 0 : 1
    }

    private func isMain(_ link: MeshLink) -> Bool {
        mesh.device(link.one)?.nextHop == link.other || mesh.device(link.other)?.nextHop == link.one
    }

    private func draw(_ link: MeshLink, _ one: Point, _ other: Point, on canvas: inout SVGCanvas) {
        let marks = words.marks(link)
        let look =
            [
                link.isStale ? "stale" : link.quality?.rawValue ?? "plain",
                isMain(link) ? "main" : marks.isEmpty ? "aside" : "",
            ]
            .filter { !$0.isEmpty }.joined(separator: " ")
        let names = [link.one, link.other].compactMap { mesh.device($0).map(words.title) }.joined(separator: " – ")
        let title = ([names, words.strengths(link, from: link.one)] + marks).filter { !$0.isEmpty }
            .joined(separator: "\n")
        if let towards = bend(link, one, other) {
            canvas.curve(one, other, towards: towards, look, title: title)
        } else {
            canvas.line(one, other, look, title: title)
        }
    }

    /// Two routers of one half are joined by a curve through the ring, so that those between them stay free.
    private func bend(_ link: MeshLink, _ one: Point, _ other: Point) -> Point? {
        guard !link.isOfParent, (one.x < Self.center) == (other.x < Self.center), abs(one.y - other.y) > 10 else {
            return nil
        }
        let pull = min(170, abs(one.y - other.y) * 0.45)
        let middle = Point.between(one, other, 0.5)
        return Point(x: middle.x + (middle.x < Self.center ? pull : -pull), y: middle.y)
    }

    /// The arrow and the numbers of a link that is not as it should be.
    private func drawMark(of link: MeshLink, _ one: Point, _ other: Point, on canvas: inout SVGCanvas) {
        // Those of links that cross stand at different places of their lines.
        let part = 0.38 + 0.06 * Double((link.one.utf8.count + link.other.utf8.reduce(0) { $0 + Int($1) }) % 5)
        let place =
            bend(link, one, other).map { towards in
                Point.between(.between(one, towards, part), .between(towards, other, part), part)
            } ?? Point.between(one, other, part)
        if link.isOneSided {
            let isHeardByOne = Self.strength(link.hearing) > Self.strength(link.otherHearing)
            let (origin, tip) = isHeardByOne ? (other, one) : (one, other)
            canvas.arrow(
                at: place, from: .init(x: place.x - (tip.x - origin.x), y: place.y - (tip.y - origin.y)), "arrow")
        }
        guard !link.isOfParent else { return }
        let label = words.strengths(link, from: link.one).split(separator: ",").first.map(String.init) ?? ""
        let isLeft = one.x < Self.center && other.x < Self.center
        canvas.text(
            label, at: .init(x: place.x + (isLeft ? 10 : -10), y: place.y + 4), "mark", isLeft ? .start : .end)
    }

    private static func strength(_ hearing: MeshLink.Hearing?) -> Int {
        guard let hearing, !hearing.isStale else { return .min }
        return (hearing.lqi ?? 0) * 1000 + (hearing.rssi ?? -128)
    }

    private func draw(_ slot: Slot, _ shifted: (Point) -> Point, on canvas: inout SVGCanvas) {
        let device = slot.device
        let place = shifted(slot.place)
        let title = tooltip(device)
        let mark = device.node.map { "\($0.nodeID.rawValue)" } ?? (device.borderRouter == nil ? "?" : "BR")
        if device.borderRouter != nil {
            canvas.box(.init(x: place.x - 14, y: place.y - 14), 28, 28, "border", title: title)
        } else {
            canvas.circle(place, 13, device.node == nil ? "unknown" : "router", title: title)
        }
        if device.role == .leader {
            if device.borderRouter != nil {
                canvas.box(.init(x: place.x - 17, y: place.y - 17), 34, 34, "ring", round: 6)
            } else {
                canvas.circle(place, 16.5, "ring")
            }
        }
        let isUnknown = device.node == nil && device.borderRouter == nil
        canvas.text(
            TableLayout.cut(mark, to: 4, "…"), at: .init(x: place.x, y: place.y + 3.5),
            isUnknown ? "question" : "inside",
            .middle)
        let side: Double = slot.isRight ? 1 : -1
        // The lines to many children would go through a name beside them.
        let isCrowded = slot.children.count + min(1, device.unknownChildren) > 3
        canvas.text(
            TableLayout.cut(MapWords.name(device.title), to: Self.longestName, "…"),
            at: .init(x: place.x + (isCrowded ? 0 : side * 10), y: place.y - 22), "name strong",
            isCrowded ? .middle : slot.isRight ? .start : .end)
        badges(device, at: .init(x: place.x - side * 13, y: place.y - 13), on: &canvas)
        for child in slot.children {
            guard let place = places[child.id] else { continue }
            drawEnd(child, shifted(place), isRight: slot.isRight, on: &canvas)
        }
        if device.unknownChildren > 0 {
            let end = shifted(self.place(ofRow: slot.children.count, in: slot))
            canvas.line(place, end, "stale")
            canvas.circle(end, 8, "unknown")
            canvas.text(
                "\(device.unknownChildren) not of yours", at: .init(x: end.x + side * 15, y: end.y + 4), "name soft",
                slot.isRight ? .start : .end)
        }
    }

    private func drawEnd(_ device: MeshDevice, _ place: Point, isRight: Bool, on canvas: inout SVGCanvas) {
        let side: Double = isRight ? 1 : -1
        canvas.circle(place, 10, device.node == nil ? "unknown" : "child", title: tooltip(device))
        let mark = device.node.map { "\($0.nodeID.rawValue)" } ?? "?"
        canvas.text(
            TableLayout.cut(mark, to: 3, "…"), at: .init(x: place.x, y: place.y + 3.5), "question", .middle)
        canvas.text(
            TableLayout.cut(MapWords.name(device.title), to: Self.longestName, "…"),
            at: .init(x: place.x + side * 16, y: place.y + 4), "name", isRight ? .start : .end)
        badges(device, at: .init(x: place.x - side * 16, y: place.y - 6), on: &canvas)
    }

    private func badges(_ device: MeshDevice, at place: Point, on canvas: inout SVGCanvas) {
        let marks = words.marks(device)
        if marks.contains("alone") || marks.contains("no way out") {
            MapLegend.badge("!", "alone", on: &canvas, at: place)
        } else if marks.contains("single way out") {
            MapLegend.badge("1", "single", on: &canvas, at: place)
        }
    }

    private func tooltip(_ device: MeshDevice) -> String {
        var lines = [words.title(device), words.kind(device)] + words.marks(device)
        if let address = device.extAddress { lines.append(Hex.number(address, digits: 16, uppercase: true)) }
        if let rloc = device.rloc16 { lines.append("RLOC16 \(Hex.number(rloc, digits: 4, uppercase: true))") }
        if let hops = device.hops, hops > 0 { lines.append("\(MapWords.count(hops, "link")) to a border router") }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
