import Foundation
import Testing

/// Where the programs of docs/Examples are: by default where `make check` builds them as a package of their own.
enum Examples {
    static let binaries =
        Laboratory.environment["MATTERCTL_EXAMPLES"].map { URL(fileURLWithPath: $0) }
        ?? Laboratory.scripts.appendingPathComponent("../../.build-examples/debug").standardizedFileURL
}

/// The programs of docs/Examples, which use the library.
@Suite("Examples", .enabled(if: Laboratory.isHere), .waitingSlot)
struct ExampleTests {
    private static func run(_ program: String, _ arguments: String..., at matterctl: MatterCtl) async throws -> String {
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        let child = try Child(
            Examples.binaries.appendingPathComponent(program), arguments, environment: environment, input: "",
            folder: matterctl.folder)
        let status = await child.status()
        try #require(status == 0, "\(program) → \(status)\n\(child.stdout)\n\(child.stderr)")
        return child.stdout
    }

    /// A node of `matterctl`'s fabric.
    private static func commission(
        _ types: String, _ name: String, _ matterctl: MatterCtl, input: String = ""
    ) async throws -> VirtualDevice {
        let device = try await VirtualDevice.start(types, isAdvertised: true, input: input)
        try await matterctl.succeed(
            "commission", device.qrCode, "--name", name, "--trust", device.trust, "--allow-test-devices")
        return device
    }

    @Test("they commission and switch a light, on records that matterctl shares; an unknown outcome is told as such")
    func programs() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let refused = try await Self.run("commission", device.qrCode, "kitchen", at: matterctl)
        #expect(refused.hasPrefix("the device cannot prove its origin: attestation failed"), "\(refused)")
        let commissioned = try await Self.run("commission", device.qrCode, "kitchen", device.trust, at: matterctl)
        #expect(commissioned == "node 'kitchen' is on the fabric with the id 1\n")
        #expect(try await Self.run("toggle-and-read", "kitchen", at: matterctl) == "node 'kitchen' is on\n")
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").result == "true")
        #expect(try await Self.run("toggle-and-read", "hall", at: matterctl).hasPrefix("error: "))
        try await device.restart(faults: ["mute:invoke:1"])
        let unknown = try await Self.run("toggle-and-read", "kitchen", at: matterctl)
        #expect(unknown.hasPrefix("no answer: ") && unknown.hasSuffix("node 'kitchen' is off\n"), "\(unknown)")
    }

    @Test("a new device comes over Bluetooth to a Wi-Fi network, and each stage is told")
    func bluetooth() async throws {
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.scripts.appendingPathComponent("lab.sh"),
            [
                folder.file("lab").path, Laboratory.scripts.appendingPathComponent("bluetooth-example.sh").path,
                Laboratory.binary.path, Laboratory.python.path,
                Examples.binaries.appendingPathComponent("wifi-over-bluetooth").path,
            ], folder: folder)
        #expect(await child.status() == 0)
        let output = child.stdout
        for stage in ["discover", "pase", "attestation", "add-noc", "network", "case", "complete"] {
            #expect(output.contains("\(stage) …\n"), "\(output) \(child.stderr)")
        }
        let end = "node 1 is on the fabric, in the room Hall\n== read\nfalse\n== status 0\n"
        #expect(output.hasSuffix(end), "\(output)")
    }

    @Test("a thermostat tells how warm it is and takes a temperature; one that is too high is refused with the limits")
    func thermostat() async throws {
        let matterctl = try MatterCtl()
        let cool = "1 thermostat temperature 18.5\n"
        let device = try await Self.commission("thermostat", "hall", matterctl, input: cool)
        defer { device.stop() }
        try await matterctl.succeed("thermostat", "mode", "hall", "heat")
        let output = try await Self.run("thermostat", "hall", "21.5", at: matterctl)
        #expect(output == "it is 18.5 °C\nset to 21.5 °C\n", "\(output)")
        let setpoint = try await matterctl.succeed("read", "hall", "1/thermostat/occupied-heating-setpoint", "--json")
        #expect(setpoint.stdout.contains("2150"), "\(setpoint)")
        let refused = try await Self.run("thermostat", "hall", "80", at: matterctl)
        #expect(refused.contains("error: node 'hall' heats to"), "\(refused)")
    }

    @Test("motion switches a light; what a sensor saw while it restarted is not lost")
    func motion() async throws {
        let matterctl = try MatterCtl()
        let sensor = try await Self.commission("occupancy-sensor", "sensor", matterctl)
        let light = try await Self.commission("on-off-light", "lamp", matterctl)
        defer { for device in [sensor, light] { device.stop() } }
        try await matterctl.succeed("on", "lamp")
        async let told = Self.run("motion-light", "sensor", "lamp", "2", at: matterctl)
        try await light.wait(for: "the lamp off") { _ in light.values("OnOff", "OnOff").last?.bool == false }
        try await sensor.restart(input: "1 occupancy-sensing occupied\n")
        let output = try await told
        #expect(output.hasPrefix("following node 'sensor'\nnode 'lamp' is off\n"), "\(output)")
        #expect(output.hasSuffix("node 'lamp' is on\n"), "\(output)")
        #expect(light.values("OnOff", "OnOff").last?.bool == true)
    }

    @Test("a fan follows the sensor of another node")
    func fan() async throws {
        let matterctl = try MatterCtl()
        let warm = "1 temperature-measurement 25\n"
        let sensor = try await Self.commission("temperature-sensor", "sensor", matterctl, input: warm)
        let fan = try await Self.commission("fan", "fan", matterctl)
        defer { for device in [sensor, fan] { device.stop() } }
        async let told = Self.run("fan-by-sensor", "sensor", "fan", "2", at: matterctl)
        try await fan.wait(for: "half the speed") { _ in fan.values("FanControl", "PercentSetting").last?.int == 50 }
        try await sensor.restart(input: "1 temperature-measurement 28.5\n")
        #expect(try await told == "25.0 °C: fan at 50 %\n28.5 °C: fan at 85 %\n")
        #expect(fan.values("FanControl", "PercentSetting").last?.int == 85)
    }

    @Test("an issuer of its own gives certificates to the devices of one vendor, and to no others")
    func issuer() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let refused = try await Self.run("issuer", device.qrCode, "4874", device.trust, at: matterctl)
        #expect(refused.hasPrefix("not commissioned: "), "\(refused)")
        #expect(refused.contains("vendor 65521 are not for us"), "\(refused)")
        let output = try await Self.run("issuer", device.qrCode, "65521", device.trust, at: matterctl)
        let node = try #require(try await matterctl.succeed("node", "ls", "--json").json().elements.first?["node"])
        let id = node.string ?? "\(node.int ?? 0)"
        #expect(output.contains("is at node \(id)\n") && output.hasSuffix("node \(id) is on the fabric\n"), "\(output)")
        try await matterctl.succeed("toggle", id)
    }
}
