import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("Color Control", .beside)
struct ColorControlTests {
    static let color = ColorControl.id

    enum Attribute {
        static let hue: AttributeID = 0
        static let saturation: AttributeID = 1
        static let remaining: AttributeID = 2
        static let x: AttributeID = 3
        static let y: AttributeID = 4
        static let mireds: AttributeID = 7
        static let mode: AttributeID = 8
        static let enhancedHue: AttributeID = 0x4000
        static let enhancedMode: AttributeID = 0x4001
        static let loopActive: AttributeID = 0x4002
    }

    /// A light that is on.
    static func light() throws -> ClusterBench {
        let bench = try ClusterBench("color-light")
        try bench.status(OnOff.id, 1)
        return bench
    }

    /// Fields 0, 1, … with the two options, both 0, at the end.
    static func fields(_ numbers: [Int64], override: UInt64 = 0) -> [UInt8: TLVValue] {
        var fields: [UInt8: TLVValue] = [:]
        for (tag, number) in numbers.enumerated() {
            fields[UInt8(tag)] = number < 0 ? .int(number) : .uint(UInt64(number))
        }
        fields[UInt8(numbers.count)] = .uint(override)
        fields[UInt8(numbers.count + 1)] = .uint(override)
        return fields
    }

    static func run(_ bench: ClusterBench, _ command: CommandID, _ numbers: Int64...) throws -> IMStatus {
        try bench.status(color, command, fields(numbers)).status
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var command: CommandID
        var numbers: [Int64]
        var attribute: AttributeID
        /// At once, halfway, at the end.
        var seconds: Int
        var values: [Int]
        var mode: Int

        var testDescription: String { name }
    }

    /// The light begins with hue 0, saturation 0, x 24939, y 24701 and 250 mireds.
    static let moves = [
        Row(
            name: "MoveToHue up", command: 0, numbers: [100, 2, 100], attribute: Attribute.hue, seconds: 10,
            values: [0, 50, 100], mode: 0),
        Row(
            name: "MoveToHue the shortest way, downwards", command: 0, numbers: [155, 0, 100],
            attribute: Attribute.hue, seconds: 10, values: [0, 205, 155], mode: 0),
        Row(
            name: "MoveToHue the longest way", command: 0, numbers: [155, 1, 100], attribute: Attribute.hue,
            seconds: 10, values: [0, 77, 155], mode: 0),
        Row(
            name: "MoveToSaturation", command: 3, numbers: [200, 40], attribute: Attribute.saturation, seconds: 4,
            values: [0, 100, 200], mode: 0),
        Row(
            name: "MoveToColor", command: 7, numbers: [44939, 14701, 100], attribute: Attribute.x, seconds: 10,
            values: [24939, 34939, 44939], mode: 1),
        Row(
            name: "MoveToColor, y", command: 7, numbers: [44939, 14701, 100], attribute: Attribute.y, seconds: 10,
            values: [24701, 19701, 14701], mode: 1),
        Row(
            name: "StepColor", command: 9, numbers: [1000, -2000, 20], attribute: Attribute.y, seconds: 2,
            values: [24701, 23701, 22701], mode: 1),
        Row(
            name: "MoveToColorTemperature", command: 0x0A, numbers: [350, 100], attribute: Attribute.mireds,
            seconds: 10, values: [250, 300, 350], mode: 2),
        Row(
            name: "beyond the warmest", command: 0x0A, numbers: [1000, 100], attribute: Attribute.mireds, seconds: 10,
            values: [250, 375, 500], mode: 2),
        Row(
            name: "StepColorTemperature down", command: 0x4C, numbers: [3, 50, 20, 0, 0],
            attribute: Attribute.mireds, seconds: 2, values: [250, 225, 200], mode: 2),
        Row(
            name: "StepColorTemperature within limits", command: 0x4C, numbers: [1, 200, 20, 0, 300],
            attribute: Attribute.mireds, seconds: 2, values: [250, 275, 300], mode: 2),
        Row(
            name: "EnhancedMoveToHue", command: 0x40, numbers: [20000, 2, 100], attribute: Attribute.enhancedHue,
            seconds: 10, values: [0, 10000, 20000], mode: 3),
        Row(
            name: "EnhancedStepHue down, around the circle", command: 0x42, numbers: [3, 1000, 10],
            attribute: Attribute.enhancedHue, seconds: 1, values: [0, 65036, 64536], mode: 3),
    ]

