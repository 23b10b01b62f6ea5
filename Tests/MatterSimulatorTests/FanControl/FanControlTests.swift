import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Fan Control", .beside)
struct FanControlTests {
    static let fan = FanControl.id

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var attribute: AttributeID
        var value: TLVValue
        /// FanMode, PercentSetting, PercentCurrent, SpeedSetting, SpeedCurrent.
        var then: [Int?]

        var testDescription: String { name }
    }

    static let writes = [
        Row(name: "low", attribute: 0, value: .uint(1), then: [1, 30, 30, 3, 3]),
        Row(name: "medium", attribute: 0, value: .uint(2), then: [2, 70, 70, 7, 7]),
        Row(name: "high", attribute: 0, value: .uint(3), then: [3, 100, 100, 10, 10]),
        Row(name: "on is high", attribute: 0, value: .uint(4), then: [3, 100, 100, 10, 10]),
        Row(name: "auto has no setting", attribute: 0, value: .uint(5), then: [5, nil, 50, nil, 5]),
        Row(name: "smart is auto", attribute: 0, value: .uint(6), then: [5, nil, 50, nil, 5]),
        Row(name: "1 % is the first speed", attribute: 2, value: .uint(1), then: [1, 1, 1, 1, 1]),
        Row(name: "30 % is still low", attribute: 2, value: .uint(30), then: [1, 30, 30, 3, 3]),
        Row(name: "31 % is the next speed", attribute: 2, value: .uint(31), then: [2, 31, 31, 4, 4]),
        Row(name: "100 %", attribute: 2, value: .uint(100), then: [3, 100, 100, 10, 10]),
        Row(name: "0 % is off", attribute: 2, value: .uint(0), then: [0, 0, 0, 0, 0]),
        Row(name: "speed 4", attribute: 5, value: .uint(4), then: [2, 40, 40, 4, 4]),
        Row(name: "speed 0 is off", attribute: 5, value: .uint(0), then: [0, 0, 0, 0, 0]),
    ]

    static func state(_ bench: ClusterBench) -> [Int?] {
        [0, 2, 3, 5, 6].map { bench.number(fan, $0) }
    }

    @Test("writing one view of the speed moves the others", arguments: writes)
    func write(_ row: Row) throws {
        let bench = try ClusterBench("fan")
        #expect(bench.write(Self.fan, row.attribute, row.value).isSuccess)
        #expect(Self.state(bench) == row.then)
    }

    @Test("off after high")
    func off() throws {
        let bench = try ClusterBench("fan")
        bench.write(Self.fan, 0, .uint(3))
        bench.write(Self.fan, 0, .uint(0))
        #expect(Self.state(bench) == [0, 0, 0, 0, 0])
    }

    @Test("the direction of the air is one of two, and stays when the speed changes")
    func airflow() throws {
        let bench = try ClusterBench("fan")
        #expect(bench.number(Self.fan, 0xB) == 0)
        #expect(bench.write(Self.fan, 0xB, .uint(1)).isSuccess)
        #expect(!bench.write(Self.fan, 0xB, .uint(2)).isSuccess)
        bench.write(Self.fan, 2, .uint(60))
        #expect(bench.number(Self.fan, 0xB) == 1)
    }

    @Test("null is passed over")
    func null() throws {
        let bench = try ClusterBench("fan")
        bench.write(Self.fan, 2, .uint(60))
        #expect(bench.write(Self.fan, 2, .null).isSuccess)
        #expect(bench.write(Self.fan, 5, .null).isSuccess)
        #expect(Self.state(bench) == [2, 60, 60, 6, 6])
    }

    @Test(
        "values outside are refused",
        arguments: [(0, TLVValue.uint(7)), (2, .uint(101)), (5, .uint(11))] as [(AttributeID, TLVValue)])
    func outside(_ attribute: AttributeID, _ value: TLVValue) throws {
        let bench = try ClusterBench("fan")
        #expect(bench.write(Self.fan, attribute, value).status == .constraintError)
        #expect(bench.write(Self.fan, 3, .uint(1)).status == .unsupportedWrite)
    }

    struct Step: Sendable {
        var from: UInt64
        var direction: UInt64
        var wrap: Bool?
        var lowestOff: Bool?
        var to: Int
    }

    @Test(
        "Step goes one speed on, wraps where asked, and stops at the lowest",
        arguments: [
            Step(from: 4, direction: 0, to: 5), Step(from: 4, direction: 1, to: 3),
            Step(from: 10, direction: 0, to: 10), Step(from: 10, direction: 0, wrap: true, to: 0),
            Step(from: 10, direction: 0, wrap: true, lowestOff: false, to: 1), Step(from: 0, direction: 1, to: 0),
            Step(from: 0, direction: 1, wrap: true, to: 10), Step(from: 1, direction: 1, to: 0),
            Step(from: 1, direction: 1, lowestOff: false, to: 1),
            Step(from: 1, direction: 1, wrap: true, lowestOff: false, to: 10),
            Step(from: 0, direction: 0, lowestOff: false, to: 1),
        ])
    func step(_ step: Step) throws {
        let bench = try ClusterBench("fan")
        bench.write(Self.fan, 5, .uint(step.from))
        var fields: [UInt8: TLVValue] = [0: .uint(step.direction)]
        if let wrap = step.wrap { fields[1] = .bool(wrap) }
        if let lowestOff = step.lowestOff { fields[2] = .bool(lowestOff) }
        #expect(try bench.status(Self.fan, 0, fields).isSuccess)
        #expect(bench.number(Self.fan, 5) == step.to)
    }

    @Test("settings survive a restart")
    func restart() throws {
        let bench = try ClusterBench("fan")
        bench.write(Self.fan, 2, .uint(35))
        #expect(Self.state(try bench.restarted()) == [2, 35, 35, 4, 4])
    }
}
