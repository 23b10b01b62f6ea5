import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

/// Kinds of devices, by their names in programs.
@Suite("Device parts", .fewAtATime, .serialized)
struct DevicePartTests {
    private func commissioned(_ kind: String) async throws -> (device: VirtualLight, home: Controller, node: Node) {
        let device = try await VirtualLight(kind: kind)
        let home = try Controller(home: .folder(device.home), fabric: "home")
        let node = try await home.commission(
            device.code, name: "it", room: "Hall", trust: .folder(device.trust, testDevices: true),
            address: device.address)
        return (device, home, node)
    }

    @Test("a colour light is switched, dimmed and coloured, and is no lock")
    func light() async throws {
        let (device, home, node) = try await commissioned("color-light")
        let light = try #require(node.light)
        #expect(node.lock == nil && node.thermostat == nil && node.fan == nil)
        #expect(node.devices(LightDevice.self).count == 1)
        try await light.on()
        #expect(try await light.isOn())
        try await light.set(level: 100)
        #expect(try await node.read(LevelControl.currentLevel) == 100)
        try await light.set(kelvins: 4000)
        #expect(try await node.read(ColorControl.colorTemperatureMireds) == 250)
        try await node.invoke(ColorControl.moveToColorTemperature(mireds: 300))
        #expect(try await node.read(ColorControl.colorTemperatureMireds) == 300)
        try await light.identify(for: .seconds(3))
        await home.close()
        await device.stop()
    }

    @Test("a thermostat takes a temperature within its limits, and nothing is sent beyond them")
    func thermostat() async throws {
        let (device, home, node) = try await commissioned("thermostat")
        let thermostat = try #require(node.thermostat)
        try await thermostat.set(mode: .heat)
        try await thermostat.set(21)
        #expect(try await node.read(Thermostat.occupiedHeatingSetpoint) == 2100)
        try await thermostat.set(.celsius(19.5))
        #expect(try await node.read(Thermostat.occupiedHeatingSetpoint) == 1950)
        let error = await #expect(throws: MatterError.self) { try await thermostat.heat(to: 99) }
        #expect(error?.id == "value.out-of-limits" || error?.code == .invalidInput, "\(String(describing: error))")
        #expect(try await node.read(Thermostat.occupiedHeatingSetpoint) == 1950)
        #expect(try await thermostat.temperature() != nil)
        await home.close()
        await device.stop()
    }

    @Test("a lock wants its PIN code where it does, and tells its state")
    func lock() async throws {
        let (device, home, node) = try await commissioned("door-lock")
        let lock = try #require(node.lock)
        try await lock.lock()
        #expect(try await lock.state() == .locked)
        await #expect(throws: MatterError.self) { try await lock.unlock(pin: "not digits") }
        #expect(try await lock.state() == .locked)
        try await lock.unlock()
        #expect(try await lock.state() == .unlocked)
        await home.close()
        await device.stop()
    }

    @Test(
        "fans, covers, valves, vacuum cleaners and players do what they are told",
        arguments: ["fan", "window-covering", "water-valve", "robot-vacuum", "video-player"])
    func others(_ kind: String) async throws {
        let (device, home, node) = try await commissioned(kind)
        switch kind {
        case "fan":
            try await #require(node.fan).set(percent: 40)
            #expect(try await node.read(FanControl.percentSetting) == 40)
        case "window-covering":
            try await #require(node.cover).set(closedPercent: 30)
            #expect(try await node.read(WindowCovering.targetPositionLiftPercent100ths) == 3000)
        case "water-valve":
            try await #require(node.valve).open()
            #expect(try await node.read(ValveConfigurationAndControl.targetState) == .open)
        case "robot-vacuum":
            try await #require(node.vacuum).start()
            try await #require(node.vacuum).pause()
        default:
            try await #require(node.player).play()
            #expect(try await node.read(MediaPlayback.currentState) == .playing)
        }
        await home.close()
        await device.stop()
    }

    @Test("nodes are found by id, room, device type and cluster")
    func finding() async throws {
        let (device, home, node) = try await commissioned("thermostat")
        #expect(try home.node(node.id).name == "it")
        #expect(try home.nodes(inRoom: "Hall").map(\.id) == [node.id])
        #expect(try home.nodes(inRoom: "Attic").isEmpty)
        #expect(try home.nodes(ofType: DeviceTypeID(0x0301)).map(\.id) == [node.id])
        #expect(try home.nodes(serving: Thermostat.id).map(\.id) == [node.id])
        #expect(try home.nodes(labelled: "it").map(\.id) == [node.id])
        await home.close()
        await device.stop()
    }

    @Test(
        "degrees are what devices can tell apart",
        arguments: [
            (Temperature.celsius(21.5), 2150), (.fahrenheit(70), 2111), (21, 2100), (.celsius(.infinity), 32767),
            (.celsius(-500), -27315), (.celsius(.nan), -27315),
        ] as [(Temperature, Int16)])
    func temperatures(_ temperature: Temperature, _ hundredths: Int16) {
        #expect(temperature.hundredths == hundredths)
    }
}
