/// A picture of values over time, as lines of text. Series of one unit share a panel; all panels share the time.
///
/// A series is drawn with dots, and its latest value is its mark; where only the marks tell series apart, with marks. Where the
/// node was away, or did not know its value, there is nothing.
struct Chart {
    static let narrowest = 24
    private static let lowestPanel = 3
    private static let marks: [Character] = ["●", "▲", "■", "◆", "○", "△", "□", "◇"]
    private static let plainMarks: [Character] = ["*", "+", "x", "o", "#", "@", "%", "&"]
    private static let styles: [TextStyle] = [.cyan, .yellow, .green, .magenta, .blue, .red]

    let series: [ChartSeries]
    /// When it began, in seconds since 1970.
    let start: Double
    /// In seconds since 1970.
    let now: Double
    /// The columns that it may have.
    let width: Int
    /// The lines that it may have.
    let height: Int
    /// Whether there is ASCII only.
    var isPlain = false
    var hasColors = false
    /// A line below; `nil` for none.
    var note: String?

    /// The lines of the picture, none wider than the width, and not more than the height.
    var lines: [String] {
        let legend = ChartLegend(chart: self).lines(atMost: max(2, height / 3))
        let room = height - legend.count - 2 - (note == nil ? 0 : 1)
        let panels = panels
        let shown = panels.prefix(max(1, room / (Self.lowestPanel + 1)))
        let scales = shown.enumerated().map { index, panel in
            ChartPanel(chart: self, members: panel, rows: room / shown.count - 1 + (index < room % shown.count ? 1 : 0))
        }
        let gutter = max(3, scales.map(\.gutter).max() ?? 0)
        let columns = width - gutter - 2
        guard room >= Self.lowestPanel + 1, columns >= Self.narrowest / 2, width >= Self.narrowest else {
            let lines = [cut("the terminal is too small for a chart")] + (width < Self.narrowest ? [] : legend)
            return Array(lines.prefix(max(1, height)))
        }
        let clock = ChartClock(from: start, now: now, columns: columns)
        var lines = scales.flatMap { $0.lines(gutter, columns, clock) }
        lines += axis(clock, gutter, columns)
        lines += legend
        if let note {
            let hidden = panels.count - shown.count
            lines.append(cut((hidden > 0 ? "\(hidden) more units need a higher terminal; " : "") + note))
        }
        return lines
    }

    /// The series of each unit.
    private var panels: [[Int]] {
        var units: [String] = []
        for one in series where !units.contains(one.unit) { units.append(one.unit) }
        return units.map { unit in series.indices.filter { series[$0].unit == unit } }
    }

    private func axis(_ clock: ChartClock, _ gutter: Int, _ columns: Int) -> [String] {
        let ticks = Set(clock.ticks.map(\.column))
        let line = (0..<columns).map { ticks.contains($0) ? (isPlain ? "+" : "┬") : isPlain ? "-" : "─" }.joined()
        let zone = String(repeating: " ", count: gutter - 3) + "UTC"
        return [
            String(repeating: " ", count: gutter + 1) + (isPlain ? "+" : "└") + line,
            "\(zone)  \(clock.labels(columns))",
        ]
    }

    // MARK: Looks

    func mark(of number: Int) -> Character {
        let marks = isPlain ? Self.plainMarks : Self.marks
        return marks[number % marks.count]
    }

    /// A text in the colour of a series.
    func styled(_ text: String, as number: Int?) -> String {
        guard hasColors, let number else { return text }
        return Self.styles[number % Self.styles.count].applied(to: text)
    }

    /// Text of ours or of a node, as the terminal can show it.
    func shown(_ text: String) -> String { isPlain ? PlainCharacters.text(text, isJSON: false) : text }

    func cut(_ text: String, to columns: Int? = nil) -> String {
        TableLayout.cut(shown(text), to: columns ?? width, isPlain ? "..." : "…")
    }
}

/// The part of a chart with the series of one unit.
struct ChartPanel {
    let chart: Chart
    /// The numbers of its series.
    let members: [Int]
    /// Below the line with the unit.
    let rows: Int
    private let scale: ChartScale?

    init(chart: Chart, members: [Int], rows: Int) {
        (self.chart, self.members, self.rows) = (chart, members, max(1, rows))
        let series = members.map { chart.series[$0] }
        let least = series.compactMap(\.least?.value).min()
        let greatest = series.compactMap(\.greatest?.value).max()
        if let least, let greatest {
            scale = ChartScale(least, greatest, rows: self.rows)
        } else {
            scale = nil
        }
    }

    private var unit: String { chart.shown(members.first.map { chart.series[$0].unit } ?? "") }

