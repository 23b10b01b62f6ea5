import Glibc

/// The host's clock.
public enum WallClock {
    /// Seconds since 1970.
    @Sendable public static func unixTime() -> Int64 { Int64(time(nil)) }

    /// Milliseconds since 1970.
    public static func unixMilliseconds() -> UInt64 { unixMicroseconds() / 1000 }

    /// Microseconds since 1970.
    package static func unixMicroseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec) / 1000
    }
}
