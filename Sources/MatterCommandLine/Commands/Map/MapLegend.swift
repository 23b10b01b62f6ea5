import MatterController

/// The meanings of the lines and signs of a picture.
enum MapLegend {
    private static let lines: [(look: String, meaning: String)] = [
        ("good main", "good"), ("fair main", "fair"), ("weak", "weak"), ("unusable", "unusable"), ("stale", "stale"),
    ]

    /// - Returns: the lower end.
    static func draw(on canvas: inout SVGCanvas, at top: Double) -> Double {
        var x = MapSVG.margin
        for (look, meaning) in lines {
            canvas.line(.init(x: x, y: top), .init(x: x + 44, y: top), look)
            canvas.text(meaning, at: .init(x: x + 50, y: top + 4), "")
            x += 66 + Double(meaning.count) * 7
        }
        canvas.line(.init(x: x, y: top), .init(x: x + 44, y: top), "weak")
        canvas.arrow(at: .init(x: x + 22, y: top), from: .init(x: x, y: top), "arrow")
        canvas.text("one-sided: heard well only in this direction", at: .init(x: x + 50, y: top + 4), "")
        let y = top + 28
        x = MapSVG.margin + 12
        func sign(_ meaning: String, _ draw: (inout SVGCanvas, SVGCanvas.Point) -> Void) {
            draw(&canvas, .init(x: x, y: y))
            canvas.text(meaning, at: .init(x: x + 18, y: y + 4), "")
            x += 46 + Double(meaning.count) * 6.8
        }
        sign("border router") { $0.box(.init(x: $1.x - 11, y: $1.y - 11), 22, 22, "border") }
        sign("leader") { canvas, place in
            canvas.circle(place, 11, "router")
            canvas.circle(place, 14, "ring")
        }
        sign("router, with its node id") { canvas, place in
            canvas.circle(place, 11, "router")
            canvas.text("5", at: .init(x: place.x, y: place.y + 3.5), "inside", .middle)
        }
        sign("end device") { $0.circle($1, 8, "child") }
        sign("not a node of yours") { canvas, place in
            canvas.circle(place, 11, "unknown")
            canvas.text("?", at: .init(x: place.x, y: place.y + 4), "question", .middle)
        }
        sign("single way out") { badge("1", "single", on: &$0, at: $1) }
        sign("alone, or without a way out") { badge("!", "alone", on: &$0, at: $1) }
        return y + 14
    }

    static func badge(_ mark: String, _ look: String, on canvas: inout SVGCanvas, at place: SVGCanvas.Point) {
        canvas.circle(place, 7.5, look)
        canvas.text(mark, at: .init(x: place.x, y: place.y + 3.5), "inside", .middle)
    }
}
