import Glibc

/// The values at the side of a chart: round ones, evenly spaced, around all that is drawn.
struct ChartScale {
    /// Beyond this, differences are not finite any more.
    private static let largest = 1e300
    /// Below this, nothing is told from zero.
    private static let least = 1e-300
    /// Of two numbers whose digits agree to here, people see one.
    private static let finest = 1e-9
    /// Rows from one tick to the next, about, in a low chart and in a high one.
    private static let pitch = (low: 2, high: 3)
    private static let high = 9

    let lower: Double
    let upper: Double
    let ticks: [Double]
    private let step: Double

    /// - Parameter rows: of the chart.
    init(_ least: Double, _ greatest: Double, rows: Int) {
        var low = max(min(least, greatest), -Self.largest)
        var high = min(max(least, greatest), Self.largest)
        let size = max(abs(low), abs(high))
        if size <= Self.least || high - low <= size * Self.finest {
            // A constant value is drawn in the middle.
            let room = size > Self.least ? size * 0.1 : 1
            low -= room
            high += room
        }
        let pitch = rows < Self.high ? Self.pitch.low : Self.pitch.high
        step = Self.round((high - low) / Double(max(1, (rows - 1) / pitch)))
        lower = (low / step).rounded(.down) * step
        upper = (high / step).rounded(.up) * step
        let count = Int(((upper - lower) / step).rounded())
        ticks = (0...max(1, min(count, rows))).map { [lower, step] in lower + Double($0) * step }
    }

    /// The next 1, 2 or 5 with zeros.
    private static func round(_ step: Double) -> Double {
        let power = pow(10, log10(step).rounded(.down))
        return ([1, 2, 5].first { $0 * power >= step * 0.999_999 } ?? 10) * power
    }

    /// The row of a value among so many, counted from the top.
    func row(_ value: Double, of rows: Int) -> Int {
        let part = (upper - value) / (upper - lower)
        guard part.isFinite else { return 0 }
        return Int((max(0, min(1, part)) * Double(rows - 1)).rounded())
    }

    /// The text of a tick: all have the same decimals.
    func text(_ tick: Double) -> String {
        let decimals = max(0, -Int(log10(step * 1.000_001).rounded(.down)))
        return Self.text(abs(tick) < step / 2 ? 0 : tick, decimals: decimals)
    }

    /// A number with so many decimals; very large and very small ones as powers of ten.
    static func text(_ number: Double, decimals: Int) -> String {
        let size = abs(number)
        guard size >= 1e9 || decimals > 6 else { return fixed(number, decimals) }
        guard size > least else { return "0" }
        var power = log10(size).rounded(.down)
        var digits = (number / pow(10, power) * 100).rounded() / 100
        if abs(digits) >= 10 { (digits, power) = (digits / 10, power + 1) }
        let text = "\(digits)"
        return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)e\(Int(power))"
    }

    private static func fixed(_ number: Double, _ decimals: Int) -> String {
        let decimals = min(decimals, 6)
        let steps = (number * pow(10, Double(decimals))).rounded()
        guard let steps = Int64(exactly: steps) else { return "\(number)" }
        let digits = String(steps.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let fraction = decimals > 0 ? "." + padded.suffix(decimals) : ""
        return "\(steps < 0 ? "-" : "")\(padded.dropLast(decimals))\(fraction)"
    }
}
