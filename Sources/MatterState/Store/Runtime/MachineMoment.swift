import Glibc

/// A moment on this machine, in both of its clocks: tells whether what was written at another moment still holds.
package struct MachineMoment: Equatable, Sendable {
    /// Which start of the machine it was: 16 bytes of the kernel's.
    var bootID: [UInt8]
    /// The same in hexadecimal digits.
    package var boot: String { Hex.encode(bootID) }
    /// Nanoseconds since that start, the time in suspension included.
    package var sinceBoot: Int64
    /// Nanoseconds since 1970.
    package var unix: Int64

    private static let bootIDFile = "/proc/sys/kernel/random/boot_id"
    /// A UUID and the end of the line.
    private static let bootIDLength = 37

    /// Now.
    ///
    /// - Returns: `nil` where the kernel does not say which start it is.
    package static func now() -> MachineMoment? {
        thisStart.map { bootID in
            MachineMoment(bootID: bootID, sinceBoot: nanoseconds(CLOCK_BOOTTIME), unix: nanoseconds(CLOCK_REALTIME))
        }
    }

    /// No process outlives a start of the machine, so it is read once.
    private static let thisStart: [UInt8]? = {
        guard case .success(let raw) = systemCall({ open(bootIDFile, O_RDONLY | O_CLOEXEC) }),
            let text = try? Descriptor(owning: raw).read(limit: 64, size: bootIDLength, bootIDFile)
        else { return nil }
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue.map(UInt8.init) }
        guard digits.count == 32 else { return nil }
        return stride(from: 0, to: 32, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }()

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// True if this moment lies after another one of the same start of the machine, and the machine was not taken back in
    /// time in between: a restored snapshot goes on with the clock of its start where it was left, but not with the time
    /// of day.
    ///
    /// - Parameter drift: how far the time of day may have been set meanwhile.
    package func follows(_ earlier: MachineMoment, drift: Duration = .seconds(2)) -> Bool {
        guard bootID == earlier.bootID, sinceBoot >= earlier.sinceBoot else { return false }
        let difference = (unix &- sinceBoot) &- (earlier.unix &- earlier.sinceBoot)
        return Duration.nanoseconds(difference.magnitude) <= drift
    }
}
