import Foundation
import Testing

/// Every public name of the library, called by a program of another package: docs/Examples/Outside.
@Suite("The library from outside", .enabled(if: Laboratory.isHere), .waitingSlot)
struct OutsideTests {
    /// Runs a scene, which says "ok" of everything that it looks at.
    private func play(_ scene: String, _ words: String..., at matterctl: MatterCtl, least: Int) async throws {
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        environment["MATTERCTL_LEDGER"] = "http://127.0.0.1:9"
        let child = try Child(
            Examples.binaries.appendingPathComponent("outside"), [scene] + words, environment: environment, input: "",
            folder: matterctl.folder)
        let status = await child.status()
        let lines = child.stdout.split(separator: "\n")
        #expect(status == 0 && lines.allSatisfy { $0.hasPrefix("ok ") }, "\(child.stdout)\n\(child.stderr)")
        #expect(lines.count >= least, "\(child.stdout)")
    }

    private func commission(
        _ types: String, _ name: String, _ matterctl: MatterCtl, options: [String] = []
    ) async throws -> VirtualDevice {
        let device = try await VirtualDevice.start(types, options: options, isAdvertised: true)
        try await matterctl.succeed(
            "commission", device.qrCode, "--name", name, "--trust", device.trust, "--allow-test-devices")
        return device
    }

    @Test("a device is found, judged, foreseen, checked for, commissioned, found again and removed")
    func find() async throws {
        let matterctl = try MatterCtl()
        let device = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { device.stop() }
        try await play("find", device.qrCode, device.trust, "\(device.discriminator)", at: matterctl, least: 18)
    }

    @Test("rights, bindings, groups, scenes, windows, fabrics and sessions")
    func administer() async throws {
        let matterctl = try MatterCtl()
        let lamp = try await commission("dimmable-light", "lamp", matterctl)
        let button = try await commission("on-off-switch", "button", matterctl)
        defer { for device in [lamp, button] { device.stop() } }
        try await play("administer", "lamp", "button", at: matterctl, least: 29)
        #expect(lamp.count(ofCommand: "Off") >= 1)
    }

    @Test("locks, covers, valves, vacuum cleaners, players and lights")
    func house() async throws {
        let matterctl = try MatterCtl()
        var devices: [VirtualDevice] = []
        defer { for device in devices { device.stop() } }
        let kinds = ["door-lock", "window-covering", "water-valve", "robot-vacuum", "video-player", "color-light"]
        for kind in kinds { devices.append(try await commission(kind, "my-\(kind)", matterctl)) }
        try await play(
            "house", "my-door-lock", "my-window-covering", "my-water-valve", "my-robot-vacuum", "my-video-player",
            "my-color-light", at: matterctl, least: 11)
    }

    @Test("temperatures and speeds")
    func climate() async throws {
        let matterctl = try MatterCtl()
        let thermostat = try await commission("thermostat", "hall", matterctl)
        let fan = try await commission("fan", "fan", matterctl)
        defer { for device in [thermostat, fan] { device.stop() } }
        try await play("climate", "hall", "fan", at: matterctl, least: 4)
    }

    @Test("changes, events, values and reachability")
    func follow() async throws {
        let matterctl = try MatterCtl()
        let lamp = try await commission("dimmable-light", "lamp", matterctl)
        defer { lamp.stop() }
        try await play("follow", "lamp", at: matterctl, least: 9)
    }

    @Test("an update of the trusted authorities that reaches no ledger")
    func trust() async throws {
        try await play("trust", at: try MatterCtl(), least: 1)
    }
}
