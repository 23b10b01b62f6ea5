import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Thermostat", .beside)
struct ThermostatTests {
    static let thermostat = Thermostat.id

    enum Attribute {
        static let cooling: AttributeID = 0x11
        static let heating: AttributeID = 0x12
        static let minimumHeat: AttributeID = 0x15
        static let maximumHeat: AttributeID = 0x16
        static let minimumCool: AttributeID = 0x17
        static let maximumCool: AttributeID = 0x18
        static let systemMode: AttributeID = 0x1C
        static let runningMode: AttributeID = 0x1E
        static let runningState: AttributeID = 0x29
    }

    /// Heating and cooling.
    static func setpoints(_ bench: ClusterBench) -> [Int?] {
        [bench.number(thermostat, Attribute.heating), bench.number(thermostat, Attribute.cooling)]
    }

    @Test("a new thermostat")
    func initial() throws {
        let bench = try ClusterBench("thermostat")
        #expect(Self.setpoints(bench) == [2000, 2600])
        #expect(bench.number(Self.thermostat, 0) == 2000)
        #expect(bench.number(Self.thermostat, 0xFFFC) == 0x23)
    }

    struct Write: Sendable {
        var attribute: AttributeID
        var value: Int64
        var status: IMStatus = .success
        /// Heating and cooling.
        var then: [Int?]
    }

    @Test(
        "setpoints keep to limits and the dead band",
        arguments: [
            Write(attribute: Attribute.heating, value: 2150, then: [2150, 2600]),
            Write(attribute: Attribute.heating, value: 2400, then: [2400, 2600]),
            // The other one gives way.
            Write(attribute: Attribute.heating, value: 2500, then: [2500, 2700]),
            Write(attribute: Attribute.heating, value: 3000, then: [3000, 3200]),
            Write(attribute: Attribute.heating, value: 3001, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.heating, value: 699, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.cooling, value: 2199, then: [1999, 2199]),
            Write(attribute: Attribute.cooling, value: 1600, then: [1400, 1600]),
            Write(attribute: Attribute.cooling, value: 1599, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.cooling, value: 3201, status: .constraintError, then: [2000, 2600]),
            // Limits.
            Write(attribute: Attribute.minimumHeat, value: 600, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.minimumHeat, value: 1401, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.maximumHeat, value: 3001, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.maximumHeat, value: 1800, then: [1800, 2600]),
            Write(attribute: Attribute.maximumCool, value: 3199, status: .constraintError, then: [2000, 2600]),
            Write(attribute: Attribute.minimumCool, value: 2700, then: [2000, 2700]),
            Write(attribute: Attribute.minimumCool, value: 3300, status: .constraintError, then: [2000, 2600]),
        ])
    func write(_ write: Write) throws {
        let bench = try ClusterBench("thermostat")
        #expect(bench.write(Self.thermostat, write.attribute, .int(write.value)).status == write.status)
        #expect(Self.setpoints(bench) == write.then)
    }

    @Test("a setpoint that would push the other over its limit is refused")
    func pushed() throws {
        let bench = try ClusterBench("thermostat")
        #expect(bench.write(Self.thermostat, Attribute.maximumHeat, .int(2500)).isSuccess)
        #expect(bench.write(Self.thermostat, Attribute.maximumCool, .int(2700)).isSuccess)
        #expect(bench.write(Self.thermostat, Attribute.minimumHeat, .int(1400)).isSuccess)
        #expect(bench.write(Self.thermostat, Attribute.heating, .int(2500)).isSuccess)
        #expect(Self.setpoints(bench) == [2500, 2700])
        #expect(bench.write(Self.thermostat, Attribute.cooling, .int(1599)).status == .constraintError)
        #expect(bench.write(Self.thermostat, Attribute.cooling, .int(1600)).isSuccess)
        #expect(Self.setpoints(bench) == [1400, 1600])
    }

    @Test(
        "SetpointRaiseLower goes as far as the limits allow",
        arguments: [
            (0, 15, [2150, 2600]), (0, -15, [1850, 2600]), (0, 50, [2500, 2700]), (0, 127, [3000, 3200]),
            (0, -128, [720, 2600]), (1, -10, [2000, 2500]), (1, -127, [1400, 1600]), (2, 10, [2100, 2700]),
            (2, 127, [2600, 3200]), (2, -127, [1000, 1600]),
        ] as [(UInt64, Int64, [Int?])])
    func raiseLower(_ mode: UInt64, _ amount: Int64, _ then: [Int?]) throws {
        let bench = try ClusterBench("thermostat")
        #expect(try bench.status(Self.thermostat, 0, [0: .uint(mode), 1: .int(amount)]).isSuccess)
        #expect(Self.setpoints(bench) == then)
    }