    @Test("transitions take their time", arguments: moves)
    func transition(_ row: Row) throws {
        let bench = try Self.light()
        #expect(try bench.status(Self.color, row.command, Self.fields(row.numbers)).isSuccess)
        #expect(bench.number(Self.color, Attribute.enhancedMode) == row.mode)
        #expect(bench.number(Self.color, Attribute.mode) == row.mode % 3)
        #expect(bench.number(Self.color, row.attribute) == row.values[0])
        #expect(bench.number(Self.color, Attribute.remaining) == row.seconds * 10)
        bench.wait(.milliseconds(500 * row.seconds))
        #expect(bench.number(Self.color, row.attribute) == row.values[1])
        #expect(bench.number(Self.color, Attribute.remaining) == row.seconds * 5)
        bench.wait(.milliseconds(500 * row.seconds))
        #expect(bench.number(Self.color, row.attribute) == row.values[2])
        #expect(bench.number(Self.color, Attribute.remaining) == 0)
        #expect(bench.node.nextDeadline == nil)
    }

    @Test("without a transition time a move is done at once")
    func atOnce() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 6, 120, 200, 0) == .success)
        #expect(bench.number(Self.color, Attribute.hue) == 120)
        #expect(bench.number(Self.color, Attribute.saturation) == 200)
        #expect(bench.number(Self.color, Attribute.enhancedHue) == 120 << 8)
    }

    @Test("MoveHue goes around until it is stopped")
    func endless() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 1, 1, 50) == .success)
        bench.wait(.seconds(4))
        #expect(bench.number(Self.color, Attribute.hue) == 200)
        bench.wait(.seconds(2))
        // 255 steps make the circle.
        #expect(bench.number(Self.color, Attribute.hue) == 45)
        #expect(try Self.run(bench, 1, 0, 0) == .success)
        bench.wait(.seconds(10))
        #expect(bench.number(Self.color, Attribute.hue) == 45)
        #expect(try Self.run(bench, 1, 3, 10) == .success)
        bench.wait(.seconds(5))
        #expect(bench.number(Self.color, Attribute.hue) == 250)
        bench.wait(.seconds(20_000))
        #expect(try Self.run(bench, 0x47) == .success)
        #expect(bench.node.nextDeadline == nil)
    }

    @Test("moves end at the limit")
    func limits() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 4, 1, 100) == .success)
        bench.wait(.seconds(1))
        #expect(bench.number(Self.color, Attribute.saturation) == 100)
        bench.wait(.seconds(5))
        #expect(bench.number(Self.color, Attribute.saturation) == 254)
        #expect(try Self.run(bench, 0x4B, 3, 50, 0, 0) == .success)
        bench.wait(.seconds(1))
        #expect(bench.number(Self.color, Attribute.mireds) == 200)
        bench.wait(.seconds(5))
        #expect(bench.number(Self.color, Attribute.mireds) == 153)
        #expect(try Self.run(bench, 8, 10_000, -10_000) == .success)
        bench.wait(.seconds(10))
        #expect(bench.number(Self.color, Attribute.x) == 0xFEFF)
        #expect(bench.number(Self.color, Attribute.y) == 0)
    }

    @Test("StopMoveStep holds the colour where it is")
    func stops() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 0x0A, 350, 100) == .success)
        bench.wait(.seconds(3))
        #expect(try Self.run(bench, 0x47) == .success)
        bench.wait(.seconds(9))
        #expect(bench.number(Self.color, Attribute.mireds) == 280)
        #expect(bench.number(Self.color, Attribute.remaining) == 0)
    }

    @Test("a command of another kind ends the one before")
    func other() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 7, 44939, 24701, 100) == .success)
        bench.wait(.seconds(5))
        #expect(try Self.run(bench, 0x0A, 350, 0) == .success)
        bench.wait(.seconds(5))
        #expect(bench.number(Self.color, Attribute.x) == 34939)
        #expect(bench.number(Self.color, Attribute.mode) == 2)
    }

    @Test(
        "senseless moves and steps are refused",
        arguments: [
            (1, [1, 0]), (2, [1, 0, 10]), (4, [3, 0]), (5, [1, 0, 0]), (9, [0, 0, 10]), (0x41, [1, 0]),
            (0x42, [3, 0, 1]), (0x4B, [1, 0, 0, 0]), (0x4C, [1, 0, 0, 0, 0]), (0x44, [4, 0, 0, 0, 0]),
        ] as [(CommandID, [Int64])])
    func senseless(_ command: CommandID, _ numbers: [Int64]) throws {
        let bench = try Self.light()
        #expect(try bench.status(Self.color, command, Self.fields(numbers)).status == .invalidCommand)
    }

    @Test(
        "values out of range are refused",
        arguments: [
            (0, [255, 0, 0]), (0, [10, 4, 0]), (3, [255, 0]), (7, [0xFF00, 0, 0]), (0x0A, [0xFF00, 0]),
            (0x4B, [1, 10, 400, 300]),
        ] as [(CommandID, [Int64])])
    func range(_ command: CommandID, _ numbers: [Int64]) throws {
        let bench = try Self.light()
        #expect(try bench.status(Self.color, command, Self.fields(numbers)).status == .constraintError)
    }

    @Test("a light that is off says yes and does nothing, unless told to")
    func off() throws {
        let bench = try ClusterBench("color-light")
        #expect(try bench.status(Self.color, 0x0A, Self.fields([350, 0])).isSuccess)
        #expect(bench.number(Self.color, Attribute.mireds) == 250)
        #expect(try bench.status(Self.color, 0x0A, Self.fields([350, 0], override: 1)).isSuccess)
        #expect(bench.number(Self.color, Attribute.mireds) == 350)
        #expect(bench.write(Self.color, 0x0F, .uint(1)).isSuccess)
        #expect(try bench.status(Self.color, 0x0A, Self.fields([200, 0])).isSuccess)
        #expect(bench.number(Self.color, Attribute.mireds) == 200)
    }

    // MARK: The colour loop

    @Test("the colour loop goes around in ColorLoopTime, and gives the hue back")
    func loop() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 0x40, 5000, 2, 0) == .success)
        // Action, direction, time, start hue: up, in 64 seconds, from 0x1000.
        #expect(try Self.run(bench, 0x44, 15, 1, 1, 64, 0x1000) == .success)
        #expect(bench.number(Self.color, Attribute.loopActive) == 1)
        #expect(bench.number(Self.color, 0x4006) == 5000)
        bench.wait(.seconds(16))
        #expect(bench.number(Self.color, Attribute.enhancedHue) == 0x5000)
        // Stopping commands does not stop the loop; saturation changes beside it.
        #expect(try Self.run(bench, 0x47) == .success)
        #expect(try Self.run(bench, 3, 100, 0) == .success)
        bench.wait(.seconds(64))
        #expect(bench.number(Self.color, Attribute.enhancedHue) == 0x5000)
        #expect(bench.number(Self.color, Attribute.saturation) == 100)
        // Downwards from here.
        #expect(try Self.run(bench, 0x44, 2, 0, 0, 0, 0) == .success)
        bench.wait(.seconds(16))
        #expect(bench.number(Self.color, Attribute.enhancedHue) == 0x1000)
        #expect(try Self.run(bench, 0x44, 1, 0, 0, 0, 0) == .success)
        #expect(bench.number(Self.color, Attribute.loopActive) == 0)
        #expect(bench.number(Self.color, Attribute.enhancedHue) == 5000)
        #expect(bench.node.nextDeadline == nil)
    }

    @Test("another colour ends the loop")
    func loopEnds() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 0x44, 1, 2, 0, 0, 0) == .success)
        #expect(try Self.run(bench, 0x0A, 300, 0) == .success)
        #expect(bench.number(Self.color, Attribute.loopActive) == 0)
        #expect(bench.number(Self.color, Attribute.mode) == 2)
    }

    // MARK: Other clusters and restarts

    @Test(
        "colour temperature follows the level where Level Control says so",
        arguments: ["color-light", "color-temperature-light"])
    func coupled(kind: String) throws {
        let bench = try ClusterBench(kind)
        #expect(try bench.status(OnOff.id, 1).isSuccess)
        let level: (UInt64) -> [UInt8: TLVValue] = { [0: .uint($0), 1: .uint(0), 2: .uint(0), 3: .uint(0)] }
        #expect(try bench.status(LevelControl.id, 0, level(2)).isSuccess)
        #expect(bench.number(Self.color, Attribute.mireds) == 250, "not unless told so")
        #expect(bench.write(LevelControl.id, 0x0F, .uint(2)).isSuccess)
        #expect(try bench.status(LevelControl.id, 0, level(1)).isSuccess)
        #expect(bench.number(Self.color, Attribute.mireds) == 500)
        #expect(try bench.status(LevelControl.id, 0, level(254)).isSuccess)
        #expect(bench.number(Self.color, Attribute.mireds) == 153)
    }

    @Test("the colour survives a restart; StartUpColorTemperatureMireds overrules it")
    func restart() throws {
        let bench = try Self.light()
        #expect(try Self.run(bench, 7, 10_000, 20_000, 0) == .success)
        var after = try bench.restarted()
        #expect(after.number(Self.color, Attribute.x) == 10_000)
        #expect(after.number(Self.color, Attribute.mode) == 1)
        #expect(after.write(Self.color, 0x4010, .uint(300)).isSuccess)
        after = try after.restarted()
        #expect(after.number(Self.color, Attribute.mireds) == 300)
        #expect(after.number(Self.color, Attribute.mode) == 2)
    }
}

@Suite("The circle of hues", .beside)
struct HueDirectionTests {
    @Test(
        "ways around the circle",
        arguments: [
            (ColorControl.Direction.up, 10, 5, 95), (.down, 10, 5, -5), (.shortest, 10, 5, -5), (.longest, 10, 5, 95),
            (.shortest, 90, 10, 20), (.longest, 90, 10, -80), (.up, 7, 7, 0), (.longest, 7, 7, 0), (.down, 90, 10, -80),
        ])
    func ways(_ direction: ColorControl.Direction, _ from: Int, _ to: Int, _ way: Int) {
        #expect(direction.distance(from: from, to: to, around: 100) == way)
    }
}
