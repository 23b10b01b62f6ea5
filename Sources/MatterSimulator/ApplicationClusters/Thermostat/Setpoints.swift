/// Setpoints and their limits (Matter application cluster specification 4.3.1), in hundredths of a degree Celsius.
///
/// Every operation keeps the rules: heating stays the dead band below cooling, each within its limits, these within the
/// limits of the hardware.
struct Setpoints: Sendable, Equatable {
    static let absoluteHeat: ClosedRange<Int> = 700...3000
    static let absoluteCool: ClosedRange<Int> = 1600...3200
    /// Tenths of a degree, as MinSetpointDeadBand holds it.
    static let deadBandTenths: Int8 = 20
    private static let deadBand = Int(deadBandTenths) * 10

    private(set) var heating = 2000
    private(set) var cooling = 2600
    private(set) var minimumHeat = absoluteHeat.lowerBound
    private(set) var maximumHeat = absoluteHeat.upperBound
    private(set) var minimumCool = absoluteCool.lowerBound
    private(set) var maximumCool = absoluteCool.upperBound

    init() {}

    /// Takes values that an earlier run left; any that break the rules are brought in line.
    init(heating: Int, cooling: Int, heat: (Int, Int), cool: (Int, Int)) {
        // In this order each finds room: what confines the next one has moved away before.
        _ = setMinimumCool(cool.0)
        _ = setMinimumHeat(heat.0)
        _ = setMaximumHeat(heat.1)
        _ = setMaximumCool(cool.1)
        _ = setHeating(heating)
        _ = setCooling(cooling)
    }

    // MARK: Setpoints

    /// Cooling gives way as far as it can.
    ///
    /// - Returns: false, and nothing is changed, if the value breaks the rules.
    mutating func setHeating(_ value: Int) -> Bool {
        guard (minimumHeat...maximumHeat).contains(value), value + Self.deadBand <= maximumCool else { return false }
        heating = value
        cooling = max(cooling, value + Self.deadBand)
        return true
    }

    /// Heating gives way as far as it can.
    mutating func setCooling(_ value: Int) -> Bool {
        guard (minimumCool...maximumCool).contains(value), value - Self.deadBand >= minimumHeat else { return false }
        cooling = value
        heating = min(heating, value - Self.deadBand)
        return true
    }

    /// SetpointRaiseLower: as far as the limits allow.
    mutating func shiftHeating(by amount: Int) {
        _ = setHeating(min(clampedHeat(heating + amount), maximumCool - Self.deadBand))
    }

    mutating func shiftCooling(by amount: Int) {
        _ = setCooling(max(clampedCool(cooling + amount), minimumHeat + Self.deadBand))
    }

    /// Both by the same amount: what the one that hits a limit first can go.
    mutating func shiftBoth(by amount: Int) {
        let heat = clampedHeat(heating + amount) - heating
        let cool = clampedCool(cooling + amount) - cooling
        let common = abs(heat) < abs(cool) ? heat : cool
        heating += common
        cooling += common
    }

    private func clampedHeat(_ value: Int) -> Int { min(max(value, minimumHeat), maximumHeat) }
    private func clampedCool(_ value: Int) -> Int { min(max(value, minimumCool), maximumCool) }

    // MARK: Limits

    mutating func setMinimumHeat(_ value: Int) -> Bool {
        guard Self.absoluteHeat.contains(value), value <= maximumHeat, value <= minimumCool - Self.deadBand else {
            return false
        }
        minimumHeat = value
        return confine()
    }

    mutating func setMaximumHeat(_ value: Int) -> Bool {
        guard Self.absoluteHeat.contains(value), value >= minimumHeat, value <= maximumCool - Self.deadBand else {
            return false
        }
        maximumHeat = value
        return confine()
    }

    mutating func setMinimumCool(_ value: Int) -> Bool {
        guard Self.absoluteCool.contains(value), value <= maximumCool, value >= minimumHeat + Self.deadBand else {
            return false
        }
        minimumCool = value
        return confine()
    }

    mutating func setMaximumCool(_ value: Int) -> Bool {
        guard Self.absoluteCool.contains(value), value >= minimumCool, value >= maximumHeat + Self.deadBand else {
            return false
        }
        maximumCool = value
        return confine()
    }

    /// Brings the setpoints back within new limits; the limits themselves leave room for the dead band.
    private mutating func confine() -> Bool {
        heating = clampedHeat(heating)
        cooling = max(clampedCool(cooling), heating + Self.deadBand)
        return true
    }
}
