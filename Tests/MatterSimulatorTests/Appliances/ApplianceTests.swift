import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Appliances of the virtual device", .beside)
struct ApplianceTests {
    typealias Event = ClusterBench.Event

    // MARK: Valve

    @Test("a valve moves for a second, and closes when its time is over")
    func valve() throws {
        let bench = try ClusterBench("water-valve")
        let valve = ValveConfigurationAndControl.id
        typealias Attribute = ValveConfigurationAndControl.Attribute
        #expect(try bench.status(valve, 0, [0: .uint(60), 1: .uint(40)]).isSuccess)
        #expect(bench.number(valve, Attribute.currentState) == 2 && bench.number(valve, Attribute.targetLevel) == 40)
        bench.wait(.seconds(1))
        #expect(bench.number(valve, Attribute.currentState) == 1 && bench.number(valve, Attribute.currentLevel) == 40)
        #expect(bench.number(valve, Attribute.remainingDuration) == 59)
        bench.wait(.seconds(60))
        #expect(bench.number(valve, Attribute.currentState) == 0 && bench.number(valve, Attribute.currentLevel) == 0)
        #expect(bench.read(valve, Attribute.remainingDuration) == .null)
        #expect(bench.events(valve).map { $0.data.field(0) } == [.uint(2), .uint(1), .uint(2), .uint(0)])
    }

    @Test("a valve that was opened without a time takes its default one, and null is for ever")
    func valveDefault() throws {
        let bench = try ClusterBench("water-valve")
        let valve = ValveConfigurationAndControl.id
        typealias Attribute = ValveConfigurationAndControl.Attribute
        #expect(bench.write(valve, Attribute.defaultOpenDuration, .uint(10)).isSuccess)
        try bench.status(valve, 0)
        #expect(bench.number(valve, Attribute.openDuration) == 10)
        try bench.status(valve, 0, [0: .null])
        bench.wait(.seconds(3600))
        #expect(bench.number(valve, Attribute.currentState) == 1)
        #expect(bench.type("1 valve-configuration-and-control blocked"))
        #expect(try bench.status(valve, 0) == StatusIB(.failure, clusterStatus: 2))
    }

    // MARK: Smoke alarm

