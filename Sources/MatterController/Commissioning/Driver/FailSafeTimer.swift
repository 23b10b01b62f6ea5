import MatterNetwork

/// When the fail-safe of a device that is being commissioned has to be armed again
/// (ArmFailSafe, Matter core specification 11.10.7.2).
struct FailSafeTimer: Sendable {
    /// The least fail-safe of a commissioning.
    static let leastSeconds: UInt16 = 60
    /// An issuer that takes longer than the device's own time needs more.
    private static let mostSeconds: UInt16 = 900

    /// How long the fail-safe lasts each time it is armed.
    private(set) var seconds = leastSeconds
    private var ends: Instant?

    init() {}

    /// Takes note of the device's own wish, as far as the device grants it.
    mutating func adopt(_ information: DeviceInformation) {
        let granted = min(information.failSafeExpiry, information.maxCumulativeFailSafe, Self.mostSeconds)
        seconds = max(Self.leastSeconds, granted)
    }

    /// The device has been told to keep its fail-safe armed from now on.
    mutating func armed(for seconds: UInt16, at now: Instant) {
        ends = now + .seconds(Int64(seconds))
    }

    /// True if less than half of the time is left.
    func isDue(at now: Instant) -> Bool {
        guard let ends else { return false }
        return ends - now < .seconds(Int64(seconds)) / 2
    }
}
