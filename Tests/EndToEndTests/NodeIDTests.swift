import Foundation
import Testing

/// One node id, one device: whatever runs at once, and whatever was copied or put back.
@Suite("Node ids and records, end to end", .enabled(if: Laboratory.isHere), .waitingSlot)
struct NodeIDTests {
    private func copy(_ old: URL, _ new: URL) throws { try FileManager.default.copyItem(at: old, to: new) }

    private func node(_ outcome: MatterCtl.Outcome) throws -> Int { try #require(Int(outcome.result), "\(outcome)") }

    @Test("two commissionings that want one id: one gets it, the other fails at once and leaves its device open")
    func sameID() async throws {
        let devices = [try await VirtualDevice.start(), try await VirtualDevice.start()]
        defer { devices.forEach { $0.stop() } }
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let outcomes = try await withThrowingTaskGroup(of: (Int, MatterCtl.Outcome).self) { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    (number, try await matterctl.run(matterctl.words(device, ["--node-id", "7", "--json"])))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.map(\.1.status).sorted() == [0, 10], "\(outcomes)")
        let loser = try #require(outcomes.first { $0.1.status == 10 })
        #expect(try loser.1.error()["id"]?.string == "node.exists", "\(loser)")
        #expect(devices[loser.0].fabrics == 0 && !devices[loser.0].steps.contains("pase-established"))
        #expect(try await matterctl.nodes() == Nodes(commissioned: [7]))
        // Nothing is in the way of another id.
        #expect(try node(try await matterctl.commission(devices[loser.0])) == 1)
    }

    @Test("two commissionings that want one name: one gets it, the other fails before its device hears of it")
    func sameName() async throws {
        let devices = [try await VirtualDevice.start(), try await VirtualDevice.start()]
        defer { devices.forEach { $0.stop() } }
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let outcomes = try await withThrowingTaskGroup(of: (Int, MatterCtl.Outcome).self) { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    (number, try await matterctl.run(matterctl.words(device, ["--name", "twin", "--json"])))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.map(\.1.status).sorted() == [0, 10], "\(outcomes)")
        let loser = try #require(outcomes.first { $0.1.status == 10 })
        #expect(try loser.1.error()["id"]?.string == "node.name-taken", "\(loser)")
        #expect(devices[loser.0].fabrics == 0)
        #expect(try await matterctl.nodes().commissioned.count == 1)
    }

    @Test("a copied state directory, and one that was put back from a backup, give out ids that no device has")
    func copies() async throws {
        let devices = [
            try await VirtualDevice.start(), try await VirtualDevice.start(), try await VirtualDevice.start(),
            try await VirtualDevice.start(),
        ]
        defer { devices.forEach { $0.stop() } }
        let matterctl = try MatterCtl()
        #expect(try node(try await matterctl.commission(devices[0])) == 1)
        let backup = matterctl.folder.file("backup")
        try copy(matterctl.home, backup)
        // The copy is used beside the original.
        let words = matterctl.words(devices[1], ["--home", backup.path, "--json", "--progress", "json"])
        let copied = try await matterctl.run(words)
        #expect(copied.status == 0, "\(copied)")
        let id = try #require(try copied.json()["node"]?.int)
        #expect(id > 1000 && id < 1 << 48 && copied.stderr.contains("copy"), "\(copied)")
        #expect(try node(try await matterctl.commission(devices[2])) == 2)
        // The older files are put back into the same folder.
        let file = "fabrics/home/fabric.json"
        try FileManager.default.removeItem(at: matterctl.home.appendingPathComponent(file))
        try copy(backup.appendingPathComponent(file), matterctl.home.appendingPathComponent(file))
        #expect(try node(try await matterctl.commission(devices[3])) > 1000)
        for device in devices { #expect(device.fabrics == 1) }
        let shown = try await matterctl.succeed("fabric", "show", "--json").json()
        #expect(shown["nodeIds"]?.string == "random")
    }

    @Test("our own id is refused before anything is sent: 10")
    func ownID() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.succeed("fabric", "create", "home")
        let own = try #require(try await matterctl.succeed("fabric", "show", "--json").json()["nodeId"]?.string)
        let error = try await matterctl.run(matterctl.words(device, ["--node-id", own, "--json"])).error()
        #expect(
            error["id"]?.string == "node.exists" && error["message"]?.string?.contains("our own") == true, "\(error)")
        #expect(device.fabrics == 0 && !device.steps.contains("pase-established"))
    }

    // MARK: Records

