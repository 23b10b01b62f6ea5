/// The room that a virtual thermostat stands in: it drifts towards the outdoor temperature and follows heater and cooler.
/// Degrees Celsius.
struct RoomModel: Sendable {
    /// How fast the room follows the outdoors, in parts per second: half of the difference in about two hours.
    private static let leak = 1.0 / 10_000
    /// The rates of heater and cooler, in degrees per second.
    private static let power = 0.02

    var temperature: Double
    var outdoors: Double

    enum Drive: Sendable {
        case none, heating, cooling
    }

    mutating func advance(seconds: Double, _ drive: Drive) {
        temperature += (outdoors - temperature) * min(1, Self.leak * seconds)
        switch drive {
        case .none: break
        case .heating: temperature += Self.power * seconds
        case .cooling: temperature -= Self.power * seconds
        }
    }

    /// In hundredths of a degree, as a sensor with a resolution of a tenth shows it.
    var reading: Int16 { Int16(clamping: Int((temperature * 10).rounded()) * 10) }
}
