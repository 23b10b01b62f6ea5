import Glibc

/// What the host knows of the time.
package enum Clock {
    /// Seconds since 1970.
    @Sendable package static func unixTime() -> Int64 { Int64(time(nil)) }

    /// The offset of local time from UTC in seconds, daylight saving included.
    @Sendable package static func utcOffset() -> Int32 {
        var now = time(nil)
        var local = tm()
        guard localtime_r(&now, &local) != nil else { return 0 }
        return Int32(clamping: local.tm_gmtoff)
    }
}
