import Testing

@testable import MatterModel

@Suite("Quantity") struct QuantityTests {
    @Test(
        "a number with a unit becomes steps of the type",
        arguments: [
            ("50%", .percent, 50), ("50 %", .percent, 50), ("50%", .percentHundredths, 5000),
            ("12.34%", .percentHundredths, 1234), ("50%", .percentHalves, 100), ("0.5%", .percentHalves, 1),
            ("50%", .level, 127), ("100%", .level, 254), ("0%", .level, 0), ("0.1%", .level, 1), ("33%", .level, 84),
            ("1%", .level, 3), ("21.5C", .celsiusHundredths, 2150), ("21.5°C", .celsiusHundredths, 2150),
            ("21.5 c", .celsiusHundredths, 2150), ("-5C", .celsiusHundredths, -500), ("70F", .celsiusHundredths, 2111),
            ("-40F", .celsiusHundredths, -4000), ("32f", .celsiusHundredths, 0), ("294.65K", .celsiusHundredths, 2150),
            ("0.5C", .celsiusTenthsDifference, 5), ("1F", .celsiusTenthsDifference, 6),
            ("-1K", .celsiusTenthsDifference, -10),
            ("2s", .deciseconds, 20), ("2s", .seconds, 2), ("2s", .milliseconds, 2000), ("500ms", .deciseconds, 5),
            ("500ms", .microseconds, 500_000), ("1h30m", .seconds, 5400), ("1h30m", .minutes, 90),
            ("1d", .seconds, 86_400),
            ("1.5h", .minutes, 90), ("3min", .seconds, 180), ("250us", .microseconds, 250),
            ("250µs", .microseconds, 250),
            ("2700K", .mireds, 370), ("6500K", .mireds, 154), ("250mired", .mireds, 250),
            ("230V", .millivolts, 230_000),
            ("16A", .milliamperes, 16_000), ("1500W", .milliwatts, 1_500_000), ("1.5kW", .milliwatts, 1_500_000),
            ("2MW", .milliwatts, 2_000_000_000), ("2mW", .milliwatts, 2), ("1.5kwh", .milliwattHours, 1_500_000),
            ("-3.6kVA", .millivoltAmperes, -3_600_000), ("1var", .millivars, 1000),
            ("1kVAh", .millivoltAmpereHours, 1_000_000),
            ("1kvarh", .millivarHours, 1_000_000), ("+5C", .celsiusHundredths, 500), ("120°", .hue, 85),
            ("120deg", .enhancedHue, 21845), ("90°", .degrees, 90),
        ] as [(String, ValueUnit, Int64)])
    func steps(text: String, unit: ValueUnit, expected: Int64) {
        #expect(Quantity.parse(text, as: unit) == Quantity.Steps(number: expected))
    }

    @Test(
        "what is finer than a step is rounded, and says so",
        arguments: [
            ("21.555C", .celsiusHundredths, 2156), ("50.5%", .percent, 51), ("1500ms", .seconds, 2),
            ("-21.555C", .celsiusHundredths, -2156),
            ("1.23456%", .percentHundredths, 123),
        ] as [(String, ValueUnit, Int64)])
    func rounding(text: String, unit: ValueUnit, expected: Int64) {
        #expect(Quantity.parse(text, as: unit) == Quantity.Steps(number: expected, isRounded: true))
    }

    @Test(
        "what is no quantity of the unit is refused",
        arguments: [
            ("", .percent), ("%", .percent), ("50", .percent), ("50s", .percent), ("50%%", .percent),
            ("50%50%", .percent),
            ("1.2.3%", .percent), (".%", .percent), ("- %", .percent), ("21.5", .celsiusHundredths),
            ("21,5C", .celsiusHundredths),
            ("2x", .seconds), ("s", .seconds), ("1h30", .seconds), ("1h-30m", .seconds), ("0K", .mireds),
            ("-5K", .mireds),
            ("9999999999999999999s", .seconds), ("999999999999999999d", .microseconds), ("2V", .milliamperes),
            ("2mw", .milliwatts), ("1e3s", .seconds), ("2026-11-21", .epochSeconds), ("٣s", .seconds),
            ("--5C", .celsiusHundredths),
        ] as [(String, ValueUnit)])
    func refused(text: String, unit: ValueUnit) {
        #expect(Quantity.parse(text, as: unit) == nil)
    }

    @Test("every unit's example is understood by the parser")
    func examples() throws {
        for unit in ValueUnit.allCases {
            if [.flowTenths, .illuminance, .coordinate].contains(unit) { continue }
            for example in try #require(Quantity.example(unit)).split(separator: " or ") {
                let text = String(example)
                #expect(
                    Quantity.parse(text, as: unit) != nil || PointInTime.parse(text, as: unit) != nil, "\(unit) \(text)"
                )
            }
            #expect(!unit.text.isEmpty)
        }
    }
}

