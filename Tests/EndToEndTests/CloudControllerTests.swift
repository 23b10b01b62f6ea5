import Foundation
import Testing

/// The Matter Controller cluster, with a virtual controller that really calls the emulator.
@Suite("RainMaker controllers", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CloudControllerTests {
    /// A cloud, Alice's group, and a controller of her fabric called `hub`.
    private func hub(online: Bool = true, input: String = "") async throws -> CloudScene {
        let device =
            online
            ? try await CloudDevice.start("rainmaker-controller", "--online", input: input)
            : try await CloudDevice.start("rainmaker-controller", input: input)
        let cloud = try await CloudEmulator.start()
        var alice = try await cloud.user("alice")
        let group = try await alice.succeed("cloud", "create-fabric", CloudScene.groupName).result
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
        let outcome = try await alice.run(device.words("--name", "hub"))
        try #require(outcome.status == 0, "\(outcome)\n\(device.lines)")
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = CloudEmulator.password
        return CloudScene(cloud: cloud, alice: alice, device: device, group: group)
    }

    @Test("setup gives the controller a session of its own, a certificate with the group's tag and the list of devices")
    func setup() async throws {
        let scene = try await hub()
        defer { scene.end() }
        let alice = scene.alice
        let before = try await alice.succeed("rainmaker", "controller", "show", "hub", "--json").json()
        #expect(before["authorized"]?.bool == false && before["nocInstalled"]?.bool == false, "\(before)")
        let done = try await alice.succeed("rainmaker", "controller", "setup", "hub", "--json").json()
        #expect(done["authorized"]?.bool == true && done["tokenVerified"]?.bool == true, "\(done)")
        #expect(done["nocInstalled"]?.bool == true && done["group"]?.string == scene.group, "\(done)")
        #expect(done["url"]?.string == scene.cloud.url)
        #expect(scene.device.lines.contains { $0.contains("device list updated") }, "\(scene.device.lines)")
        // The token went in two parts, and was long enough to need them; the emulator has accepted it.
        #expect(scene.device.lines.count { $0.contains("append-refresh-token SUCCESS") } == 2, "\(scene.device.lines)")
        #expect(scene.cloud.errors.contains("PUT /v1/user/node_group 200"))
        // Its session is its own: ours ends without touching it.
        try await alice.succeed("cloud", "logout")
        try await alice.succeed("rainmaker", "controller", "update-devices", "hub")
        try await alice.succeed("rainmaker", "controller", "authorize", "hub", "--url", scene.cloud.url)
        // The controller is still the node that it was, with another certificate.
        try await alice.succeed("ping", "hub")
        let shown = try await alice.succeed("rainmaker", "controller", "show", "hub")
        #expect(!shown.stdout.contains("refresh token"), "\(shown)")
    }

    @Test("single steps: a token of 1,700 octets, login, certificate, list, and the token taken back")
    func steps() async throws {
        let scene = try await hub()
        defer { scene.end() }
        let alice = scene.alice
        // A session of its own, whose token stands in the record of the login.
        let other = try await scene.cloud.user("alice")
        let record = try String(contentsOf: other.home.appendingPathComponent("cloud/public/tokens"), encoding: .utf8)
        let json = try JSON(parsing: record.split(separator: "\n", maxSplits: 1).last.map(String.init) ?? "")
        let token = try #require(json["refreshtoken"]?.string)
        #expect(token.utf8.count == 1700)
        let file = alice.folder.file("token")
        try Data((token + "\n").utf8).write(to: file)
        // Without a token no one logs in.
        try await alice.fail(5, "rainmaker", "controller", "authorize", "hub")
        try await alice.fail(5, "rainmaker", "controller", "update-noc", "hub")
        try await alice.succeed("rainmaker", "controller", "set-token", "hub", "--token-file", file.path)
        // Again: it is replaced, and not appended.
        try await alice.succeed("rainmaker", "controller", "set-token", "hub/1", "--token-file", file.path)
        try await alice.succeed("rainmaker", "controller", "authorize", "hub")
        try await alice.succeed("rainmaker", "controller", "update-noc", "hub")
        try await alice.succeed("rainmaker", "controller", "update-devices", "hub")
        #expect(scene.device.lines.contains { $0.contains("device list updated") })
        try await alice.succeed("rainmaker", "controller", "reset-token", "hub")
        let reset = try await alice.succeed("rainmaker", "controller", "show", "hub", "--json").json()
        #expect(reset["tokenVerified"]?.bool == false, "\(reset)")
        try await alice.fail(5, "rainmaker", "controller", "authorize", "hub")
        try await alice.fail(64, "rainmaker", "controller", "set-token", "hub", "--token-file", "/dev/null")
    }

    @Test("a controller follows its group: a device that is added or removed is in its list at once")
    func maintenance() async throws {
        let scene = try await hub()
        defer { scene.end() }
        let alice = scene.alice
        try await alice.succeed("rainmaker", "controller", "setup", "hub")
        func updates() -> Int { scene.device.lines.count { $0.contains("device list updated") } }
        #expect(updates() == 1)
        let light = try await CloudDevice.start(revision: 3)
        defer { light.stop() }
        try await scene.cloud.restart(["--device", "\(try #require(light.rainmakerID))=\(light.certificate)"])
        let outcome = try await alice.run(light.words("--name", "Porch"))
        try #require(outcome.status == 0, "\(outcome)")
        #expect(updates() == 2, "\(outcome)\n\(scene.device.lines)")
        let removed = try await alice.succeed("node", "remove", "Porch", "--yes")
        #expect(updates() == 3, "\(removed)")
        // One that has lost its login says so; the command brings it back.
        try await alice.succeed("rainmaker", "controller", "update-devices", "hub")
        #expect(updates() == 4)
    }

    @Test("acl refresh renews the certificate of a controller before it takes the old tag away, and only once")
    func renewal() async throws {
        let scene = try await hub()
        defer { scene.end() }
        let alice = scene.alice
        try await alice.succeed("rainmaker", "controller", "setup", "hub")
        let light = try await CloudDevice.start()
        defer { light.stop() }
        let outcome = try await alice.run(light.words("--name", "Porch"))
        try #require(outcome.status == 0, "\(outcome)")
        _ = try await scene.member("bob")
        /// Whether the hub's certificate has the present tag of those who operate.
        func isCurrent() async throws -> Bool {
            let group = try await alice.succeed("cloud", "groups", "--group", scene.group, "--json").json()[0]
            let tag = try #require(group?["operateCat"]?.string.flatMap { UInt32($0, radix: 16) })
            let bytes = (0..<4).map { String(format: "%02X", UInt8(truncatingIfNeeded: tag >> (8 * $0))) }.joined()
            let list = try await alice.succeed("read", "hub", "0/operational-credentials/nocs", "--json").stdout
            return list.uppercased().contains(bytes)
        }
        #expect(try await isCurrent())
        try await alice.succeed("cloud", "share", "remove", scene.group, "bob@example.com", "--yes")
        #expect(try await !isCurrent())
        // While the cloud refuses, no one is locked out.
        try await scene.cloud.play("status=500,on=controllerNoc")
        let before = try await alice.succeed("acl", "ls", "Porch", "--json").json()
        let refused = try await alice.fail(5, "acl", "refresh", "--json")
        #expect(try refused.error()["id"]?.string == "acl.controllers", "\(refused)")
        #expect(try refused.error()["hint"]?.string?.contains("controller update-noc") == true, "\(refused)")
        #expect(try await alice.succeed("acl", "ls", "Porch", "--json").json() == before)
        try await scene.cloud.restart()
        let lists = scene.device.lines.count { $0.contains("device list updated") }
        let changed = try await alice.succeed("acl", "refresh", "--json")
        #expect(try await isCurrent(), "\(changed)")
        let entries = try changed.json().elements
        #expect(entries.map { $0["result"]?.string } == ["changed", "changed"], "\(changed)")
        #expect(Set(entries.map { $0["certificate"]?.string }) == ["renewed", nil], "\(changed)")
        #expect(scene.device.lines.count { $0.contains("device list updated") } == lists + 1)
        #expect(try await alice.succeed("acl", "ls", "Porch", "--json").json() != before)
        let again = try await alice.succeed("acl", "refresh", "--json")
        #expect(try again.json().elements.allSatisfy { $0["certificate"] == nil }, "\(again)")
        // One that is away keeps the tag from being taken, unless the user does not care.
        _ = try await scene.member("carol")
        try await alice.succeed("cloud", "share", "remove", scene.group, "carol@example.com", "--yes")
        await scene.device.end()
        let kept = try await alice.fail(4, "acl", "refresh", "--timeout", "15s", "--json")
        #expect(try kept.error()["id"]?.string == "acl.controllers", "\(kept)")
        let forced = try await alice.run(["acl", "refresh", "--force", "--node", "Porch", "--timeout", "40s"])
        #expect(forced.status == 0 && forced.stdout.contains("Porch\tchanged"), "\(forced)")
    }

    @Test("a token that fits no message costs nothing but itself")
    func longToken() async throws {
        let scene = try await hub()
        defer { scene.end() }
        let alice = scene.alice
        try await alice.succeed("rainmaker", "controller", "setup", "hub")
        let shown = try await alice.run(["rainmaker", "controller", "show", "hub", "--secrets", "--json"])
        #expect(shown.status == 5, "\(shown)")
        #expect(try shown.json()["authorized"]?.bool == true && shown.json()["refreshToken"] == nil, "\(shown)")
        let error = try shown.error()
        #expect(error["message"]?.string?.contains("too long for a message") == true, "\(shown)")
        #expect(error["hint"]?.string?.contains("leave out --secrets") == true, "\(shown)")
    }

    @Test("wrong passwords, a cloud that is away and one that refuses change nothing that cannot be repeated")
    func failures() async throws {
        let scene = try await hub()
        defer { scene.end() }
        var alice = scene.alice
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = "Wrong-Horse-9"
        let wrong = try await alice.fail(9, "rainmaker", "controller", "setup", "hub", "--json")
        #expect(try wrong.error()["cloudCode"]?.string == "101009", "\(wrong)")
        #expect(!scene.device.lines.contains { $0.contains("reset-refresh-token") }, "nothing was sent")
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = CloudEmulator.password
        try await scene.cloud.play("status=500,on=controllerNoc,times=1")
        try await alice.fail(5, "rainmaker", "controller", "setup", "hub")
        #expect(
            try await alice.succeed("rainmaker", "controller", "show", "hub", "--json").json()["nocInstalled"]?.bool
                == false)
        // A certificate for another key is not installed either.
        try await scene.cloud.play("wrong-key,on=controllerNoc,times=1")
        try await alice.fail(5, "rainmaker", "controller", "setup", "hub")
        try await alice.succeed("ping", "hub")
        try await alice.succeed("rainmaker", "controller", "setup", "hub")
        // A node that is no controller.
        let light = try await CloudDevice.start()
        defer { light.stop() }
        let outcome = try await alice.run(light.words("--name", "Porch"))
        try #require(outcome.status == 0, "\(outcome)")
        try await alice.fail(6, "rainmaker", "controller", "show", "Porch")
        try await alice.fail(6, "rainmaker", "dataset", "show", "Porch")
        try await alice.fail(6, "rainmaker", "participant", "show", "Porch")
    }

    @Test("a controller without a way to its cloud fails as it would without internet, and may be set up later")
    func offline() async throws {
        let scene = try await hub(online: false)
        defer { scene.end() }
        try await scene.alice.fail(5, "rainmaker", "controller", "setup", "hub")
        try await scene.alice.succeed("rainmaker", "controller", "show", "hub")
    }
}
