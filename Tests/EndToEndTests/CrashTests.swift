import Foundation
import Testing

/// Whatever ends a command in the middle, the next one gets along with what is left.
@Suite("Cut short", .enabled(if: Laboratory.isHere), .laboratorySlot) struct CrashTests {
    /// Starts a commissioning of a light that holds still at some point, and waits until it does.
    private func held(_ hold: String, _ scene: Scene) async throws -> Child {
        let child = try scene.matterctl.start([
            "commission", scene.light.qrCode, "--address", scene.light.address, "--allow-test-devices", "--json",
        ])
        do {
            try await scene.light.wait(for: "held " + hold.replacingOccurrences(of: ":", with: " "))
        } catch {
            throw LaboratoryError("\(error); matterctl said: \(child.stdout) \(child.stderr)")
        }
        return child
    }

    // MARK: kill -9

    @Test(
        "killed before AddNOC: the light is restarted, and the next commissioning succeeds",
        arguments: [
            "before:pbkdf", "before:pake1", "after:pake3", "before:arm", "after:arm", "before:read", "before:chain",
            "before:attestation", "after:csr", "before:regulatory", "before:root", "after:root",
        ])
    func killedBeforeNOC(hold: String) async throws {
        let scene = try await Scene.fresh(["--hold", hold])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let child = try await held(hold, scene)
        child.signal(SIGKILL)
        #expect(await child.status() == 128 + SIGKILL)
        #expect(try await matterctl.nodes().commissioned.isEmpty)
        try await light.restart()
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        let nodes = try await matterctl.nodes()
        #expect(nodes.commissioned.count == 1 && nodes.pending.isEmpty, "\(nodes)")
        #expect(light.fabrics == 1)
        try await matterctl.succeed("toggle", "kitchen")
    }

    @Test(
        "killed from AddNOC on: the journalled node is resumed, one fabric entry",
        arguments: ["after:noc", "before:sigma1", "before:sigma3", "before:complete", "after:complete", "before:post"])
    func killedFromNOC(hold: String) async throws {
        let scene = try await Scene.fresh(["--hold", hold])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let child = try await held(hold, scene)
        child.signal(SIGKILL)
        #expect(await child.status() == 128 + SIGKILL)
        #expect(try await matterctl.nodes() == Nodes(pending: [1]))
        #expect(try await matterctl.succeed("node", "ls").stdout.contains("\tpending\t"))
        let report = try await matterctl.commission(light, nil, ["--name", "kitchen", "--json"]).json()
        #expect(report["node"]?.int == 1)
        #expect(report["resumed"]?.bool == true)
        #expect(report["endpoints"]?.elements.count == 2)
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        #expect(light.lines.count { $0.hasPrefix("fabrics") } == 1, "\(light.lines)")
        try await matterctl.succeed("toggle", "kitchen")
        #expect(try await matterctl.succeed("read", "1", "0/62/commissioned-fabrics").result == "1")
    }

    @Test("killed between the last two steps, the node's record and the end of the journal: the same command ends it")
    func killedAtTheVeryEnd() async throws {
        let scene = try await Scene.fresh(["--hold", "before:post"])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let child = try await held("before:post", scene)
        child.signal(SIGKILL)
        _ = await child.status()
        let files = try FileManager.default.subpathsOfDirectory(atPath: matterctl.home.path)
        let name = try #require(files.first { $0.contains("/pending/") && $0.hasSuffix(".json") }, "\(files)")
        let pending = matterctl.home.appendingPathComponent(name)
        let record = try Data(contentsOf: pending)
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        // Both records are there, as they are at that moment.
        try record.write(to: pending)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pending.path)
        let again = try await matterctl.commission(light, nil, ["--name", "kitchen"])
        #expect(again.result == "1")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        #expect(light.fabrics == 1)
        try await matterctl.succeed("toggle", "kitchen")
    }

    @Test("killed when AddNOC was sent and did not arrive: the light does not know the pending node; it starts over")
    func killedAtNOC() async throws {
        let scene = try await Scene.fresh(["--hold", "before:noc"])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let child = try await held("before:noc", scene)
        child.signal(SIGKILL)
        _ = await child.status()
        #expect(try await matterctl.nodes() == Nodes(pending: [1]))
        try await matterctl.commission(light)
        let nodes = try await matterctl.nodes()
        #expect(nodes.commissioned.count == 1 && nodes.pending.isEmpty, "\(nodes)")
        #expect(light.fabrics == 1)
    }

    @Test("a pending node can be forgotten, and the light commissioned again once it has been reset")
    func forgetPending() async throws {
        let scene = try await Scene.fresh(["--hold", "before:noc"])
        defer { scene.end() }
        let child = try await held("before:noc", scene)
        child.signal(SIGKILL)
        _ = await child.status()
        try await scene.matterctl.succeed("node", "forget", "1", "--yes")
        #expect(try await scene.matterctl.nodes() == Nodes())
        try await scene.light.restart()
        try await scene.matterctl.commission(scene.light)
    }

    @Test(
        "killed as soon as a stage is announced: the next commissioning leaves one node and one fabric",
        arguments: [
            "discover", "pase", "arm-fail-safe", "read-info", "attestation", "csr", "issue-noc", "trusted-root",
            "add-noc",
            "case", "complete", "post",
        ])
    func killedAtStage(stage: String) async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let words = [
            "commission", light.qrCode, "--address", light.address, "--allow-test-devices", "--name", "kitchen",
        ]
        let child = try matterctl.start(words + ["--progress", "json"])
        try await eventually("the stage") { !child.isRunning || child.stderr.contains(#""stage":"\#(stage)""#) }
        child.signal(SIGKILL)
        let first = await child.status()
        let second = try await matterctl.run(words)
        // The first may have been faster than the signal.
        #expect(second.status == 0 || (first == 0 && second.status == 10) || second.status == 8, "\(first), \(second)")
        let nodes = try await matterctl.nodes()
        #expect(nodes.commissioned.count == 1 && nodes.pending.isEmpty, "\(nodes), \(first), \(second)")
        #expect(light.fabrics == 1, "\(light.lines)")
        let switchings = light.switchings
        try await matterctl.succeed("toggle", "\(try #require(nodes.commissioned.first))")
        #expect(light.switchings == switchings + 1)
    }

    // MARK: Ctrl-C

    @Test(
        "Ctrl-C: 130, and what was under way is undone",
        arguments: ["before:csr", "after:root", "after:noc", "before:sigma1"])
    func interrupted(hold: String) async throws {
        let scene = try await Scene.fresh(["--hold", hold])
        defer { scene.end() }
        let (light, matterctl) = (scene.light, scene.matterctl)
        let child = try await held(hold, scene)
        child.signal(SIGINT)
        #expect(await child.status() == 130, "\(child.stderr)")
        #expect(child.stdout.isEmpty)
        let error = try #require(try JSON(parsing: child.stderr)["error"])
        #expect(error["exitCode"]?.int == 130)
        #expect(error["device"]?.string == "rolled-back", "it says in what state the device is left: \(error)")
        #expect(light.lines.contains("fail-safe 0"), "\(light.lines)")
        #expect(light.fabrics == 0, "\(light.lines)")
        #expect(try await matterctl.nodes() == Nodes())
        try await matterctl.commission(light)
        #expect(light.fabrics == 1)
    }

    @Test("a second Ctrl-C ends at once and says what was left")
    func interruptedTwice() async throws {
        let scene = try await Scene.fresh(["--hold", "before:csr"])
        defer { scene.end() }
        let child = try await held("before:csr", scene)
        scene.light.signal(SIGSTOP)
        defer { scene.light.signal(SIGCONT) }
        child.signal(SIGINT)
        // The first signal has to be acted on, which nothing outside tells.
        try await Task.sleep(for: .milliseconds(300))
        #expect(child.isRunning, "it is undoing")
        child.signal(SIGINT)
        #expect(await child.status() == 130)
        let error = try JSON(parsing: child.stderr)["error"]
        #expect(error?["id"]?.string == "interrupted" && error?["exitCode"]?.int == 130, "\(child.stderr)")
        #expect(error?["message"]?.string?.contains("left as it is") == true, "\(child.stderr)")
    }

    @Test("Ctrl-C while nothing is under way ends a search: 130")
    func interruptedSearch() async throws {
        let matterctl = try MatterCtl()
        let child = try matterctl.start([
            "commission", "--passcode", "20202021", "--discriminator", "4094", "--json", "--progress", "json",
        ])
        try await eventually("the search has begun") { child.stderr.contains("discover") }
        child.signal(SIGINT)
        #expect(await child.status() == 130)
        let error = try #require(child.stderr.split(separator: "\n").last)
        #expect(try JSON(parsing: String(error))["error"]?["exitCode"]?.int == 130)
        #expect(try await matterctl.nodes() == Nodes())
    }

    // MARK: Files

    @Test("a toggle that is killed while it runs does not harm the next", arguments: 0..<6)
    func killedToggle(round: Int) async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let child = try scene.matterctl.start(["toggle", "kitchen"])
        // Where a kill finds it is for chance to say; any moment has to do.
        try await Task.sleep(for: .milliseconds(15 * round))
        child.signal(SIGKILL)
        _ = await child.status()
        let switchings = scene.light.switchings
        #expect(switchings <= 1)
        try await scene.matterctl.succeed("toggle", "kitchen")
        #expect(scene.light.switchings <= 2 && scene.light.switchings >= switchings + 1)
    }
}
