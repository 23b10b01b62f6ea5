import Foundation
import TestSupport
import Testing

/// Working beside another program on its fabric: the nodes are joined by a job, which outlives the process that began it.
@Suite("Joining beside another program", .enabled(if: Laboratory.isHere), .laboratorySlot) struct NeighbourJoinTests {
    /// The state that `job show` has for each node, by id.
    private func states(_ guest: MatterCtl, _ job: Int = 1) async throws -> [Int: String] {
        let shown = try await guest.succeed("job", "show", "\(job)", "--json").json()
        return Dictionary(
            (shown["nodes"]?.elements ?? []).compactMap { node in
                node["node"]?.int.flatMap { id in node["state"]?.string.map { (id, $0) } }
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test(
        "beside the official controller: both switch its lights, one that was off is joined later, and our entries go again",
        .enabled(if: PeerPython.hasController), .timeLimit(.minutes(20)))
    func official() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let hall = try await VirtualDevice.start(isAdvertised: true)
        defer { hall.stop() }
        let official = try OfficialStorage(trusting: lamp)
        try FileManager.default.copyItem(
            atPath: hall.trust + "/paa.der", toPath: lamp.trust + "/paa-of-hall.der")
        for (node, device) in [("7", lamp), ("8", hall)] {
            let joined = try await official("commission", node, "--code", device.qrCode)
            try #require(joined.contains("commissioned node \(node)"), "\(joined)\n\(device.events)")
        }
        let guest = try MatterCtl()
        let words = ["fabric", "import", "--from", "python-matter-server", official.storage.path, "--force"]
        // Without a terminal there is no one to ask, and nothing is done.
        let unasked = try await guest.run(words)
        #expect(unasked.status == 64 && unasked.stderr.contains("--take-over"), "\(unasked)")
        #expect(!FileManager.default.fileExists(atPath: guest.home.path))

        await hall.end()
        let partly = try await guest.run(words + ["--yes", "--timeout", "12s", "--json"])
        #expect(partly.status == 4, "\(partly)")
        #expect(try partly.error()["id"]?.string == "job.incomplete", "\(partly)")
        #expect(partly.stderr.contains("1 of 2 nodes are done"), "\(partly)")
        let own = try #require(try partly.json()["nodeId"])
        #expect(own.string.flatMap { UInt64($0) }.map { $0 >= 0x7FFF_FFF8_0000_0000 } == true, "\(own)")
        #expect(try await states(guest) == [7: "done", 8: "pending"])
        let offered = try await guest.run(["---complete", "fish", "job", "resume", ""]).stdout
        #expect(offered.contains("1\tjoin, 1 of 2 done"), "\(offered)")
        let key = guest.home.appendingPathComponent("fabrics/home/keys/job-1")
        #expect(FileManager.default.fileExists(atPath: key.path), "it is needed while a node is pending")
        try await guest.succeed("on", "7")
        #expect(lamp.switchings == 1, "\(lamp.events)")
        // Nothing goes on by itself.
        try await hall.restart()
        for _ in 0..<10 {
            // Until it is found again, it does not answer.
            let refused = try await guest.run(["read", "8", "1/on-off/on-off", "--timeout", "10s"])
            #expect([4, 5].contains(refused.status), "\(refused)")
            if refused.status == 5 { break }
        }
        #expect(try await states(guest) == [7: "done", 8: "pending"] && hall.switchings == 0)

        let resumed = try await guest.succeed("job", "resume", "1", "--json").json()
        #expect(resumed["state"]?.string == "done" && resumed["done"]?.int == 2, "\(resumed)")
        #expect(!FileManager.default.fileExists(atPath: key.path), "the other program's identity is put away")
        #expect(try await guest.fail(64, "job", "resume", "1", "--json").error()["id"]?.string == "job.ended")
        try await guest.succeed("toggle", "8")
        #expect(hall.switchings == 1, "\(hall.events)")

        // The other program goes on as before.
        let read = try await official("read", "7", "1.6.0")
        #expect(read.contains("1.0x0006.0x0000 = True"), "\(read)")
        _ = try await official("toggle", "8")
        #expect(hall.switchings == 2, "\(hall.events)")

        // A second import has nothing to do.
        let again = try await guest.succeed(words + ["--yes", "--json"]).json()
        #expect(again["nodeId"] == own && again["nodes"]?.elements.isEmpty == true && again["job"] == nil, "\(again)")

        let left = try await guest.succeed(words + ["--revert", "--yes", "--json"]).json()
        #expect(left["removed"]?.bool == true && left["job"]?["done"]?.int == 2, "\(left)")
        #expect(try await guest.succeed("fabric", "ls", "--json").json().elements.isEmpty)
        for node in ["7", "8"] {
            let list = try await official("read", node, "0.31.0")
            #expect(list.contains("112233") && !list.contains(own.string ?? "-"), "\(list)")
        }
    }

    @Test(
        "python-matter-server keeps its subscriptions while its lights are joined, and hears of every change",
        .enabled(if: PeerPython.hasServer), .timeLimit(.minutes(20)))
    func subscriptions() async throws {
        let devices = [
            try await VirtualDevice.start("on-off-light", isAdvertised: true),
            try await VirtualDevice.start("on-off-light", isAdvertised: true),
        ]
        defer { for device in devices { device.stop() } }
        let owner = try MatterCtl()
        for (number, device) in devices.enumerated() {
            try await owner.commission(device, ["--name", "light\(number + 1)"])
        }
        let server = try await PythonMatterServer(trusting: devices, port: 5593)
        let shared = try await owner.succeed("share", "--all", "--to", server.url, "--json")
        let nodes = try shared.stdout.split(separator: "\n").compactMap {
            try JSON(parsing: String($0))["serverNode"]?.int
        }
        try #require(nodes.count == 2, "\(shared)\n\(server.log)")
        func lines(_ word: String) -> [Substring] {
            server.log.split(separator: "\n").filter { $0.lowercased().contains(word) }
        }
        try await awaitEvent("the subscriptions: \(server.log)") {
            lines("setting up attributes and events subscription").count == 2
        }
        func awaitValue(_ isOn: Bool, _ node: Int) async throws {
            for _ in 0..<100 {
                if try await server.known("1/6/0", of: node)?.bool == isOn { return }
                // The server tells its log nothing of a report.
                try await Task.sleep(for: .milliseconds(200))
            }
            Issue.record("the server has not heard of node \(node): \(server.log)")
        }
        for node in nodes { try await awaitValue(false, node) }
        let before = lines("subscription")

        let guest = try MatterCtl()
        let joined = try await guest.succeed(
            "fabric", "import", "--from", "python-matter-server", server.storage.path, "--force", "--yes", "--json")
        #expect(try joined.json()["job"]?["done"]?.int == 2, "\(joined)")
        for isOn in [true, false] {
            for node in nodes {
                try await guest.succeed(isOn ? "on" : "off", "\(node)")
                try await awaitValue(isOn, node)
            }
        }
        #expect(lines("subscription") == before, "\(server.log)")
        #expect(lines("offline").isEmpty && lines("unavailable").isEmpty, "\(server.log)")
        let toggled = try await server.command("Toggle", node: nodes[0])
        #expect(!toggled.contains("error_code") && devices.map(\.switchings).max() == 3, "\(toggled)")
        // Leaving disturbs nothing either.
        try await guest.succeed(
            "fabric", "import", "--from", "python-matter-server", server.storage.path, "--force", "--revert", "--yes")
        try await owner.succeed("on", "light1", "light2")
        for node in nodes { try await awaitValue(true, node) }
        #expect(lines("subscription") == before, "\(server.log)")
    }

    @Test(
        "killed at any moment: the other program still administers each light, and what is left is resumed",
        .timeLimit(.minutes(20)))
    func killed() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let hall = try await VirtualDevice.start(isAdvertised: true)
        defer { hall.stop() }
        let owner = try MatterCtl()
        try await owner.commission(lamp, ["--name", "lamp"])
        try await owner.commission(hall, ["--name", "hall"])
        let stores = owner.folder.file("stores")
        let script = Laboratory.scripts.appendingPathComponent("neighbour_stores.py")
        let child = try Child(
            Laboratory.python, [script.path, owner.home.path, "home", stores.path, "1=lamp", "2=hall"],
            environment: Laboratory.environment, folder: owner.folder)
        try #require(await child.status() == 0, "\(child.stderr)")
        let words = [
            "fabric", "import", "--from", "matterjs", stores.appendingPathComponent("js-file").path, "--yes", "--json",
        ]
        var kills = 0
        /// - Returns: whether it had not ended before.
        @discardableResult
        func kill(_ child: Child, after delay: Duration) async throws -> Bool {
            // The moment itself.
            try await Task.sleep(for: delay)
            child.signal(SIGKILL)
            guard await child.status() == 128 + SIGKILL else { return false }
            kills += 1
            return true
        }
        /// How many entries each light has; only the owner's own administrator can ask.
        func entries() async throws -> [Int] {
            var counts: [Int] = []
            for node in ["lamp", "hall"] {
                let list = try await owner.succeed("acl", "ls", node, "--json").json()["entries"]?.elements ?? []
                #expect(list.contains { $0["us"]?.bool == true }, "\(list)")
                counts.append(list.count)
            }
            return counts
        }
        /// No key of the other program is left in a home whose job is done.
        func requireNoKey(_ guest: MatterCtl) throws {
            let keys = try FileManager.default.contentsOfDirectory(
                atPath: guest.home.appendingPathComponent("fabrics/home/keys").path)
            #expect(!keys.contains { $0.hasPrefix("job-") }, "\(keys)")
        }

        // A job of which nothing is done yet, to begin with again and again.
        await lamp.end()
        await hall.end()
        let guest = try MatterCtl()
        let begun = try await guest.run(words + ["--timeout", "1s"])
        #expect(begun.status == 4, "\(begun)")
        let own = try #require(try begun.json()["nodeId"]?.string)
        try await lamp.restart()
        try await hall.restart()
        let copy = guest.folder.file("copy")
        try FileManager.default.copyItem(at: guest.home, to: copy)
        var usual = Duration.milliseconds(100)
        for round in 0...20 {
            try FileManager.default.removeItem(at: guest.home)
            try FileManager.default.copyItem(at: copy, to: guest.home)
            if round > 0 {
                let isKilled = try await kill(
                    try guest.start(["job", "resume", "1"]), after: usual * Double.random(in: 0.3..<1))
                // So that most are killed, at all of its steps, on a machine of any speed.
                usual = usual * (isKilled ? 1.1 : 0.8)
                #expect(try await entries().allSatisfy { (1...2).contains($0) })
            }
            let resumed = try await guest.run(["job", "resume", "1", "--json"])
            let isEnded = try resumed.status == 64 && resumed.error()["id"]?.string == "job.ended"
            #expect(resumed.status == 0 || round > 0 && isEnded, "\(resumed)")
            #expect(try await states(guest) == [1: "done", 2: "done"])
            try requireNoKey(guest)
            #expect(try await entries() == [2, 2], "there is one entry more, and not two")
            for node in ["lamp", "hall"] { try await owner.succeed("acl", "revoke", node, own) }
        }
        #expect(kills >= 10, "\(kills) kills")

        // From the beginning, and back: the network is searched for three seconds before that.
        for _ in 0..<3 {
            let guest = try MatterCtl()
            try await kill(try guest.start(words), after: .milliseconds(Int.random(in: 3000..<3200)))
            #expect(try await entries().allSatisfy { (1...2).contains($0) })
            try await guest.succeed(words)
            #expect(try await entries() == [2, 2])
            try requireNoKey(guest)
            try await guest.succeed("toggle", "lamp")
            try await kill(try guest.start(words + ["--revert"]), after: .milliseconds(Int.random(in: 3000..<3200)))
            #expect(try await entries().allSatisfy { (1...2).contains($0) })
            let last = try await guest.run(words + ["--revert"])
            // Killed when all was done but for the answer, the fabric is gone.
            #expect(try last.status == 0 || last.error()["id"]?.string == "neighbour.not-joined", "\(last)")
            #expect(try await entries() == [1, 1])
        }
    }
}
