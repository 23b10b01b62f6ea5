/// The parts of a picture in SVG 1.1, and the styles that they share. All text is escaped.
struct SVGCanvas {
    /// A place, in pixels.
    struct Point: Equatable {
        var x: Double
        var y: Double

        /// A place between two others.
        static func between(_ one: Point, _ other: Point, _ part: Double) -> Point {
            Point(x: one.x + (other.x - one.x) * part, y: one.y + (other.y - one.y) * part)
        }
    }

    enum Anchor: String {
        case start, middle, end
    }

    private(set) var elements: [String] = []

    static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        guard tenths.isFinite, abs(tenths) < 1e9 else { return "0" }
        let whole = Int(tenths)
        return whole % 10 == 0 ? "\(whole / 10)" : "\(whole < 0 ? "-" : "")\(abs(whole) / 10).\(abs(whole) % 10)"
    }

    private func pair(_ name: String, _ value: Double) -> String { "\(name)=\"\(Self.number(value))\"" }

    private mutating func add(_ element: String, _ attributes: [String], _ look: String, _ title: String?) {
        let head = ([element] + attributes + ["class=\"\(look)\""]).joined(separator: " ")
        elements.append(
            title.map { "<\(head)><title>\(XMLText.content($0))</title></\(element)>" } ?? "<\(head)/>")
    }

    mutating func circle(_ center: Point, _ radius: Double, _ look: String, title: String? = nil) {
        add("circle", [pair("cx", center.x), pair("cy", center.y), pair("r", radius)], look, title)
    }

    mutating func box(
        _ corner: Point, _ width: Double, _ height: Double, _ look: String, round: Double = 4, title: String? = nil
    ) {
        add(
            "rect",
            [
                pair("x", corner.x), pair("y", corner.y), pair("width", width), pair("height", height),
                pair("rx", round),
            ], look, title)
    }

    mutating func line(_ one: Point, _ other: Point, _ look: String, title: String? = nil) {
        add(
            "line", [pair("x1", one.x), pair("y1", one.y), pair("x2", other.x), pair("y2", other.y)], look, title)
    }

    /// A curve that is drawn to a third place.
    mutating func curve(_ one: Point, _ other: Point, towards: Point, _ look: String, title: String? = nil) {
        let path = [
            "M", Self.number(one.x), Self.number(one.y), "Q", Self.number(towards.x), Self.number(towards.y),
            Self.number(other.x), Self.number(other.y),
        ].joined(separator: " ")
        add("path", ["d=\"\(path)\""], look, title)
    }

    /// A triangle that points from one place to another.
    mutating func arrow(at tip: Point, from origin: Point, _ look: String) {
        let (x, y) = (tip.x - origin.x, tip.y - origin.y)
        let length = max(1, (x * x + y * y).squareRoot())
        let (unitX, unitY) = (x / length, y / length)
        let corners = [(7.0, 0.0), (-6.0, 6.0), (-6.0, -6.0)].map { along, aside in
            Self.number(tip.x + unitX * along - unitY * aside) + ","
                + Self.number(tip.y + unitY * along + unitX * aside)
        }
        add("polygon", ["points=\"\(corners.joined(separator: " "))\""], look, nil)
    }

    mutating func text(_ text: String, at place: Point, _ look: String, _ anchor: Anchor = .start) {
        elements.append(
            "<text \(pair("x", place.x)) \(pair("y", place.y)) text-anchor=\"\(anchor.rawValue)\" class=\"\(look)\">"
                + "\(XMLText.content(text))</text>")
    }

    mutating func append(_ other: SVGCanvas) { elements += other.elements }

    /// The whole picture.
    func document(width: Double, height: Double, title: String) -> String {
        ([
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" "
                + "viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" role=\"img\">",
            "<title>\(XMLText.content(title))</title>", "<style>", Self.styles, "</style>",
            "<rect width=\"100%\" height=\"100%\" class=\"paper\"/>",
        ] + elements + ["</svg>", ""]).joined(separator: "\n")
    }

    /// Colours in light and in dark. A quality has a colour and a kind of line, so that one of the two is enough.
    private static let styles = """
        svg { --paper: #ffffff; --card: #f5f6f8; --edge: #d4d8de; --ink: #1d2126; --soft: #5b6570; --node: #3a6ea5;
          --border: #7a3fa0; --good: #2e8b57; --fair: #b08900; --weak: #d9651a; --unusable: #c0282d; --dim: #98a1ab;
          --on: #ffffff; font-family: system-ui, "DejaVu Sans", sans-serif; font-size: 12px; }
        @media (prefers-color-scheme: dark) {
          svg { --paper: #15181c; --card: #1e2329; --edge: #343c46; --ink: #e8ebee; --soft: #a5afba; --node: #5b93cf;
            --border: #a86fd0; --good: #4fc383; --fair: #dcb62e; --weak: #ff9350; --unusable: #ff5d61; --dim: #6f7a86;
            --on: #10141a; } }
        .paper { fill: var(--paper); } .card { fill: var(--card); stroke: var(--edge); }
        text { fill: var(--ink); } .title { font-size: 20px; font-weight: 600; }
        .head { font-size: 15px; font-weight: 600; } .soft { fill: var(--soft); } .strong { font-weight: 600; }
        .name { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
        .bad { fill: var(--unusable); } .inside { fill: var(--on); font-size: 10px; font-weight: 600; }
        .mark { paint-order: stroke; stroke: var(--card); stroke-width: 4px; font-size: 11px; fill: var(--soft); }
        line, path { fill: none; stroke: var(--dim); stroke-width: 1.4; }
        .good { stroke: var(--good); } .fair { stroke: var(--fair); stroke-dasharray: 10 4; }
        .weak { stroke: var(--weak); stroke-width: 2.6; stroke-dasharray: 5 4; }
        .unusable { stroke: var(--unusable); stroke-width: 3; stroke-dasharray: 1 6; stroke-linecap: round; }
        .stale { stroke: var(--dim); stroke-dasharray: 2 5; } .main { stroke-width: 2.6; }
        .aside { opacity: .45; } .arrow { fill: var(--unusable); }
        .border { fill: var(--border); } .router, .node { fill: var(--node); }
        .ring { fill: none; stroke: var(--ink); stroke-width: 1.6; }
        .unknown { fill: var(--card); stroke: var(--soft); stroke-width: 1.6; stroke-dasharray: 3 2; }
        .child { fill: var(--card); stroke: var(--node); stroke-width: 2; } .hub { fill: var(--soft); }
        .single { fill: var(--weak); } .alone { fill: var(--unusable); } .question { fill: var(--soft); font-size: 10px; }
        """
}
