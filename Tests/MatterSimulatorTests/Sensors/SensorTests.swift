import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Sensors", .beside)
struct SensorTests {
    typealias Event = ClusterBench.Event

    @Test("a contact reports each change, with an event")
    func contact() throws {
        let bench = try ClusterBench("contact-sensor")
        #expect(bench.read(BooleanState.id, 0) == .bool(true))
        #expect(bench.type("1 boolean-state open"))
        #expect(bench.read(BooleanState.id, 0) == .bool(false))
        #expect(bench.type("1 boolean-state open"))
        #expect(bench.type("1 boolean-state toggle"))
        #expect(bench.events(BooleanState.id) == [Event(0, [0: .bool(false)]), Event(0, [0: .bool(true)])])
        #expect(!bench.type("1 boolean-state ajar"))
    }

    @Test("motion holds for HoldTime since the last one")
    func motion() throws {
        let bench = try ClusterBench("occupancy-sensor")
        let cluster = OccupancySensing.id
        #expect(bench.number(cluster, 0) == 0)
        #expect(bench.type("1 occupancy-sensing motion"))
        #expect(bench.number(cluster, 0) == 1)
        bench.wait(.seconds(8))
        #expect(bench.type("1 occupancy-sensing motion"))
        bench.wait(.seconds(9))
        #expect(bench.number(cluster, 0) == 1)
        bench.wait(.seconds(1))
        #expect(bench.number(cluster, 0) == 0)
        #expect(bench.events(cluster) == [Event(0, [0: .uint(1)]), Event(0, [0: .uint(0)])])
    }

    @Test("a person who stays is seen until they go")
    func stays() throws {
        let bench = try ClusterBench("occupancy-sensor")
        let cluster = OccupancySensing.id
        #expect(bench.write(cluster, 3, .uint(30)).isSuccess)
        #expect(bench.type("1 occupancy-sensing occupied"))
        bench.wait(.seconds(3600))
        #expect(bench.number(cluster, 0) == 1)
        #expect(bench.type("1 occupancy-sensing unoccupied"))
        bench.wait(.seconds(29))
        #expect(bench.number(cluster, 0) == 1)
        bench.wait(.seconds(1))
        #expect(bench.number(cluster, 0) == 0)
    }

    @Test("HoldTime keeps to HoldTimeLimits", arguments: [0, 3601] as [UInt64])
    func holdTime(_ seconds: UInt64) throws {
        let bench = try ClusterBench("occupancy-sensor")
        #expect(bench.write(OccupancySensing.id, 3, .uint(seconds)).status == .constraintError)
        #expect(bench.number(OccupancySensing.id, 3) == 10)
    }

    @Test(
        "values are typed in degrees and percent",
        arguments: [
            ("temperature-sensor", "temperature-measurement", "-3.5C", -350),
            ("temperature-sensor", "temperature-measurement", "21", 2100),
            ("temperature-sensor", "temperature-measurement", "21.07", 2107),
            ("temperature-sensor", "temperature-measurement", "126", nil),
            ("temperature-sensor", "temperature-measurement", "warm", nil),
            ("humidity-sensor", "relative-humidity-measurement", "61.5%", 6150),
            ("humidity-sensor", "relative-humidity-measurement", "100", 10000),
            ("humidity-sensor", "relative-humidity-measurement", "-1", nil),
        ] as [(String, String, String, Int?)])
    func measures(_ kind: String, _ name: String, _ word: String, _ value: Int?) throws {
        let bench = try ClusterBench(kind)
        let isTemperature = kind == "temperature-sensor"
        let cluster = isTemperature ? TemperatureMeasurement.id : RelativeHumidityMeasurement.id
        let before = bench.number(cluster, 0)
        #expect(bench.type("1 \(name) \(word)") == (value != nil))
        #expect(bench.number(cluster, 0) == value ?? before)
        #expect(bench.type("1 \(name) unknown"))
        #expect(bench.read(cluster, 0) == .null)
    }
}