@Suite("PointInTime") struct PointInTimeTests {
    @Test(
        "ISO 8601 times",
        arguments: [
            ("2000-01-01T00:00:00Z", .epochSeconds, 0), ("2000-01-01", .epochSeconds, 0),
            ("2026-11-21T09:30:00Z", .epochSeconds, 848_568_600), ("2026-11-21 09:30", .epochSeconds, 848_568_600),
            ("2026-11-21T10:30:00+01:00", .epochSeconds, 848_568_600),
            ("2026-11-21T04:30-0500", .epochSeconds, 848_568_600),
            ("2000-02-29T12:00:00Z", .epochSeconds, 5_140_800), ("2136-02-07T06:28:15Z", .epochSeconds, 4_294_967_295),
            ("2000-01-01T00:00:00.5Z", .epochMicroseconds, 500_000),
            ("2000-01-01T00:00:01.000001Z", .epochMicroseconds, 1_000_001),
            ("1970-01-01T00:00:00.25Z", .posixMilliseconds, 250),
            ("2001-09-09T01:46:40Z", .posixMilliseconds, 1_000_000_000_000),
            ("2000-01-01T00:00:00.123456789Z", .epochMicroseconds, 123_456),
        ] as [(String, ValueUnit, Int64)])
    func times(text: String, unit: ValueUnit, expected: Int64) {
        #expect(PointInTime.parse(text, as: unit) == expected)
    }

    @Test(
        "impossible times are refused",
        arguments: [
            "", "2026", "2026-13-01", "2026-00-01", "2026-02-29", "2100-02-29", "2026-04-31", "2026-11-21T24:00Z",
            "2026-11-21T09:60Z",
            "2026-11-21T09:30:60Z", "2026-11-21T", "2026-11-21Tx", "2026-11-21T09:30:00.Z",
            "2026-11-21T09:30:00.1234567890Z",
            "2026-11-21T09:30Zx", "2026-11-21T09:30+1", "2026-11-21T09:30+24:00", "1999-12-31T23:59:59Z", "0000-01-01",
            "26-11-21",
            "2026-11-21T09:30:00+00:60", "２０２６-11-21",
        ])
    func impossible(text: String) {
        #expect(PointInTime.parse(text, as: .epochSeconds) == nil)
    }

    @Test("a time prints as it is read")
    func printing() {
        #expect(PointInTime.text(848_568_600, as: .epochSeconds) == "2026-11-21T09:30:00Z")
        #expect(PointInTime.text(1_000_001, as: .epochMicroseconds) == "2000-01-01T00:00:01.000001Z")
        #expect(PointInTime.text(250, as: .posixMilliseconds) == "1970-01-01T00:00:00.250Z")
        #expect(PointInTime.text(.max, as: .posixMilliseconds) == nil)
        #expect(PointInTime.text(.max, as: .epochSeconds) == nil)
        #expect(PointInTime.text(1, as: .percent) == nil)
        for days in stride(from: UInt64(0), to: 100_000, by: 37) {
            let seconds = days * 86_400 + 4711
            let text = PointInTime.text(seconds, as: .epochSeconds)
            #expect(text.flatMap { PointInTime.parse($0, as: .epochSeconds) } == Int64(seconds))
        }
    }
}

@Suite("NetworkAddress") struct NetworkAddressTests {
    @Test(
        "addresses become octets and print as they were",
        arguments: [
            ("192.168.1.2", .ipv4Address, [192, 168, 1, 2]), ("192.168.1.2", .ipAddress, [192, 168, 1, 2]),
            ("::1", .ipAddress, [UInt8](repeating: 0, count: 15) + [1]),
            ("fd00::2", .ipv6Address, [0xFD] + [UInt8](repeating: 0, count: 14) + [2]),
            ("fd00::/8", .ipv6Prefix, [8, 0xFD]), ("fd00:1::/32", .ipv6Prefix, [32, 0xFD, 0, 0, 1]),
            ("::/0", .ipv6Prefix, [0]),
            ("02:00:00:00:00:0a", .hardwareAddress, [2, 0, 0, 0, 0, 10]),
            ("02:00:00:00:00:00:00:0a", .hardwareAddress, [2, 0, 0, 0, 0, 0, 0, 10]),
        ] as [(String, DataType.Format, [UInt8])])
    func octets(text: String, format: DataType.Format, octets: [UInt8]) {
        #expect(NetworkAddress.parse(text, as: format) == octets)
        #expect(NetworkAddress.text(octets, as: format) == text)
    }

    @Test("bits beyond a prefix are cleared")
    func prefixBits() {
        #expect(NetworkAddress.parse("ffff::/3", as: .ipv6Prefix) == [3, 0xE0])
        #expect(NetworkAddress.parse("ffff::/9", as: .ipv6Prefix) == [9, 0xFF, 0x80])
    }

    @Test(
        "other texts are refused",
        arguments: [
            ("", .ipAddress), ("192.168.1", .ipv4Address), ("192.168.1.256", .ipv4Address), ("fd00::2", .ipv4Address),
            ("192.168.1.2", .ipv6Address), ("fd00::2%eth0", .ipv6Address), ("fd00::", .ipv6Prefix),
            ("fd00::/129", .ipv6Prefix),
            ("fd00::/-1", .ipv6Prefix), ("02:00:00:00:00", .hardwareAddress), ("02:00:00:00:00:+1", .hardwareAddress),
            ("2:0:0:0:0:1", .hardwareAddress), ("192.168.1.2\u{0}x", .ipv4Address), ("6", .clusterID),
        ] as [(String, DataType.Format)])
    func refused(text: String, format: DataType.Format) {
        #expect(NetworkAddress.parse(text, as: format) == nil)
    }

    @Test("octets of another length have no address text")
    func wrongLength() {
        for format in DataType.Format.allCases {
            #expect(NetworkAddress.text([], as: format) == nil)
            #expect(NetworkAddress.text([UInt8](repeating: 200, count: 18), as: format) == nil)
        }
        #expect(NetworkAddress.text([129], as: .ipv6Prefix) == nil)
    }
}
