import Foundation
import TestSupport
import Testing

/// The access control list of a device: shown, and guarded against locking ourselves out.
@Suite("Access control", .enabled(if: Laboratory.isHere), .laboratorySlot) struct AccessTests {
    private static let path = "0/access-control/acl"
    private static let foreign =
        #"{"privilege":"view","authMode":"case","subjects":[42],"targets":[{"cluster":6,"endpoint":1,"deviceType":null}]}"#

    private static func home() async throws -> (device: VirtualDevice, matterctl: MatterCtl) {
        let device = try await VirtualDevice.start()
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "kitchen"])
        return (device, matterctl)
    }

    private static func ownID(_ matterctl: MatterCtl) async throws -> String {
        let id = try #require(try await matterctl.succeed("fabric", "show", "--json").json()["nodeId"])
        return id.string ?? "\(id.int ?? 0)"
    }

    @Test("a write that would leave us without the right to administer is refused before anything is sent")
    func lockout() async throws {
        let (device, matterctl) = try await Self.home()
        defer { device.stop() }
        let before = try await matterctl.succeed("read", "kitchen", Self.path).result
        let present = String(before.dropFirst().dropLast())
        let own = try await Self.ownID(matterctl)
        func entry(_ privilege: String, _ mode: String, _ targets: String = "null") -> String {
            #"[{"privilege":"\#(privilege)","authMode":"\#(mode)","subjects":[\#(own)],"#
                + #""targets":\#(targets)}]"#
        }
        let elsewhere = #"[{"cluster":6,"endpoint":null,"deviceType":null}]"#
        for list in [
            "[]", "[\(Self.foreign)]", entry("manage", "case"), entry("administer", "group"),
            entry("administer", "case", elsewhere),
        ] {
            for path in [Self.path, "0/31/0", "0/0x001F/0x0000"] {
                let refused = try await matterctl.fail(64, "write", "kitchen", path, list, "--json")
                let error = try refused.error()
                #expect(error["id"]?.string == "acl.lockout", "\(list): \(refused)")
                #expect(error["hint"]?.string?.contains("matterctl acl ls kitchen") == true, "\(refused)")
            }
        }
        #expect(try await matterctl.succeed("read", "kitchen", Self.path).result == before)
        // One that keeps us in is written.
        try await matterctl.succeed("write", "kitchen", Self.path, "[\(Self.foreign),\(present)]")
        // Ours is written first, whatever becomes of the rest.
        let written = try await matterctl.succeed("acl", "ls", "kitchen").result.split(separator: "\n")
        #expect(written.count == 2 && written[0].hasPrefix("administer\t"), "\(written)")
        try await matterctl.succeed("toggle", "kitchen")
        // And the user may insist.
        try await matterctl.succeed("write", "kitchen", Self.path, "[\(Self.foreign)]", "--force")
        try await matterctl.fail(5, "read", "kitchen", Self.path)
    }

    @Test("with --all every node gets it; one that is off stays pending until job resume", .timeLimit(.minutes(15)))
    func all() async throws {
        let (device, matterctl) = try await Self.home()
        defer { device.stop() }
        let second = try await VirtualDevice.start("on-off-light", isAdvertised: true)
        defer { second.stop() }
        try await matterctl.commission(second, ["--name", "hall"])
        second.signal(SIGSTOP)
        let left = try await matterctl.run(
            ["acl", "grant", "--all", "4242", "--target", "1", "--json", "--timeout", "8s"])
        #expect(left.status == 4, "\(left)")
        let job = try left.json()
        #expect(job["kind"]?.string == "access" && job["done"]?.int == 1 && job["pending"]?.int == 1, "\(left)")
        #expect(left.stderr.contains("job.incomplete"), "\(left)")
        second.signal(SIGCONT)
        try await matterctl.succeed("job", "resume", "\(job["job"]?.int ?? 0)", "--timeout", "30s")
        for node in ["kitchen", "hall"] {
            #expect(try await matterctl.succeed("acl", "ls", node).result.contains("4242"), "\(node)")
        }
        try await matterctl.succeed("acl", "revoke", "--all", "4242")
        for node in ["kitchen", "hall"] {
            #expect(try await !matterctl.succeed("acl", "ls", node).result.contains("4242"), "\(node)")
        }
        try await matterctl.fail(64, "acl", "revoke", "--all", "entry:1")
        try await matterctl.fail(64, "acl", "grant", "kitchen")
    }

    @Test("acl ls shows who may do what, by name where there is one, as lines and as JSON")
    func list() async throws {
        let (device, matterctl) = try await Self.home()
        defer { device.stop() }
        let ownText = try await Self.ownID(matterctl)
        #expect(
            try await matterctl.succeed("acl", "ls", "kitchen").result == "administer\tcase\t\(ownText) (us)\tall\t1")
        let present = try await matterctl.succeed("read", "kitchen", Self.path).result.dropFirst().dropLast()
        let tagged =
            #"{"privilege":"operate","authMode":"case","subjects":[18446744060939534337],"targets":null}"#
        let grouped = #"{"privilege":"operate","authMode":"group","subjects":[258],"targets":null}"#
        try await matterctl.succeed(
            "write", "kitchen", Self.path, "[\(present),\(Self.foreign),\(tagged),\(grouped)]")
        let lines = try await matterctl.succeed("acl", "list", "kitchen").result.split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "administer\tcase\t\(ownText) (us)\tall\t1", "view\tcase\t42\t1/on-off\t2",
                "operate\tcase\ttag 06D90001\tall\t3",
                "operate\tgroup\tgroup 258\tall\t4",
            ])
        let json = try await matterctl.succeed("acl", "ls", "kitchen", "--json").json()
        #expect(json["dataVersion"]?.int != nil)
        let entries = try #require(json["entries"]?.elements)
        #expect(entries.map { $0["privilege"]?.string } == ["administer", "view", "operate", "operate"])
        #expect(entries.map { $0["us"]?.bool } == [true, false, false, false])
        #expect(entries[0]["subjects"]?[0]?["us"]?.bool == true)
        #expect(entries[1]["targets"]?[0]?["endpoint"]?.int == 1 && entries[1]["targets"]?[0]?["clusterId"]?.int == 6)
        #expect(entries[2]["subjects"]?[0]?["tag"]?.string == "06D90001")
        #expect(entries[2]["subjects"]?[0]?["subject"]?.string == "18446744060939534337")
        try await matterctl.fail(3, "acl", "ls", "attic")
        try await matterctl.fail(64, "acl", "ls", "kitchen/1")
    }

    @Test("a light of another make is given to others and taken away again, and says who has a say on it")
    func otherMake() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        // It begins with an empty list, and keeps no one out.
        try await matterctl.fail(64, "acl", "grant", "kitchen", "77")
        let own = #"[{"privilege":"administer","authMode":"case","subjects":[112233],"targets":null}]"#
            .replacingOccurrences(of: "112233", with: try await Self.ownID(matterctl))
        let before = try await matterctl.succeed("acl", "set", "kitchen", own, "--yes").result
        let granted = try await matterctl.succeed("acl", "grant", "kitchen", "77").result
        #expect(granted == before + "\noperate\tcase\t77\tall\t2", "\(granted)")
        #expect(try await matterctl.succeed("acl", "ls", "kitchen").result == granted)
        let refused = try await matterctl.fail(64, "acl", "revoke", "kitchen", "entry:1", "--json")
        #expect(try refused.error()["id"]?.string == "acl.lockout")
        #expect(try await matterctl.succeed("acl", "revoke", "kitchen", "77").result == before)
        let json = try await matterctl.succeed("who", "kitchen", "--json").json()
        let fabrics = try #require(json["fabrics"]?.elements)
        #expect(
            fabrics.count == 1 && fabrics[0]["us"]?.bool == true && fabrics[0]["fabric"]?.string == "home", "\(json)")
        #expect(json["administrators"]?[0]?["us"]?.bool == true, "\(json)")
        try await matterctl.succeed("toggle", "kitchen")
    }

    /// A device whose list has three entries beside ours.
    private static func listed() async throws -> (device: VirtualDevice, matterctl: MatterCtl) {
        let (device, matterctl) = try await home()
        try await matterctl.succeed("acl", "grant", "kitchen", "4242", "--privilege", "operate")
        try await matterctl.succeed("acl", "grant", "kitchen", "4343", "--privilege", "view")
        try await matterctl.succeed("acl", "grant", "kitchen", "4444", "--privilege", "manage")
        return (device, matterctl)
    }

    private static func others(_ matterctl: MatterCtl) async throws -> [String] {
        let list = try await matterctl.succeed("acl", "ls", "kitchen").result
        return ["4242", "4343", "4444"].filter(list.contains)
    }

    @Test("an entry is taken by its number once, also if the answer is lost")
    func lostAnswer() async throws {
        let (device, matterctl) = try await Self.listed()
        defer { device.stop() }
        try await device.restart(faults: ["mute:write:1"])
        try await matterctl.succeed("acl", "revoke", "kitchen", "entry:2")
        #expect(try await Self.others(matterctl) == ["4343", "4444"])
        try await device.restart(faults: ["mute:write:1"])
        try await matterctl.succeed("acl", "revoke", "kitchen", "4444")
        #expect(try await Self.others(matterctl) == ["4343"])
    }

    @Test("of two commands at once that take the same number, one takes it and the other takes nothing")
    func twoAtOnce() async throws {
        let (device, matterctl) = try await Self.listed()
        defer { device.stop() }
        async let first = matterctl.run(["acl", "revoke", "kitchen", "entry:2", "--json"])
        async let second = matterctl.run(["acl", "revoke", "kitchen", "entry:2", "--json"])
        let ended = try await [first, second]
        #expect(ended.map(\.status).sorted() == [0, 5], "\(ended)")
        let refused = try #require(ended.first { $0.status == 5 })
        #expect(try refused.error()["id"]?.string == "node.list-changed", "\(refused)")
        #expect(try await Self.others(matterctl) == ["4343", "4444"])
    }

    @Test("a command that began before another one took the same number takes nothing, however late it is loaded")
    func loadedLate() async throws {
        let (device, matterctl) = try await Self.listed()
        defer { device.stop() }
        let late = try Child(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "kill -STOP $$; exec \"$0\" acl revoke kitchen entry:2 --json", Laboratory.binary.path],
            environment: Laboratory.environment.merging(["MATTERCTL_HOME": matterctl.home.path]) { $1 },
            folder: matterctl.folder)
        try await awaitEvent("the process to stop") {
            try String(contentsOfFile: "/proc/\(late.pid)/stat", encoding: .utf8).contains(") T ")
        }
        try await matterctl.succeed("acl", "revoke", "kitchen", "entry:2")
        late.signal(SIGCONT)
        #expect(await late.status(within: patience) == 5, "\(late.stdout) \(late.stderr)")
        #expect(late.stderr.contains("node.list-changed"), "\(late.stderr)")
        #expect(try await Self.others(matterctl) == ["4343", "4444"])
        // The new list was shown, and what begins now means it.
        try await matterctl.succeed("acl", "revoke", "kitchen", "entry:2")
        #expect(try await Self.others(matterctl) == ["4444"])
    }

    @Test(
        "a number means the list that was shown: after a change by someone else it takes nothing, and then it means the new one"
    )
    func changedSinceShown() async throws {
        let (device, matterctl) = try await Self.listed()
        defer { device.stop() }
        // Another computer of the same administrator, which shows nothing here.
        let other = try MatterCtl()
        try FileManager.default.copyItem(at: matterctl.home, to: other.home)
        try await other.succeed("acl", "revoke", "kitchen", "4242")
        let refused = try await matterctl.fail(5, "acl", "revoke", "kitchen", "entry:2", "--json")
        #expect(try refused.error()["id"]?.string == "node.list-changed", "\(refused)")
        #expect(try refused.error()["message"]?.string?.contains("2: view, 4343") == true, "\(refused)")
        #expect(try await Self.others(matterctl) == ["4343", "4444"])
        try await matterctl.succeed("acl", "revoke", "kitchen", "entry:2")
        #expect(try await Self.others(matterctl) == ["4444"])
    }

    @Test("a binding is made once and taken away, although the answers to its lists are lost")
    func binding() async throws {
        let (device, matterctl) = try await Self.home()
        let wall = try await VirtualDevice.start("on-off-switch")
        defer {
            device.stop()
            wall.stop()
        }
        try await matterctl.commission(wall, ["--name", "wall"])
        func bindings() async throws -> Int {
            try await matterctl.succeed("read", "wall", "1/binding/binding", "--json").json()["value"]?.elements.count
                ?? -1
        }
        try await wall.restart(faults: ["mute:write:1"])
        try await device.restart(faults: ["mute:write:1"])
        try await matterctl.succeed("bind", "wall", "kitchen", "--cluster", "on-off")
        #expect(try await bindings() == 1)
        try await wall.restart(faults: ["mute:write:1"])
        try await matterctl.succeed("unbind", "wall", "kitchen")
        #expect(try await bindings() == 0)
    }

    @Test("a node joins a group although the answer to its key map is lost; leaving it says that the key stays")
    func group() async throws {
        let (device, matterctl) = try await Self.home()
        defer { device.stop() }
        let other = try await VirtualDevice.start()
        defer { other.stop() }
        try await matterctl.commission(other, ["--name", "hall"])
        try await matterctl.succeed("group", "create", "lamps")
        try await matterctl.succeed("group", "add", "lamps", "hall")
        try await device.restart(faults: ["mute:write:1"])
        try await matterctl.succeed("group", "add", "lamps", "kitchen")
        let left = try await matterctl.succeed("group", "remove", "lamps", "kitchen")
        #expect(left.stderr.contains("the key of the group 'lamps' stays the same"), "\(left)")
        #expect(left.stderr.contains("matterctl group rekey lamps"), "\(left)")
        let last = try await matterctl.succeed("group", "remove", "lamps", "hall")
        #expect(!last.stderr.contains("stays the same"), "\(last)")
    }
}
