import Glibc

/// When this process was made, as the kernel tells it.
public enum ProcessStart {
    private static let file = "/proc/self/stat"
    private static let size = 512
    /// The place of `starttime` behind the name of the program (proc(5)).
    private static let place = 19

    /// The length of the steps in which the kernel tells it, in milliseconds.
    public static let step: UInt64 = 10

    /// The begin of the step in which this process was made: by a fork, before the program itself was loaded.
    ///
    /// - Returns: milliseconds since 1970, or `nil` where the kernel does not tell it.
    public static func unixMilliseconds() -> UInt64? {
        guard case .success(let raw) = systemCall({ open(file, O_RDONLY | O_CLOEXEC) }),
            let text = try? Descriptor(owning: raw).read(limit: 4096, size: size, file),
            let sinceBoot = sinceBoot(text, ticksPerSecond: UInt64(clamping: sysconf(Int32(_SC_CLK_TCK))))
        else { return nil }
        return now(CLOCK_REALTIME).subtractingWithin(now(CLOCK_BOOTTIME).subtractingWithin(sinceBoot))
    }

    /// - Parameters:
    ///   - stat: what the kernel says of a process. The name of its program may hold whatever its owner likes.
    /// - Returns: milliseconds since the start of the machine.
    static func sinceBoot(_ stat: [UInt8], ticksPerSecond: UInt64) -> UInt64? {
        guard ticksPerSecond > 0, let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > place, let ticks = UInt64(String(decoding: fields[place], as: UTF8.self)) else {
            return nil
        }
        let (product, isTooLarge) = ticks.multipliedReportingOverflow(by: 1000)
        return isTooLarge ? nil : product / ticksPerSecond
    }

    private static func now(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(clamping: time.tv_sec) * 1000 + UInt64(clamping: time.tv_nsec) / 1_000_000
    }
}

extension UInt64 {
    fileprivate func subtractingWithin(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
