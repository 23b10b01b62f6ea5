/// Times in seconds since 1970 in documents that others may have written.
package enum UnixTime {
    /// From 1970 to the end of the year 9999: calculations with such a time cannot overflow.
    package static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// A time if it is within the range, which anything that comes from a clock is.
    package static func plausible(_ time: Int64) -> Int64? { range.contains(time) ? time : nil }
}
