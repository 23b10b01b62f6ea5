import Foundation
import Testing

/// Devices that are examined before they are sold.
@Suite("Examining devices before they are sold", .enabled(if: Laboratory.isHere), .laboratorySlot)
struct CheckDeviceTests {
    private func words(_ device: VirtualDevice, _ folder: URL, _ options: [String] = []) -> [String] {
        [
            "check-device", device.qrCode, "--address", device.address, "--allow-test-devices", "--report", folder.path,
            "--json",
        ] + options
    }

    /// The verdicts by case.
    private func verdicts(_ result: JSON) throws -> [String: String] {
        Dictionary(
            try #require(result["cases"]?.elements).map { ($0["case"]?.string ?? "", $0["verdict"]?.string ?? "") },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("a device in order passes all that is tried, is left on no fabric, and nothing of the fabrics stays")
    func sound() async throws {
        let device = try await VirtualDevice.start()
        var matterctl = try MatterCtl()
        defer { device.stop() }
        // A folder in memory of its own: other examinations may be under way.
        let runtime = try #require(matterctl.environment["XDG_RUNTIME_DIR"]) + "/check-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: runtime) }
        matterctl.environment["XDG_RUNTIME_DIR"] = runtime
        let folder = matterctl.folder.file("report")
        let run = try await matterctl.run(words(device, folder, ["--trust", device.trust]))
        #expect(run.status == 0, "\(run)")
        let result = try run.json()
        var expected = try verdicts(result)
        #expect(expected.removeValue(forKey: "discovery") == "not tried")
        #expect(expected.count == 8 && expected.values.allSatisfy { $0 == "passed" }, "\(result)")
        let page = try String(contentsOf: folder.appendingPathComponent("report.html"), encoding: .utf8)
        #expect(page.contains("8 passed, 0 failed, 1 not tried") && page.contains("one of 3 of our datagrams is lost"))
        let file = try JSON(parsing: String(contentsOf: folder.appendingPathComponent("report.json"), encoding: .utf8))
        #expect(try #require(file["cases"]?.elements).contains { !($0["trace"]?.elements ?? []).isEmpty })
        // The setup code is nowhere in the report.
        #expect(!page.contains("\(device.passcode)") && !page.contains(device.qrCode))
        #expect(!"\(file)".contains("\(device.passcode)"))
        let steps = device.events.compactMap { $0["step"]?.string }
        #expect(steps.count { $0 == "noc-added" } == 2 && steps.count { $0 == "fabric-removed" } == 2, "\(steps)")
        #expect(try await matterctl.nodes() == Nodes(), "the user has no node, and no fabric")
        let left = try FileManager.default.contentsOfDirectory(atPath: runtime).filter {
            $0.hasPrefix("matterctl-check")
        }
        #expect(left.isEmpty, "\(left)")
        // It can be commissioned by its code again.
        try await matterctl.commission(device)
    }

    @Test("a device that is not trusted, says odd values and has room for one fabric fails in three cases, and is left")
    func faulty() async throws {
        let (device, matterctl) = (
            try await VirtualDevice.start(faults: ["odd-values:0.2:7"], options: ["--fabrics", "1"]), try MatterCtl()
        )
        defer { device.stop() }
        let folder = matterctl.folder.file("report")
        let run = try await matterctl.run(words(device, folder))
        #expect(try run.status == 12 && run.error()["id"]?.string == "check.failed", "\(run)")
        let verdicts = try verdicts(run.json())
        for kind in ["attestation", "conformance", "second-administrator"] {
            #expect(verdicts[kind] == "failed", "\(kind): \(run)")
        }
        #expect(verdicts["commissioning"] == "passed" && verdicts["loss"] == "passed", "\(run)")
        #expect(device.events.contains { $0["step"]?.string == "fabric-removed" })
    }

    @Test("a device that cannot be commissioned fails there, and the rest is not tried")
    func refused() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(faults: ["wrong-nocsr-signature"]), try MatterCtl())
        defer { device.stop() }
        let run = try await matterctl.run(words(device, matterctl.folder.file("report"), ["--trust", device.trust]))
        #expect(run.status == 12, "\(run)")
        let verdicts = try verdicts(run.json())
        #expect(verdicts["commissioning"] == "failed" && verdicts["removal"] == "not tried", "\(run)")
    }

    @Test("who interrupts it leaves the device on no fabric")
    func interrupted() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        let child = try matterctl.start(
            words(device, matterctl.folder.file("report"), ["--trust", device.trust, "--progress", "plain"]))
        try await eventually("the plays of loss; there is: \(child.stderr)") { child.stderr.contains("loss: ") }
        child.signal(SIGINT)
        #expect(await child.status() == 130, "\(child.stderr)")
        #expect(device.events.contains { $0["step"]?.string == "fabric-removed" }, "\(device.events)")
    }

    @Test("a device that advertises itself is found as its code says")
    func advertised() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(isAdvertised: true), try MatterCtl())
        defer { device.stop() }
        let run = try await matterctl.run([
            "check-device", device.qrCode, "--allow-test-devices", "--trust", device.trust, "--report",
            matterctl.folder.file("report").path, "--json",
        ])
        #expect(run.status == 0, "\(run)")
        #expect(try verdicts(run.json()).values.allSatisfy { $0 == "passed" }, "\(run)")
    }

    @Test("a light of another make: its known faults and its lack of windows are named, and the rest passes")
    func otherMake() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let folder = scene.matterctl.folder.file("report")
        let run = try await scene.matterctl.run([
            "check-device", scene.light.qrCode, "--address", scene.light.address, "--allow-test-devices", "--report",
            folder.path, "--json",
        ])
        #expect(run.status == 12, "\(run)")
        let verdicts = try verdicts(run.json())
        // CircuitMatter has no cluster for windows, so no second administrator comes in.
        for kind in ["conformance", "window", "second-administrator"] {
            #expect(verdicts[kind] == "failed", "\(kind): \(run)")
        }
        for kind in ["payload", "commissioning", "attestation", "loss", "removal"] {
            #expect(verdicts[kind] == "passed", "\(kind): \(run)")
        }
        let page = try String(contentsOf: folder.appendingPathComponent("report.html"), encoding: .utf8)
        #expect(page.contains("descriptor.server-list"))
    }
}
