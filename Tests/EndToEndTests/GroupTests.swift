import Foundation
import Testing

/// Messages to groups of virtual devices, by multicast.
@Suite("Groups", .enabled(if: Laboratory.isHere), .waitingSlot) struct GroupTests {
    private struct Devices {
        let lights: [VirtualDevice]
        let matterctl: MatterCtl

        func stop() { for light in lights { light.stop() } }

        /// How often each light was switched.
        var switchings: [Int] { lights.map(\.switchings) }

        func wait(for switchings: Int) async throws {
            for light in lights {
                try await light.wait(for: "\(switchings) changes") { _ in light.switchings >= switchings }
            }
        }

        /// Lights with the names `l0`, `l1` and so on, all of them in the group `lights`.
        ///
        /// - Parameter far: where the last of them is.
        static func made(_ count: Int = 3, lastOn far: FarHost? = nil) async throws -> Devices {
            var lights: [VirtualDevice] = []
            let matterctl = try MatterCtl()
            for number in 0..<count {
                let light = try await VirtualDevice.start(on: number == count - 1 ? far : nil)
                try await matterctl.commission(light, ["--name", "l\(number)"])
                lights.append(light)
            }
            try await matterctl.succeed("group", "create", "lights")
            let words = ["group", "add", "lights"] + (0..<count).map { "l\($0)" }
            let added = try await matterctl.run(words)
            try #require(added.status == 0, "\(added)")
            return Devices(lights: lights, matterctl: matterctl)
        }
    }

    @Test("one message lights all members of a group; the output says that none of them answers")
    func all() async throws {
        let house = try await Devices.made()
        defer { house.stop() }
        let on = try await house.matterctl.succeed("on", "group:lights")
        #expect(on.result == "sent to group 'lights'; groups do not answer")
        try await house.wait(for: 1)
        #expect(house.lights.map { $0.values("OnOff", "OnOff").map(\.bool) } == [[true], [true], [true]])
        for light in house.lights {
            #expect(light.steps.count { $0 == "group-message" } == 1, "\(light.events)")
        }
        let off = try await house.matterctl.succeed("off", "group:1", "--json").json()
        #expect(off["group"]?.int == 1 && off["name"]?.string == "lights" && off["answered"]?.bool == false)
        #expect(off["clusterId"]?.int == 6 && off["command"]?.string == "Off" && off["members"] == nil)
        #expect(off["interfaces"]?.elements.contains { $0.string == "mt0" } == true)
        #expect(
            off["address"]?.string?.hasPrefix("[ff35:40:fd") == true
                && off["address"]?.string?.hasSuffix(":5540") == true)
        try await house.wait(for: 2)
        // A command of any cluster, with fields.
        try await house.matterctl.succeed(
            "invoke", "group:lights", "level-control/move-to-level-with-on-off", "level=99", "transition-time=0",
            "options-mask=0", "options-override=0")
        try await house.wait(for: 3)
        for light in house.lights { #expect(light.values("LevelControl", "CurrentLevel").last?.int == 99) }
        // One that left hears nothing more; a stranger never did.
        try await house.matterctl.succeed("group", "remove", "lights", "l1")
        try await house.matterctl.succeed("off", "group:lights", "--verify")
        #expect(house.switchings == [4, 3, 4])
    }

    @Test("--verify reads each member by itself, waits for it, and says which of them has not heard")
    func verify() async throws {
        let house = try await Devices.made()
        defer { house.stop() }
        let level = try await house.matterctl.succeed("level", "group:lights", "50%", "--verify")
        #expect(level.result.split(separator: "\n") == ["l0/1\t127", "l1/1\t127", "l2/1\t127"])
        let toggled = try await house.matterctl.succeed("toggle", "group:lights", "--verify", "--json").json()
        #expect(toggled["members"]?.elements.map { $0["value"]?.bool } == [false, false, false])
        #expect(toggled["members"]?.elements.allSatisfy { $0["asSent"] == nil } == true, "a group gives no answer")
        // A member that may not be operated by the group any more.
        let access = "0/access-control/acl"
        let list = try await house.matterctl.succeed("read", "l1", access).result
        let own = try #require(try JSON(parsing: list).elements.first)
        try await house.matterctl.succeed("write", "l1", access, "[\(own)]")
        let late = try await house.matterctl.run(["on", "group:lights", "--verify", "--json"])
        #expect(late.status == 12, "\(late)")
        #expect(try late.error()["id"]?.string == "group.not-reached")
        #expect(try late.json()["members"]?.elements.map { $0["asSent"]?.bool } == [true, false, true])
        // One that is switched off.
        await house.lights[2].end()
        let silent = try await house.matterctl.run(["off", "group:lights", "--verify", "--timeout", "4s"])
        #expect(silent.status == 4 && silent.stdout.contains("l0/1\tfalse"), "\(silent)")
    }

    @Test("a member on another host hears the same message")
    func twoHosts() async throws {
        let house = try await Devices.made(2, lastOn: try await FarHost.shared())
        defer { house.stop() }
        try await house.matterctl.succeed("on", "group:lights", "--verify")
        try await house.matterctl.succeed("toggle", "group:lights")
        try await house.wait(for: 2)
        #expect(house.switchings == [2, 2])
    }

    @Test("a member that was switched off is still one: it hears the next message")
    func restart() async throws {
        let house = try await Devices.made(1)
        defer { house.stop() }
        try await house.lights[0].restart(SIGKILL)
        try await house.matterctl.succeed("on", "group:lights", "--verify")
    }

    @Test("counters are never used twice: killed or side by side, each message that is sent is carried out once")
    func counters() async throws {
        let house = try await Devices.made(2)
        defer { house.stop() }
        for round in 0..<12 {
            let child = try house.matterctl.start(["toggle", "group:lights"])
            // Where a kill finds it is for chance to say; any moment has to do.
            try await Task.sleep(for: .milliseconds(5 * round))
            child.signal(SIGKILL)
            _ = await child.status()
            // A member that had seen the counter before would not move.
            try await house.matterctl.succeed(round.isMultiple(of: 2) ? "on" : "off", "group:lights", "--verify")
        }
        let before = house.lights.map { $0.count(ofCommand: "Toggle") }
        #expect(before[0] == before[1])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask { try await house.matterctl.succeed("toggle", "group:lights") }
            }
            try await tasks.waitForAll()
        }
        for (light, count) in zip(house.lights, before) {
            try await light.wait(for: "8 toggles") { _ in light.count(ofCommand: "Toggle") >= count + 8 }
        }
        #expect(house.lights.map { $0.count(ofCommand: "Toggle") } == before.map { $0 + 8 })
    }

    @Test("a node that is interrupted while it is added keeps nothing, and its group neither")
    func interrupted() async throws {
        let light = try await VirtualDevice.start()
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, ["--name", "kitchen"])
        try await matterctl.succeed("group", "create", "lights")
        // KeySetRead, KeySetWrite, then AddGroup, whose answer does not come.
        try await light.restart(faults: ["mute:invoke:3"])
        let child = try matterctl.start(["group", "add", "lights", "kitchen"])
        try await light.waitForFault("mute")
        child.signal(SIGINT)
        #expect(await child.status() == 130, "\(child.stderr)")
        #expect(light.count(ofCommand: "AddGroup") == 1 && light.count(ofCommand: "RemoveGroup") == 1)
        for attribute in ["group-key-map", "group-table"] {
            let left = try await matterctl.succeed("read", "kitchen", "0/group-key-management/\(attribute)").result
            #expect(left == "[]", "\(attribute): \(left)")
        }
        #expect(try await matterctl.succeed("acl", "ls", "kitchen").result.split(separator: "\n").count == 1)
        #expect(try await matterctl.succeed("group", "ls").result == "1\tlights\t-")
        // A kill leaves a member that is not complete; the same command again completes it.
        try await light.restart(faults: ["mute:invoke:3"])
        let killed = try matterctl.start(["group", "add", "lights", "kitchen"])
        try await light.wait(for: "a second fault") { events in events.count { $0["fault"]?.string == "mute" } >= 2 }
        killed.signal(SIGKILL)
        _ = await killed.status()
        #expect(try await matterctl.succeed("group", "ls").result == "1\tlights\tkitchen/1 (incomplete)")
        try await matterctl.succeed("group", "add", "lights", "kitchen")
        #expect(try await matterctl.succeed("group", "ls").result == "1\tlights\tkitchen/1")
        try await matterctl.succeed("on", "group:lights", "--verify")
    }

    @Test("the key of a group is in no log and no result, and only its own file, which no other user may read")
    func secret() async throws {
        let light = try await VirtualDevice.start()
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, ["--name", "kitchen"])
        var said = ""
        for words in [
            ["group", "create", "lights"], ["group", "add", "lights", "kitchen"], ["group", "ls"],
            ["on", "group:lights", "--verify"], ["read", "kitchen", "0/group-key-management"],
        ] {
            let outcome = try await matterctl.run(words + ["-vv", "--json"])
            try #require(outcome.status == 0, "\(outcome)")
            said += outcome.stdout + outcome.stderr
        }
        let folder = matterctl.home.appendingPathComponent("fabrics/home/keys")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasPrefix("group-") })
        let file = folder.appendingPathComponent(name)
        let key = try Data(contentsOf: file).suffix(16)
        #expect(!said.lowercased().contains(key.map { String(format: "%02x", $0) }.joined()))
        #expect(!said.contains(key.base64EncodedString()))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for path in try FileManager.default.subpathsOfDirectory(atPath: matterctl.home.path) where !path.hasSuffix(name)
        {
            guard let contents = FileManager.default.contents(atPath: matterctl.home.appendingPathComponent(path).path)
            else { continue }
            #expect(contents.range(of: key) == nil, "\(path)")
        }
    }

    @Test("without a counter nothing is sent")
    func noCounter() async throws {
        let house = try await Devices.made(1)
        defer { house.stop() }
        let file = house.matterctl.home.appendingPathComponent("counters/group.json")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let refused = try await house.matterctl.fail(10, "on", "group:lights", "--json")
        #expect(try refused.error()["id"]?.string?.hasPrefix("state.") == true, "\(refused)")
        #expect(house.lights[0].steps.contains("group-message") == false)
    }
}
