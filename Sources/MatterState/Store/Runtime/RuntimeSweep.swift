import Glibc

/// The removal of dead records from a ``RuntimeDirectory``, by whichever process opens it.
///
/// The folder's own access time says when that was last done, so that it costs no system call in between.
package struct RuntimeSweep: Sendable {
    /// At most one sweep in this time, in nanoseconds.
    private static let interval: Int64 = 600_000_000_000
    /// The records that one sweep looks at. Where there are more, each sweep begins elsewhere.
    private static let most = 128

    /// UTIME_OMIT, a macro that is not imported.
    private static let unchanged = 1 << 30 - 2

    private let prefix: String
    private let exception: String
    private let unix: Int64
    let isDead: @Sendable (borrowing RuntimeRecord) -> Bool

    /// - Parameters:
    ///   - prefix: how the names of the records begin.
    ///   - exception: the one that is in use.
    ///   - unix: now, in nanoseconds since 1970.
    ///   - isDead: whether a record may be removed.
    init(
        prefix: String, exception: String, unix: Int64, isDead: @escaping @Sendable (borrowing RuntimeRecord) -> Bool
    ) {
        self.prefix = prefix
        self.exception = exception
        self.unix = unix
        self.isDead = isDead
    }

    /// - Parameter status: that of the folder. A time to come is one of before the clock was set.
    func isDue(_ status: stat) -> Bool {
        let last = Int64(status.st_atim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_atim.tv_nsec)
        return unix < last || unix &- last >= Self.interval
    }

    /// Notes that it was done now.
    func mark(_ folder: Int32) {
        let times = [
            timespec(tv_sec: Int(unix / 1_000_000_000), tv_nsec: Int(unix % 1_000_000_000)),
            timespec(tv_sec: 0, tv_nsec: Self.unchanged),
        ]
        futimens(folder, times)
    }

    /// The records that it is the turn of.
    func turn(of names: [String]) -> [String] {
        let records = names.filter { $0.hasPrefix(prefix) && $0 != exception }.sorted()
        guard records.count > Self.most else { return records }
        let round = Int(truncatingIfNeeded: unix / Self.interval)
        let start = (round &* Self.most).magnitude % UInt(records.count)
        return (0..<Self.most).map { records[(Int(start) + $0) % records.count] }
    }
}
