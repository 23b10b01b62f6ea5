import Foundation
import Testing

/// Several things in one command, by the built program.
@Suite("Several in one command", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SeveralTests {
    @Test("a device that takes one command in a message gets them one after the other, in order; writes go together")
    func oneAfterTheOther() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let results = try await scene.matterctl.succeed(
            "invoke", "kitchen", "1/on-off/on", "1/level-control/move-to-level", "level=9", "transition-time=0",
            "options-mask=0", "options-override=0", "1/on-off/toggle", "--json"
        ).json().elements
        #expect(results.map { $0["command"]?.string } == ["On", "MoveToLevel", "Toggle"])
        #expect(results.allSatisfy { $0["status"]?.string == "SUCCESS" }, "\(results)")
        let happened = scene.light.lines.filter { $0.hasPrefix("light ") || $0.hasPrefix("level ") }
        #expect(happened.suffix(3) == ["light on", "level 9", "light off"], "\(happened)")
        try await scene.matterctl.succeed(
            "write", "kitchen", "0/basic-information/node-label=hall", "1/level-control/on-level", "raw:9")
        let values = try await scene.matterctl.succeed(
            "read", "kitchen", "0/basic-information/node-label", "1/level-control/on-level", "--json"
        ).json().elements
        #expect(values.first?["value"]?.string == "hall" && values.last?["value"]?.int == 9, "\(values)")
    }

    @Test("what was answered before an answer was lost is printed; what comes after is not sent")
    func lostAnswer() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        try await device.restart(faults: ["mute:invoke:2"])
        let run = try await matterctl(
            "invoke", "lamp", "1/on-off/toggle", "1/on-off/toggle", "1/level-control/move-to-level", "level=3",
            "transition-time=0", "--one-by-one", "--timeout", "8s", "--json")
        #expect(run.status == 4, "\(run)")
        #expect(try run.json().elements.map { $0["status"]?.string } == ["SUCCESS"], "\(run)")
        #expect(try run.error()["outcome"]?.string == "unknown", "\(run)")
        #expect(device.count(ofCommand: "Toggle") == 2 && device.count(ofCommand: "MoveToLevel") == 0)
    }

    @Test("the setup code of a window is printed once, and is in no log, no record and no other result")
    func windowCode() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        let window = try await matterctl.succeed("window", "open", "lamp", "-vv", "--json")
        let report = try window.json()
        let status = try await matterctl.succeed("window", "status", "lamp", "-vv", "--json")
        var everything = [window.stderr, status.stdout, status.stderr].joined(separator: "\n")
        #expect(window.stderr.count > 500, "there is a log at all")
        for path in try FileManager.default.subpathsOfDirectory(atPath: matterctl.home.path) {
            let contents = try? Data(contentsOf: matterctl.home.appendingPathComponent(path))
            everything += String(decoding: contents ?? Data(), as: UTF8.self)
        }
        let passcode = try #require(report["passcode"]?.int)
        for secret in [report["manualCode"]?.string, report["qrCode"]?.string, "\(passcode)"] {
            #expect(!everything.contains(try #require(secret)))
        }
    }
}