    @Test(
        "a smoke alarm tests itself, and not during an alarm; it expresses what matters most, and says when all is clear"
    )
    func smokeAlarm() throws {
        let bench = try ClusterBench("smoke-alarm")
        let alarm = SmokeCoAlarm.id
        typealias Attribute = SmokeCoAlarm.Attribute
        func expressed() -> SmokeCoAlarm.ExpressedState? {
            bench.number(alarm, Attribute.expressedState).map { .init(rawValue: UInt8($0)) }
        }
        #expect(try bench.status(alarm, SmokeCoAlarm.Command.selfTestRequest).isSuccess)
        #expect(expressed() == .testing)
        #expect(try bench.status(alarm, SmokeCoAlarm.Command.selfTestRequest) == StatusIB(.busy))
        bench.wait(.seconds(3))
        #expect(expressed() == .normal && bench.read(alarm, Attribute.testInProgress) == .bool(false))
        #expect(bench.type("1 smoke-co-alarm battery") && bench.type("1 smoke-co-alarm smoke"))
        #expect(expressed() == .smokeAlarm)
        #expect(try bench.status(alarm, SmokeCoAlarm.Command.selfTestRequest) == StatusIB(.busy))
        #expect(bench.type("1 smoke-co-alarm clear"))
        #expect(expressed() == .batteryAlert)
        #expect(bench.type("1 smoke-co-alarm battery off"))
        #expect(expressed() == .normal)
        typealias Event = SmokeCoAlarm.Event
        #expect(
            bench.events(alarm).map(\.id) == [
                Event.selfTestComplete, Event.allClear, Event.lowBattery, Event.smokeAlarm, Event.allClear,
            ])
    }

    // MARK: Vacuum cleaner

    private func mode(_ bench: ClusterBench, _ cluster: ClusterID, _ mode: UInt64) throws -> Int? {
        try bench.response(cluster, 0, [0: .uint(mode)]).field(0)?.integer()
    }

    private func order(_ bench: ClusterBench, _ command: CommandID) throws -> Int? {
        try bench.response(RvcOperationalState.id, command).field(0)?.field(0)?.integer()
    }

    @Test("a vacuum cleaner runs by its mode, pauses, and drives home to the dock")
    func vacuum() throws {
        let bench = try ClusterBench("robot-vacuum")
        let (run, state) = (RvcRunMode.id, RvcOperationalState.id)
        func now() -> Int? { bench.number(state, RvcOperationalState.Attribute.operationalState) }
        #expect(now() == 0x42)
        #expect(try order(bench, RvcOperationalState.Command.pause) == 3)
        #expect(try mode(bench, run, 9) == 1)
        #expect(try mode(bench, run, 1) == 0 && now() == 1)
        #expect(try mode(bench, run, 2) == 3, "from cleaning to mapping the way leads over idle")
        #expect(try mode(bench, 0x0055, 1) == 0x40)
        #expect(try order(bench, RvcOperationalState.Command.pause) == 0 && now() == 2)
        #expect(try order(bench, RvcOperationalState.Command.resume) == 0 && now() == 1)
        #expect(try order(bench, RvcOperationalState.Command.goHome) == 0 && now() == 0x40)
        #expect(bench.number(run, RvcRunMode.Attribute.currentMode) == 0)
        bench.wait(.seconds(2))
        #expect(now() == 0x42)
        #expect(try mode(bench, 0x0055, 1) == 0)
    }

    @Test("a vacuum cleaner that is stuck goes nowhere until it is freed")
    func stuck() throws {
        let bench = try ClusterBench("robot-vacuum")
        _ = try mode(bench, RvcRunMode.id, 1)
        #expect(bench.type("1 rvc-operational-state stuck"))
        #expect(try order(bench, RvcOperationalState.Command.goHome) == 1)
        #expect(bench.events(RvcOperationalState.id).map(\.id) == [RvcOperationalState.Event.operationalError])
        #expect(bench.type("1 rvc-operational-state ok"))
        #expect(try order(bench, RvcOperationalState.Command.goHome) == 0)
    }

    // MARK: Meter

    @Test("energy is power times time, only while the plug is on, and survives a restart")
    func energy() throws {
        let bench = try ClusterBench("energy-plug")
        let (power, energy) = (ElectricalPowerMeasurement.id, ElectricalEnergyMeasurement.id)
        func used(_ bench: ClusterBench) -> Int? {
            bench.read(energy, ElectricalEnergyMeasurement.Attribute.cumulativeEnergyImported)?.field(0)?.integer()
        }
        bench.wait(.seconds(3600))
        #expect(used(bench) == 0)
        try bench.status(OnOff.id, OnOff.Command.on)
        #expect(bench.type("1 electrical-power-measurement 1000"))
        bench.wait(.seconds(1800))
        #expect(used(bench) == 500_000)
        #expect(bench.number(power, ElectricalPowerMeasurement.Attribute.activeCurrent) == 4347)
        try bench.status(OnOff.id, OnOff.Command.off)
        bench.wait(.seconds(3600))
        #expect(used(bench) == 500_000 && bench.number(power, ElectricalPowerMeasurement.Attribute.activePower) == 0)
        #expect(used(try bench.restarted()) == 500_000)
    }

    // MARK: Button

    @Test("a button tells of presses, of several, and of being held")
    func button() throws {
        let bench = try ClusterBench("button")
        let cluster = Switch.id
        for line in ["1 switch press 2", "1 switch hold", "1 switch release", "1 switch release"] {
            #expect(bench.type(line))
        }
        #expect(
            bench.events(cluster) == [
                Event(1, [0: .uint(1)]), Event(3, [0: .uint(1)]), Event(1, [0: .uint(1)]),
                Event(5, [0: .uint(1), 1: .uint(2)]), Event(3, [0: .uint(1)]), Event(6, [0: .uint(1), 1: .uint(2)]),
                Event(1, [0: .uint(1)]), Event(2, [0: .uint(1)]), Event(4, [0: .uint(1)]),
            ])
        #expect(!bench.type("1 switch press 4") && !bench.type("1 switch wiggle"))
    }

    // MARK: Scenes

    private let scenes = ScenesManagement.id

    private func scene(_ number: UInt64, group: UInt64 = 0) -> [UInt8: TLVValue] {
        [0: .uint(group), 1: .uint(number)]
    }

    private func status(_ bench: ClusterBench, _ command: CommandID, _ fields: [UInt8: TLVValue]) throws -> Int? {
        try bench.response(scenes, command, fields).field(0)?.integer()
    }

    @Test("a scene brings back what was kept, and is the present one until something changes")
    func recall() throws {
        let bench = try ClusterBench("color-temperature-light")
        func isValid(_ bench: ClusterBench) -> Bool? {
            bench.read(scenes, ScenesManagement.Attribute.fabricSceneInfo)?.items?.first?.field(3)?.boolean
        }
        try bench.status(OnOff.id, OnOff.Command.on)
        #expect(try status(bench, ScenesManagement.Command.storeScene, scene(1)) == 0)
        #expect(isValid(bench) == true)
        try bench.status(OnOff.id, OnOff.Command.off)
        #expect(isValid(bench) == false)
        let again = try bench.restarted()
        #expect(try again.status(scenes, ScenesManagement.Command.recallScene, scene(1)).isSuccess)
        #expect(again.read(OnOff.id, OnOff.Attribute.onOff) == .bool(true) && isValid(again) == true)
        #expect(try again.status(scenes, ScenesManagement.Command.recallScene, scene(2)).status == .notFound)
    }

    @Test("a scene has the name and the values it was added with; foreign attributes are refused")
    func add() throws {
        let bench = try ClusterBench("dimmable-light")
        func level(_ attribute: UInt64) -> TLVValue {
            .array(of: [
                .structure([
                    TLVElement(0, LevelControl.id.tlv),
                    TLVElement(
                        1,
                        .array(of: [.structure([TLVElement(0, .uint(attribute)), TLVElement(1, .uint(77))])])),
                ])
            ])
        }
        func fields(_ number: UInt64, _ attribute: UInt64) -> [UInt8: TLVValue] {
            scene(number).merging([2: .uint(500), 3: .string("Evening"), 4: level(attribute)]) { $1 }
        }
        let add = ScenesManagement.Command.addScene
        #expect(try status(bench, add, fields(1, 0)) == 0)
        #expect(try status(bench, add, fields(1, 9)) == Int(IMStatus.invalidCommand.rawValue))
        let view = try bench.response(scenes, ScenesManagement.Command.viewScene, scene(1))
        #expect(view.field(3) == .uint(500) && view.field(4) == .string("Evening") && view.field(5) == level(0))
        try bench.status(scenes, ScenesManagement.Command.recallScene, scene(1))
        #expect(bench.number(LevelControl.id, LevelControl.Attribute.currentLevel) == 77)
    }

    @Test("a fabric keeps seven scenes, in groups that the endpoint is in, and takes them with it")
    func limits() throws {
        let bench = try ClusterBench("on-off-light")
        let store = ScenesManagement.Command.storeScene
        for number in 1...7 { #expect(try status(bench, store, scene(UInt64(number))) == 0) }
        #expect(try status(bench, store, scene(8)) == Int(IMStatus.resourceExhausted.rawValue))
        #expect(try status(bench, store, scene(7)) == 0)
        #expect(try status(bench, store, scene(1, group: 5)) == Int(IMStatus.invalidCommand.rawValue))
        let members = try bench.response(scenes, ScenesManagement.Command.getSceneMembership, [0: .uint(0)])
        #expect(members.field(1) == .uint(0) && members.field(3)?.items?.count == 7)
        #expect(try status(bench, ScenesManagement.Command.removeScene, scene(3)) == 0)
        #expect(
            try status(bench, ScenesManagement.Command.removeScene, scene(3)) == Int(IMStatus.notFound.rawValue))
        #expect(try status(bench, ScenesManagement.Command.removeAllScenes, [0: .uint(0)]) == 0)
        let none = try bench.response(scenes, ScenesManagement.Command.getSceneMembership, [0: .uint(0)])
        #expect(none.field(1) == .uint(7) && none.field(3) == .array([]))
    }

    // MARK: Battery and modes

    @Test("a battery that is nearly empty has to be replaced")
    func battery() throws {
        let bench = try ClusterBench("battery")
        #expect(bench.type("1 power-source 12.5"))
        #expect(bench.number(PowerSource.id, PowerSource.Attribute.batPercentRemaining) == 25)
        #expect(bench.number(PowerSource.id, PowerSource.Attribute.batChargeLevel) == 1)
        #expect(bench.type("1 power-source 5"))
        #expect(bench.read(PowerSource.id, PowerSource.Attribute.batReplacementNeeded) == .bool(true))
        #expect(!bench.type("1 power-source 101"))
    }

    @Test("Mode Select takes its modes only, and answers with a plain status")
    func modeSelect() throws {
        let bench = try ClusterBench("mode-select")
        #expect(try bench.status(ModeSelect.id, 0, [0: .uint(2)]).isSuccess)
        #expect(bench.number(ModeSelect.id, ModeSelect.Attribute.currentMode) == 2)
        #expect(try bench.status(ModeSelect.id, 0, [0: .uint(3)]).status == .invalidCommand)
        #expect(bench.type("1 mode-select warm"))
        #expect(bench.number(ModeSelect.id, ModeSelect.Attribute.currentMode) == 1)
    }
}