    @Test("what an interrupted removal has left is said, and removed by the same command")
    func interruptedRemoval() async throws {
        let matterctl = try MatterCtl()
        for name in ["home", "two"] { try await matterctl.succeed("fabric", "create", name) }
        let folder = matterctl.home.appendingPathComponent("fabrics/two")
        for file in ["fabric.json.bak", "fabric.json", "keys/ipk"] {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(file))
        }
        let listed = try await matterctl.succeed("fabric", "ls")
        #expect(listed.stdout.hasPrefix("home\t") && listed.stderr.contains("fabric remove 'two'"), "\(listed)")
        try await matterctl.succeed("fabric", "remove", "two", "--yes")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try await matterctl.fail(3, "fabric", "remove", "two", "--yes")
        // A node in the state of an earlier release.
        let node = matterctl.home.appendingPathComponent("fabrics/home")
        for part in ["sessions", "commissioned"] {
            try FileManager.default.createDirectory(
                at: node.appendingPathComponent(part), withIntermediateDirectories: true)
        }
        try Data("x".utf8).write(to: node.appendingPathComponent("sessions/0000000000000005"))
        try Data("x".utf8).write(to: node.appendingPathComponent("commissioned/0000000000000005.json"))
        try await matterctl.succeed("node", "forget", "5", "--yes")
        for file in ["sessions/0000000000000005", "commissioned/0000000000000005.json"] {
            #expect(!FileManager.default.fileExists(atPath: node.appendingPathComponent(file).path))
        }
        try await matterctl.fail(3, "node", "forget", "5", "--yes")
    }

    @Test("damaged records of a fabric, of the choice and of a pending node block nothing else")
    func damaged() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        for name in ["home", "two"] { try await matterctl.succeed("fabric", "create", name) }
        func damage(_ file: String) throws {
            let url = matterctl.home.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("damaged".utf8).write(to: url)
        }
        try damage("fabrics/two/fabric.json")
        let listed = try await matterctl("fabric", "ls")
        #expect(listed.status == 10 && listed.stdout.hasPrefix("home\t") && listed.stderr.contains("two"), "\(listed)")
        try damage("fabrics/home/pending/0000000000000009.json")
        let outcome = try await matterctl.commission(device, ["--name", "lamp"])
        #expect(outcome.stderr.contains("matterctl node forget 9"), "\(outcome)")
        try await matterctl.succeed("node", "forget", "9", "--yes")
        try await matterctl.succeed("fabric", "remove", "two", "--yes")
        try damage("default-fabric.json")
        try await matterctl.succeed("toggle", "lamp")
        #expect(device.switchings == 1)
    }

    @Test("a commission command that succeeded, given once more, says so: 8; a name with bytes that are no text: 64")
    func again() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "slow"])
        let outcome = try await matterctl.run(matterctl.words(device, ["--name", "slow", "--json"]))
        #expect(outcome.status == 8, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "commission.already-on-fabric", "\(error)")
        #expect(error["message"]?.string?.contains("as node 1 'slow'") == true, "\(error)")
        let words = ["-c", "exec \"$0\" node rename slow \"$(printf 'a\\377')\"", Laboratory.binary.path]
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            URL(fileURLWithPath: "/bin/sh"), words, environment: environment, folder: matterctl.folder)
        #expect(await child.status() == 64, "\(child.stderr)")
        try await matterctl.succeed("node", "show", "slow")
    }

    @Test("a pending node is named as such by every command, by id and by name: 3")
    func pending() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["mute:sigma1:1"]), try MatterCtl())
        defer { device.stop() }
        let child = try matterctl.start(matterctl.words(device, ["--name", "slow"]))
        try await device.waitForFault("mute")
        child.signal(SIGKILL)
        _ = await child.status()
        for words in [
            ["node", "show", "slow"], ["toggle", "slow"], ["toggle", "1"], ["node", "rename", "slow", "x"],
        ] {
            let outcome = try await matterctl.run(words + ["--json"])
            #expect(outcome.status == 3, "\(outcome)")
            let error = try outcome.error()
            #expect(error["id"]?.string == "node.pending", "\(error)")
            #expect(error["message"]?.string == "node 1 'slow' is still being commissioned", "\(error)")
        }
        try await matterctl.succeed("node", "forget", "slow", "--yes")
        #expect(try await matterctl.nodes() == Nodes())
    }

    @Test("a fabric that is removed while a commissioning goes on is not written to: 10, and the device is named")
    func removedMeanwhile() async throws {
        let device = try await VirtualDevice.start(faults: ["delay:300"])
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let child = try matterctl.start(matterctl.words(device, ["--json"]))
        try await device.wait(for: "noc-added")
        try await matterctl.succeed("fabric", "remove", "home", "--yes")
        try await matterctl.succeed("fabric", "create", "home")
        #expect(await child.status() != 0, "\(child.stdout) \(child.stderr)")
        #expect(try await matterctl.nodes() == Nodes())
    }
}
