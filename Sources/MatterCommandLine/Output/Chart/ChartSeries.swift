/// A quantity of a node over time. A value stays until the next one is told: nodes report changes.
struct ChartSeries: Sendable {
    /// From a time on, in seconds since 1970, there is this value, or none.
    struct Point: Sendable, Equatable {
        var time: Double
        var value: Double?
    }

    /// A value with the digits that it was told with.
    struct Told: Sendable, Equatable {
        var value: Double
        var text: String
    }

    /// As many points are kept; older ones are put together when there are more.
    static let most = 8192
    /// The times into which they are put together then. Each keeps five points at most.
    private static let slots = 800

    let label: String
    /// Empty if it has none.
    let unit: String
    private(set) var points: [Point] = []
    private(set) var latest: Told?
    private(set) var least: Told?
    private(set) var greatest: Told?
    /// Whether its node is away.
    private(set) var isAway = false

    init(_ label: String, unit: String) {
        self.label = label
        self.unit = unit
    }

    /// Takes a value.
    ///
    /// - Parameter value: `nil` for one that is not known; what is not finite is not, either.
    mutating func add(_ value: Double?, _ text: String, at time: Double) {
        isAway = false
        guard let value, value.isFinite else {
            latest = nil
            return append(nil, at: time)
        }
        let told = Told(value: value, text: text)
        latest = told
        if value < least?.value ?? .infinity { least = told }
        if value > greatest?.value ?? -.infinity { greatest = told }
        append(value, at: time)
    }

    /// The node is away from now on.
    mutating func lose(at time: Double) {
        isAway = true
        append(nil, at: time)
    }

    /// The node is back. Unless it tells another value, it has the one that it had.
    mutating func resume(at time: Double) {
        guard isAway else { return }
        isAway = false
        append(latest?.value, at: time)
    }

    private mutating func append(_ value: Double?, at time: Double) {
        // A clock may be set back.
        let time = max(time, points.last?.time ?? time)
        guard value != nil || points.last?.value != nil else { return }
        points.append(Point(time: time, value: value))
        if points.count > Self.most { thin() }
    }

    /// Keeps the first, least, greatest and last point of each slot, and that there was a gap.
    private mutating func thin() {
        guard let first = points.first?.time, let last = points.last?.time, last > first else {
            points = Array(points.suffix(Self.most / 2))
            return
        }
        let width = (last - first) / Double(Self.slots)
        var kept: [Point] = []
        var rest = points[...]
        while let start = rest.first {
            let slot = ((start.time - first) / width).rounded(.down)
            let members = rest.prefix { (($0.time - first) / width).rounded(.down) == slot }
            let valued = members.indices.filter { members[$0].value != nil }
            func value(_ index: Int) -> Double { members[index].value ?? 0 }
            let chosen: [Int?] = [
                members.startIndex, valued.min { value($0) < value($1) }, valued.max { value($0) < value($1) },
                members.firstIndex { $0.value == nil }, members.endIndex - 1,
            ]
            kept += Set(chosen.compactMap { $0 }).sorted().map { members[$0] }
            rest = rest.dropFirst(members.count)
        }
        points = kept
    }

    /// The least and the greatest value in each of so many equal parts of a time.
    ///
    /// - Parameter now: nothing is known of later.
    /// - Returns: `nil` for a part without a value.
    func spans(_ count: Int, from start: Double, to end: Double, now: Double) -> [ClosedRange<Double>?] {
        var spans = [ClosedRange<Double>?](repeating: nil, count: count)
        let width = (end - start) / Double(count)
        var rest = points[...]
        var held: Double?
        for part in spans.indices {
            let begin = start + Double(part) * width
            guard begin <= now else { break }
            var span = held.map { $0...$0 }
            while let point = rest.first, point.time < begin + width || part == count - 1 {
                rest = rest.dropFirst()
                held = point.value
                guard let value = point.value else { continue }
                span = span.map { min($0.lowerBound, value)...max($0.upperBound, value) } ?? value...value
            }
            spans[part] = span
        }
        return spans
    }
}
