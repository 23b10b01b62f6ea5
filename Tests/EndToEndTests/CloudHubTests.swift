import Foundation
import Testing

/// Controllers of newer firmware, which are told through the cloud; the emulator plays them.
@Suite("RainMaker controllers in the cloud", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CloudHubTests {
    private static let told = "MTCtlCMD 2: device list updated"

    private func scene(_ kind: String) async throws -> (cloud: CloudEmulator, alice: MatterCtl, group: String) {
        let cloud = try await CloudEmulator.start("--controller", "hub1=\(kind),alice@example.com")
        var alice = try await cloud.user("alice")
        let group = try await alice.succeed("cloud", "group", "create", CloudScene.groupName).result
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = CloudEmulator.password
        return (cloud, alice, group)
    }

    private func lists(_ cloud: CloudEmulator) -> [String] {
        cloud.errors.split(separator: "\n").filter { $0.contains(Self.told) }.map(String.init)
    }

    @Test(
        "it is set up, listed, and told of each device that comes and goes", arguments: ["setup", "single"])
    func maintenance(kind: String) async throws {
        let (cloud, alice, group) = try await scene(kind)
        defer { cloud.stop() }
        let before = try await alice.succeed("cloud", "node", "ls", "--json").json()
        #expect(before[0]?["controller"]?.string == kind, "\(before)")
        let outcome = try await alice.succeed("rainmaker", "controller", "setup", "hub1", "--group", group, "--json")
        let done = try outcome.json()
        #expect(done["nocInstalled"]?.bool == true && done["group"]?.string == group, "\(done)")
        #expect(done["url"]?.string == cloud.url && done["kind"]?.string == kind, "\(done)")
        #expect(lists(cloud).count == 1, "\(cloud.errors)")
        let shown = try await alice.succeed("rainmaker", "controller", "show", "hub1", "--json").json()
        #expect(shown["nocInstalled"]?.bool == true && shown["group"]?.string == group, "\(shown)")
        // It has nothing that a device would have, and does not stand in the way of what devices are asked.
        #expect(try await alice.succeed("cloud", "sync", "--group", group, "--json").json().elements.isEmpty)

        let device = try await CloudDevice.start()
        defer { device.stop() }
        let added = try await alice.run(device.words("--name", "Porch"))
        try #require(added.status == 0, "\(added)")
        #expect(lists(cloud).count == 2 && lists(cloud).last?.hasSuffix("1 other nodes") == true, "\(cloud.errors)")
        try await alice.succeed("node", "remove", "Porch", "--yes")
        #expect(lists(cloud).count == 3 && lists(cloud).last?.hasSuffix("0 other nodes") == true, "\(cloud.errors)")
        try await alice.succeed("rainmaker", "controller", "update-devices", "hub1")
        #expect(lists(cloud).count == 4)
        let listed = try await alice.succeed("cloud", "node", "ls")
        #expect(listed.stdout.contains("hub1") && listed.stdout.contains(kind), "\(listed)")
    }

    @Test("one that cannot be told costs a warning with its name, and not the commissioning")
    func warning() async throws {
        let (cloud, alice, _) = try await scene("setup")
        defer { cloud.stop() }
        try await alice.succeed("rainmaker", "controller", "setup", "hub1")
        let device = try await CloudDevice.start()
        defer { device.stop() }
        try await cloud.play("error-code=103035,on=setNodeParams")
        let added = try await alice.run(device.words("--name", "Porch"))
        #expect(added.status == 0 && !added.result.isEmpty, "\(added)")
        #expect(added.stderr.contains("the controller hub1 was not told"), "\(added)")
        #expect(added.stderr.contains("matterctl rainmaker controller update-devices hub1"), "\(added)")
        try await cloud.restart()
        try await alice.succeed("rainmaker", "controller", "update-devices", "hub1")
        #expect(lists(cloud).count == 1, "\(cloud.errors)")
    }

    @Test("access refresh gives it the new version of the administrators' tag before any list changes")
    func renewal() async throws {
        let (cloud, alice, group) = try await scene("setup")
        defer { cloud.stop() }
        try await alice.succeed("rainmaker", "controller", "setup", "hub1")
        let device = try await CloudDevice.start()
        defer { device.stop() }
        let added = try await alice.run(device.words("--name", "Porch"))
        try #require(added.status == 0, "\(added)")
        var bob = try await cloud.user("bob")
        bob.environment["MATTERCTL_CLOUD_PASSWORD"] = CloudEmulator.password
        let request = try await alice.succeed(
            "cloud", "share", "add", "--group", group, "bob@example.com", "--primary"
        ).result
        try await bob.succeed("cloud", "share", "accept", request)
        try await alice.succeed("cloud", "share", "remove", "--group", group, "bob@example.com", "--yes")
        let tag = try #require(
            try await alice.succeed("cloud", "group", "ls", "--group", group, "--json").json()[0]?["adminCat"]?.string)
        #expect(tag.hasSuffix("2") && !cloud.errors.contains("certificate with tag \(tag)"), "\(cloud.errors)")

        // While it cannot be told, nothing is taken from it.
        let before = try await alice.succeed("acl", "ls", "Porch", "--json").json()
        try await cloud.play("error-code=103035,on=setNodeParams")
        let refused = try await alice.fail(9, "rainmaker", "access", "refresh", "--json")
        #expect(try refused.error()["id"]?.string == "acl.controllers", "\(refused)")
        #expect(refused.stderr.contains("hub1"), "\(refused)")
        #expect(try await alice.succeed("acl", "ls", "Porch", "--json").json() == before)

        try await cloud.restart()
        let changed = try await alice.succeed("rainmaker", "access", "refresh")
        #expect(cloud.errors.contains("controller hub1: certificate with tag \(tag)"), "\(cloud.errors)")
        #expect(changed.stderr.contains("the controller hub1 was told to get a new certificate"), "\(changed)")
        #expect(try await alice.succeed("acl", "ls", "Porch", "--json").json() != before)
    }

    @Test("a device with the RainMaker cluster may be one: it is commissioned, and set up by its name here")
    func matterDevice() async throws {
        let device = try await CloudDevice.start(revision: 3)
        defer { device.stop() }
        let id = try #require(device.rainmakerID)
        let cloud = try await CloudEmulator.start(knowing: [device], "--controller", "\(id)=setup")
        defer { cloud.stop() }
        var alice = try await cloud.user("alice")
        let group = try await alice.succeed("cloud", "group", "create", CloudScene.groupName).result
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = CloudEmulator.password
        let added = try await alice.run(device.words("--name", "wall"))
        try #require(added.status == 0, "\(added)")
        let done = try await alice.succeed("rainmaker", "controller", "setup", "wall", "--json").json()
        #expect(done["rainmakerNodeId"]?.string == id && done["nocInstalled"]?.bool == true, "\(done)")
        #expect(lists(cloud).count == 1, "\(cloud.errors)")
        // A name that nothing has is none in the cloud either.
        try await alice.fail(3, "rainmaker", "controller", "show", "nosuch")
        // Another group than that of the fabric is not for it.
        let other = try await alice.succeed("cloud", "group", "create", "Barn").result
        let refused = try await alice.fail(64, "rainmaker", "controller", "setup", "wall", "--group", other)
        #expect(refused.stderr.contains("belongs to the group '\(group)'"), "\(refused)")
    }

    /// Makes a group as apps make them that know nothing of Matter; no command here does.
    private func plainGroup(_ name: String, of user: MatterCtl, in cloud: CloudEmulator) async throws -> String {
        let script = """
            import json, sys, urllib.request
            url, tokens, name = sys.argv[1:]
            token = json.loads(open(tokens).read().split("\\n", 1)[1])["accesstoken"]
            request = urllib.request.Request(
                url + "/v1/user/node_group", json.dumps({"group_name": name}).encode(), {"Authorization": token})
            print(json.load(urllib.request.urlopen(request))["group_id"])
            """
        let tokens = user.home.appendingPathComponent("cloud/public/tokens").path
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/env"), ["python3", "-c", script, cloud.url, tokens, name],
            environment: Laboratory.environment, folder: user.folder)
        try #require(await child.status() == 0, "\(child.stderr)")
        return child.stdout.trimmingCharacters(in: .newlines)
    }

    @Test("a group that is no fabric is made one, and the command says so")
    func conversion() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        let group = try await plainGroup("Classic", of: alice, in: cloud)
        let made = try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
        #expect(made.stderr.contains("the group 'Classic' is no Matter fabric yet"), "\(made)")
        let again = try await alice.succeed("fabric", "create", "shore", "--issuer", "rainmaker", "--group", group)
        #expect(!again.stderr.contains("no Matter fabric yet"), "\(again)")
    }
}
