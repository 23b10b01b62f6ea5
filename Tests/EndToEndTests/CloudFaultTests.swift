import Foundation
import Testing

/// Wrong answers of a cloud: everything ends with 9, says what was wrong, and loses nothing.
@Suite("RainMaker faults", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CloudFaultTests {
    /// The codes of the interface and what they mean (docs/rainmaker.md).
    private static let codes: [(Int, String)] = [
        (100_001, "fetching user details failed"), (100_002, "API version not supported"),
        (100_006, "invalid request body"), (100_007, "the session is no longer valid"),
        (100_008, "tenant context lookup failed"), (100_009, "node id missing"),
        (100_010, "the node is not the user's"),
        (101_001, "user name missing"), (101_002, "the e-mail address is not well formed"),
        (101_003, "password or code missing"), (101_004, "the password is too weak"),
        (101_006, "the account already exists"), (101_007, "name or password against policy"),
        (101_009, "wrong user name or password"), (101_011, "already verified"),
        (101_012, "the verification code is wrong"), (101_015, "the e-mail address is not verified"),
        (101_016, "login failed"), (101_017, "renewing the access token failed"), (101_019, "too many attempts"),
        (101_025, "the user does not exist"), (101_026, "user id lookup failed"),
        (101_027, "profile picture or name lookup failed"), (101_028, "updating the user failed"),
        (101_036, "bad logout_all value"), (102_002, "updating a node parameter failed"),
        (102_003, "getting the node status failed"), (103_020, "the node is not the user's"),
        (103_035, "the node is offline"), (108_016, "group id missing"), (108_900, "the group is not a Matter fabric"),
        (108_901, "the certificate signing request is invalid"), (108_902, "no rights on the fabric"),
        (108_903, "the request id is unknown or has expired"),
        (108_904, "the device's answer to the challenge does not verify"),
        (108_905, "the group is already a Matter fabric"), (108_906, "group not found"),
        (108_907, "group name missing"),
        (108_908, "unknown operation or kind of request"), (119_001, "storing the deletion request failed"),
        (119_003, "reading the deletion request failed"), (119_004, "deleting the user failed"),
        (119_005, "the verification code is wrong"), (119_006, "the user does not exist"),
        (119_007, "verification code missing"), (119_008, "sending the code failed"),
        (119_009, "starting the deletion failed"),
    ]

    @Test("each error code comes with its meaning, and the call after it succeeds")
    func errorCodes() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        // One after the other: the first call gets the first code, and so on.
        let faults = Self.codes.enumerated().map { "error-code=\($1.0),on=getNodeGroups,after=\($0),times=1" }
        try await cloud.restart(faults.flatMap { ["--fault", $0] })
        for (code, meaning) in Self.codes {
            let outcome = try await alice.fail(9, "cloud", "groups", "--json")
            let error = try outcome.error()
            #expect(error["cloudCode"]?.string == "\(code)", "\(outcome)")
            #expect(error["cloudMeaning"]?.string == meaning, "\(outcome)")
            #expect(error["message"]?.string?.contains(meaning) == true, "\(outcome)")
            #expect(error["exitCode"]?.int == 9)
        }
        try await alice.succeed("cloud", "groups")
    }

    @Test("answers of every wrong shape end with 9, and the next call succeeds")
    func shapes() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        try await alice.succeed("cloud", "create-fabric", "Lake House")
        // 5xx and lost connections are repeated, so they have to last.
        let shapes: [(String, Int, String)] = [
            ("truncated", 1, "cloud.malformed-answer"), ("html", 1, "cloud.malformed-answer"),
            ("empty", 1, "cloud.malformed-answer"), ("missing=groups", 1, "cloud.malformed-answer"),
            ("wrong-type=groups", 1, "cloud.malformed-answer"), ("missing=group_id", 1, "cloud.malformed-answer"),
            ("same-page", 2, "cloud.malformed-answer"), ("status=400", 1, "cloud.refused"),
            ("status=403", 1, "cloud.forbidden"), ("denied", 1, "cloud.forbidden"),
            ("status=404", 1, "cloud.not-found"), ("status=409", 1, "cloud.conflict"),
            ("status=429", 4, "cloud.refused"),
            ("unauthorized", 2, "cloud.unauthorized"), ("status=500", 4, "cloud.server-failed"),
            ("status=503", 4, "cloud.server-failed"), ("lost", 4, "cloud.connection"),
        ]
        var passed = 0
        var faults: [String] = []
        for (fault, times, _) in shapes {
            faults += ["--fault", "\(fault),on=getNodeGroups,after=\(passed),times=\(times)"]
            passed += times
        }
        try await cloud.restart(faults)
        for (fault, _, id) in shapes {
            let outcome = try await alice.fail(9, "cloud", "groups", "--json")
            #expect(try outcome.error()["id"]?.string == id, "\(fault): \(outcome)")
        }
        #expect(try await alice.succeed("cloud", "groups", "--json").json().elements.count == 1)
        // Codes as strings, none at all, and PEM with its line ends spelled out, are variants that are understood.
        try await cloud.play(
            "error-code=108902,on=getNodeGroups,times=1", "string-code,on=getNodeGroups,times=1",
            "error-code=108902,on=getNodeGroups,after=1,times=1", "no-code,on=getNodeGroups,after=1,times=1",
            "escaped-pem,on=getNodeGroups,after=2,times=1")
        #expect(try await alice.fail(9, "cloud", "groups", "--json").error()["cloudCode"]?.string == "108902")
        #expect(try await alice.fail(9, "cloud", "groups", "--json").error()["cloudCode"] == nil)
        try await alice.succeed("cloud", "groups")
    }

    @Test("wrong certificates for ourselves are refused; no fabric is made of them, and the next try makes one")
    func userCertificates() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        let group = try await alice.succeed("cloud", "create-fabric", "Lake House").result
        let wrong = [
            "wrong-key", "wrong-fabric", "wrong-node", "wrong-cat", "expired", "not-yet-valid", "unsigned",
            "malformed-pem", "missing=user_noc", "missing=certificates", "missing=status",
        ]
        try await cloud.restart(
            wrong.enumerated().flatMap { ["--fault", "\($1),on=userNoc,after=\($0),times=1"] })
        for fault in wrong {
            let outcome = try await alice.fail(
                9, "fabric", "create", "lake", "--issuer", "rainmaker", "--group", group, "--json")
            let isShape = fault.hasPrefix("missing")
            #expect(
                try outcome.error()["id"]?.string == (isShape ? "cloud.malformed-answer" : "cloud.invalid-certificate"),
                "\(fault): \(outcome)")
            #expect(try await alice.succeed("fabric", "ls", "--json").json().elements.isEmpty, "\(fault)")
        }
        try await alice.succeed("fabric", "create", "lake", "--issuer", "rainmaker", "--group", group)
    }

    @Test("wrong certificates for a device are refused before anything reaches it, and the next try succeeds")
    func nodeCertificates() async throws {
        let scene = try await CloudScene.fresh(revision: 3)
        defer { scene.end() }
        let wrong = [
            "wrong-key", "wrong-fabric", "wrong-node", "expired", "not-yet-valid", "unsigned", "malformed-pem",
            "missing=node_noc", "missing=matter_node_id", "missing=request_id", "truncated", "status=500",
            "error-code=108901",
        ]
        try await scene.cloud.restart(
            wrong.enumerated().flatMap { ["--fault", "\($1),on=nodeNoc,after=\($0),times=1"] })
        for fault in wrong {
            let outcome = try await scene.alice.run(scene.device.words("--name", "Porch", "--json"))
            #expect(outcome.status == 9, "\(fault): \(outcome)")
            #expect(!scene.device.hasSeenCertificates, "\(fault)")
            #expect(try await scene.alice.nodes() == Nodes(), "\(fault)")
        }
        #expect(try await scene.alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 0)
        try await scene.commission()
        #expect(try await scene.listed().count == 1)
        try await scene.alice.succeed("toggle", "Porch")
    }

    @Test(
        "a confirmation that fails is kept: the device works, and 'cloud confirm' or the same command repeats it",
        arguments: [
            ("status=500", true), ("error-code=100006", false), ("truncated", true), ("missing=status", false),
            ("lost", true), ("late-status=500", false),
        ])
    func confirmation(fault: String, byConfirm: Bool) async throws {
        let scene = try await CloudScene.fresh(revision: 3)
        defer { scene.end() }
        try await scene.cloud.play("\(fault),on=confirm,times=1")
        let words = scene.device.words("--name", "Porch", "--json")
        let failed = try await scene.alice.run(words)
        #expect(failed.status == 9, "\(failed)")
        #expect(try failed.error()["hint"]?.string?.contains("matterctl cloud confirm") == true, "\(failed)")
        try await scene.alice.succeed("toggle", "Porch")
        if byConfirm {
            #expect(try await scene.alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 1)
        } else {
            let again = try await scene.alice.run(words)
            #expect(again.status == 0, "\(again)")
        }
        #expect(try await scene.listed().count == 1)
        let nodes = try await scene.alice.nodes()
        #expect(nodes.commissioned.count + nodes.pending.count <= 1, "\(nodes)")
        #expect(try await scene.alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 0)
        try await scene.alice.succeed("toggle", "Porch")
    }

    @Test("a device that signs no more is confirmed once it does: the proof is asked for again")
    func signaturesUsedUp() async throws {
        let scene = try await CloudScene.commissioned(revision: 3)
        defer { scene.end() }
        let alice = scene.alice
        // Five signatures until a restart; the commissioning took one.
        for _ in 0..<4 { try await alice.succeed("rainmaker", "challenge", "Porch") }
        let refused = try await alice.fail(5, "rainmaker", "challenge", "Porch", "--json")
        #expect(try refused.error()["id"]?.string == "cloud.challenge-failed", "\(refused)")
        #expect(try refused.error()["hint"]?.string?.contains("restart") == true, "\(refused)")
        try await alice.succeed("node", "remove", "Porch", "--yes")
        let failed = try await alice.run(scene.device.words("--name", "Porch", "--json"))
        #expect(failed.status == 9, "\(failed)")
        #expect(try failed.error()["hint"]?.string?.contains("restart") == true, "\(failed)")
        #expect(try await scene.listed().isEmpty)
        // Not as a Matter-only device either.
        try await alice.fail(5, "cloud", "confirm")
        #expect(try await scene.listed().isEmpty)
        try await scene.device.restart()
        #expect(try await alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 1)
        #expect(try await scene.listed().first?["type"]?.string == "rainmaker_matter")
        try await alice.succeed("toggle", "Porch")
    }

    /// With the lost answer the cloud has taken the confirmation, and is told that the device has left.
    @Test("--rollback makes the device leave again if the cloud cannot be told", arguments: ["status=500", "lost"])
    func rollback(fault: String) async throws {
        let scene = try await CloudScene.fresh(revision: 2)
        defer { scene.end() }
        try await scene.cloud.play("\(fault),on=confirm,times=1")
        let failed = try await scene.alice.run(scene.device.words("--name", "Porch", "--rollback", "--json"))
        #expect(failed.status == 9, "\(failed)")
        #expect(try failed.error()["device"]?.string == "rolled-back", "\(failed)")
        let message = try failed.error()["message"]?.string ?? ""
        #expect(message.contains("and the device has left the fabric again: "), "\(failed)")
        #expect(!message.contains("is on the fabric") && !message.contains("forget this attempt"), "\(failed)")
        #expect(try await scene.alice.nodes() == Nodes())
        #expect(try await scene.alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 0)
        #expect(scene.device.lines.contains { $0.contains("remove-fabric") }, "\(scene.device.lines)")
        #expect(try await scene.listed().isEmpty)
        try await scene.commission()
        #expect(try await scene.listed().count == 1)
    }

    @Test("a request that the cloud has forgotten is said to be lost, and the way out works")
    func forgottenRequest() async throws {
        let scene = try await CloudScene.fresh(revision: 3)
        defer { scene.end() }
        try await scene.cloud.restart(["--request-life", "1", "--fault", "slow=2500,on=confirm,times=1"])
        let failed = try await scene.alice.run(scene.device.words("--name", "Porch", "--json"))
        #expect(failed.status == 9, "\(failed)")
        let error = try failed.error()
        #expect(error["cloudCode"]?.string == "108903", "\(error)")
        #expect(error["hint"]?.string?.contains("matterctl node remove") == true, "\(error)")
        try await scene.cloud.restart()
        try await scene.alice.succeed("node", "remove", "Porch", "--yes")
        #expect(try await scene.alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 0)
        try await scene.commission()
        #expect(try await scene.listed().count == 1)
    }

    @Test("a login without a URL goes where the profile's last one went, and not to another service")
    func loginAgain() async throws {
        let cloud = try await CloudEmulator.start()
        defer { cloud.stop() }
        var alice = try await cloud.user("alice")
        try await alice.succeed("cloud", "logout")
        alice.environment["MATTERCTL_CLOUD_PASSWORD"] = CloudEmulator.password
        try await alice.succeed("cloud", "login", "--user", "alice@example.com")
        let status = try await alice.succeed("cloud", "status", "--json").json()
        #expect(status["url"]?.string == cloud.url, "\(status)")
    }

    @Test("what is said of one request is not taken for something else where its group is missing")
    func confirmOptions() async throws {
        let matterctl = try MatterCtl()
        for options in [["--failure"], ["--rainmaker-node", "n", "--signature", "00"]] {
            let outcome = try await matterctl.run(["cloud", "confirm", "rq-1"] + options)
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.stderr.contains("--group"), "\(outcome)")
        }
        let outcome = try await matterctl.run(
            ["cloud", "confirm", "rq-1", "--group", "g", "--failure", "--rainmaker-node", "n", "--signature", "00"])
        #expect(outcome.status == 64, "\(outcome)")
    }

    @Test("one request is confirmed with the proof of a node, and waits no longer", arguments: [nil, 2, 3])
    func confirmOfNode(revision: Int?) async throws {
        let scene = try await CloudScene.fresh(revision: revision)
        defer { scene.end() }
        let alice = scene.alice
        try await scene.cloud.play("status=500,on=confirm,times=1")
        let failed = try await alice.run(scene.device.words("--name", "Porch", "--json"))
        #expect(failed.status == 9, "\(failed)")
        let hint = try #require(try failed.error()["hint"]?.string)
        let request = try #require(hint.split(separator: " ").last.map(String.init))
        try await alice.fail(3, "cloud", "confirm", request, "--group", CloudScene.groupName, "--node", "nobody")
        #expect(try await scene.listed().isEmpty)
        try await alice.succeed("cloud", "confirm", request, "--group", CloudScene.groupName, "--node", "Porch")
        let type = revision == nil ? "pure_matter" : "rainmaker_matter"
        #expect(try await scene.listed().map { $0["type"]?.string } == [type])
        #expect(try await alice.succeed("cloud", "confirm", "--json").json()["confirmed"]?.int == 0)
        #expect(try await alice.nodes().pending.isEmpty)
        try await alice.succeed("toggle", "Porch")
    }

    @Test("access tokens that have run out are renewed unseen; a session that is over asks for a login")
    func tokens() async throws {
        // A minute before their end tokens are renewed, so that these are too old from the beginning.
        let cloud = try await CloudEmulator.start("--token-life", "30")
        defer { cloud.stop() }
        let alice = try await cloud.user("alice")
        try await alice.succeed("cloud", "groups")
        #expect(cloud.errors.split(separator: "\n").count { $0 == "POST /v1/login2 200" } == 2, "\(cloud.errors)")
        // One that the cloud refuses before its time is renewed once.
        try await cloud.restart(["--fault", "unauthorized,on=getNodeGroups,times=1"])
        try await alice.succeed("cloud", "groups")
        let calls = cloud.errors.split(separator: "\n").map(String.init)
        #expect(
            calls.suffix(3) == ["GET /v1/user/node_group 401", "POST /v1/login2 200", "GET /v1/user/node_group 200"],
            "\(calls)")
        // A renewal with the new life, so that the next call needs another one.
        try await cloud.restart(["--token-life", "30", "--fault", "unauthorized,on=getUser,times=1"])
        try await alice.succeed("cloud", "status")
        try await cloud.restart([
            "--token-life", "30", "--fault", "status=500,on=refresh,times=4", "--fault",
            "error-code=101017,on=refresh,after=4,times=1",
        ])
        // Trouble at the renewal keeps the tokens.
        try await alice.fail(9, "cloud", "groups")
        let over = try await alice.fail(9, "cloud", "groups", "--json")
        #expect(try over.error()["id"]?.string == "cloud.session-ended", "\(over)")
        #expect(try await alice.fail(9, "cloud", "groups", "--json").error()["id"]?.string == "cloud.not-logged-in")
        let bob = try await cloud.user("alice")
        try await bob.succeed("cloud", "groups")
    }
}
