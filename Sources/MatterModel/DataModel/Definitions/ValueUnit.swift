/// The meaning of one step of a number. The raw value is the short form that the generated table uses.
public enum ValueUnit: String, Sendable, CaseIterable {
    /// Percent.
    case percent = "%"
    /// Hundredths of a percent.
    case percentHundredths = "%%"
    /// Halves of a percent.
    case percentHalves = "%2"
    /// 0…254 means 0…100 % (LevelControl, ColorControl saturation).
    case level = "lv"
    /// A hue: 254 steps are the whole circle (Matter application cluster specification 3.2.7.2).
    case hue = "hue"
    /// A hue: 65536 steps are the whole circle (3.2.7.20).
    case enhancedHue = "ehue"
    /// A coordinate in CIE 1931: 65536 steps are 1 (3.2.7.4).
    case coordinate = "xy"
    /// A temperature in steps of 0.01 °C.
    case celsiusHundredths = "cC"
    /// A difference of temperatures in steps of 0.1 °C.
    case celsiusTenthsDifference = "dC"
    /// Microseconds.
    case microseconds = "us"
    /// Milliseconds.
    case milliseconds = "ms"
    /// Deciseconds.
    case deciseconds = "ds"
    /// Seconds.
    case seconds = "s"
    /// Minutes.
    case minutes = "min"
    /// Hours.
    case hours = "h"
    /// Seconds since 2000-01-01 UTC.
    case epochSeconds = "es"
    /// Microseconds since 2000-01-01 UTC.
    case epochMicroseconds = "eu"
    /// Milliseconds since 1970-01-01 UTC.
    case posixMilliseconds = "pm"
    /// Colour temperature: a million divided by the kelvins.
    case mireds = "mired"
    /// Millivolts.
    case millivolts = "mV"
    /// Milliamperes.
    case milliamperes = "mA"
    /// Milliwatts.
    case milliwatts = "mW"
    /// Millivolt amperes.
    case millivoltAmperes = "mVA"
    /// Millivars.
    case millivars = "mvar"
    /// Milliwatt hours.
    case milliwattHours = "mWh"
    /// Millivolt ampere hours.
    case millivoltAmpereHours = "mVAh"
    /// Millivar hours.
    case millivarHours = "mvarh"
    /// Volts.
    case volts = "V"
    /// Decivolts.
    case decivolts = "dV"
    /// Amperes.
    case amperes = "A"
    /// Watts.
    case watts = "W"
    /// Deciwatts.
    case deciwatts = "dW"
    /// Watt hours.
    case wattHours = "Wh"
    /// Kilowatt hours.
    case kilowattHours = "kWh"
    /// A frequency in steps of 0.001 Hz.
    case millihertz = "mHz"
    /// A pressure in steps of 0.1 kPa.
    case kilopascalTenths = "dkPa"
    /// A flow in steps of 0.1 m³/h.
    case flowTenths = "dm3h"
    /// 10000 times the logarithm of the lux, plus one (Matter application cluster specification 2.2.5.1).
    case illuminance = "lux"
    /// Revolutions per minute.
    case revolutionsPerMinute = "rpm"
    /// Decibel milliwatts.
    case decibelMilliwatts = "dBm"
    /// Litres.
    case litres = "l"
    /// Metres.
    case metres = "m"
    /// Hectopascals.
    case hectopascals = "hPa"
    /// Centimetres.
    case centimetres = "cm"
    /// Millimetres.
    case millimetres = "mm"
    /// Degrees.
    case degrees = "deg"
    /// Centiseconds.
    case centiseconds = "cs"

    /// One step in words, as `clusters NAME` prints it.
    public var text: String {
        switch self {
        case .percent: "1 %"
        case .percentHundredths: "0.01 %"
        case .percentHalves: "0.5 %"
        case .level: "1/254"
        case .hue: "360°/254"
        case .enhancedHue: "360°/65536"
        case .coordinate: "1/65536"
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
        case .decivolts: "0.1 V"
        case .deciwatts: "0.1 W"
        case .kilopascalTenths: "0.1 kPa"
        case .flowTenths: "0.1 m³/h"
        case .illuminance: "10000 log10(lx) + 1"
        case .degrees: "1°"
        case .centiseconds: "0.01 s"
        case .volts, .amperes, .watts, .wattHours, .kilowattHours, .millihertz, .revolutionsPerMinute,
            .decibelMilliwatts, .litres, .metres, .hectopascals, .centimetres, .millimetres:
            "1 \(rawValue)"
        }
    }
}

extension ValueUnit {
    /// The unit that people use, and how many decimals of it one step has; `nil` where that is no matter of decimals.
    var decimal: (symbol: String, decimals: Int)? {
        switch self {
        case .percent: ("%", 0)
        case .percentHundredths: ("%", 2)
        case .celsiusHundredths: ("°C", 2)
        case .celsiusTenthsDifference: ("°C", 1)
        case .deciseconds: ("s", 1)
        case .centiseconds: ("s", 2)
        case .microseconds: ("µs", 0)
        case .milliseconds, .seconds, .minutes, .hours, .volts, .amperes, .watts, .wattHours, .kilowattHours,
            .revolutionsPerMinute, .decibelMilliwatts, .litres, .metres, .hectopascals, .centimetres, .millimetres:
            (rawValue, 0)
        case .decivolts, .deciwatts: (String(rawValue.dropFirst()), 1)
        case .millivolts, .milliamperes, .milliwatts, .millivoltAmperes, .millivars, .milliwattHours,
            .millivoltAmpereHours, .millivarHours, .millihertz:
            (String(rawValue.dropFirst()), 3)
        case .kilopascalTenths: ("kPa", 1)
        case .flowTenths: ("m³/h", 1)
        case .degrees: ("°", 0)
        case .percentHalves, .level, .hue, .enhancedHue, .coordinate, .mireds, .epochSeconds, .epochMicroseconds,
            .posixMilliseconds, .illuminance:
            nil
        }
    }

    /// The unit that a person may mean by a bare number although one step is another; `nil` if one step is a whole unit,
    /// or if the bare number is what everybody types, as that of a level or of tenths of a second.
    var bareUnit: String? {
        switch self {
        case .percentHundredths, .percentHalves: "%"
        case .celsiusHundredths, .celsiusTenthsDifference: "C"
        case .level, .deciseconds, .centiseconds: nil
        default: decimal.flatMap { $0.decimals > 0 && Quantity.takes($0.symbol, self) ? $0.symbol : nil }
        }
    }

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
