import Foundation
import Testing

@Suite("Wrong answers on the network", .enabled(if: Laboratory.isHere), .laboratorySlot) struct InterferenceTests {
    @Test(
        "a status report in the device's name ends neither commissioning nor a command",
        arguments: [["--general", "1", "--code", "2"], ["--general", "1", "--code", "1"], ["--kind", "flip"]])
    func inFront(options: [String]) async throws {
        let light = try await Light.start()
        defer { light.stop() }
        let (matterctl, liar) = (try MatterCtl(), try await Liar.start(before: light.address, options))
        try await matterctl.succeed(
            "commission", light.qrCode, "--address", liar.address, "--allow-test-devices", "--name", "kitchen")
        try await matterctl.succeed("toggle", "kitchen", "--address", liar.address)
        #expect(liar.lies >= 2 && light.switchings == 1)
    }

    @Test("a host that has the node's old address and refuses does not keep a command from it", arguments: ["1", "2"])
    func oldAddress(code: String) async throws {
        let light = try await Light.start()
        defer { light.stop() }
        let (matterctl, way) = (
            try MatterCtl(), try await Liar.start(before: light.address, ["--kind", "pass"])
        )
        try await matterctl.succeed(
            "commission", light.qrCode, "--address", way.address, "--allow-test-devices", "--name", "kitchen")
        await way.stop()
        let liar = try await Liar.start(port: way.port, ["--code", code])
        try await matterctl.succeed("toggle", "kitchen")
        #expect(liar.lies >= 1 && light.switchings == 1)
    }

    @Test("a refusal that nothing contradicts is reported long before the time is up, and the session's record stays")
    func realRefusal() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let liar = try await Liar.start()
        // At the end of the time it would be another error.
        let error = try await matterctl.fail(
            4, "toggle", "kitchen", "--address", liar.address, "--timeout", "150s", "--json"
        ).error()
        #expect(error["id"]?.string == "case.refused", "\(error)")
        try await matterctl.succeed("toggle", "kitchen")
        #expect(light.switchings == 1)
    }
}