    @Test("an unknown mode for SetpointRaiseLower is refused")
    func unknownMode() throws {
        let bench = try ClusterBench("thermostat")
        #expect(try bench.status(Self.thermostat, 0, [0: .uint(3), 1: .int(1)]).status == .constraintError)
    }

    @Test("what only old clients write is passed over")
    func ignored() throws {
        let bench = try ClusterBench("thermostat")
        #expect(bench.write(Self.thermostat, 0x19, .int(5)).isSuccess)
        #expect(bench.number(Self.thermostat, 0x19) == 20)
        #expect(bench.write(Self.thermostat, 0x1B, .uint(2)).isSuccess)
        #expect(bench.number(Self.thermostat, 0x1B) == 4)
    }

    @Test("modes that the device lacks are refused", arguments: [8, 9] as [UInt64])
    func modes(_ mode: UInt64) throws {
        let bench = try ClusterBench("thermostat")
        #expect(bench.write(Self.thermostat, Attribute.systemMode, .uint(mode)).status == .constraintError)
    }

    @Test("heating warms the room up to the setpoint, and then stops")
    func heats() throws {
        let bench = try ClusterBench("thermostat")
        bench.write(Self.thermostat, Attribute.heating, .int(2200))
        #expect(bench.number(Self.thermostat, Attribute.runningState) == 0)
        bench.write(Self.thermostat, Attribute.systemMode, .uint(4))
        #expect(bench.number(Self.thermostat, Attribute.runningState) == 5)
        #expect(bench.number(Self.thermostat, Attribute.runningMode) == 4)
        bench.wait(.seconds(60))
        let warmer = try #require(bench.number(Self.thermostat, 0))
        #expect((2080...2130).contains(warmer))
        bench.wait(.seconds(120))
        #expect((2180...2240).contains(try #require(bench.number(Self.thermostat, 0))))
        bench.write(Self.thermostat, Attribute.heating, .int(1900))
        #expect(bench.number(Self.thermostat, Attribute.runningState) == 0)
        #expect(bench.number(Self.thermostat, Attribute.runningMode) == 0)
    }

    @Test("a room between the setpoints is left alone in automatic mode; a hot one is cooled")
    func automatic() throws {
        let bench = try ClusterBench("thermostat")
        #expect(bench.type("1 thermostat temperature 23"))
        bench.write(Self.thermostat, Attribute.systemMode, .uint(1))
        #expect(bench.number(Self.thermostat, Attribute.runningState) == 0)
        #expect(bench.type("1 thermostat temperature 27.5"))
        #expect(bench.number(Self.thermostat, 0) == 2750)
        #expect(bench.number(Self.thermostat, Attribute.runningState) == 6)
        #expect(bench.number(Self.thermostat, Attribute.runningMode) == 3)
        bench.wait(.seconds(300))
        #expect((2540...2600).contains(try #require(bench.number(Self.thermostat, 0))))
    }

    @Test("a room left alone drifts towards the weather")
    func drift() throws {
        let bench = try ClusterBench("thermostat")
        #expect(bench.type("1 thermostat outdoor -10"))
        bench.wait(.seconds(1800))
        #expect((1400...1600).contains(try #require(bench.number(Self.thermostat, 0))))
        #expect(bench.number(Self.thermostat, 1) == -1000)
    }

    @Test("setpoints, limits and mode survive a restart")
    func restart() throws {
        let bench = try ClusterBench("thermostat")
        bench.write(Self.thermostat, Attribute.maximumHeat, .int(2500))
        bench.write(Self.thermostat, Attribute.heating, .int(2450))
        bench.write(Self.thermostat, Attribute.systemMode, .uint(4))
        let after = try bench.restarted()
        #expect(Self.setpoints(after) == [2450, 2650])
        #expect(after.number(Self.thermostat, Attribute.maximumHeat) == 2500)
        #expect(after.number(Self.thermostat, Attribute.runningState) == 5)
    }

    @Test("limits survive a restart even where each is only possible with the other")
    func limitsOverRestart() throws {
        let bench = try ClusterBench("thermostat")
        let limits: [(AttributeID, Int64)] = [
            (Attribute.minimumCool, 1800), (Attribute.minimumHeat, 1500), (Attribute.maximumHeat, 2500),
            (Attribute.maximumCool, 2800),
        ]
        for (attribute, value) in limits {
            #expect(bench.write(Self.thermostat, attribute, .int(value)).isSuccess)
        }
        let after = try bench.restarted()
        for (attribute, value) in limits { #expect(after.number(Self.thermostat, attribute) == Int(value)) }
        #expect(Self.setpoints(after) == Self.setpoints(bench))
    }
}
