import Foundation
import Testing

@Suite("Commissioning a light", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CommissioningTests {
    /// The report of `commission --json` about a CircuitMatter light.
    private static let report = """
        {"address":"<string>","attestation":{"paa":"<object>",\
        "revocation":"<object>","verdict":"test"},"compressedFabricId":"<string>",\
        "endpoints":"<array>","fabric":"home","fabricId":"<string>","name":"kitchen","node":1,"productId":4660,\
        "stages":"<array>","totalMs":"<number>","vendorId":65524}
        """
    private static let changing: Set = [
        "address", "paa", "fabricId", "compressedFabricId", "endpoints", "stages", "totalMs", "ms",
        "revocation",
    ]

    @Test("by its QR code, found through Avahi")
    func qrCode() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let outcome = try await matterctl.succeed(
            "commission", light.qrCode, "--name", "kitchen", "--allow-test-devices", "--json")
        let report = try outcome.json()
        #expect(report.masking(Self.changing).description == Self.report)
        #expect(report["address"]?.string?.hasSuffix(":\(light.port)") == true)
        #expect(report["fabricId"]?.string?.wholeMatch(of: /[0-9A-F]{16}/) != nil)
        #expect(report["endpoints"]?[0]?["endpoint"]?.int == 0)
        let endpoint = try #require(report["endpoints"]?[1])
        #expect(endpoint["endpoint"]?.int == 1)
        #expect(endpoint["deviceTypes"]?.elements.first?.string == "Dimmable Light")
        #expect(endpoint["clusters"]?.elements.compactMap(\.string).contains("LevelControl") == true)
        #expect(outcome.stderr.isEmpty, "with --json, progress is silent unless it is asked for: \(outcome)")
        #expect(light.fabrics == 1)
        #expect(light.lines.contains("complete"))
        #expect(try await matterctl.succeed("toggle", "kitchen").stdout.isEmpty)
        #expect(light.switchings == 1)
    }

    @Test("the stages come in their order, with times")
    func stages() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let outcome = try await scene.matterctl.commission(scene.light, nil, ["--json", "--progress", "json"])
        let expected = [
            "discover", "pase", "arm-fail-safe", "read-info", "attestation", "csr", "issue-noc", "configure",
            "trusted-root", "add-noc", "network", "operational-discovery", "case", "complete", "post",
        ]
        let stages = try #require(try outcome.json()["stages"]?.elements)
        let names = stages.compactMap { $0["stage"]?.string }
        #expect(names == expected, "\(names)")
        let times = stages.compactMap { $0["ms"]?.double }
        #expect(times.count == stages.count && times.allSatisfy { $0 >= 0 })
        // The same, live on stderr.
        let lines = try outcome.messages.map { try JSON(parsing: $0) }
        #expect(lines.allSatisfy { $0.keys == ["progress"] }, "\(outcome.stderr)")
        let done = lines.compactMap { $0["progress"] }.filter { $0["state"]?.string == "done" }
        #expect(done.compactMap { $0["stage"]?.string } == names)
        #expect(done.allSatisfy { $0["ms"]?.double != nil })
    }

    @Test("the node id is the whole result")
    func plainResult() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let outcome = try await scene.matterctl.commission(scene.light)
        #expect(outcome.stdout == "1\n")
        #expect(outcome.stderr.contains("pase"))
    }

    @Test(
        "by its manual pairing code, with and without dashes, as an argument and from stdin", arguments: [true, false])
    func manualCode(onStdin: Bool) async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let code = scene.light.manualCode
        let outcome =
            onStdin
            ? try await scene.matterctl(
                "commission", "-", "--allow-test-devices", input: code.filter(\.isNumber) + "\n")
            : try await scene.matterctl("commission", code, "--allow-test-devices")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(scene.light.fabrics == 1)
    }

    @Test("by passcode and discriminator")
    func passcode() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        try await scene.matterctl.succeed(
            "commission", "--passcode", "\(scene.light.passcode)", "--discriminator", "\(scene.light.discriminator)",
            "--allow-test-devices")
        #expect(scene.light.fabrics == 1)
    }

    @Test("by passcode and address, with no D-Bus, over IPv6, IPv4, a link-local address and a name", arguments: 0..<4)
    func address(kind: Int) async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        var matterctl = try MatterCtl()
        matterctl.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"
        let host = ["[\(Laboratory.nearAddress)]", "10.77.0.1", "[\(try Laboratory.linkLocalAddress())]", "localhost"][
            kind]
        try await matterctl.succeed(
            "commission", "--passcode", "\(light.passcode)", "--address", "\(host):\(light.port)",
            "--allow-test-devices",
            "--name", "lamp")
        try await matterctl.succeed("on", "lamp", "--address", "\(host):\(light.port)")
        #expect(light.switchings == 1)
        // Without discovery the address that was kept does as well.
        try await matterctl.succeed("off", "lamp")
        #expect(light.switchings == 2)
    }

    @Test("on another host, advertised by another mDNS responder")
    func farHost() async throws {
        let light = try await Light.start(onFarHost: true)
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.succeed("commission", light.qrCode, "--name", "far", "--allow-test-devices")
        try await matterctl.succeed("toggle", "far")
        #expect(light.switchings == 1)
    }

    @Test("a node id of one's own choice, and the next one free otherwise")
    func nodeID() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let other = try await Light.start()
        defer { other.stop() }
        #expect(try await scene.matterctl.commission(scene.light, nil, ["--node-id", "0x2A"]).result == "42")
        #expect(try await scene.matterctl.commission(other).result == "1")
        let third = try await Light.start()
        defer { third.stop() }
        let outcome = try await scene.matterctl.fail(
            10, "commission", third.qrCode, "--address", third.address, "--allow-test-devices", "--node-id", "42",
            "--json")
        #expect(try outcome.error()["id"]?.string == "node.exists")
        #expect(third.fabrics == 0)
    }

    @Test("a node id that JSON numbers cannot hold is a string, and names the node")
    func largeNodeID() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let outcome = try await scene.matterctl.commission(
            scene.light, nil, ["--node-id", "9007199254740993", "--json"])
        #expect(try outcome.json()["node"]?.string == "9007199254740993")
        try await scene.matterctl.succeed("toggle", "9007199254740993")
        let read = try await scene.matterctl.succeed("read", "0x20000000000001", "1/6/0", "--json").json()
        #expect(read["node"]?.string == "9007199254740993")
        #expect(scene.light.switchings == 1)
    }

    @Test("two at once, with no fabric yet: both succeed, on one fabric, under two ids")
    func twoAtOnce() async throws {
        let lights = [try await Light.start(), try await Light.start()]
        defer { for light in lights { light.stop() } }
        let matterctl = try MatterCtl()
        async let first = matterctl.commission(lights[0], nil, ["--name", "one"])
        async let second = matterctl.commission(lights[1], nil, ["--name", "two"])
        _ = try await (first, second)
        let fabrics = try await matterctl.succeed("fabric", "ls", "--json").json().elements
        #expect(fabrics.count == 1 && fabrics.first?["name"]?.string == "home", "\(fabrics)")
        #expect(try await matterctl.nodes().commissioned.sorted() == [1, 2])
        try await matterctl.succeed("toggle", "one")
        try await matterctl.succeed("toggle", "two")
        #expect(lights.map(\.switchings) == [1, 1])
    }

    @Test("a device that sleeps for long times is commissioned, with a warning on stderr")
    func longIdleTime() async throws {
        let scene = try await Scene.fresh(["--icd"])
        defer { scene.end() }
        let outcome = try await scene.matterctl.commission(scene.light, nil, ["--progress", "none"])
        #expect(outcome.stdout == "1\n")
        #expect(outcome.messages.first?.contains("sleeps") == true, "\(outcome)")
        #expect(outcome.messages.dropFirst() == ["revocation: not known (no list of revoked certificates is at hand)"])
    }

    @Test("several of the same discriminator: each is tried, and the one that the code is for is taken")
    func sameDiscriminator() async throws {
        let wanted = try await Light.start()
        let other = try await Light.start("--discriminator", "\(wanted.discriminator)")
        defer {
            wanted.stop()
            other.stop()
        }
        let matterctl = try MatterCtl()
        try await matterctl.succeed("commission", wanted.qrCode, "--allow-test-devices", "--name", "lamp")
        try await matterctl.succeed("on", "lamp")
        #expect(wanted.switchings == 1)
        #expect(other.fabrics == 0)
    }

    @Test("a second fabric of ours on the same light")
    func secondFabric() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        try await scene.matterctl.succeed("fabric", "create", "lab")
        try await scene.matterctl.commission(scene.light, nil, ["--fabric", "lab", "--name", "kitchen"])
        #expect(scene.light.fabrics == 2)
        try await scene.matterctl.succeed("toggle", "kitchen", "--fabric", "home")
        try await scene.matterctl.succeed("toggle", "kitchen", "--fabric", "lab")
        #expect(scene.light.switchings == 2)
    }

    @Test(
        "a test device is refused unless it is allowed, and nothing is left on it",
        arguments: ["enforce", "warn", "skip"])
    func attestation(mode: String) async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let arguments = ["commission", light.qrCode, "--address", light.address, "--attestation", mode, "--json"]
        let outcome = try await matterctl.run(arguments)
        guard mode == "enforce" else {
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try outcome.json()["attestation"]?["verdict"]?.string == (mode == "warn" ? "untrusted" : "skipped"))
            return
        }
        #expect(outcome.status == 7 && outcome.stdout.isEmpty, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "attestation.refused")
        #expect(error["stage"]?.string == "attestation")
        #expect(error["hint"]?.string?.contains("--allow-test-devices") == true)
        #expect(light.lines.contains("fail-safe 0"))
        #expect(light.fabrics == 0)
        #expect(try await matterctl.nodes() == Nodes())
    }

    @Test("--until stops after a stage and undoes it", arguments: ["pase", "csr", "trusted-root", "add-noc"])
    func until(stage: String) async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        _ = try await matterctl(
            "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--until", stage)
        if stage != "pase" { #expect(light.lines.contains("fail-safe 0"), "\(light.lines)") }
        #expect(light.fabrics == 0, "\(light.lines)")
        #expect(try await matterctl.nodes() == Nodes())
        // Nothing is in the way of the next one.
        try await matterctl.commission(light)
        #expect(light.fabrics == 1)
    }
}
