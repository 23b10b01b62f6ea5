import Foundation
import TestSupport
import Testing

/// Several administrators of one fabric, each with a state directory and a key of its own.
@Suite("Several administrators", .enabled(if: Laboratory.isHere), .laboratorySlot) struct MembersTests {
    /// Makes someone a member: request, answer, import.
    @discardableResult
    private func join(_ guest: MatterCtl, as name: String, _ owner: MatterCtl) async throws -> JSON {
        let (request, answer) = (guest.folder.file("request").path, owner.folder.file("\(name).answer").path)
        try await guest.succeed("fabric", "join-request", "--output", request)
        let added = try await owner.succeed(
            "fabric", "member", "add", name, "--csr", request, "--output", answer, "--yes", "--json"
        ).json()
        #expect(added["job"]?["state"]?.string == "done", "\(added)")
        return try await guest.succeed("fabric", "import", answer, "--json").json()
    }

    /// Brings a member its present certificate, and the holder the receipt.
    private func renew(_ guest: MatterCtl, _ name: String, _ owner: MatterCtl) async throws {
        let answer = owner.folder.file("\(name).answer").path
        try await owner.succeed("fabric", "member", "renew", name, "--output", answer, "--force")
        try await guest.succeed("fabric", "import", answer)
        let receipt = guest.folder.file("receipt").path
        try await guest.succeed("fabric", "member", "receipt", "--output", receipt)
        try await owner.succeed("fabric", "member", "confirm", receipt)
    }

    private func entries(_ matterctl: MatterCtl, _ node: String) async throws -> [JSON] {
        try await matterctl.succeed("acl", "ls", node, "--json").json()["entries"]?.elements ?? []
    }

    private func members(_ owner: MatterCtl) async throws -> [String?] {
        try await owner.succeed("fabric", "member", "ls", "--json").json().elements.map { $0["name"]?.string }
    }

    /// All files of a folder, as text.
    private func contents(of folder: URL) throws -> [(path: String, text: String)] {
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return files.compactMap { path in
            let data = try? Data(contentsOf: folder.appendingPathComponent(path))
            return data.map { (path, String(decoding: $0, as: UTF8.self)) }
        }
    }

    @Test("a member controls what is there and what comes later; only the holder commissions and adds members")
    func joining() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let hall = try await VirtualDevice.start(isAdvertised: true)
        defer { hall.stop() }
        let (owner, anna) = (try MatterCtl(), try MatterCtl())
        try await owner.commission(lamp, ["--name", "lamp", "--room", "Kitchen"])
        try await owner.succeed("group", "create", "lights")
        try await owner.succeed("group", "add", "lights", "lamp")
        let asked = try await anna.succeed("fabric", "join-request")
        // The same request until it is answered; no key of it is in the document.
        #expect(try await anna.succeed("fabric", "join-request").stdout == asked.stdout)
        #expect(try asked.json()["format"]?.string == "matterctl-join-request")
        let request = owner.folder.file("request").path
        try Data(asked.stdout.utf8).write(to: URL(fileURLWithPath: request))
        let answer = owner.folder.file("anna.answer").path
        let words = ["fabric", "member", "add", "anna", "--csr", request, "--output", answer]
        let unasked = try await owner.run(words)
        #expect(unasked.status == 64 && unasked.stderr.contains("fingerprint"), "\(unasked)")
        #expect(!FileManager.default.fileExists(atPath: answer))
        let added = try await owner.succeed(words + ["--yes", "--json"]).json()
        #expect(added["job"]?["done"]?.int == 1 && added["state"]?.string == "member", "\(added)")
        #expect(asked.stderr.contains(added["fingerprint"]?.string ?? "-"), "\(asked) \(added)")
        #expect(try await owner.run(words + ["--yes"]).status == 64, "the file is there")
        try await owner.succeed(words + ["--yes", "--force"])
        #expect(try await entries(owner, "lamp").count == 3, "us, the tag and the group; none twice")

        let stranger = try MatterCtl()
        let other = try await stranger.fail(3, "fabric", "import", answer, "--json")
        #expect(try other.error()["id"]?.string == "member.other-request", "\(other)")
        let joined = try await anna.succeed("fabric", "import", answer, "--json").json()
        #expect(joined["new"]?.bool == true && joined["nodes"]?.elements.count == 1, "\(joined)")
        #expect(joined["nodeId"] == added["nodeId"], "\(joined)")
        try await anna.succeed("toggle", "lamp")
        try await anna.succeed("off", "group:lights")
        try await eventually("her message to the group: \(lamp.events)") { lamp.switchings == 2 }
        #expect(try await anna.succeed("node", "ls", "--json").json().elements.first?["room"]?.string == "Kitchen")
        // She administers: the list is hers to change, too.
        try await anna.succeed("acl", "grant", "lamp", "4242", "--privilege", "view")
        #expect(try await entries(owner, "lamp").count == 4)

        for words in [anna.words(hall, ["--json"]), ["fabric", "member", "ls", "--json"]] {
            let refused = try await anna.run(words)
            let error = try refused.error()
            #expect(["issuer.none", "member.not-holder"].contains(error["id"]?.string), "\(refused)")
            #expect(refused.status == 9, "\(refused)")
            #expect(refused.stderr.contains("is with "), "it says who the holder is: \(refused)")
        }
        #expect(hall.fabrics == 0, "\(hall.events)")
        #expect(try await owner.succeed("fabric", "show", "--json").json()["authority"]?["here"]?.bool == true)
        let shown = try await anna.succeed("fabric", "show", "--json").json()["authority"]
        #expect(shown?["here"]?.bool == false && shown?["member"]?.string == "anna", "\(String(describing: shown))")

        // A new device admits her from the first; she learns of it by another answer.
        try await owner.commission(hall, ["--name", "hall"])
        #expect(try await entries(owner, "hall").count == 2)
        try await renew(anna, "anna", owner)
        try await anna.succeed("toggle", "hall")
        #expect(hall.switchings == 1)
        #expect(try await members(owner) == ["anna"])
        for (path, text) in try contents(of: anna.home) {
            #expect(!path.contains("keys/root") && !text.contains("PRIVATE KEY"), "\(path)")
        }
    }

    @Test("a removal waits for those who stay, then no device admits the one who goes, and what she left is found")
    func removal() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let (owner, anna, eve, friend) = (try MatterCtl(), try MatterCtl(), try MatterCtl(), try MatterCtl())
        try await owner.commission(lamp, ["--name", "lamp"])
        try await join(anna, as: "anna", owner)
        let joined = try await join(eve, as: "eve", owner)
        let own = try #require(joined["nodeId"]?.string ?? joined["nodeId"]?.int.map { "\($0)" })
        // She leaves an entry for her own id, a friend's fabric, and an open window.
        try await eve.succeed("acl", "grant", "lamp", own, "--privilege", "operate")
        let code = try await eve.succeed("window", "open", "lamp", "--json").json()["manualCode"]?.string
        let trust = ["--trust", lamp.trust, "--allow-test-devices"]
        let came = try await friend.run(["commission", try #require(code), "--name", "lamp"] + trust)
        #expect(came.status == 0, "\(came)")
        try await eve.succeed("window", "open", "lamp")

        let remove = ["fabric", "member", "remove", "eve", "--yes", "--json"]
        let answers = owner.folder.file("answers").path
        let waiting = try await owner.run(remove + ["--answers", answers])
        #expect(waiting.status == 12 && waiting.stdout.isEmpty, "\(waiting)")
        #expect(try waiting.error()["id"]?.string == "member.waiting", "\(waiting)")
        // Nothing has changed on the device, and she gets no other certificate.
        try await eve.succeed("toggle", "lamp")
        let renewal = try await owner.fail(
            10, "fabric", "member", "renew", "eve", "--output", owner.folder.file("no").path, "--json")
        #expect(try renewal.error()["id"]?.string == "member.removal-open", "\(renewal)")
        try await anna.succeed("fabric", "import", answers + "/anna.answer")
        // The old entries admit the new certificate.
        try await anna.succeed("toggle", "lamp")
        let receipt = anna.folder.file("receipt").path
        try await anna.succeed("fabric", "member", "receipt", "--output", receipt)
        let foreign = try await owner.fail(64, "fabric", "member", "confirm", answers + "/anna.answer", "--json")
        #expect(try foreign.error()["id"]?.string == "member.invalid-receipt", "\(foreign)")
        try await owner.succeed("fabric", "member", "confirm", receipt)

        let removed = try await owner.succeed(remove).json()
        #expect(removed["result"]?.string == "removed" && removed["job"]?["done"]?.int == 1, "\(removed)")
        let found = (removed["findings"]?.elements ?? []).map { finding in
            "\(finding["kind"]?.string ?? "") \(finding["removed"]?.bool == true)"
        }
        #expect(Set(found) == ["entry true", "window true", "fabric false"], "\(removed)")
        let refused = try await eve.run(["toggle", "lamp", "--json"])
        #expect(refused.status == 5, "\(refused)")
        #expect(try refused.error()["status"]?.string == "UNSUPPORTED_ACCESS", "\(refused)")
        #expect(try await eve.run(["toggle", "lamp", "--fresh"]).status == 5, "nor in a new session")
        #expect(try await owner.succeed("window", "status", "lamp").result == "closed")
        let before = lamp.switchings
        try await anna.succeed("toggle", "lamp")
        try await owner.succeed("toggle", "lamp")
        #expect(lamp.switchings == before + 2)
        #expect(try await members(owner) == ["anna"])
        // Once more, it says the same.
        #expect(try await owner.succeed(remove).json()["findings"] == removed["findings"])
    }

    @Test("a device that sleeps checks in no more with the one who goes")
    func checkIns() async throws {
        let lamp = try await VirtualDevice.start("on-off-light", options: ["--icd", "6s"], isAdvertised: true)
        defer { lamp.stop() }
        let (owner, eve) = (try MatterCtl(), try MatterCtl())
        try await owner.commission(lamp, ["--name", "lamp"])
        func stayAwake() async throws {
            try await owner.succeed("icd", "stay-active", "lamp", "--for", "30s", "--wait")
        }
        func clients() async throws -> String {
            try await owner.succeed("read", "lamp", "0/icd-management/registered-clients", "--wait", "--json").stdout
        }
        let own = try #require(try await owner.succeed("fabric", "show", "--json").json()["nodeId"])
        try await stayAwake()
        let joined = try #require(try await join(eve, as: "eve", owner)["nodeId"])
        func text(_ id: JSON) -> String { id.string ?? id.int.map { "\($0)" } ?? "-" }
        try await stayAwake()
        try await eve.succeed("icd", "register", "lamp")
        let before = try await clients()
        #expect(before.contains(text(own)) && before.contains(text(joined)), "\(before)")
        try await stayAwake()
        let removed = try await owner.succeed("fabric", "member", "remove", "eve", "--yes", "--json").json()
        let found = removed["findings"]?.elements.first { $0["kind"]?.string == "check-in" }
        #expect(found?["removed"]?.bool == true, "\(removed)")
        let after = try await clients()
        #expect(after.contains(text(own)) && !after.contains(text(joined)), "\(after)")
    }

    @Test("keys rotate on a fabric with members, who follow; another administrator is named as commands take it")
    func rotation() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let (owner, anna) = (try MatterCtl(), try MatterCtl())
        try await owner.commission(lamp, ["--name", "lamp"])
        try await join(anna, as: "anna", owner)
        try await owner.succeed("fabric", "rotate", "certificates")
        try await anna.succeed("toggle", "lamp", "--fresh")
        try await owner.succeed("acl", "grant", "lamp", "cat:43210002", "--privilege", "administer")
        for words in [["--dry-run"], []] {
            let refused = try await owner.run(["fabric", "rotate", "identity-key", "--json"] + words)
            let error = try refused.error()
            #expect(error["id"]?.string == "job.foreign-administrator", "\(refused)")
            #expect(error["hint"]?.string?.contains("--i-know cat:43210002") == true, "\(refused)")
        }
        #expect(try await owner.run(["fabric", "rotate", "identity-key", "--i-know", "cat:432"]).status == 64)
        let named = try await owner.succeed("who", "lamp").stdout
        #expect(named.contains("tag 43210002"), "\(named)")
        let rotated = try await owner.succeed("fabric", "rotate", "identity-key", "--i-know", "tag 43210002")
        #expect(rotated.stderr.contains("fabric member renew"), "\(rotated)")
        try await renew(anna, "anna", owner)
        try await anna.succeed("toggle", "lamp", "--fresh")
        #expect(lamp.switchings == 2, "\(lamp.events)")
    }

    @Test(
        "a device that is off keeps the removal open; one who is left behind is admitted again with the new certificate"
    )
    func leftBehind() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let (owner, anna, eve) = (try MatterCtl(), try MatterCtl(), try MatterCtl())
        try await owner.commission(lamp, ["--name", "lamp"])
        try await join(anna, as: "anna", owner)
        try await join(eve, as: "eve", owner)
        await lamp.end()
        let words = ["fabric", "member", "remove", "eve", "--yes", "--leave-behind", "anna"]
        let pending = try await owner.run(words + ["--timeout", "3s", "--json"])
        #expect(pending.status == 4, "\(pending)")
        #expect(try pending.error()["id"]?.string == "job.incomplete", "\(pending)")
        try await lamp.restart()
        // The job goes on like others, and the removal ends with it.
        let id = try #require(try pending.json()["job"]?.int)
        try await owner.succeed("job", "resume", "\(id)")
        let list = try await owner.succeed("fabric", "member", "ls", "--json").json().elements
        #expect(list.map { $0["state"]?.string } == ["left behind"], "\(list)")
        #expect(try await anna.run(["toggle", "lamp"]).status == 5)
        #expect(try await eve.run(["toggle", "lamp"]).status == 5)
        try await renew(anna, "anna", owner)
        try await anna.succeed("toggle", "lamp")
        #expect(try await eve.run(["toggle", "lamp"]).status == 5)
    }

    @Test(
        "killed at any moment: the holder and those who stay are never locked out, and the same command goes on",
        .timeLimit(.minutes(20)))
    func killed() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let hall = try await VirtualDevice.start(isAdvertised: true)
        defer { hall.stop() }
        let owner = try MatterCtl()
        try await owner.commission(lamp, ["--name", "lamp"])
        try await owner.commission(hall, ["--name", "hall"])
        let anna = try MatterCtl()
        try await join(anna, as: "anna", owner)
        // The moments are parts of the time that this machine takes for a removal; it shrinks when one ends too early.
        var span = Duration.milliseconds(400)
        var kills = 0
        for round in 0..<12 {
            let eve = try MatterCtl()
            try await join(eve, as: "eve-\(round)", owner)
            let words = ["fabric", "member", "remove", "eve-\(round)", "--yes"]
            #expect(try await owner.run(words).status == 12)
            try await renew(anna, "anna", owner)
            for attempt in 0..<3 {
                let child = try owner.start(words)
                let part = 1 + (3 * round + 5 * attempt) % 12
                // The moment itself.
                try await Task.sleep(for: span * part / 12)
                child.signal(SIGKILL)
                guard await child.status() == 128 + SIGKILL else {
                    span = max(span * 2 / 3, .milliseconds(12))
                    break
                }
                kills += 1
                try await anna.succeed("toggle", "lamp")
                try await owner.succeed("toggle", "hall")
            }
            try await owner.succeed(words)
            for node in ["lamp", "hall"] {
                #expect(try await eve.run(["toggle", node]).status == 5)
                #expect(try await entries(owner, node).count == 2)
                try await anna.succeed("toggle", node)
            }
        }
        #expect(kills >= 8, "\(kills)")
        #expect(try await owner.succeed("fabric", "member", "ls", "--json").json().elements.count == 1)
    }

    @Test("a light that we did not write has the entry, and a member controls it; what it enforces is its own affair")
    func circuitMatter() async throws {
        let light = try await Light.start()
        defer { light.stop() }
        let (owner, anna, eve) = (try MatterCtl(), try MatterCtl(), try MatterCtl())
        try await owner.commission(light, nil, ["--name", "light"])
        try await join(anna, as: "anna", owner)
        try await join(eve, as: "eve", owner)
        try await anna.succeed("on", "light")
        func tags() async throws -> [Int] {
            try await entries(owner, "light").flatMap { $0["subjects"]?.elements ?? [] }.compactMap { subject in
                (subject["tag"]?.string).flatMap { Int($0.suffix(4), radix: 16) }
            }
        }
        #expect(try await tags() == [1])
        #expect(try await owner.run(["fabric", "member", "remove", "eve", "--yes"]).status == 12)
        try await renew(anna, "anna", owner)
        let removed = try await owner.succeed("fabric", "member", "remove", "eve", "--json").json()
        #expect(removed["result"]?.string == "removed", "\(removed)")
        // It does not make our entry of AddNOC, and has no commissioning windows to ask about.
        let kinds = (removed["findings"]?.elements ?? []).compactMap { $0["kind"]?.string }
        #expect(Set(kinds) == ["unsearched"], "\(removed)")
        #expect(try await tags() == [2])
        try await anna.succeed("off", "light")
        try await owner.succeed("on", "light")
    }

    @Test("two members at once, on one device: no command fails, and no entry and no record is lost")
    func together() async throws {
        let lamp = try await VirtualDevice.start(isAdvertised: true)
        defer { lamp.stop() }
        let (owner, anna) = (try MatterCtl(), try MatterCtl())
        try await owner.commission(lamp, ["--name", "lamp"])
        try await join(anna, as: "anna", owner)
        let rounds = Int(ProcessInfo.processInfo.environment["MATTERCTL_TOGETHER"] ?? "") ?? 5
        // Five commands each round; the two change one list at the same time.
        func work(_ matterctl: MatterCtl, _ subject: Int) async throws {
            for round in 0..<rounds {
                try await matterctl.succeed("toggle", "lamp")
                try await matterctl.succeed("read", "lamp", "1/on-off/on-off")
                try await matterctl.succeed("acl", "grant", "lamp", "\(subject)", "--privilege", "view")
                try await matterctl.succeed("node", "rename", "lamp", round.isMultiple(of: 2) ? "den" : "lamp")
                try await matterctl.succeed("node", "rename", round.isMultiple(of: 2) ? "den" : "lamp", "lamp")
                if round < rounds - 1 { try await matterctl.succeed("acl", "revoke", "lamp", "\(subject)") }
            }
        }
        async let first: Void = work(owner, 4242)
        async let second: Void = work(anna, 4343)
        _ = try await (first, second)
        #expect(lamp.switchings == 2 * rounds)
        let list = try await entries(owner, "lamp")
        let text = "\(list)"
        #expect(text.contains("4242") && text.contains("4343"), "\(list)")
        #expect(try await anna.succeed("node", "ls", "--json").json().elements.count == 1)
        #expect(try await owner.succeed("fabric", "member", "ls", "--json").json().elements.count == 1)
    }
}
