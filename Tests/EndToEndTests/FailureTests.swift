import Foundation
import Testing

/// Every failure has its exit code, an error that says what was tried, and a hint where one helps.
@Suite("Failures", .enabled(if: Laboratory.isHere), .laboratorySlot) struct FailureTests {
    // MARK: Commissioning

    @Test("a wrong passcode: 8, and the light can be commissioned afterwards")
    func wrongPasscode() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let wrong = "\(light.passcode + 1)"
        for place in [["--address", light.address], ["--discriminator", "\(light.discriminator)"]] {
            let outcome = try await matterctl.run(
                ["commission", "--passcode", wrong, "--allow-test-devices", "--json"] + place)
            #expect(outcome.status == 8 && outcome.stdout.isEmpty, "\(outcome)")
            let error = try outcome.error()
            #expect(error["id"]?.string == "pase.wrong-passcode")
            #expect(error["stage"]?.string == "pase")
            #expect(error["message"]?.string?.contains("\(light.port)") == true, "it names what was tried: \(error)")
            #expect(error["hint"]?.string?.isEmpty == false)
            #expect(error["exitCode"]?.int == 8)
        }
        #expect(light.fabrics == 0)
        try await matterctl.commission(light)
    }

    @Test("without --json an error is one line, and a hint another")
    func plainError() async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        let outcome = try await MatterCtl().fail(
            8, "commission", "--passcode", "\(light.passcode + 1)", "--address", light.address, "--progress", "none")
        #expect(outcome.messages.count == 2, "\(outcome)")
        #expect(outcome.messages.first?.hasPrefix("error: ") == true)
        #expect(outcome.messages.last?.hasPrefix("hint: ") == true)
    }

    @Test("nothing discovered: 3; for a code of a device that is paired over Bluetooth only, 11 without an adapter")
    func nothingDiscovered() async throws {
        let matterctl = try MatterCtl()
        let codes = try await matterctl.succeed(
            "payload", "make", "--passcode", "20202021", "--discriminator", "4095", "--json"
        ).json()
        let code = try #require(codes["qrCode"]?.string)
        let error = try await matterctl.fail(3, "commission", code, "--timeout", "2s", "--json").error()
        #expect(error["id"]?.string == "discover.nothing-found")
        #expect(error["message"]?.string?.contains("4095") == true)
        #expect(error["hint"]?.string?.contains("matterctl discover") == true)
        let bluetooth = try await matterctl.succeed(
            "payload", "make", "--passcode", "20202021", "--discriminator", "4095", "--capability", "ble", "--json"
        ).json()
        let other = try await matterctl.fail(
            11, "commission", try #require(bluetooth["qrCode"]?.string), "--timeout", "2s", "--json"
        ).error()
        #expect(other["id"]?.string == "bluetooth.no-adapter", "\(other)")
        #expect(try await matterctl.nodes() == Nodes())
    }

    @Test("discovered but silent: 4, with what was tried and what was heard")
    func silent() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        scene.light.signal(SIGSTOP)
        defer { scene.light.signal(SIGCONT) }
        let error = try await scene.matterctl.fail(
            4, "commission", scene.light.qrCode, "--timeout", "6s", "--allow-test-devices", "--json"
        ).error()
        let message = try #require(error["message"]?.string)
        #expect(message.contains("\(scene.light.port)") && message.contains("nothing"), "\(message)")
        #expect(error["stage"]?.string == "pase")
        #expect(error["hint"]?.string?.isEmpty == false)
    }

    @Test("no route to the address: 4, and it names the address")
    func noRoute() async throws {
        let error = try await MatterCtl().fail(
            4, "commission", "--passcode", "20202021", "--address", "[fd99::7]:5540", "--timeout", "5s", "--json"
        ).error()
        #expect(error["message"]?.string?.contains("fd99::7") == true, "\(error)")
        #expect(error["hint"]?.string?.contains("accept_ra_rt_info_max_plen") == true, "\(error)")
    }

    @Test("no D-Bus: 11, with the remedy and the way around")
    func noBus() async throws {
        var matterctl = try MatterCtl()
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"
        for words in [["discover"], ["commission", "--passcode", "20202021", "--discriminator", "5"]] {
            let outcome = try await matterctl.run(words + ["--json"])
            #expect(outcome.status == 11 && outcome.stdout.isEmpty, "\(outcome)")
            let error = try outcome.error()
            #expect(error["id"]?.string == "discovery.bus-unavailable")
            #expect(error["hint"]?.string?.contains("--address") == true)
        }
    }

    @Test("D-Bus without avahi-daemon: 11, and another id")
    func noDaemon() async throws {
        var matterctl = try MatterCtl()
        let (socket, configuration) = (matterctl.folder.file("bus"), matterctl.folder.file("dbus.conf"))
        let text = """
            <busconfig><type>system</type><listen>unix:path=\(socket.path)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow user="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
            </busconfig>
            """
        try Data(text.utf8).write(to: configuration)
        let bus = try Child(
            URL(fileURLWithPath: "/usr/bin/dbus-daemon"),
            ["--config-file=\(configuration.path)", "--nofork", "--nopidfile"], folder: matterctl.folder)
        defer { bus.signal(SIGTERM) }
        try await eventually("the bus to listen: \(bus.stderr)") { FileManager.default.fileExists(atPath: socket.path) }
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=\(socket.path)"
        let error = try await matterctl.fail(11, "discover", "--json").error()
        #expect(error["id"]?.string == "discovery.daemon-unavailable", "\(error)")
        #expect(error["hint"]?.string?.contains("avahi-daemon") == true)
    }

    @Test("no Avahi client library: 11 where it is needed, and commissioning by address does without")
    func noLibrary() async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        let matterctl = try MatterCtl()
        let hidden = """
            for file in $(ldconfig -p | sed -n 's/.*libavahi-c.* => //p'); do mount --bind /dev/null "$file"; done
            exec "$@"
            """
        func run(_ words: [String]) async throws -> (status: Int32, stdout: String, stderr: String) {
            var environment = Laboratory.environment
            environment["MATTERCTL_HOME"] = matterctl.home.path
            let child = try Child(
                URL(fileURLWithPath: "/usr/bin/unshare"),
                ["-m", "sh", "-ec", "PATH=$PATH:/sbin:/usr/sbin\n" + hidden, "sh", Laboratory.binary.path] + words,
                environment: environment, folder: matterctl.folder)
            return (await child.status(), child.stdout, child.stderr)
        }
        let search = try await run(["discover", "--json"])
        #expect(search.status == 11 && search.stdout.isEmpty, "\(search)")
        let id = try JSON(parsing: search.stderr)["error"]?["id"]?.string
        #expect(id == "discovery.library-missing", "\(search)")
        let commissioned = try await run([
            "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--name", "kitchen",
        ])
        #expect(commissioned.status == 0, "\(commissioned)")
        #expect(try await run(["toggle", "kitchen"]).status == 0)
        #expect(light.switchings == 1)
    }

    @Test("pairing refused at the first message: 8, window closed, and how to open it")
    func windowClosed() async throws {
        let scene = try await Scene.fresh(["--window-closed"])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        for place in [["--address", light.address], []] {
            let outcome = try await matterctl.run(["commission", light.qrCode, "--json", "--timeout", "12s"] + place)
            #expect(outcome.status == 8, "\(outcome)")
            let error = try outcome.error()
            #expect(error["id"]?.string == "pase.window-closed", "\(error)")
            #expect(error["hint"]?.string?.contains("window") == true, "\(error)")
        }
    }

    @Test(
        "what the device refuses while it is commissioned: 8, undone, and no node is left",
        arguments: [
            ("arm=BUSY_WITH_OTHER_ADMIN", "commission.fail-safe-busy"),
            ("noc=TABLE_FULL", "commission.fabric-table-full"),
            ("noc=INVALID_NOC", "commission.noc-rejected"),
        ])
    func refused(answer: String, id: String) async throws {
        let scene = try await Scene.fresh(["--answer", answer])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let outcome = try await matterctl.fail(
            8, "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--json", "--timeout",
            "8s")
        let error = try outcome.error()
        #expect(error["id"]?.string == id, "\(error)")
        #expect(error["hint"]?.string?.isEmpty == false, "\(error)")
        if answer.hasPrefix("noc") { #expect(light.lines.contains("fail-safe 0"), "\(light.lines)") }
        #expect(try await matterctl.nodes() == Nodes())
        try await light.restart()
        try await matterctl.commission(light)
    }

    @Test("a device that is a node of ours already: 8, and which one")
    func alreadyOnFabric() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let error = try await matterctl.fail(
            8, "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--json"
        ).error()
        #expect(error["id"]?.string == "commission.already-on-fabric")
        #expect(error["message"]?.string?.contains("node 1") == true)
        #expect(light.fabrics == 1)
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        // It is none the worse for it.
        try await matterctl.succeed("toggle", "kitchen")
    }

    @Test("a device that is gone after it took its certificate: 4, pending, and resumed when it is back")
    func goneAfterNOC() async throws {
        let scene = try await Scene.fresh(["--mute-after", "noc"])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let error = try await matterctl.fail(
            4, "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--json", "--timeout",
            "6s"
        ).error()
        #expect(error["id"]?.string == "commission.gone-after-noc", "\(error)")
        #expect(error["device"]?.string == "pending", "\(error)")
        #expect(try await matterctl.nodes() == Nodes(pending: [1]))
        try await light.restart()
        let report = try await matterctl.commission(light, nil, ["--json"]).json()
        #expect(report["node"]?.int == 1)
        #expect(report["resumed"]?.bool == true)
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
    }

    // MARK: Talking to a node

    @Test("a node that is gone: 4, with what was tried and what was heard")
    func gone() async throws {
        let scene = try await Scene.commissioned()
        await scene.light.end()
        let outcome = try await scene.matterctl.fail(4, "toggle", "kitchen", "--timeout", "5s", "--json")
        let error = try outcome.error()
        let message = try #require(error["message"]?.string)
        #expect(message.contains("kitchen") && message.contains(scene.light.address), "\(message)")
        #expect(message.contains("nothing heard") || message.contains("nothing came back"), "\(message)")
        #expect(error["stage"]?.string == "case")
        #expect(error["hint"]?.string?.isEmpty == false)
    }

    @Test("a device that no longer knows our fabric: 4, and what to do")
    func reset() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        try await scene.light.restart("--refuse-case")
        let error = try await scene.matterctl.fail(4, "toggle", "kitchen", "--timeout", "8s", "--json").error()
        #expect(error["stage"]?.string == "case")
        #expect(error["hint"]?.string?.contains("node forget") == true, "\(error)")
    }

    @Test("a command that the device carried out without an answer: 4, outcome unknown, and never sent twice")
    func unknownOutcome() async throws {
        let scene = try await Scene.commissioned(named: "kitchen", "--hold", "after:toggle")
        defer { scene.end() }
        let outcome = try await scene.matterctl.fail(4, "toggle", "kitchen", "--timeout", "20s", "--json")
        let error = try outcome.error()
        #expect(error["id"]?.string == "command.outcome-unknown", "\(error)")
        #expect(error["outcome"]?.string == "unknown")
        #expect(scene.light.switchings == 1, "\(scene.light.lines)")
        #expect(error["readings"]?[0]?["value"]?.bool == true, "the state was read back: \(error)")
    }

    @Test("a command by name without an answer: 4, outcome unknown, with the cluster's state")
    func unknownInvocation() async throws {
        let scene = try await Scene.commissioned(named: "kitchen", "--hold", "after:toggle")
        defer { scene.end() }
        let error = try await scene.matterctl.fail(
            4, "invoke", "kitchen", "1/on-off/toggle", "--timeout", "20s", "--json"
        ).error()
        #expect(error["id"]?.string == "command.outcome-unknown" && error["outcome"]?.string == "unknown", "\(error)")
        #expect(scene.light.switchings == 1, "\(scene.light.lines)")
        let state = try #require(error["readings"]?[0], "the state was read back: \(error)")
        #expect(state["attributeId"]?.int == 0 && state["value"]?.bool == true)
        #expect(error["message"]?.string?.contains("1/6/0 now reads true") == true, "\(error)")
    }

    @Test("an absolute command without an answer is sent again, and succeeds")
    func repeatedAbsolute() async throws {
        let scene = try await Scene.commissioned(named: "kitchen", "--hold", "after:on")
        defer { scene.end() }
        let outcome = try await scene.matterctl("on", "kitchen", "--timeout", "25s")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(scene.light.lines.contains("light on"))
    }

    @Test("a status from the cluster: 5, by name")
    func status() async throws {
        let scene = try await Scene.commissioned(
            named: "kitchen", "--answer", "toggle=CONSTRAINT_ERROR", "--answer", "level=RESOURCE_EXHAUSTED")
        defer { scene.end() }
        let error = try await scene.matterctl.fail(5, "toggle", "kitchen", "--json").error()
        #expect(error["status"]?.string == "CONSTRAINT_ERROR")
        #expect(error["statusCode"]?.int == 0x87)
        #expect(error["message"]?.string?.contains("CONSTRAINT_ERROR") == true)
        let text = try await scene.matterctl.fail(5, "level", "kitchen", "9")
        #expect(text.stderr.contains("RESOURCE_EXHAUSTED"))
    }

    @Test("what the device does not have: 6")
    func unsupported() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        for words in [
            ["read", "kitchen", "9/on-off/on-off"], ["read", "kitchen", "1/door-lock/lock-state"],
            ["read", "kitchen", "1/on-off/0x7000"], ["invoke", "kitchen", "1/door-lock/unlock-door"],
            ["invoke", "kitchen", "7/on-off/toggle"], ["on", "kitchen/9"],
            ["write", "kitchen", "1/door-lock/language", "en"],
        ] {
            let outcome = try await matterctl.run(words)
            #expect(outcome.status == 6 && outcome.stdout.isEmpty, "\(outcome)")
            #expect(outcome.stderr.contains("UNSUPPORTED_"), "it names the status: \(outcome)")
            #expect(outcome.messages.last?.hasPrefix("hint: ") == true, "it says how to see what there is: \(outcome)")
        }
    }

    // MARK: Wrong usage: nothing is sent

    @Test(
        "wrong usage: 64, and the nearest word where there is one",
        arguments: [
            (["togle", "kitchen"], "toggle"), (["tgle", "kitchen"], "toggle"), (["node", "lst"], "ls"),
            (["on", "kitchen", "--addres", "::1"], "--address"),
            (["on"], "node"), (["read", "1", "1/onofff/onoff"], "on-off"), (["read", "1", "1/on-off/onof"], "on-off"),
            (["read", "1", "1/on-off/on-off/3"], ""), (["read", "1", "x"], ""),
            (["invoke", "1", "1/on-off/togle"], "toggle"),
            (["invoke", "1", "1/level-control/move-to-level", "levle=3"], "level"),
            (["invoke", "1", "1/level-control/move-to-level", "level=many"], ""),
            (["invoke", "1", "1/level-control/move-to-level", "level=300"], ""), (["level", "1", "101%"], ""),
            (["level", "1", "255"], ""), (["level", "1", "-255"], ""), (["level", "1", "+0%"], ""),
            (["off", "1", "--variant", "1"], "--effect"),
            (["write", "1", "1/on-off/on-time", "soon"], ""), (["commission", "MT:Y.K9042C00KA0648G0"], ""),
            (["commission", "MT:Y.K9042C00KA0648G!0"], ""), (["commission", "34970112333"], ""),
            (["commission", "1234"], ""), (["commission"], ""), (["commission", "--passcode", "11111111"], ""),
            (["commission", "--passcode", "20202021", "--discriminator", "4096"], ""),
            (["commission", "34970112332", "--country", "Germany"], ""), (["ping", "1", "--timeout", "soon"], ""),
            (["on", "1", "--address", "not an address"], ""), (["payload", "parse", "12345678"], ""),
            (["tlv", "15"], ""),
        ])
    func usage(words: [String], nearest: String) async throws {
        let matterctl = try MatterCtl()
        let plain = try await matterctl.run(words)
        #expect(plain.status == 64 && plain.stdout.isEmpty, "\(plain)")
        #expect(plain.stderr.hasPrefix("error: "), "\(plain)")
        #expect(nearest.isEmpty || plain.stderr.lowercased().contains(nearest), "\(plain)")
        let outcome = try await matterctl.run(words + ["--json"])
        #expect(outcome.status == 64 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(try outcome.error()["exitCode"]?.int == 64)
        #expect(outcome.messages.count == 1, "\(outcome)")
    }

    @Test("a host that the name service does not know: 4, by name")
    func unknownHost() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let error = try await scene.matterctl.fail(
            4, "toggle", "kitchen", "--address", "no-such-host.invalid", "--json"
        ).error()
        #expect(error["id"]?.string == "transport.unknown-host")
        #expect(error["message"]?.string?.contains("no-such-host.invalid") == true)
        #expect(scene.light.switchings == 0)
    }

    @Test("an unknown node: 3; an unknown fabric: 3")
    func unknownNode() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        for words in [["toggle", "cellar"], ["read", "77", "1/6/0"], ["node", "show", "0x77"], ["ping", "7"]] {
            let error = try await scene.matterctl.run(words + ["--json"])
            #expect(error.status == 3 && error.stdout.isEmpty, "\(error)")
            #expect(try error.error()["id"]?.string == "node.unknown")
            #expect(try error.error()["hint"]?.string?.contains("node ls") == true)
        }
        let fabric = try await scene.matterctl.fail(3, "toggle", "kitchen", "--fabric", "nowhere", "--json").error()
        #expect(fabric["id"]?.string == "fabric.unknown")
        let empty = try await MatterCtl().fail(3, "toggle", "kitchen", "--json").error()
        #expect(empty["id"]?.string == "fabric.none")
    }
}
