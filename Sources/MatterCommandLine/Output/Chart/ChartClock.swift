import MatterController

/// The times below a chart. The chart fills from the left; when it is full, twice as much time or more has room.
struct ChartClock {
    private static let day = 86_400.0
    private static let steps: [Double] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, day, 2 * day, 7 * day,
        28 * day, 91 * day, 364 * day,
    ]
    private static let spans: [Double] = [
        60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, day, 2 * day, 4 * day, 7 * day, 14 * day,
        28 * day, 91 * day, 182 * day, 364 * day,
    ]
    /// Between two labels.
    private static let gap = 3

    let start: Double
    let end: Double
    /// The columns of marked times, and their texts.
    let ticks: [(column: Int, text: String)]

    /// - Parameters:
    ///   - start: when the chart began, in seconds since 1970.
    ///   - now: in seconds since 1970.
    ///   - columns: of the chart.
    init(from start: Double, now: Double, columns: Int) {
        let passed = max(now - start, 0)
        let span = Self.spans.first { $0 >= passed } ?? passed * 1.5
        let end = start + span
        let form = { (step: Double) in
            step >= 28 * Self.day
                ? 0..<10 : step >= Self.day ? 5..<10 : span > Self.day ? 5..<16 : step >= 60 ? 11..<16 : 11..<19
        }
        let step =
            Self.steps.first { span / $0 * Double(form($0).count + Self.gap) <= Double(columns) } ?? span / 4
        var ticks: [(column: Int, text: String)] = []
        var time = (start / step).rounded(.up) * step
        while time <= end, ticks.count < columns {
            let column = Int(((time - start) / span * Double(columns)).rounded(.down))
            if column < columns { ticks.append((column, Self.text(time, form(step)))) }
            time += step
        }
        (self.start, self.end, self.ticks) = (start, end, ticks)
    }

    /// `14:28`, `14:28:43`, `11-22`, `11-22 14:28` or `2026-11-22`, in UTC.
    private static func text(_ time: Double, _ part: Range<Int>) -> String {
        let whole = UInt64(exactly: (time * 1000).rounded()) ?? 0
        let text = Array(PointInTime.text(whole, as: .posixMilliseconds) ?? "")
        guard text.count >= part.upperBound else { return "" }
        return String(text[part]).replacing("T", with: " ")
    }

    /// The time on a line of so many columns: a text each at its column, as far as they do not meet.
    func labels(_ columns: Int) -> String {
        var line = ""
        for (column, text) in ticks {
            let place = max(0, min(column - text.count / 2, columns - text.count))
            guard line.isEmpty || place > line.count else { continue }
            line += String(repeating: " ", count: place - line.count) + text
        }
        return line
    }
}
