import TestSupport
import Testing

@testable import MatterCommandLine

/// Charts of values over time, as text.
@Suite("Charts", .together) struct ChartTests {
    /// 2026-11-22T14:28:00Z
    private static let start = 1_795_357_680.0

    private static func series(_ label: String, _ unit: String, _ values: [(Double, Double?)]) -> ChartSeries {
        var series = ChartSeries(label, unit: unit)
        for (time, value) in values { series.add(value, value.map { "\($0)" } ?? "", at: start + time) }
        return series
    }

    private static let stairs = series("attic", "°C", (0..<7).map { (Double($0) * 10, 18 + Double($0) / 2) })

    private func chart(
        _ series: [ChartSeries], seconds: Double = 60, width: Int = 40, height: Int = 11, isPlain: Bool = false,
        hasColors: Bool = false, note: String? = nil
    ) -> [String] {
        Chart(
            series: series, start: Self.start, now: Self.start + seconds, width: width, height: height,
            isPlain: isPlain, hasColors: hasColors, note: note
        ).lines
    }

    @Test("one series is drawn with dots, its latest value is its mark, and the legend has its numbers")
    func dots() {
        #expect(
            chart([Self.stairs], height: 12, note: "Ctrl-C stops") == [
                " °C",
                " 22 ┤",
                "    │                                  ●",
                "    │                             ⡖⠒⠒⠒⠒⠚",
                " 20 ┤                 ⢠⠤⠤⠤⠤⠤⠏⠉⠉⠉⠉⠉⠁",
                "    │           ⢰⠒⠒⠒⠒⠒⠚",
                " 18 ┤⣀⣀⣀⣀⣀⣸⠉⠉⠉⠉⠉⠉",
                "    └┬────────────────┬─────────────────",
                "UTC  14:28:00     14:28:30",
                "  SERIES   LATEST   MIN   MAX",
                "● attic   21.0 °C  18.0  21.0",
                "Ctrl-C stops",
            ])
    }

    @Test("without Unicode, marks and ASCII do")
    func ascii() {
        #expect(
            chart([Self.stairs], height: 12, isPlain: true) == [
                "  C",
                " 21 +                                  *",
                "    |                             ******",
                " 20 +                       *******",
                "    |                 *******",
                " 19 +           *******",
                "    |     *******",
                " 18 +******",
                "    ++----------------+-----------------",
                "UTC  14:28:00     14:28:30",
                "  SERIES  LATEST   MIN   MAX",
                "* attic   21.0 C  18.0  21.0",
            ])
    }

    @Test("while a node is away there is a gap, and then the value that it had; a constant value is in the middle")
    func gap() {
        var series = Self.series("attic", "W", [(0, 5)])
        series.lose(at: Self.start + 20)
        #expect(chart([series], seconds: 30, isPlain: true).last == "* attic     away  5.0  5.0")
        series.resume(at: Self.start + 40)
        #expect(
            chart([series], isPlain: true) == [
                "  W",
                "5.5 +",
                "    |",
                "    |",
                "5.0 +************           ************",
                "    |",
                "4.5 +",
                "    ++----------------+-----------------",
                "UTC  14:28:00     14:28:30",
                "  SERIES  LATEST  MIN  MAX",
                "* attic    5.0 W  5.0  5.0",
            ])
    }

    @Test("null, NaN and infinity are no values")
    func noValues() {
        let values: [(Double, Double?)] = [(0, 7), (10, nil), (20, 8), (30, .nan), (40, 6), (50, .infinity)]
        #expect(
            chart([Self.series("n", "", values)], isPlain: true) == [
                "",
                "  8 +           *******",
                "    |",
                "    |",
                "  7 +******",
                "    |",
                "  6 +                       *******",
                "    ++----------------+-----------------",
                "UTC  14:28:00     14:28:30",
                "  SERIES  LATEST  MIN  MAX",
                "* n            -  6.0  8.0",
            ])
    }

    @Test("series of one unit share a panel, and marks tell them apart where there are no colours")
    func panels() {
        let series = [
            Self.series("attic", "°C", [(0, 18), (30, 20)]), Self.series("hall", "°C", [(0, 21), (30, 19)]),
            Self.series("heater", "W", [(0, 0), (20, 1150), (40, 0)]),
        ]
        #expect(
            chart(series, width: 48, height: 18) == [
                "  °C",
                "  22 ┤",
                "     │▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲",
                "  20 ┤                     ▲●●●●●●●●●●●●●●●●●●●●",
                "     │                     ▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲▲",
                "  18 ┤●●●●●●●●●●●●●●●●●●●●●●",
                "   W",
                "2000 ┤",
                "     │",
                "1000 ┤              ⡏⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⡇",
                "     │              ⡇             ⡇",
                "   0 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⡇             ⣇⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀■",
                "     └┬────────────────────┬────────────────────",
                " UTC  14:28:00         14:28:30",
                "  SERIES   LATEST   MIN     MAX",
                "● attic   20.0 °C  18.0    20.0",
                "▲ hall    19.0 °C  19.0    21.0",
                "■ heater    0.0 W   0.0  1150.0",
            ])
        let colored = chart(series, width: 48, height: 18, hasColors: true)
        #expect(colored[4] == "     │                     \u{1B}[33m⡧⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤▲\u{1B}[0m")
        #expect(colored[15] == "\u{1B}[36m●\u{1B}[0m attic   20.0 °C  18.0    20.0")
    }

    @Test("numbers at the end of what there is are drawn; very large and very small ones are powers of ten")
    func extremes() {
        let lines = chart([Self.series("n", "", [(0, -1.7e308), (10, 1.7e308), (20, 3)])], seconds: 30, isPlain: true)
        #expect(
            lines.dropFirst().prefix(6) == [
                " 1e300 +     ******",
                "       |     *    *",
                "       |     *    *",
                "     0 +     *    *******",
                "       |     *",
                "-1e300 +******",
            ])
        func ticks(_ least: Double, _ greatest: Double) -> [String] {
            let scale = ChartScale(least, greatest, rows: 9)
            return scale.ticks.map(scale.text)
        }
        #expect(ticks(0, 0) == ["-1", "0", "1"] && ticks(-5, 5) == ["-5", "0", "5"])
        #expect(ticks(0, 1e-7) == ["0", "5e-8", "1e-7"] && ticks(12e9, 13e9) == ["1.2e10", "1.25e10", "1.3e10"])
        #expect(ticks(99.99, 100.01) == ["99.99", "100.00", "100.01"])
        #expect(
            ticks(1e15, 1e15 + 0.001) == ["9e14", "1e15", "1.1e15"]
                && ticks(-Double.leastNonzeroMagnitude, 0) == ["-1", "0", "1"])
    }

    @Test("before the first value there are the axes")
    func empty() {
        #expect(
            chart([], seconds: 0, isPlain: true) == [
                "    ++----------------+-----------------", "UTC  14:28:00     14:28:30", "  SERIES  LATEST  MIN  MAX",
            ])
    }

    @Test("whatever the window and the series, no line is wider and no picture higher; what has no room is said")
    func fit() {
        let units = ["°C", "W", "V", "A", "Hz", "kWh", "%", "lx"]
        let many = (0..<30).map { number in
            Self.series(
                "node-\(number) 客厅 with a name that goes on", units[number % 8],
                [(Double(number), Double(number) * 1e-5)])
        }
        for series in [[], [Self.stairs], many] {
            for width in Array(1...60) + [80, 132, 200] {
                for height in [1, 2, 3, 5, 8, 13, 24, 70] {
                    for isPlain in [true, false] {
                        let lines = chart(
                            series, seconds: 1000, width: width, height: height, isPlain: isPlain, note: "note")
                        #expect(lines.count <= height, "\(series.count) in \(width)×\(height)")
                        #expect(
                            lines.allSatisfy { TableLayout.width(of: $0) <= width },
                            "\(series.count) in \(width)×\(height): \(lines)")
                    }
                }
            }
        }
        let low = chart(many, width: 60, height: 30, note: "Ctrl-C stops")
        #expect(low.last == "4 more units need a higher terminal; Ctrl-C stops")
        #expect(low.contains("  and 22 more"), "\(low)")
        #expect(chart([Self.stairs], width: 60, height: 5).first == "the terminal is too small for a chart")
    }

    @Test("the chart fills from the left, and has room for more time when it is full")
    func time() {
        func labels(_ seconds: Double, _ columns: Int = 60) -> [String] {
            let clock = ChartClock(from: Self.start, now: Self.start + seconds, columns: columns)
            #expect(clock.end - clock.start >= seconds)
            return clock.labels(columns).split(separator: " ").map(String.init)
        }
        #expect(labels(5) == ["14:28:00", "14:28:15", "14:28:30", "14:28:45"])
        #expect(labels(60) == labels(5) && labels(61) != labels(5))
        #expect(labels(61) == ["14:28:00", "14:28:30", "14:29:00", "14:29:30"])
        #expect(labels(3600) == ["14:30", "14:40", "14:50", "15:00", "15:10", "15:20"])
        #expect(labels(3 * 86_400) == ["11-23", "11-24", "11-25", "11-26"])
        #expect(labels(100_000).prefix(4) == ["11-23", "00:00", "11-23", "12:00"])
        #expect(labels(10 * 364 * 86_400).count > 2)
    }

    @Test("a run of days keeps what it draws: peaks, gaps and the last value, in bounded room")
    func days() {
        var series = ChartSeries("n", unit: "")
        for number in 0..<100_000 {
            let time = Self.start + Double(number)
            if number == 40_000 { series.lose(at: time) }
            if (40_000..<60_000).contains(number) { continue }
            series.add(number == 30_000 ? 99 : Double(number % 10), "\(number)", at: time)
        }
        #expect(series.points.count <= ChartSeries.most)
        #expect(series.points.contains { $0.value == 99 } && series.points.last?.value == 9)
        let spans = series.spans(100, from: Self.start, to: Self.start + 100_000, now: Self.start + 100_000)
        #expect(spans[30] == 0...99 && spans[31] == 0...9 && spans[99] == 0...9)
        #expect(spans.indices.filter { spans[$0] == nil } == Array(41..<60), "\(spans)")
    }

    @Test("a clock that is set back, and values that all come at once, are drawn")
    func clocks() {
        var series = ChartSeries("n", unit: "")
        for number in 0..<20_000 { series.add(Double(number), "\(number)", at: Self.start - Double(number)) }
        #expect(series.points.count <= ChartSeries.most && series.latest?.value == 19_999)
        #expect(series.points.allSatisfy { $0.time == Self.start })
        #expect(chart([series]).count == 11)
    }
}

/// Lines for spreadsheets.
@Suite("Lines of CSV", .together) struct CSVTextTests {
    @Test("cells are quoted as RFC 4180 says, and no word is taken for a formula")
    func cells() {
        for (cell, text) in [
            ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("-5.25", "-5.25"), ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-1+1", "'-1+1"), ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""), ("1/6/0", "1/6/0"),
        ] {
            #expect(CSVText.line([cell, "z"]) == text + ",z")
        }
    }
}
