import Foundation
import Testing

/// Devices that are open for commissioning, read and sent commands over PASE: nothing is left behind.
@Suite("Visiting a device", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CommandByCodeTests {
    /// The files of a state directory, with their contents.
    private static func contents(_ matterctl: MatterCtl) -> [String: Data] {
        let names = FileManager.default.subpaths(atPath: matterctl.home.path) ?? []
        return Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, (try? Data(contentsOf: matterctl.home.appendingPathComponent(name))) ?? Data())
            })
    }

    @discardableResult
    private static func succeed(_ matterctl: MatterCtl, _ words: [String]) async throws -> MatterCtl.Outcome {
        let outcome = try await matterctl.run(words)
        try #require(outcome.status == 0, "\(words): \(outcome)")
        return outcome
    }

    @Test("a virtual device is read and obeys, found through Avahi or at its address, and is commissioned afterwards")
    func virtualDevice() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let before = Self.contents(matterctl)
        let code = ["--code", device.qrCode]
        let name = try await Self.succeed(matterctl, ["read", "0/basic-information/vendor-id"] + code)
        #expect(name.result == "65521", "\(name)")
        let json = try await Self.succeed(
            matterctl, ["read", "0/basic-information/vendor-id", "--json", "--address", device.address] + code
        ).json()
        #expect(json["value"]?.int == 65521 && json["node"] == nil && json["cluster"]?.string == "BasicInformation")
        let lines = try await Self.succeed(matterctl, ["read", "*/on-off/on-off", "1/level-control"] + code)
        #expect(lines.stdout.contains("1/on-off/on-off\tfalse\n"), "\(lines)")
        // Each time it is as it was: at once, and not when a fail-safe has run out.
        try await Self.succeed(matterctl, ["invoke", "1/on-off/on", "--code", device.manualCode])
        let sent = try await Self.succeed(
            matterctl, ["invoke", "1/on-off/off", "1/on-off/toggle", "--json", "--address", device.address] + code
        ).json()
        #expect(sent.elements.count == 2 && sent[0]?["status"]?.string == "SUCCESS" && sent[0]?["node"] == nil)
        #expect(device.switchings == 3)
        #expect(try await Self.succeed(matterctl, ["read", "1/on-off/on-off"] + code).result == "true")
        #expect(Self.contents(matterctl) == before)
        #expect(!device.steps.contains("fabric-added") && !device.steps.contains { $0.contains("expired") })
        try await matterctl.commission(device, ["--name", "kitchen"])
        try await matterctl.succeed("toggle", "kitchen")
        // A device that is not open any more.
        let closed = try await matterctl.run(
            ["read", "1/on-off/on-off", "--address", device.address, "--json"] + code)
        #expect(closed.status == 8, "\(closed)")
        #expect(try closed.error()["stage"]?.string == "pase", "\(closed)")
    }

    @Test("what goes wrong names its phase; the device is open again each time")
    func failures() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let code = ["--code", device.qrCode, "--address", device.address]
        let lacking = try await matterctl.run(["read", "1/door-lock/lock-state", "--json"] + code)
        #expect(lacking.status == 6 && !lacking.stderr.contains("{0}"), "\(lacking)")
        let refused = try await matterctl.run(
            ["invoke", "1/level-control/move-to-level", "level=255", "transition-time=0", "--json"] + code)
        #expect(refused.status == 5, "\(refused)")
        #expect(
            try refused.error()["message"]?.string?.hasPrefix("the device answered the command") == true, "\(refused)")
        let wrong = try await matterctl.run([
            "read", "1/on-off/on-off", "--code", "34970112332", "--address", device.address, "--json",
        ])
        #expect(wrong.status == 8, "\(wrong)")
        #expect(try wrong.error()["stage"]?.string == "pase", "\(wrong)")
        for words in [
            ["read", "--code", device.qrCode], ["read", "1/on-off/on-off", "--via", "ip"], ["invoke", "kitchen"],
            ["read", "1/on-off/on-off", "--code", "123"], ["invoke", "1/on-off/nosuch"] + code,
        ] {
            #expect(try await matterctl.run(words).status == 64, "\(words)")
        }
        try await matterctl.commission(device, ["--name", "kitchen"])
    }

    @Test("a CircuitMatter light too")
    func circuitMatter() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let before = Self.contents(matterctl)
        #expect(
            try await matterctl.succeed("read", "0/basic-information/product-id", "--code", light.qrCode).result
                == "4660")
        try await matterctl.succeed("invoke", "1/on-off/toggle", "--code", light.qrCode)
        #expect(light.switchings == 1 && light.fabrics == 0)
        #expect(Self.contents(matterctl) == before)
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        try await matterctl.succeed("toggle", "kitchen")
        #expect(light.switchings == 2 && light.fabrics == 1)
    }
}
