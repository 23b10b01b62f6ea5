import Foundation
import TestSupport
import Testing

/// Keys and certificates are exchanged by jobs, which outlive the process that began them.
@Suite("Rotations", .enabled(if: Laboratory.isHere), .laboratorySlot) struct RotateTests {
    private struct House {
        let lamp: VirtualDevice
        let hall: VirtualDevice
        let owner: MatterCtl

        static func made() async throws -> House {
            let house = House(
                lamp: try await VirtualDevice.start(isAdvertised: true),
                hall: try await VirtualDevice.start(isAdvertised: true), owner: try MatterCtl())
            try await house.owner.commission(house.lamp, ["--name", "lamp"])
            try await house.owner.commission(house.hall, ["--name", "hall"])
            return house
        }

        func stop() {
            lamp.stop()
            hall.stop()
        }

        var identityKey: Data {
            get throws { try Data(contentsOf: owner.home.appendingPathComponent("fabrics/home/keys/ipk")) }
        }

        /// Sees to it that both lights can be switched, by sessions that begin with a full handshake.
        func requireBoth() async throws {
            try? FileManager.default.removeItem(at: owner.home.appendingPathComponent("fabrics/home/sessions"))
            for (name, light) in [("lamp", lamp), ("hall", hall)] {
                let before = light.switchings
                try await owner.succeed("toggle", name, "--fresh")
                #expect(light.switchings == before + 1, "\(name)")
            }
        }

        func requireNoKey() throws {
            let keys = try FileManager.default.contentsOfDirectory(
                atPath: owner.home.appendingPathComponent("fabrics/home/keys").path)
            #expect(!keys.contains { $0.hasPrefix("job-") || $0.hasSuffix("-next") }, "\(keys)")
        }
    }

    @Test(
        "one light is off: the identity key is exchanged on both, once it is back; or the old one is kept",
        .timeLimit(.minutes(20)))
    func identityKey() async throws {
        let house = try await House.made()
        defer { house.stop() }
        let (owner, first) = (house.owner, try house.identityKey)
        let rehearsal = try await owner.succeed("fabric", "rotate", "identity-key", "--dry-run", "--json").json()
        #expect(rehearsal["nodes"]?.elements.map { $0["state"]?.string } == ["ready", "ready"], "\(rehearsal)")

        await house.hall.end()
        let partly = try await owner.run(["fabric", "rotate", "identity-key", "--timeout", "12s", "--json"])
        #expect(partly.status == 4 && partly.stderr.contains("1 of 2 nodes are done"), "\(partly)")
        let job = try partly.json()
        #expect(job["kind"]?.string == "identity-key" && job["phase"]?.string == "add", "\(job)")
        #expect(try house.identityKey == first)
        try await owner.succeed("toggle", "lamp", "--fresh")
        try await house.hall.restart()
        let back = try await owner.succeed("fabric", "rotate", "identity-key", "--roll-back", "--json").json()
        #expect(back["state"]?.string == "done" && back["rolledBack"]?.bool == true, "\(back)")
        #expect(try house.identityKey == first)
        try house.requireNoKey()
        try await house.requireBoth()

        let done = try await owner.succeed("fabric", "rotate", "identity-key", "--json").json()
        #expect(done["state"]?.string == "done" && done["job"]?.int == 2, "\(done)")
        #expect(try house.identityKey != first)
        try house.requireNoKey()
        try await house.requireBoth()
        let shown = try await owner.succeed("fabric", "show", "--json").json()
        #expect(shown["identityKeySince"]?.string == done["madeAt"]?.string, "\(shown)")
        #expect(
            try await owner.fail(3, "fabric", "rotate", "identity-key", "--roll-back", "--json").error()["id"]?.string
                == "job.unknown")
    }

    @Test("certificates of the nodes and ours are exchanged; a light that was off comes later, and we come last")
    func certificates() async throws {
        let house = try await House.made()
        defer { house.stop() }
        let owner = house.owner
        func own() async throws -> String? { try await owner.succeed("fabric", "show", "--json").json()["noc"]?.string }
        func certificate(_ name: String) async throws -> String {
            try await owner.succeed("read", name, "0/operational-credentials/nocs", "--json").stdout
        }
        let first = try await own()
        let lamp = try await certificate("lamp")
        await house.hall.end()
        let partly = try await owner.run(["fabric", "rotate", "certificates", "--timeout", "20s", "--json"])
        #expect(partly.status == 4, "\(partly)")
        #expect(try partly.json()["done"]?.int == 1 && partly.json()["pending"]?.int == 2, "\(partly)")
        #expect(try await own() == first, "ours is the last one")
        #expect(try await certificate("lamp") != lamp)
        try await house.hall.restart()
        let resumed = try await owner.succeed("job", "resume", "1", "--json").json()
        #expect(resumed["state"]?.string == "done" && resumed["done"]?.int == 3, "\(resumed)")
        #expect(try await own() != first)
        try house.requireNoKey()
        try await house.requireBoth()
        #expect(
            try await owner.fail(64, "job", "resume", "1", "--json").error()["id"]?.string == "job.ended")
    }

    @Test(
        "the key of a group is exchanged while a member is off, and all of them hear us then", .timeLimit(.minutes(20)))
    func group() async throws {
        let house = try await House.made()
        defer { house.stop() }
        let owner = house.owner
        try await owner.succeed("group", "create", "lights")
        try await owner.succeed("group", "add", "lights", "lamp", "hall")
        await house.hall.end()
        let partly = try await owner.run(["group", "rekey", "lights", "--timeout", "12s", "--json"])
        #expect(partly.status == 4, "\(partly)")
        try await owner.succeed("on", "group:lights")
        try await house.lamp.wait(for: "1 change") { _ in house.lamp.switchings >= 1 }
        try await house.hall.restart()
        try await owner.succeed("group", "rekey", "lights")
        try await owner.succeed("on", "hall")
        try await owner.succeed("off", "group:lights")
        for light in [house.lamp, house.hall] {
            try await light.wait(for: "it is off") { _ in light.switchings >= 2 }
        }
        // Those that stay have another key; the one that has left is gone.
        let removed = try await owner.succeed("group", "remove", "lights", "hall", "--rekey")
        #expect(removed.stdout == "2\thall\tremoved\n" && removed.stderr.isEmpty, "\(removed)")
        try await owner.succeed("on", "group:lights")
        try await house.lamp.wait(for: "3 changes") { _ in house.lamp.switchings >= 3 }
        #expect(house.hall.switchings == 2)
        try house.requireNoKey()
    }

    @Test(
        "killed at any moment: each light can be switched at once, and what is left is resumed",
        .timeLimit(.minutes(15)))
    func killed() async throws {
        let house = try await House.made()
        defer { house.stop() }
        let owner = house.owner
        var kills = 0
        for words in [["fabric", "rotate", "identity-key"], ["fabric", "rotate", "certificates"]] {
            var usual = Duration.milliseconds(400)
            for round in 0..<8 {
                let child = try owner.start(words)
                // The moment itself.
                try await Task.sleep(for: usual * Double.random(in: 0.1..<1))
                child.signal(SIGKILL)
                let isKilled = await child.status() == 128 + SIGKILL
                kills += isKilled ? 1 : 0
                usual = usual * (isKilled ? 1.2 : 0.8)
                if round.isMultiple(of: 2) { try await house.requireBoth() }
                let rest = try await owner.run(words + ["--json"])
                #expect(rest.status == 0, "\(rest)")
                try house.requireNoKey()
            }
            try await house.requireBoth()
        }
        #expect(kills >= 6, "\(kills) kills")
    }

    @Test("CircuitMatter's light has no way to say which keys it has: it is refused by name, and left as it is")
    func foreign() async throws {
        let scene = try await Scene.commissioned(named: "lamp")
        defer { scene.end() }
        for kind in ["identity-key", "certificates"] {
            let refused = try await scene.matterctl.run(["fabric", "rotate", kind, "--json"])
            #expect([4, 5, 6].contains(refused.status), "\(refused)")
            let job = try refused.json()
            #expect(job["done"]?.int == 0, "\(job)")
            #expect(job["nodes"]?.elements.contains { $0["name"]?.string == "lamp" && $0["error"] != nil } == true)
        }
        try? FileManager.default.removeItem(
            at: scene.matterctl.home.appendingPathComponent("fabrics/home/sessions"))
        try await scene.matterctl.succeed("on", "lamp", "--fresh")
        #expect(scene.light.switchings == 1)
    }
}