    /// The columns of the texts at its side.
    var gutter: Int {
        max(
            TableLayout.width(of: unit), scale.map { scale in scale.ticks.map { scale.text($0).count }.max() ?? 0 } ?? 0
        )
    }

    func lines(_ gutter: Int, _ columns: Int, _ clock: ChartClock) -> [String] {
        let isBraille = !chart.isPlain && (chart.hasColors || members.count == 1)
        var canvas = ChartCanvas(columns: columns, rows: rows, isBraille: isBraille)
        var labels: [Int: String] = [:]
        if let scale {
            for tick in scale.ticks { labels[scale.row(tick, of: rows)] = scale.text(tick) }
            draw(scale, clock, in: &canvas)
        }
        let lines = (0..<rows).map { row in
            let label = labels[row] ?? ""
            let side = label.isEmpty ? (chart.isPlain ? "|" : "│") : chart.isPlain ? "+" : "┤"
            let cells = canvas.row(row).map { chart.styled($0.text, as: $0.series) }.joined()
            return String(repeating: " ", count: max(0, gutter - label.count)) + label + " " + side + cells
        }
        let heading =
            unit.isEmpty ? "" : String(repeating: " ", count: max(0, gutter - TableLayout.width(of: unit))) + unit
        return [heading] + lines
    }

    private func draw(_ scale: ChartScale, _ clock: ChartClock, in canvas: inout ChartCanvas) {
        var heads: [(column: Int, row: Int, series: Int)] = []
        for number in members {
            let series = chart.series[number]
            let spans = series.spans(canvas.width, from: clock.start, to: clock.end, now: chart.now)
            for (column, span) in spans.enumerated() {
                guard let span else { continue }
                let rows = (
                    scale.row(span.upperBound, of: canvas.height), scale.row(span.lowerBound, of: canvas.height)
                )
                canvas.fill(column, rows.0...rows.1, of: number, as: chart.mark(of: number))
            }
            if let latest = series.latest, !series.isAway, let column = spans.lastIndex(where: { $0 != nil }) {
                heads.append((column, scale.row(latest.value, of: canvas.height), number))
            }
        }
        for head in heads { canvas.put(chart.mark(of: head.series), head.column, head.row, of: head.series) }
    }
}

/// The names of the series, with their latest, least and greatest values.
struct ChartLegend {
    private static let shortestLabel = 16
    private static let longestNumber = 12
    let chart: Chart

    /// - Parameter most: the lines that it may have, two or more.
    func lines(atMost most: Int) -> [String] {
        let count = chart.series.count <= most - 1 ? chart.series.count : max(1, most - 2)
        let rows = chart.series.prefix(count).map { series in
            [
                series.isAway ? "away" : value(series.latest, series.unit), value(series.least, nil),
                value(series.greatest, nil),
            ]
        }
        var columns = (0..<3).map { column in
            max(
                ["LATEST", "MIN", "MAX"][column].count,
                rows.map { TableLayout.width(of: $0[column]) }.max() ?? 0)
        }
        while columns.count > 1, room(columns) < Self.shortestLabel { columns.removeLast() }
        let room = max(0, room(columns))
        let longest = chart.series.prefix(count).map { TableLayout.width(of: chart.shown($0.label)) }.max() ?? 0
        let widest = min(room, max(longest, "SERIES".count))
        func line(_ mark: String, _ label: String, _ cells: [String]) -> String {
            let name = chart.cut(label, to: widest)
            return mark + " " + name + String(repeating: " ", count: max(0, widest - TableLayout.width(of: name)))
                + zip(cells, columns).map { cell, width in
                    "  " + String(repeating: " ", count: max(0, width - TableLayout.width(of: cell))) + cell
                }.joined()
        }
        var lines = [line(" ", "SERIES", ["LATEST", "MIN", "MAX"])]
        for (number, (series, cells)) in zip(chart.series, rows).enumerated() {
            lines.append(line(chart.styled(String(chart.mark(of: number)), as: number), series.label, cells))
        }
        let more = chart.series.count - count
        if more > 0 { lines.append(chart.cut("  and \(more) more")) }
        return lines
    }

    private func room(_ columns: [Int]) -> Int { chart.width - 2 - columns.reduce(0) { $0 + $1 + 2 } }

    private func value(_ told: ChartSeries.Told?, _ unit: String?) -> String {
        guard let told else { return "-" }
        let number = told.text.count <= Self.longestNumber ? told.text : ChartScale.text(told.value, decimals: 3)
        let unit = unit.map(chart.shown) ?? ""
        return unit.isEmpty ? number : number + (unit == "%" || unit == "°" ? "" : " ") + unit
    }
}
