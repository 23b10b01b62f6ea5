/// A time zone as a device of the Time Synchronization cluster takes it: a standard offset, and what daylight saving adds to
/// it from when until when (Matter core specification 11.17.6.3 and 11.17.6.4).
package struct TimeZoneRules: Hashable, Sendable {
    /// A time in which one offset is added to the standard one.
    package struct Period: Hashable, Sendable {
        /// Seconds to add to the standard offset; 0 outside daylight saving.
        package var offset: Int32
        /// Seconds since 1970; `nil` for the time before the first change.
        package var starts: Int64?
        /// Seconds since 1970; `nil` if no change follows.
        package var ends: Int64?
    }

    /// The name in the time zone database, e.g. `Europe/Berlin`.
    package var name: String?
    /// Seconds east of UTC.
    var standardOffset: Int32
    /// In order and without gaps, from now on.
    var periods: [Period]

    package init(name: String? = nil, standardOffset: Int32, periods: [Period] = []) {
        self.name = name
        self.standardOffset = standardOffset
        self.periods = periods.isEmpty ? [Period(offset: 0, starts: nil, ends: nil)] : periods
    }

    package static let utc = TimeZoneRules(standardOffset: 0)

    /// How far ahead changes are looked for, and in what steps: no daylight saving time is shorter than a week.
    private static let horizon: Int64 = 5 * 366 * 86_400
    private static let step: Int64 = 7 * 86_400

    /// Finds the changes of the next years.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - offset: the whole offset from UTC at a time, in seconds.
    package init(name: String?, now: Int64, offset: (Int64) -> Int32) {
        var changes: [(time: Int64, offset: Int32)] = []
        var time = now
        var current = offset(now)
        let first = current
        while time < now + Self.horizon {
            let next = time + Self.step
            let reached = offset(next)
            if reached != current {
                changes.append((Self.change(after: time, until: next, from: current, offset), reached))
                current = reached
            }
            time = next
        }
        // The smallest offset is the standard one, whatever a country calls it: what is added is never negative.
        let standard = ([first] + changes.map(\.offset)).min() ?? first
        let starts = [nil] + changes.map { Optional($0.time) }
        let ends = changes.map { Optional($0.time) } + [nil]
        let offsets = [first] + changes.map(\.offset)
        let periods = zip(offsets, zip(starts, ends)).map { offset, bounds in
            Period(offset: offset - standard, starts: bounds.0, ends: bounds.1)
        }
        // Beyond the horizon another change follows; a device must not take the last offset for final.
        self.init(name: name, standardOffset: standard, periods: changes.count > 1 ? periods.dropLast() : periods)
    }

    /// The first second at which the offset is no longer the old one.
    private static func change(after: Int64, until: Int64, from old: Int32, _ offset: (Int64) -> Int32) -> Int64 {
        var (low, high) = (after, until)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(middle) == old { low = middle } else { high = middle }
        }
        return high
    }
}
