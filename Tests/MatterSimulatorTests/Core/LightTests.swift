import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Lights", .beside)
struct LightTests {
    private static let level = LevelControl.id

    private struct Light {
        let bench: NodeBench
        let admin: Caller

        init(_ kind: String = "dimmable-light") throws {
            bench = try NodeBench([kind])
            admin = try bench.commission(try NodeBench.Controller())
        }

        var isOn: Bool? { bench.value(1, 6, 0)?.boolean }
        var level: Int? { bench.value(1, 8, 0)?.integer() }
        var remaining: Int? { bench.value(1, 8, 1)?.integer() }

        func onOff(_ command: CommandID, _ fields: [TLVElement] = []) throws {
            #expect(try bench.invoke(1, 6, command, fields, by: admin).status == .success)
        }

        @discardableResult
        func move(_ command: CommandID, to level: UInt64, in tenths: UInt64?, options: UInt64 = 0) throws -> IMStatus {
            try bench.invoke(
                1, 8, command,
                [
                    TLVElement(0, .uint(level)), TLVElement(1, .optional(tenths)), TLVElement(2, .uint(options)),
                    TLVElement(3, .uint(options)),
                ], by: admin
            ).status
        }

        func set(_ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue) throws {
            #expect(try bench.write(1, cluster, attribute, value, by: admin).isSuccess)
        }
    }

    @Test("on, off and toggle")
    func onOff() throws {
        let light = try Light("on-off-light")
        for (command, isOn) in [(CommandID(1), true), (1, true), (0, false), (2, true), (2, false)] {
            try light.onOff(command)
            #expect(light.isOn == isOn)
        }
    }

    @Test("a transition takes its time and tells of its progress")
    func transition() throws {
        let light = try Light()
        try light.onOff(1)
        try light.move(0, to: 54, in: 100)
        #expect(light.remaining == 100)
        light.bench.pass(.seconds(5))
        #expect(light.level == 154)
        #expect(light.remaining == 50)
        light.bench.pass(.seconds(5))
        #expect(light.level == 54)
        #expect(light.remaining == 0)
    }

    @Test("a command tells the new value of an attribute once, however often it set it")
    func oneLineForAChange() throws {
        let light = try Light()
        try light.onOff(1)
        _ = light.bench.node.takeReports()
        // The level goes down to its minimum, and is then what it was.
        try light.onOff(0)
        let levels = light.bench.node.takeReports().filter { report in
            if case .attribute(endpoint: 1, cluster: 8, attribute: 0, value: _) = report { true } else { false }
        }
        #expect(levels.count == 1)
    }

