/// The meaning of one step of a number. The raw value is the short form that the generated table uses.
public enum ValueUnit: String, Sendable, CaseIterable {
    case percent = "%"
    case percentHundredths = "%%"
    case percentHalves = "%2"
    /// 0…254 means 0…100 % (LevelControl, ColorControl saturation).
    case level = "lv"
    /// A temperature in steps of 0.01 °C.
    case celsiusHundredths = "cC"
    /// A difference of temperatures in steps of 0.1 °C.
    case celsiusTenthsDifference = "dC"
    case microseconds = "us"
    case milliseconds = "ms"
    case deciseconds = "ds"
    case seconds = "s"
    case minutes = "min"
    case hours = "h"
    /// Seconds since 2000-01-01 UTC.
    case epochSeconds = "es"
    /// Microseconds since 2000-01-01 UTC.
    case epochMicroseconds = "eu"
    /// Milliseconds since 1970-01-01 UTC.
    case posixMilliseconds = "pm"
    /// Colour temperature: a million divided by the kelvins.
    case mireds = "mired"
    case millivolts = "mV"
    case milliamperes = "mA"
    case milliwatts = "mW"
    case millivoltAmperes = "mVA"
    case millivars = "mvar"
    case milliwattHours = "mWh"
    case millivoltAmpereHours = "mVAh"
    case millivarHours = "mvarh"

    /// One step in words, as `clusters NAME` prints it.
    public var text: String {
        switch self {
        case .percent: "1 %"
        case .percentHundredths: "0.01 %"
        case .percentHalves: "0.5 %"
        case .level: "1/254"
        case .celsiusHundredths: "0.01 °C"
        case .celsiusTenthsDifference: "0.1 °C"
        case .microseconds: "1 µs"
        case .milliseconds: "1 ms"
        case .deciseconds: "0.1 s"
        case .seconds: "1 s"
        case .minutes: "1 min"
        case .hours: "1 h"
        case .epochSeconds: "s since 2000-01-01 UTC"
        case .epochMicroseconds: "µs since 2000-01-01 UTC"
        case .posixMilliseconds: "ms since 1970-01-01 UTC"
        case .mireds: "1 mired"
        case .millivolts: "1 mV"
        case .milliamperes: "1 mA"
        case .milliwatts: "1 mW"
        case .millivoltAmperes: "1 mVA"
        case .millivars: "1 mvar"
        case .milliwattHours: "1 mWh"
        case .millivoltAmpereHours: "1 mVAh"
        case .millivarHours: "1 mvarh"
        }
    }
}

extension ValueUnit {
    /// The unit that a definitions file means by its words: those of data-model.json, those of ``text``, or a short form.
    init?(modelText: String) {
        if let unit = ValueUnit.allCases.first(where: { $0.text == modelText }) {
            self = unit
            return
        }
        switch modelText {
        case "0.01 degC": self = .celsiusHundredths
        case "ms since boot": self = .milliseconds
        case "us since boot": self = .microseconds
        case "us since 2000-01-01 UTC": self = .epochMicroseconds
        default: self.init(rawValue: modelText)
        }
    }
}
