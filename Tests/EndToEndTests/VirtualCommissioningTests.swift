import Foundation
import Testing

/// Attacks of a device on a commissioner, played by `matterctl simulate`.
@Suite("Commissioning a virtual device", .enabled(if: Laboratory.isHere), .waitingSlot)
struct VirtualCommissioningTests {
    @Test(
        "a device that forgets its sessions before it has a certificate: noticed in time, nothing half-done stays",
        arguments: ["fail-safe-armed", "csr"])
    func rebootBeforeNOC(step: String) async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["reboot:\(step)"]), try MatterCtl())
        defer { device.stop() }
        let outcome = try await matterctl.run(matterctl.words(device, ["--json"]))
        #expect(outcome.status == 4 && outcome.stdout.isEmpty, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "commission.no-answer", "\(error)")
        // The attestation is judged while the device makes its CSR: the one that is missed first is named.
        let stages = step == "csr" ? ["csr", "attestation"] : ["arm-fail-safe"]
        #expect(stages.contains(error["stage"]?.string ?? ""), "\(error)")
        let message = try #require(error["message"]?.string)
        #expect(message.contains(device.address) && message.contains("last heard"), "\(message)")
        #expect(error["hint"]?.string?.contains("pairing mode") == true, "\(error)")
        #expect(try await matterctl.nodes() == Nodes())
        // It has done so once; nothing is in the way of the next try.
        try await matterctl.commission(device)
        #expect(device.fabrics == 1)
    }

    @Test(
        "a device that is restarted with an uncommitted certificate: 4, and neither side keeps anything",
        arguments: [true, false])
    func rebootAtNOC(isDiscovered: Bool) async throws {
        let device = try await VirtualDevice.start(faults: ["reboot:noc-added"], isAdvertised: isDiscovered)
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let words = [
            "commission", device.qrCode, "--trust", device.trust, "--allow-test-devices", "--json",
        ]
        let outcome = try await matterctl.run(words + (isDiscovered ? [] : ["--address", device.address]))
        #expect(outcome.status == 4, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "commission.forgotten", "\(error)")
        #expect(error["device"]?.string == "rolled-back")
        #expect(error["message"]?.string?.contains("nothing of this attempt is left") == true, "\(error)")
        #expect(try await matterctl.nodes() == Nodes())
        let report = try await matterctl.commission(device, ["--json"]).json()
        #expect(report["resumed"] == nil)
        #expect(try await matterctl.nodes().commissioned.count == 1)
    }

    @Test("a device that is restarted as it completes: CommissioningComplete is sent again on another session")
    func rebootAtComplete() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["reboot:complete"]), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "kitchen"])
        #expect(device.count(ofCommand: "CommissioningComplete") == 2, "\(device.events)")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        try await matterctl.succeed("toggle", "kitchen")
        #expect(device.switchings == 1)
    }

    @Test("a device that is restarted right after CASE has forgotten its certificate: 4, and nothing is kept")
    func rebootAtCASE() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["reboot:case-established"]), try MatterCtl())
        defer { device.stop() }
        let outcome = try await matterctl.run(matterctl.words(device, ["--json"]))
        #expect(outcome.status == 4, "\(outcome)")
        #expect(try outcome.error()["id"]?.string == "commission.forgotten", "\(outcome)")
        #expect(try await matterctl.nodes() == Nodes())
        try await matterctl.commission(device)
    }

    @Test("a fail-safe that runs out between AddNOC and CASE: 4, and neither side keeps anything")
    func expiredBeforeCASE() async throws {
        let device = try await VirtualDevice.start(faults: ["ignore:sigma1:1", "fail-safe:4"])
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let outcome = try await matterctl.run(matterctl.words(device, ["--json"]))
        #expect(outcome.status == 4, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "commission.forgotten" && error["device"]?.string == "rolled-back", "\(error)")
        #expect(device.steps.contains("fail-safe-expired") && device.fabrics == 0, "\(device.steps)")
        #expect(try await matterctl.nodes() == Nodes())
        try await device.restart()
        try await matterctl.commission(device)
    }

    // MARK: kill -9

    /// Where a commissioning is cut short: the device acts upon a message and does not answer it.
    private static let cuts =
        ["read:1", "sigma1:1", "sigma3:1"] + (1...9).map { "invoke:\($0)" }

    @Test("kill -9 at every stage: the fail-safe runs out, the device has rolled back, and the next try succeeds")
    func killed() async throws {
        try await withThrowingTaskGroup(of: [String].self) { group in
            var reached: [String] = []
            for (number, cut) in Self.cuts.enumerated() {
                // The machine may have two cores.
                if number >= 5, let names = try await group.next() { reached += names }
                group.addTask { try await Self.kill(at: cut) }
            }
            for try await names in group { reached += names }
            let commands = [
                "ArmFailSafe", "CertificateChainRequest", "AttestationRequest", "CSRRequest",
                "AddTrustedRootCertificate", "AddNOC", "CommissioningComplete",
            ]
            #expect(Set(commands).isSubset(of: reached), "\(reached)")
        }
    }

    /// - Returns: the last commands that the device carried out before the end: two may be on their way at a time.
    private static func kill(at cut: String) async throws -> [String] {
        let device = try await VirtualDevice.start(faults: ["mute:\(cut)", "fail-safe:8"])
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let child = try matterctl.start(matterctl.words(device))
        do {
            try await device.waitForFault("mute")
        } catch {
            throw LaboratoryError("cut at \(cut): \(error); matterctl said: \(child.stdout) \(child.stderr)")
        }
        child.signal(SIGKILL)
        #expect(await child.status() == 128 + SIGKILL)
        let last = device.events.filter { $0["event"]?.string == "command" }.suffix(2).compactMap {
            $0["command"]?.string
        }
        let (hasNOC, isComplete) = (device.steps.contains("noc-added"), device.steps.contains("complete"))
        let before = try await matterctl.nodes()
        // The record is there before the certificate leaves.
        #expect(before == Nodes(pending: [1]) || !hasNOC && before == Nodes(), "cut at \(cut): \(before)")
        if !isComplete {
            try await device.wait(for: "fail-safe-expired")
            #expect(device.fabrics == 0, "cut at \(cut): \(device.steps)")
        }
        // From what it has stored, and without faults.
        try await device.restart()
        let report = try await matterctl.commission(device, ["--name", "kitchen", "--json"]).json()
        #expect(report["resumed"]?.bool == (isComplete ? true : nil), "cut at \(cut): \(report)")
        let nodes = try await matterctl.nodes()
        #expect(nodes.commissioned.count == 1 && nodes.pending.isEmpty, "cut at \(cut): \(nodes)")
        #expect(device.fabrics == 1, "cut at \(cut): \(device.steps)")
        try await matterctl.succeed("toggle", "kitchen")
        #expect(device.switchings == 1, "cut at \(cut)")
        return last
    }

    @Test("kill -9 with the certificate on the device: taken up within the fail-safe, as the same node")
    func resumed() async throws {
        // The answer to Sigma1 stays away.
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["mute:sigma1:1"]), try MatterCtl())
        defer { device.stop() }
        let child = try matterctl.start(matterctl.words(device))
        try await device.waitForFault("mute")
        child.signal(SIGKILL)
        _ = await child.status()
        let report = try await matterctl.commission(device, ["--json"]).json()
        #expect(report["node"]?.int == 1 && report["resumed"]?.bool == true, "\(report)")
        #expect(device.count(ofCommand: "AddNOC") == 1 && device.fabrics == 1)
        #expect(!device.steps.contains("fail-safe-expired"))
    }

    @Test("kill -9 in the middle of PASE: the device is busy until it gives that up, and the next try outlasts it")
    func killedInPASE() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["mute:pake1:1"]), try MatterCtl())
        defer { device.stop() }
        let child = try matterctl.start(matterctl.words(device))
        try await device.waitForFault("mute")
        child.signal(SIGKILL)
        _ = await child.status()
        // A handshake has 60 s.
        let outcome = try await matterctl.commission(device)
        #expect(outcome.messages.count { $0.contains("busy with another handshake") } == 1, "\(outcome)")
        #expect(device.fabrics == 1 && device.steps.contains("pase-failed"))
    }

    @Test("--until complete cannot be undone: the device is a node, and nothing is said to be pending")
    func untilComplete() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        let outcome = try await matterctl.commission(device, ["--until", "complete", "--json", "--progress", "json"])
        #expect(try outcome.json()["node"]?.int == 1)
        #expect(!outcome.stderr.contains("pending") && !outcome.stderr.contains("\"post\""), "\(outcome)")
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        try await matterctl.succeed("toggle", "1")
    }

    @Test("killed between the node's record and the end of its journal: listed once, and the same command finishes it")
    func betweenRecords() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "kitchen"])
        // As such an end leaves the folders.
        let fabric = matterctl.home.appendingPathComponent("fabrics/home")
        let done = fabric.appendingPathComponent("commissioned")
        let record = try #require(try FileManager.default.contentsOfDirectory(atPath: done.path).first)
        try FileManager.default.moveItem(
            at: done.appendingPathComponent(record), to: fabric.appendingPathComponent("pending/\(record)"))
        #expect(try await matterctl.nodes() == Nodes(commissioned: [1]))
        #expect(try await matterctl.succeed("node", "ls").stdout.split(separator: "\n").count == 1)
        let report = try await matterctl.commission(device, ["--json"]).json()
        #expect(report["node"]?.int == 1 && report["resumed"]?.bool == true, "\(report)")
        #expect(FileManager.default.fileExists(atPath: done.appendingPathComponent(record).path))
    }

    // MARK: Refusals

    @Test("on this fabric already, seen in its table while its window is open: 8, and which node")
    func alreadyOnFabric() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "kitchen"])
        for input in ["", "window\n"] {
            try await device.restart(input: input)
            let outcome = try await matterctl.run(matterctl.words(device, ["--json"]))
            #expect(outcome.status == 8, "\(outcome)")
            let error = try outcome.error()
            #expect(error["id"]?.string == "commission.already-on-fabric", "\(error)")
            #expect(error["message"]?.string?.contains("node 1") == true, "\(error)")
        }
        #expect(device.steps.contains("window-opened") && device.fabrics == 1)
        try await matterctl.succeed("toggle", "kitchen")
        #expect(device.switchings == 1)
    }

    @Test(
        "what a device refuses or gets wrong: 8, undone at once, and nothing is left on either side",
        arguments: [
            ("fabric-table-full", "commission.fabric-table-full", "add-noc"),
            ("wrong-nocsr-signature", "commission.invalid-csr", "csr"),
        ])
    func refused(fault: String, id: String, stage: String) async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: [fault]), try MatterCtl())
        defer { device.stop() }
        let outcome = try await matterctl.run(matterctl.words(device, ["--json"]))
        #expect(outcome.status == 8 && outcome.stdout.isEmpty, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == id && error["stage"]?.string == stage, "\(error)")
        #expect(error["device"]?.string == "rolled-back" && error["hint"]?.string?.isEmpty == false, "\(error)")
        #expect(device.steps.contains("fail-safe-disarmed") && device.fabrics == 0, "\(device.steps)")
        #expect(!device.steps.contains("noc-added"))
        #expect(try await matterctl.nodes() == Nodes())
        try await device.restart()
        try await matterctl.commission(device)
        #expect(device.fabrics == 1)
    }

    @Test("an authority that is not trusted: 7, undone at once, and nothing is left on either side")
    func untrusted() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        let words = ["commission", device.qrCode, "--address", device.address, "--allow-test-devices", "--json"]
        let outcome = try await matterctl.run(words)
        #expect(outcome.status == 7 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(try outcome.error()["id"]?.string == "attestation.refused")
        #expect(device.steps.contains("fail-safe-disarmed") && !device.steps.contains("root-added"), "\(device.steps)")
        #expect(try await matterctl.nodes() == Nodes())
        try await matterctl.commission(device)
    }

    @Test("a device on as many fabrics as it can hold: 8 before anything is done, and room again once one has left")
    func fullTable() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl(keepsSessions: false))
        defer { device.stop() }
        let most = 16
        for number in 1...most + 1 { try await matterctl.succeed("fabric", "create", "f\(number)") }
        for number in 1...most {
            if number > 1 { try await device.restart(input: "window\n") }
            try await matterctl.commission(device, ["--fabric", "f\(number)"])
        }
        let path = "0/operational-credentials/supported-fabrics"
        #expect(try await matterctl.succeed("read", "1", path, "--fabric", "f1").result == "\(most)")
        try await device.restart(input: "window\n")
        let last = matterctl.words(device, ["--fabric", "f\(most + 1)", "--json"])
        let outcome = try await matterctl.run(last)
        #expect(outcome.status == 8, "\(outcome)")
        let error = try outcome.error()
        #expect(error["id"]?.string == "commission.fabric-table-full", "\(error)")
        #expect(error["stage"]?.string == "read-info" && error["message"]?.string?.contains("\(most)") == true)
        #expect(device.fabrics == most)
        try await matterctl.succeed("node", "remove", "1", "--yes", "--fabric", "f2")
        let second = try await matterctl.run(last)
        #expect(second.status == 0, "\(second)")
        try await matterctl.succeed("toggle", "1", "--fabric", "f\(most + 1)")
        try await matterctl.succeed("toggle", "1", "--fabric", "f1")
        #expect(device.switchings == 2 && device.fabrics == most)
    }

    @Test("a fail-safe that runs out on the way: the device says so, and nothing is left on either side")
    func shortFailSafe() async throws {
        let device = try await VirtualDevice.start(faults: ["fail-safe:1", "slow-crypto:1200"])
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let outcome = try await matterctl.run(matterctl.words(device, ["--json"]))
        #expect(outcome.status != 0 && outcome.status != 1 && outcome.stdout.isEmpty, "\(outcome)")
        #expect(try outcome.error()["id"]?.string?.hasPrefix("commission.") == true, "\(outcome)")
        #expect(device.steps.contains("fail-safe-expired") && device.fabrics == 0, "\(device.steps)")
        #expect(try await matterctl.nodes().commissioned.isEmpty)
    }
}
