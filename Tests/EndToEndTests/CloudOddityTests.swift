import Foundation
import Testing

/// Clouds that are odd without being wrong, as the real one may be: other ids, odd neighbours, limits, lost answers.
@Suite("RainMaker oddities", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CloudOddityTests {
    @Test(
        "a fabric that cannot be used is listed with a warning, named where it is needed, and spoils no other",
        arguments: [
            ("wrong-type=fabric_id", "cloud.malformed-answer"), ("missing=root_ca", "cloud.malformed-answer"),
            ("malformed-pem", "cloud.invalid-certificate"), ("root-without-aki", "cloud.invalid-certificate"),
            ("wrong-type=ipk", "cloud.malformed-answer"), ("missing=group_cat_id_admin", "cloud.malformed-answer"),
        ])
    func oddFabric(fault: String, id: String) async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        let odd = try await alice.succeed("cloud", "create-fabric", "Odd").result
        let group = try await alice.succeed("cloud", "create-fabric", "Lake House").result
        try await cloud.play("\(fault),group=Odd")
        let listed = try await alice.succeed("cloud", "groups")
        #expect(listed.stdout.contains(group) && listed.stdout.contains(odd), "\(listed)")
        #expect(listed.stderr.contains("warning: the fabric of the group 'Odd' (\(odd))"), "\(listed)")
        let json = try await alice.succeed("cloud", "groups", "--json").json().elements
        #expect(json.map { $0["fault"]?["id"]?.string } == [id, nil])
        // By name and by id, and all that goes through the list of groups.
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", "Lake House")
        try await alice.succeed("cloud", "user-noc", group)
        try await alice.succeed("cloud", "sync", "--group", "Lake House")
        try await alice.succeed("cloud", "nodes", "--group", "Lake House")
        try await alice.succeed("cloud", "share", "ls", "--group", "Lake House")
        try await alice.succeed("acl", "refresh", "--group", "Lake House")
        let refused = try await alice.fail(
            9, "fabric", "create", "odd", "--issuer", "rainmaker", "--group", "Odd", "--json")
        #expect(try refused.error()["id"]?.string == id, "\(refused)")
        #expect(try refused.error()["message"]?.string?.contains("'Odd' (\(odd))") == true, "\(refused)")
        try await alice.succeed("cloud", "delete", "Odd", "--yes")
    }

    @Test("two phones of one user have two node ids; neither joins in vain or is issued for ever")
    func twoPhones() async throws {
        let cloud = try await CloudEmulator.start(knowing: [], "--user-id-per-key")
        defer { cloud.stop() }
        let phone = try await cloud.user("alice")
        let laptop = try await cloud.user("alice")
        let group = try await phone.succeed("cloud", "create-fabric", "Lake House").result
        var nodes: [String?] = []
        for user in [phone, laptop] {
            let made = try await user.succeed(
                "fabric", "create", "lake", "--issuer", "rainmaker", "--group", group, "--json"
            ).json()
            nodes.append(made["nodeId"].map { "\($0)" })
            let shown = try await user.succeed("fabric", "show", "lake", "--json").json()
            for _ in 0..<2 { try await user.succeed("cloud", "sync", "--group", group) }
            #expect(try await user.succeed("fabric", "show", "lake", "--json").json() == shown, "not issued again")
        }
        #expect(nodes.count == 2 && nodes[0] != nodes[1], "\(nodes)")
    }

    @Test("a group that may have been created is said to be; of one that was the id is printed")
    func createdInDoubt() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        for fault in ["late-status=502", "html", "lost"] {
            try await cloud.play("\(fault),on=createGroup,times=1")
            let failed = try await alice.fail(9, "cloud", "create-fabric", fault, "--json")
            #expect(try failed.error()["message"]?.string?.contains("may have been created") == true, "\(failed)")
            #expect(try failed.error()["hint"]?.string?.hasSuffix("matterctl cloud group ls") == true, "\(failed)")
            #expect(!failed.stderr.contains("nothing was lost"), "\(failed)")
        }
        #expect(try await alice.succeed("cloud", "groups", "--json").json().elements.count == 3)
        for options in [[], ["--json"]] {
            try await cloud.play("html,on=getNodeGroups,times=1")
            let made = try await alice.run(["cloud", "create-fabric", "Lake House"] + options)
            #expect(made.status == 9, "\(made)")
            try await cloud.restart()
            let id = try options.isEmpty ? made.result : made.json()["group"]?.string ?? ""
            #expect(!id.isEmpty && made.stderr.contains("matterctl cloud group ls --group \(id)"), "\(made)")
            let found = try await alice.succeed("cloud", "groups", "--group", id, "--json").json()
            #expect(found[0]?["name"]?.string == "Lake House", "\(found)")
        }
    }

    @Test("--timeout bounds the whole command, however many pages a list has")
    func endlessPages() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        try await cloud.play("endless,on=getNodeGroups", "slow=50,on=getNodeGroups")
        let outcome = try await alice.fail(9, "cloud", "groups", "--timeout", "2s", "--json")
        #expect(try outcome.error()["transport"]?.string == "http.timed-out", "\(outcome)")
        try await cloud.restart()
        try await alice.succeed("cloud", "groups")
    }

    @Test("a cloud that is asked too often is asked again when it wants to be")
    func tooMany() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        try await cloud.play("status=429,times=1", "retry-after=1,times=1")
        let start = ContinuousClock.now
        try await alice.succeed("cloud", "groups")
        #expect(ContinuousClock.now - start >= .seconds(1))
        let calls = cloud.errors.split(separator: "\n").map(String.init)
        #expect(calls == ["GET /v1/user/node_group 429", "GET /v1/user/node_group 200"], "\(calls)")
    }

    @Test("a confirmation with the proof of a node takes the stored metadata along")
    func confirmedMetadata() async throws {
        let scene = try await CloudScene.fresh(revision: 3)
        defer { scene.end() }
        let alice = scene.alice
        try await scene.cloud.play("status=500,on=confirm,times=1")
        let failed = try await alice.run(scene.device.words("--name", "Porch", "--json"))
        let hint = try #require(try failed.error()["hint"]?.string, "\(failed)")
        let request = try #require(hint.split(separator: " ").last.map(String.init))
        try await alice.succeed("cloud", "confirm", request, "--group", scene.group, "--node", "Porch")
        let listed = try await scene.listed()
        #expect(listed.first?["name"]?.string == "Porch", "\(listed)")
        #expect(listed.first?["metadata"]?["Matter"]?["deviceType"]?.int == 0x0101, "\(listed)")
    }

    @Test("firmware that signs what it is given signs the node id as the cloud wrote it")
    func lowerCaseID() async throws {
        let device = try await CloudDevice.start(revision: 2)
        let cloud = try await CloudEmulator.start(knowing: [device], "--lower-case-ids")
        defer {
            device.stop()
            cloud.stop()
        }
        let alice = try await cloud.user("alice")
        let group = try await alice.succeed("cloud", "create-fabric", "Lake").result
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
        let outcome = try await alice.run(device.words("--name", "Porch"))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await alice.succeed("cloud", "nodes", "--json").json()[0]?["type"]?.string == "rainmaker_matter")
    }
}
