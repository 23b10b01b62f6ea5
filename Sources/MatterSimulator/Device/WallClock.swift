import Glibc

/// The host's clock.
enum WallClock {
    /// Since 1970.
    static var unixMicroseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) * 1_000_000 + UInt64(clamping: time.tv_nsec) / 1000
    }
}
