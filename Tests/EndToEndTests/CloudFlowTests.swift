import Foundation
import Testing

@Suite("RainMaker", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CloudFlowTests {
    @Test("fabric created, device commissioned, confirmed, listed and toggled", arguments: [nil, 2, 3])
    func wholeFlow(revision: Int?) async throws {
        let scene = try await CloudScene.fresh(revision: revision)
        defer { scene.end() }
        let alice = scene.alice
        let outcome = try await alice.run(scene.device.words("--name", "Porch", "--json"))
        try #require(outcome.status == 0, "\(outcome)\n\(scene.device.lines)\n\(scene.cloud.errors)")
        let node = try #require(try outcome.json()["node"])
        // The cloud chose the node id and lists the device with what it is.
        let listed = try await scene.listed()
        try #require(listed.count == 1, "\(listed)")
        #expect(listed[0]["type"]?.string == (revision == nil ? "pure_matter" : "rainmaker_matter"))
        #expect(listed[0]["name"]?.string == "Porch")
        let matter = listed[0]["metadata"]?["Matter"]
        #expect(matter?["deviceType"]?.int == 0x0101)
        #expect(matter?["isRainmaker"]?.bool == (revision != nil))
        if let id = scene.device.rainmakerID { #expect(listed[0]["rainmakerNodeId"]?.string == id) }
        let lines = try await alice.succeed("cloud", "groups", "--group", CloudScene.groupName).stdout
            .split(separator: "\n")
        #expect(lines.count == 2 && lines[1].hasPrefix("\(listed[0]["rainmakerNodeId"]?.string ?? "?")\t"), "\(lines)")
        let members = try await alice.succeed("cloud", "groups", "--group", CloudScene.groupName, "--json").json()
        let matterID = try #require(members[0]?["nodes"]?[0]?["matterNodeId"]?.string)
        let number = try #require(UInt64(matterID, radix: 16))
        #expect(node.string == "\(number)" || node.int.map { UInt64($0) } == number)
        #expect(try await alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 0)
        // It obeys.
        try await alice.succeed("toggle", "Porch")
        #expect(try await alice.succeed("read", "Porch", "1/on-off/on-off").result == "true")
        #expect(scene.device.switchings == 1)
        // Administer for the admin tag, Operate for the other, and nothing else.
        let entries = try await alice.succeed("read", "Porch", "0/access-control/acl", "--json").json()
        #expect(entries["value"]?.elements.count == 2, "\(entries)")
        // Its name travels to the cloud, and leaves the rest of what the cloud knows alone.
        try await alice.succeed("node", "rename", "Porch", "Lake porch", "--cloud")
        let renamed = try await scene.listed()
        #expect(renamed[0]["name"]?.string == "Lake porch", "\(renamed)")
        #expect(renamed[0]["metadata"]?["Matter"]?["deviceType"]?.int == 0x0101, "\(renamed)")
        try await alice.succeed("node", "rename", "Lake porch", "Porch")
        // Its own words about itself.
        if let id = scene.device.rainmakerID {
            #expect(try await alice.succeed("rainmaker", "node-id", "Porch").result == id)
            let proof = try await alice.succeed("rainmaker", "challenge", "Porch", "--json").json()
            #expect(proof["rainmakerNodeId"]?.string == id && proof["matterNodeId"]?.string == matterID)
            #expect(proof["signature"]?.string?.isEmpty == false)
        } else {
            try await alice.fail(6, "rainmaker", "node-id", "Porch")
            try await alice.fail(6, "rainmaker", "challenge", "Porch")
        }
    }

    @Test(
        "metadata goes with the request, with the confirmation, or not at all",
        arguments: ["none", "with-noc", "with-confirm"])
    func metadata(mode: String) async throws {
        let scene = try await CloudScene.fresh(revision: 3)
        defer { scene.end() }
        let outcome = try await scene.alice.run(scene.device.words("--name", "Porch", "--metadata", mode))
        try #require(outcome.status == 0, "\(outcome)")
        let matter = try await scene.listed().first?["metadata"]?["Matter"]
        #expect((matter == nil) == (mode == "none"), "\(String(describing: matter))")
    }

    @Test("metadata is collected again from a device whose endpoints have changed, and only what has changed is told")
    func collectedAgain() async throws {
        let scene = try await CloudScene.commissioned(revision: 3)
        defer { scene.end() }
        let alice = scene.alice
        let id = try #require(scene.device.rainmakerID)
        func collect(_ node: String) async throws -> [String: JSON] {
            let told = try await alice.succeed("cloud", "node", "metadata", node, "--collect", "--json").json()
            #expect(told["rainmakerNodeId"]?.string == id, "\(told)")
            let changes = told["changes"]?.elements ?? []
            return Dictionary(uniqueKeysWithValues: changes.map { ($0["member"]?.string ?? "", $0) })
        }
        func matter() async throws -> JSON? {
            try await alice.succeed("cloud", "node", "metadata", id, "--json").json()["Matter"]
        }
        let first = try await matter()
        #expect(try await collect("Porch").isEmpty)
        #expect(
            !scene.cloud.errors.contains("updateNode"),
            "nothing has changed, and nothing is sent: \(scene.cloud.errors)")
        let own = alice.folder.file("own.json")
        try Data(#"{"Matter":{"deviceName":"Lake porch","ours":1}}"#.utf8).write(to: own)
        try await alice.succeed("cloud", "node", "metadata", id, "--set", own.path)
        try await scene.device.restart(as: "dimmable-light,fan")
        let grown = try await collect("Porch")
        #expect(grown["Matter/serversData/2"]?["after"]?.elements.isEmpty == false, "\(grown)")
        #expect(grown["Matter/serversData/2"]?["before"] == nil && grown["Matter/endpoints/0x2"] != nil, "\(grown)")
        let after = try await matter()
        #expect(after?["endpointsData"]?.elements.compactMap(\.int) == [0, 1, 2], "\(String(describing: after))")
        #expect(after?["endpoints"]?["0x2"]?["clusters"]?["servers"]?["0x202"] != nil)
        // Entries of a person or an app stay.
        #expect(after?["deviceName"]?.string == "Lake porch" && after?["ours"]?.int == 1)
        // By its id in the cloud; an endpoint that is gone goes there too.
        try await scene.device.restart()
        let shrunk = try await collect(id)
        #expect(shrunk["Matter/serversData/2"]?["after"] == nil && shrunk["Matter/serversData/2"] != nil, "\(shrunk)")
        let last = try await matter()
        #expect(last?["endpointsData"] == first?["endpointsData"])
        #expect(last?["serversData"]?["2"]?.elements.isEmpty ?? true, "\(String(describing: last))")
        let unknown = try await alice.run(["cloud", "node", "metadata", "nosuch", "--collect", "--json"])
        #expect(unknown.status == 3, "\(unknown)")
    }

    @Test("a second user whose certificate is not backdated is let in by a device that has been idle")
    func youngCertificate() async throws {
        let scene = try await CloudScene.commissioned()
        defer { scene.end() }
        try await scene.cloud.play("not-backdated")
        let bob = try await scene.member("bob")
        let made = try await bob.succeed("fabric", "show", "lake", "--json").json()
        try await bob.succeed("cloud", "sync", "--group", scene.group)
        try await bob.succeed("toggle", "Porch")
        #expect(scene.device.switchings == 1, "\(made)")
    }

    @Test("keys and certificates that the cloud has issued are not exchanged here, and what can be is said")
    func rotation() async throws {
        let scene = try await CloudScene.commissioned()
        defer { scene.end() }
        for (kind, words) in [("identity-key", []), ("certificates", []), ("certificates", ["--dry-run"])] {
            let refused = try await scene.alice.run(["fabric", "rotate", kind, "--json"] + words)
            let error = try refused.error()
            #expect(error["id"]?.string == "job.service-keys" && refused.stdout.isEmpty, "\(refused)")
            #expect(error["message"]?.string?.contains("'rainmaker'") == true, "\(refused)")
            #expect(error["hint"]?.string?.contains("group rekey") == true, "\(refused)")
        }
        #expect(try await scene.alice.succeed("job", "ls", "--json").json().elements.isEmpty)
        try await scene.alice.succeed("group", "create", "lights")
        try await scene.alice.succeed("group", "rekey", "lights")
    }

    @Test("a device that the cloud does not know by its key is not confirmed, and stays to be confirmed")
    func strangeDevice() async throws {
        let device = try await CloudDevice.start(revision: 3)
        let other = try await CloudDevice.start(revision: 3)
        let cloud = try await CloudEmulator.start(knowing: [other])
        defer {
            device.stop()
            other.stop()
            cloud.stop()
        }
        let alice = try await cloud.user("alice")
        let group = try await alice.succeed("cloud", "create-fabric", "Lake").result
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
        let refused = try await alice.run(device.words("--name", "Porch", "--json"))
        #expect(refused.status == 9, "\(refused)")
        let error = try refused.error()
        #expect(error["cloudCode"]?.string == "108904", "\(error)")
        #expect(error["cloudMeaning"]?.string == "the device's answer to the challenge does not verify")
        #expect(try await alice.succeed("cloud", "nodes", "--json").json().elements.isEmpty)
        // On the fabric it is all the same.
        try await alice.succeed("toggle", "Porch")
        // The operator registers it; the kept proof will do.
        try await cloud.restart(["--device", "\(try #require(device.rainmakerID))=\(device.certificate)"])
        #expect(try await alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 1)
        #expect(try await alice.succeed("cloud", "nodes", "--json").json().elements.count == 1)
    }

    @Test("a secondary user operates the light at the same time, administers nothing, and is out after acl refresh")
    func secondaryUser() async throws {
        let scene = try await CloudScene.commissioned(revision: 3)
        defer { scene.end() }
        let alice = scene.alice
        let bob = try await scene.member("bob")
        let synced = try await bob.succeed("cloud", "sync", "--group", CloudScene.groupName, "--json").json()
        #expect(synced[0]?["name"]?.string == "Porch", "\(synced)")
        // Both at once.
        let before = scene.device.switchings
        async let first = alice.run(["toggle", "Porch"])
        async let second = bob.run(["toggle", "Porch"])
        let both = try await [first, second]
        for outcome in both { #expect(outcome.status == 0, "\(outcome)") }
        try await eventually("both to have switched: \(scene.device.lines)") { scene.device.switchings == before + 2 }
        // A command that needs Administer is refused: by the device, and by the cloud.
        try await bob.fail(5, "read", "Porch", "0/access-control/acl")
        try await bob.fail(5, "node", "remove", "Porch", "--yes")
        #expect(try await bob.succeed("node", "ls").stdout.contains("Porch"))
        let refresh = try await bob.fail(9, "acl", "refresh", "--json")
        #expect(try refresh.error()["id"]?.string == "cloud.not-primary")
        let another = try await CloudDevice.start()
        defer { another.stop() }
        let commission = try await bob.run(another.words("--json"))
        #expect(commission.status == 9, "\(commission)")
        #expect(!another.hasSeenCertificates)
        // Removed in the cloud, he still operates what has not been told.
        try await alice.succeed("cloud", "share", "remove", scene.group, "bob@example.com", "--yes")
        try await bob.succeed("toggle", "Porch")
        let changed = try await alice.succeed("acl", "refresh", "--group", CloudScene.groupName, "--json").json()
        #expect(changed[0]?["result"]?.string == "changed", "\(changed)")
        try await alice.succeed("toggle", "Porch")
        let count = scene.device.switchings
        // On the session that he may resume, and on a new one.
        for _ in 0..<2 {
            try await bob.fail(5, "toggle", "Porch")
            try await bob.fail(5, "on", "Porch")
            try await bob.fail(5, "read", "Porch", "1/on-off/on-off")
            try await bob.fail(5, "read", "Porch", "0/basic-information/vendor-name")
            try FileManager.default.removeItem(at: bob.home.appendingPathComponent("fabrics/lake/sessions"))
        }
        #expect(scene.device.switchings == count)
        try await bob.fail(9, "cloud", "sync", "--group", scene.group)
        try await bob.fail(9, "cloud", "user-noc", scene.group)
        // Nothing is left to be done.
        let again = try await alice.succeed("acl", "refresh", "--group", scene.group, "--json").json()
        #expect(again[0]?["result"]?.string == "unchanged", "\(again)")
    }

    @Test("who stays in the group gets his access back with a new certificate, and is told how")
    func remainingUser() async throws {
        let scene = try await CloudScene.commissioned()
        defer { scene.end() }
        let bob = try await scene.member("bob")
        let carol = try await scene.member("carol")
        for user in [bob, carol] { try await user.succeed("cloud", "sync", "--group", scene.group) }
        try await carol.succeed("toggle", "Porch")
        try await scene.alice.succeed("cloud", "share", "remove", scene.group, "bob@example.com", "--yes")
        try await scene.alice.succeed("acl", "refresh")
        let refused = try await carol.fail(5, "toggle", "Porch", "--json")
        let hint = try refused.error()["hint"]?.string
        #expect(hint?.contains("matterctl cloud group user-noc --group \(scene.group)") == true, "\(refused)")
        try await carol.succeed("cloud", "user-noc", scene.group)
        try await carol.succeed("toggle", "Porch")
        try await bob.fail(5, "toggle", "Porch")
    }

    @Test("after a primary user is removed our own certificate comes first, and the others keep their access")
    func primaryUser() async throws {
        let scene = try await CloudScene.commissioned()
        defer { scene.end() }
        let alice = scene.alice
        let carol = try await scene.member("carol", primary: true)
        let bob = try await scene.member("bob")
        for user in [carol, bob] {
            try await user.succeed("cloud", "sync", "--group", scene.group)
            try await user.succeed("toggle", "Porch")
        }
        // A primary user administers.
        try await carol.succeed("read", "Porch", "0/access-control/acl")
        let old = try await alice.succeed("fabric", "show", "lake", "--json").json()
        try await alice.succeed("cloud", "share", "remove", scene.group, "carol@example.com", "--yes")
        let outcome = try await alice.succeed("acl", "refresh", "--group", scene.group, "--json")
        #expect(try outcome.json()[0]?["result"]?.string == "changed")
        #expect(outcome.stderr.contains("issued our certificate again"), "\(outcome)")
        #expect(try await alice.succeed("fabric", "show", "lake", "--json").json() != old)
        try await carol.fail(5, "toggle", "Porch")
        try await carol.fail(5, "read", "Porch", "0/access-control/acl")
        try await alice.succeed("read", "Porch", "0/access-control/acl")
        try await bob.succeed("toggle", "Porch")
        // Bob's own tag has not changed.
        try await bob.fail(9, "acl", "refresh")
        try await bob.succeed("toggle", "Porch")
    }

    @Test("devices that acl refresh does not reach are named, the others are done, and it can be repeated")
    func unreachableDevice() async throws {
        let scene = try await CloudScene.commissioned()
        defer { scene.end() }
        let alice = scene.alice
        let second = try await CloudDevice.start()
        let outcome = try await alice.run(second.words("--name", "Attic"))
        try #require(outcome.status == 0, "\(outcome)")
        _ = try await scene.member("bob")
        try await alice.succeed("cloud", "share", "remove", scene.group, "bob@example.com", "--yes")
        await second.end()
        let refreshed = try await alice.run(["acl", "refresh", "--timeout", "20s"])
        #expect(refreshed.status == 4, "\(refreshed)")
        let results = Set(
            refreshed.stdout.split(separator: "\n").map { $0.split(separator: "\t").dropFirst().joined(separator: " ") }
        )
        #expect(results == ["Porch changed", "Attic failed"], "\(refreshed)")
        #expect(refreshed.stderr.contains("1 of 2 devices"), "\(refreshed)")
        let again = try await alice.succeed("acl", "refresh", "--node", "Porch")
        #expect(again.result.hasSuffix("\tPorch\tunchanged"), "\(again)")
    }

    @Test("cloud sync on an empty state directory controls nodes that it never commissioned")
    func sync() async throws {
        let scene = try await CloudScene.commissioned(revision: 2)
        defer { scene.end() }
        let third = try await scene.cloud.user("alice")
        try await third.fail(3, "cloud", "sync", "--group", CloudScene.groupName)
        try await third.succeed("fabric", "create", "cabin", "--issuer", "rainmaker", "--group", CloudScene.groupName)
        #expect(try await third.nodes() == Nodes())
        try await third.succeed("cloud", "sync", "--group", CloudScene.groupName)
        try await third.succeed("toggle", "Porch")
        #expect(try await third.succeed("read", "Porch", "1/on-off/on-off").result == "true")
        try await third.succeed("level", "Porch", "50%")
        #expect(try await scene.alice.succeed("read", "Porch", "1/level-control/current-level").result == "127")
        // A name that was given here stays.
        let node = try #require(try await third.succeed("node", "ls", "--json").json()[0]?["node"])
        try await third.succeed("node", "rename", "Porch", "veranda")
        try await third.succeed("cloud", "sync", "--group", CloudScene.groupName)
        #expect(try await third.succeed("node", "ls", "--json").json()[0]?["name"]?.string == "veranda")
        #expect(try await third.succeed("node", "ls", "--json").json()[0]?["node"] == node)
    }

    @Test("a removed node is gone from the device, from here and from the cloud, and can be commissioned again")
    func removal() async throws {
        let scene = try await CloudScene.commissioned(revision: 3)
        defer { scene.end() }
        try await scene.alice.succeed("node", "remove", "Porch", "--yes")
        #expect(try await scene.listed().isEmpty)
        #expect(try await scene.alice.nodes() == Nodes())
        try await scene.commission()
        #expect(try await scene.listed().count == 1)
        // One that is gone for good: the cloud alone, with a warning.
        let offline = try await scene.alice.succeed("node", "remove", "Porch", "--offline", "--yes")
        #expect(offline.stderr.contains("warning: the device was not told"), "\(offline)")
        #expect(try await scene.listed().isEmpty)
    }

    @Test("if the cloud cannot be told of a removal, that is said, kept and repeated")
    func removalWithoutCloud() async throws {
        let scene = try await CloudScene.commissioned(revision: 3)
        defer { scene.end() }
        let alice = scene.alice
        let node = try #require(
            try await alice.succeed("node", "ls").stdout.split(separator: "\t").first.map(String.init))
        try await scene.cloud.play("status=500,on=changeNodeMapping")
        let failed = try await alice.fail(9, "node", "remove", "Porch", "--yes")
        #expect(failed.stderr.contains("has left the fabric, but the cloud still lists it"), "\(failed)")
        #expect(failed.stderr.contains("matterctl node remove \(node)"), "\(failed)")
        #expect(try await alice.nodes() == Nodes())
        #expect(try await scene.listed().count == 1)
        // It does not come back by a synchronisation, which only says that the cloud still cannot be told.
        let synced = try await alice.succeed("cloud", "sync", "--group", scene.group)
        #expect(synced.stderr.contains("warning"), "\(synced)")
        #expect(try await alice.nodes() == Nodes())
        try await alice.fail(9, "node", "remove", node)
        await scene.cloud.end()
        try await alice.fail(9, "node", "remove", "Porch")
        try await scene.cloud.restart()
        try await alice.succeed("node", "remove", "Porch")
        #expect(try await scene.listed().isEmpty)
        try await alice.fail(3, "node", "remove", node)
    }

    @Test("an external program issues, and what it does wrong reaches no device")
    func externalIssuer() async throws {
        let scene = try await CloudScene.fresh()
        defer { scene.end() }
        let alice = scene.alice
        // Stands for any certificate authority: it has the request signed and prints the chain.
        let script = alice.folder.file("issue.sh")
        try Data(
            """
            set -e
            cat > "$1/question"
            "$2" -c 'import json,sys; sys.stdout.write(json.load(open(sys.argv[1]))["csr"])' "$1/question" > "$1/csr"
            MATTERCTL_HOME="$3" "$4" cloud issue-noc --group '\(CloudScene.groupName)' --csr "$1/csr" 2> "$1/request"

            """.utf8
        ).write(to: script)
        let command =
            "exec:sh \(script.path) \(alice.folder.url.path) \(Laboratory.python.path) \(alice.home.path) \(Laboratory.binary.path)"
        for (wrong, words) in [
            ("echo nonsense", "printed"), ("echo sorry >&2; exit 3", "sorry"), ("cat >/dev/null", "printed"),
        ] {
            let refused = try await alice.run(scene.device.words("--issuer", "exec:\(wrong)", "--json"))
            #expect(refused.status == 9, "\(refused)")
            #expect(try refused.error()["message"]?.string?.contains(words) == true, "\(refused)")
        }
        #expect(!scene.device.hasSeenCertificates)
        let outcome = try await alice.run(scene.device.words("--name", "Porch", "--issuer", command, "--json"))
        try #require(outcome.status == 0, "\(outcome)")
        let question = try JSON(parsing: String(contentsOf: alice.folder.file("question"), encoding: .utf8))
        #expect(question["version"]?.int == 1 && question["vendorId"]?.int == 0xFFF1, "\(question)")
        #expect(question["dac"]?.string?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
        try await alice.succeed("toggle", "Porch")
        // The node id is the one in the certificate; the issuer confirms it, too.
        let request = try String(contentsOf: alice.folder.file("request"), encoding: .utf8)
        let id = try #require(request.split(separator: " ").dropFirst().first.map { $0.filter { $0 != "," } })
        try await alice.succeed("cloud", "confirm", id, "--group", scene.group)
        #expect(try await scene.listed().count == 1)
    }

    @Test("who has no password logs in with a refresh token, and what is none is refused and not kept")
    func refreshToken() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let first = try await cloud.user("alice")
        let record = try String(contentsOf: first.home.appendingPathComponent("cloud/public/tokens"), encoding: .utf8)
        let json = try JSON(parsing: record.split(separator: "\n", maxSplits: 1).last.map(String.init) ?? "")
        let token = try #require(json["refreshtoken"]?.string)
        let second = try MatterCtl(keepsSessions: false)
        let wrong = try await second.run(
            ["cloud", "login", "--token-file", "-", "--url", cloud.url, "--json"], input: "x\(token)\n")
        #expect(wrong.status == 9, "\(wrong)")
        #expect(try wrong.error()["id"]?.string == "cloud.login-refused", "\(wrong)")
        try await second.fail(9, "cloud", "groups")
        let right = try await second.run(
            ["cloud", "login", "--token-file", "-", "--url", cloud.url], input: token + "\n")
        #expect(right.status == 0, "\(right)")
        let status = try await second.succeed("cloud", "status", "--json").json()
        #expect(status["user"]?.string == "alice@example.com" && status["url"]?.string == cloud.url, "\(status)")
    }

    @Test("a node's metadata is shown, and a file is merged into it: null deletes")
    func nodeMetadata() async throws {
        let scene = try await CloudScene.commissioned(revision: 3)
        defer { scene.end() }
        let id = try #require(scene.device.rainmakerID)
        let file = scene.alice.folder.file("metadata.json")
        try Data(#"{"Matter":{"deviceName":"Veranda","serialNumber":null}}"#.utf8).write(to: file)
        let before = try await scene.alice.succeed("cloud", "node-metadata", id, "--json").json()["Matter"]
        #expect(
            before?["deviceName"]?.string == "Porch" && before?["serialNumber"] != nil, "\(String(describing: before))")
        try await scene.alice.succeed("cloud", "node-metadata", id, "--set", file.path)
        let after = try await scene.alice.succeed("cloud", "node-metadata", id, "--json").json()["Matter"]
        #expect(
            after?["deviceName"]?.string == "Veranda" && after?["serialNumber"] == nil, "\(String(describing: after))")
        #expect(after?["deviceType"] == before?["deviceType"])
    }

    @Test("a group is deleted with its devices; one that does not answer keeps it, and does not keep the others")
    func deletion() async throws {
        let scene = try await CloudScene.commissioned()
        defer { scene.end() }
        let alice = scene.alice
        let second = try await CloudDevice.start()
        let outcome = try await alice.run(second.words("--name", "Attic"))
        try #require(outcome.status == 0, "\(outcome)")
        let third = try await CloudDevice.start()
        let more = try await alice.run(third.words("--name", "Cellar"))
        try #require(more.status == 0, "\(more)")
        try await alice.fail(64, "cloud", "delete", scene.group, "--devices")
        await second.end()
        await third.end()
        let kept = try await alice.fail(
            4, "cloud", "delete", CloudScene.groupName, "--devices", "--yes", "--timeout", "40s")
        #expect(kept.stderr.contains("2 of 3 devices did not leave, so the group was not deleted"), "\(kept)")
        for name in ["Attic", "Cellar"] { #expect(kept.stderr.contains("warning: node \(name) did not"), "\(kept)") }
        // Wherever the silent ones stand in the order, the other one has left.
        #expect(scene.device.lines.contains { $0.contains("remove-fabric") }, "\(scene.device.lines)")
        try await third.restart()
        #expect(try await alice.succeed("cloud", "groups", "--json").json().elements.count == 1)
        try await second.restart()
        try await alice.succeed("cloud", "delete", CloudScene.groupName, "--devices", "--yes")
        #expect(try await alice.succeed("cloud", "groups", "--json").json().elements.isEmpty)
        for device in [scene.device, second, third] {
            #expect(device.lines.contains { $0.contains("remove-fabric") }, "\(device.lines)")
        }
        second.stop()
        third.stop()
    }

    @Test("on a terminal the password is asked for, and is not shown")
    func prompt() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let matterctl = try MatterCtl()
        // Types the password once it is asked for.
        let typist = """
            import os, pty, sys
            seen = b""
            def read(fd):
                global seen
                data = os.read(fd, 1024)
                seen += data
                if b"password:" in seen and not read.typed:
                    read.typed = True
                    os.write(fd, b"\(CloudEmulator.password)\\n")
                return data
            read.typed = False
            status = pty.spawn(sys.argv[1:], read)
            sys.exit(os.waitstatus_to_exitcode(status))
            """
        var environment = Laboratory.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            Laboratory.python,
            [
                "-c", typist, Laboratory.binary.path, "cloud", "login", "--user", "alice@example.com", "--url",
                cloud.url,
            ],
            environment: environment, folder: matterctl.folder)
        let status = await child.status()
        #expect(status == 0, "\(child.stdout)\(child.stderr)")
        #expect(child.stdout.contains("password:") && !child.stdout.contains(CloudEmulator.password), "\(child.stdout)")
        try await matterctl.succeed("cloud", "groups")
        // Without a terminal there is no one to ask.
        try await MatterCtl().fail(64, "cloud", "login", "--user", "alice@example.com", "--url", cloud.url)
    }

    @Test("neither passwords nor tokens nor keys appear in the most talkative log, on a screen or in an argument")
    func secrets() async throws {
        let scene = try await CloudScene.fresh(revision: 3)
        defer { scene.end() }
        var alice = scene.alice
        var talk = ""
        let commissioned = try await alice.run(scene.device.words("--name", "Porch", "-vv"))
        try #require(commissioned.status == 0, "\(commissioned)")
        talk += commissioned.stdout + commissioned.stderr
        for words in [
            ["cloud", "status"], ["cloud", "groups"], ["cloud", "nodes"], ["cloud", "user-noc", scene.group],
            ["acl", "refresh"], ["cloud", "share", "ls"],
        ] {
            let outcome = try await alice.run(words + ["-vv", "--json"])
            #expect(outcome.status == 0, "\(outcome)")
            talk += outcome.stdout + outcome.stderr
        }
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = "Wrong-Horse-9"
        let refused = try await alice.run([
            "cloud", "login", "--user", "alice@example.com", "--url", scene.cloud.url, "-vv",
        ])
        #expect(refused.status == 9)
        talk += refused.stderr
        let record = try Data(contentsOf: alice.home.appendingPathComponent("cloud/public/tokens"))
        // The first line is the record's own header.
        let text = record.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        let json = try JSON(parsing: text.split(separator: "\n", maxSplits: 1).last.map(String.init) ?? "")
        let tokens = [json["accesstoken"]?.string, json["refreshtoken"]?.string].compactMap { $0 }
        #expect(tokens.count == 2 && tokens.allSatisfy { $0.count > 100 })
        for secret in tokens + [CloudEmulator.password, "Wrong-Horse-9"] { #expect(!talk.contains(secret)) }
        #expect(talk.count > 2000, "there is a log at all")
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: alice.home.appendingPathComponent("cloud/public/tokens").path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try await alice.succeed("cloud", "logout")
        try await alice.fail(9, "cloud", "groups")
        // Nor do they travel in the clear.
        let clear = try await alice.fail(
            64, "cloud", "login", "--user", "alice@example.com", "--url", "http://api.example", "--json")
        #expect(try clear.error()["message"]?.string?.contains("unencrypted") == true, "\(clear)")
    }
}
