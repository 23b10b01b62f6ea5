import MatterBase
import Testing

@testable import MatterModel

/// Numbers in the units that people use, for charts and tables.
@Suite("Quantities") struct QuantityScaleTests {
    private static func type(_ cluster: String, _ attribute: String) throws -> DataType {
        try Catalogue.standard.type(cluster, attribute)
    }

    @Test(
        "a number is in the unit that people use, exact where that is a matter of decimals",
        arguments: [
            ("temperature-measurement", "measured-value", .int(-5), "-0.05", "°C"),
            ("temperature-measurement", "measured-value", .int(2150), "21.50", "°C"),
            ("relative-humidity-measurement", "measured-value", .uint(4525), "45.25", "%"),
            ("electrical-power-measurement", "active-power", .int(1_150_000), "1150.000", "W"),
            ("level-control", "current-level", .uint(127), "50.0", "%"),
            ("level-control", "current-level", .uint(254), "100.0", "%"),
            ("color-control", "color-temperature-mireds", .uint(250), "4000", "K"),
            ("illuminance-measurement", "measured-value", .uint(1), "1.0", "lx"),
            ("illuminance-measurement", "measured-value", .uint(0), "0.0", "lx"),
            ("power-source", "bat-percent-remaining", .uint(155), "77.5", "%"),
            ("general-diagnostics", "reboot-count", .uint(3), "3", ""),
            ("carbon-dioxide-concentration-measurement", "measured-value", .float(412.5), "412.5", ""),
        ] as [(String, String, TLVValue, String, String)])
    func numbers(cluster: String, attribute: String, value: TLVValue, text: String, unit: String) throws {
        let scale = try #require(QuantityScale(try Self.type(cluster, attribute)))
        #expect(scale.text(value) == text && scale.unit == unit)
        #expect(abs((scale.number(value) ?? .nan) - (Double(text) ?? 0)) < 0.06)
    }

    @Test("words, lists, ids and points in time are not quantities")
    func others() throws {
        for (cluster, attribute) in [
            ("on-off", "on-off"), ("thermostat", "system-mode"), ("descriptor", "server-list"),
            ("basic-information", "node-label"), ("basic-information", "vendor-id"),
            ("occupancy-sensing", "occupancy"), ("time-synchronization", "utc-time"),
            ("electrical-energy-measurement", "cumulative-energy-imported"),
        ] {
            #expect(QuantityScale(try Self.type(cluster, attribute)) == nil, "\(cluster)/\(attribute)")
        }
    }

    @Test("null, NaN and what has another type is no number, and the largest numbers are kept")
    func odd() throws {
        let scale = QuantityScale(decimals: 2, unit: "°C")
        for value in [.null, .float(.nan), .double(.infinity), .string("21"), .bool(true)] as [TLVValue] {
            #expect(scale.number(value) == nil && scale.text(value) == nil)
        }
        #expect(QuantityScale(decimals: 0, unit: "").text(.uint(.max)) == "18446744073709551615")
        #expect(scale.text(.int(.min)) == "-92233720368547758.08")
        #expect(scale.number(.uint(.max)) == 1.8446744073709552e17)
        #expect(QuantityScale(try Self.type("color-control", "color-temperature-mireds"))?.number(.uint(0)) == nil)
    }
}