    @Test("a subscriber hears of a transition about once a second")
    func reports() throws {
        let light = try Light()
        try light.onOff(1)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 600,
            attributePaths: [AttributePath(endpoint: 1, cluster: 8, attribute: 0)])
        let new = try light.bench.node.subscribe(request, caller: light.admin)
        light.bench.node.subscriptionEstablished(new.response.subscriptionID, at: light.bench.moment)
        try light.move(0, to: 1, in: 50)
        var levels: [Int] = []
        for _ in 0..<60 {
            light.bench.pass(.zero)
            let moment = light.bench.moment.advanced(by: .milliseconds(100))
            light.bench.node.tick(at: moment)
            for report in light.bench.node.takeDueReports(at: moment) {
                levels += report.attributes.compactMap { $0.value?.integer(as: Int.self) }
                light.bench.node.reportDelivered(report.subscription)
            }
            light.bench.skip(.milliseconds(100))
        }
        #expect(levels.last == 1)
        #expect(levels == levels.sorted(by: >))
        #expect((4...7).contains(levels.count), "\(levels)")
    }

    @Test("MoveToLevel does nothing to a light that is off, unless it is told to")
    func executeIfOff() throws {
        let light = try Light()
        try light.move(0, to: 10, in: 0)
        #expect(light.level == 254)
        try light.move(0, to: 10, in: 0, options: 1)
        #expect(light.level == 10)
        #expect(light.isOn == false)
        try light.set(8, 0x0F, .uint(1))
        try light.move(0, to: 20, in: 0)
        #expect(light.level == 20)
    }

    @Test("MoveToLevelWithOnOff switches on above the lowest level, and off at it")
    func withOnOff() throws {
        let light = try Light()
        try light.move(4, to: 100, in: 10)
        #expect(light.isOn == true)
        light.bench.pass(.seconds(1))
        #expect(light.level == 100)
        try light.move(4, to: 0, in: 10)
        #expect(light.isOn == true)
        light.bench.pass(.seconds(1))
        #expect(light.isOn == false)
        #expect(light.level == 1)
    }

    @Test("off fades out and keeps the level for the next on")
    func fade() throws {
        let light = try Light()
        try light.onOff(1)
        try light.move(0, to: 200, in: 0)
        try light.set(8, 0x10, .uint(10))
        try light.onOff(0)
        #expect(light.isOn == true)
        light.bench.pass(.milliseconds(500))
        #expect((90...110).contains(light.level ?? 0))
        light.bench.pass(.milliseconds(500))
        #expect(light.isOn == false)
        #expect(light.level == 200)
        try light.onOff(1)
        #expect(light.isOn == true)
        #expect(light.level == 1)
        light.bench.pass(.seconds(1))
        #expect(light.level == 200)
    }

    @Test("on in the middle of a fade brings a light back that is going out")
    func onWhileFading() throws {
        let light = try Light()
        try light.onOff(1)
        try light.move(0, to: 200, in: 0)
        try light.set(8, 0x10, .uint(10))
        try light.onOff(0)
        light.bench.pass(.milliseconds(500))
        try light.onOff(1)
        #expect((90...110).contains(light.level ?? 0))
        light.bench.pass(.seconds(5))
        #expect(light.isOn == true)
        #expect(light.level == 200)
        try light.onOff(1)
        #expect(light.level == 200 && light.remaining == 0)
    }

    @Test("OnLevel is the level that a light comes on with")
    func onLevel() throws {
        let light = try Light()
        try light.set(8, 0x11, .uint(50))
        try light.onOff(1)
        #expect(light.level == 50)
    }

    @Test("a command in the middle of a fade takes over")
    func takeover() throws {
        let light = try Light()
        try light.onOff(1)
        try light.set(8, 0x10, .uint(20))
        try light.onOff(0)
        light.bench.pass(.seconds(1))
        try light.move(4, to: 254, in: 0)
        light.bench.pass(.seconds(5))
        #expect(light.isOn == true)
        #expect(light.level == 254)
    }

    @Test("step and move stop at the ends, stop stops")
    func stepMoveStop() throws {
        let light = try Light()
        try light.onOff(1)
        func invoke(_ command: CommandID, _ fields: [TLVValue]) throws -> IMStatus {
            try light.bench.invoke(
                1, 8, command, fields.enumerated().map { TLVElement(UInt8($0.offset), $0.element) }, by: light.admin
            ).status
        }
        #expect(try invoke(2, [.uint(1), .uint(54), .uint(0), .uint(0), .uint(0)]) == .success)
        #expect(light.level == 200)
        #expect(try invoke(2, [.uint(0), .uint(100), .uint(0), .uint(0), .uint(0)]) == .success)
        #expect(light.level == 254)
        #expect(try invoke(2, [.uint(0), .uint(0), .uint(0), .uint(0), .uint(0)]) == .invalidCommand)
        #expect(try invoke(1, [.uint(1), .uint(10), .uint(0), .uint(0)]) == .success)
        light.bench.pass(.seconds(3))
        #expect(light.level == 224)
        #expect(try invoke(3, [.uint(0), .uint(0)]) == .success)
        light.bench.pass(.seconds(10))
        #expect(light.level == 224)
    }

    @Test("OnWithTimedOff goes out after its time and waits before it comes on again")
    func timedOff() throws {
        let light = try Light("on-off-light")
        func timed(_ control: UInt64, _ on: UInt64, _ wait: UInt64) throws {
            try light.onOff(
                0x42, [TLVElement(0, .uint(control)), TLVElement(1, .uint(on)), TLVElement(2, .uint(wait))])
        }
        try timed(1, 50, 0)
        #expect(light.isOn == false, "only when on")
        try timed(0, 50, 30)
        #expect(light.isOn == true)
        light.bench.pass(.seconds(3))
        #expect(light.bench.value(1, 6, 0x4001) == .uint(20))
        light.bench.pass(.seconds(3))
        #expect(light.isOn == false)
        #expect(light.bench.value(1, 6, 0x4001) == .uint(0))
    }

    @Test("an effect ends with the light off")
    func effects() throws {
        for (effect, variant) in [(UInt64(0), UInt64(0)), (0, 1), (0, 2), (1, 0)] {
            for kind in ["on-off-light", "dimmable-light"] {
                let light = try Light(kind)
                try light.onOff(1)
                try light.onOff(0x40, [TLVElement(0, .uint(effect)), TLVElement(1, .uint(variant))])
                light.bench.pass(.seconds(14))
                #expect(light.isOn == false)
                #expect(light.bench.value(1, 6, 0x4000) == .bool(false))
            }
        }
    }

    @Test("StartUpOnOff and StartUpCurrentLevel decide how it starts")
    func startUp() throws {
        for (value, expected) in [(TLVValue.null, true), (.uint(0), false), (.uint(1), true), (.uint(2), false)] {
            let light = try Light()
            try light.onOff(1)
            try light.set(6, 0x4003, value)
            try light.set(8, 0x4000, .uint(77))
            try light.bench.restart()
            #expect(light.isOn == expected)
            #expect(light.level == 77)
        }
    }

    @Test("a colour temperature moves within the light's own range")
    func colorTemperature() throws {
        let light = try Light("color-temperature-light")
        try light.onOff(1)
        func move(to mireds: UInt64, in tenths: UInt64) throws -> IMStatus {
            try light.bench.invoke(
                1, 0x300, 0x0A,
                [
                    TLVElement(0, .uint(mireds)), TLVElement(1, .uint(tenths)), TLVElement(2, .uint(0)),
                    TLVElement(3, .uint(0)),
                ], by: light.admin
            ).status
        }
        #expect(try move(to: 350, in: 100) == .success)
        light.bench.pass(.seconds(5))
        #expect(light.bench.value(1, 0x300, 7) == .uint(300))
        #expect(try move(to: 9000, in: 0) == .success)
        #expect(light.bench.value(1, 0x300, 7) == .uint(500))
    }

    @Test("identifying counts down and ends")
    func identify() throws {
        let light = try Light()
        #expect(try light.bench.invoke(1, 3, 0, [TLVElement(0, .uint(3))], by: light.admin).status == .success)
        light.bench.pass(.seconds(2))
        #expect(light.bench.value(1, 3, 0) == .uint(1))
        light.bench.pass(.seconds(2))
        #expect(light.bench.value(1, 3, 0) == .uint(0))
    }

    @Test("groups need a key, and go with it")
    func groups() throws {
        let light = try Light()
        let (bench, admin) = (light.bench, light.admin)
        let name = [TLVElement(0, .uint(7)), TLVElement(1, .string("kitchen"))]
        #expect(try bench.invoke(1, 4, 0, name, by: admin).response(0)?.field(0) == .uint(0x7E))
        let set = TLVValue.structure([
            TLVElement(0, .uint(1)), TLVElement(1, .uint(0)), TLVElement(2, .octets([UInt8](repeating: 1, count: 16))),
            TLVElement(3, .uint(1)), TLVElement(4, .null), TLVElement(5, .null), TLVElement(6, .null),
            TLVElement(7, .null),
        ])
        #expect(try bench.invoke(0, 0x3F, 0, [TLVElement(0, set)], by: admin).status == .success)
        let map = TLVValue.array(of: [.structure([TLVElement(1, .uint(7)), TLVElement(2, .uint(1))])])
        #expect(try bench.write(0, 0x3F, 0, map, by: admin).isSuccess)
        #expect(try bench.invoke(1, 4, 0, name, by: admin).response(0)?.field(0) == .uint(0))
        #expect(bench.value(0, 0x3F, 1)?.items?.first?.field(3) == .string("kitchen"))
        let members = try bench.invoke(1, 4, 2, [TLVElement(0, .array([]))], by: admin).response(2)
        #expect(members?.field(1) == .array(of: [.uint(7)]))
        try bench.restart()
        #expect(bench.value(0, 0x3F, 1)?.items?.count == 1)
        let read = try bench.invoke(0, 0x3F, 1, [TLVElement(0, .uint(1))], by: admin).response(2)
        #expect(read?.field(0)?.field(2) == .null, "keys are never read back")
        #expect(try bench.invoke(0, 0x3F, 3, [TLVElement(0, .uint(1))], by: admin).status == .success)
        #expect(bench.value(0, 0x3F, 0) == .array([]))
        #expect(try bench.invoke(0, 0x3F, 3, [TLVElement(0, .uint(0))], by: admin).status == .invalidCommand)
    }
}
