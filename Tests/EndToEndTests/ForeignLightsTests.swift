import Foundation
import Testing

/// A house with lights of another maker: CircuitMatter's.
@Suite("A house of foreign lights", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ForeignLightsTests {
    @Test("rooms, bulk verbs, the state of the house, refreshing and completion work with lights that are not ours")
    func house() async throws {
        let scene = try await Scene.commissioned(named: "hall lamp")
        defer { scene.end() }
        let (matterctl, light) = (scene.matterctl, scene.light)
        try await matterctl.succeed("node", "set", "hall lamp", "--room", "Hall")

        try await matterctl.succeed("on", "--room", "hall")
        let level = try await matterctl.succeed("level", "--all", "50%", "--verify", "--json").json()
        #expect(level[0]?["result"]?.string == "done" && level[0]?["value"]?.int == 127, "\(level)")
        let off = try await matterctl.succeed("off", "--type", "dimmable-light")
        #expect(off.stdout == "1\thall lamp\tdone\n")
        #expect(try await matterctl.succeed("read", "hall lamp", "1/on-off/on-off").stdout == "false\n")

        let status = try await matterctl.succeed("status")
        #expect(status.stdout.hasPrefix("Hall\t1\thall lamp\toff\t"), "\(status)")
        #expect(status.stdout.hasSuffix("\tyes\n"), "\(status)")
        let refreshed = try await matterctl.succeed("node", "refresh", "hall lamp")
        #expect(refreshed.status == 0)
        let list = try await matterctl.succeed("node", "ls", "--status", "--json").json()
        #expect(list[0]?["reachable"]?.bool == true, "\(list)")

        // The commands that the light itself says that it accepts.
        let offered = try await matterctl.succeed("---complete", "fish", "invoke", "hall lamp", "1/on-off/").stdout
        #expect(offered.contains("1/on-off/toggle\t"), "\(offered)")
        let clusters = try await matterctl.succeed("---complete", "fish", "invoke", "hall lamp", "1/").stdout
        #expect(clusters.contains("1/level-control/\t") && !clusters.contains("door-lock"), "\(clusters)")

        // A verb for what the light is not says what it lacks, and sends nothing.
        let before = light.switchings
        for words in [["lock", "hall lamp"], ["cover", "hall lamp", "40%"], ["valve", "open", "hall lamp"]] {
            let refused = try await matterctl.run(words + ["--json"])
            #expect(refused.status == 6, "\(refused)")
        }
        #expect(light.switchings == before)
        // Its label is a name that other controllers see.
        let renamed = try await matterctl("node", "rename", "hall lamp", "hall", "--on-device")
        #expect([0, 5].contains(renamed.status), "\(renamed)")
        #expect(
            try await matterctl.succeed("node", "ls").stdout.hasPrefix(
                renamed.status == 0 ? "1\thall\t" : "1\thall lamp\t"))
    }
    @Test("a smoke alarm that is not ours is shown, completed and tested, once")
    func smokeAlarm() async throws {
        let scene = try await Scene.commissioned(named: "attic", "--smoke-alarm")
        defer { scene.end() }
        let (matterctl, device) = (scene.matterctl, scene.light)
        let shown = try await matterctl.succeed("smoke-alarm", "--json").json()
        #expect(
            shown.elements.map { "\($0["endpoint"]?.int ?? 0) \($0["quantity"]?.string ?? "")" } == [
                "2 state", "2 smoke", "2 battery alert", "2 hardware fault", "2 end of service",
            ], "\(shown)")
        #expect(
            try await matterctl.succeed("smoke-alarm", "show", "attic").stdout
                == "2\tstate\tBatteryAlert\n2\tsmoke\tNormal\n2\tbattery alert\tWarning\n"
                + "2\thardware fault\tfalse\n2\tend of service\tNormal\n")
        #expect(try await matterctl.succeed("---complete", "fish", "smoke-alarm", "test", "").stdout.contains("attic"))
        try await matterctl.succeed("smoke-alarm", "test", "attic")
        #expect(device.lines.count { $0 == "smoke-alarm tests itself" } == 1, "\(device.lines)")
        #expect(try await matterctl.succeed("smoke-alarm", "attic/2").stdout.hasPrefix("2\tstate\tTesting\n"))
    }
}
