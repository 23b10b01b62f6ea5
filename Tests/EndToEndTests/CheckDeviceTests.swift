import Foundation
import MatterTestKit
import TestSupport
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
        // Each case that talks to the device has its messages in words.
        let cases = try #require(file["cases"]?.elements)
        for (kind, text) in [
            ("commissioning", "PBKDFParamRequest, unsecured"),
            ("commissioning", "command 0/operational-credentials/add-noc"),
            ("attestation", "attestation-request"), ("conformance", "ReportData"), ("loss", "retransmission 1"),
            ("window", "open-commissioning-window"), ("second-administrator", "WriteRequest"),
            ("removal", "remove-fabric"),
        ] {
            let messages = cases.first { $0["case"]?.string == kind }?["messages"]?.elements ?? []
            #expect(
                messages.contains { $0.string?.contains(text) == true }, "\(kind): \(text) in \(messages.prefix(3))")
        }
        #expect(page.contains("<summary>Messages (") && page.contains("pakePasscodeVerifier=(secret)"))
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

    @Test("of two devices of a manifest, the one with another vendor id than its label says fails, and gets no label")
    func manifest() async throws {
        let (good, other) = (
            try await VirtualDevice.start(options: ["--serial", "A-1"]),
            try await VirtualDevice.start(options: ["--serial", "A-2", "--vendor-id", "0xFFF2"])
        )
        defer { for device in [good, other] { device.stop() } }
        var matterctl = try MatterCtl()
        let server = try StandInServer { target in
            switch target.prefix(while: { $0 != "?" }) {
            case "/dcl/model/models/65521/32769":
                .init(#"{"model":{"vid":65521,"pid":32769,"productName":"Lamp"}}"#)
            case "/dcl/compliance/compliance-info/65521/32769/1/matter":
                .init(
                    #"""
                    {"complianceInfo":{"vid":65521,"pid":32769,"softwareVersion":1,"softwareVersionCertificationStatus":2}}
                    """#)
            default: .init(LedgerScene.notFound, status: 404)
            }
        }
        matterctl.environment["MATTERCTL_LEDGER"] = server.url
        let trust = matterctl.folder.file("trust")
        try FileManager.default.createDirectory(at: trust, withIntermediateDirectories: true)
        for (number, device) in [good, other].enumerated() {
            try FileManager.default.copyItem(
                at: URL(fileURLWithPath: device.trust).appendingPathComponent("paa.der"),
                to: trust.appendingPathComponent("paa\(number).der"))
        }
        let label = try await matterctl.run([
            "payload", "make", "--passcode", "\(other.passcode)", "--discriminator", "\(other.discriminator)",
            "--vendor-id",
            "0xFFF1", "--product-id", "0x8001", "--json",
        ]).json()
        let rows = [
            "qrCode,manualCode,name,vendorId,productId,serialNumber,address",
            "\(good.qrCode),\(good.manualCode),lamp 1,0xFFF1,0x8001,A-1,\(good.address)",
            "\(label["qrCode"]?.string ?? ""),\(label["manualCode"]?.string ?? ""),lamp 2,0xFFF1,0x8001,A-2,\(other.address)",
        ]
        let file = matterctl.folder.file("run.csv")
        try Data(rows.joined(separator: "\n").utf8).write(to: file)
        let (folder, labels) = (matterctl.folder.file("reports"), matterctl.folder.file("labels.html"))
        let run = try await matterctl.run([
            "check-device", "--manifest", file.path, "--report", folder.path, "--labels", labels.path, "--trust",
            trust.path,
            "--allow-test-devices", "--json",
        ])
        #expect(try run.status == 12 && run.error()["message"]?.string == "1 of 2 devices failed: line 3", "\(run)")
        let results = try run.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(results.map { $0["line"]?.int } == [2, 3], "\(run)")
        let (first, second) = (try verdicts(results[0]), try verdicts(results[1]))
        #expect(first.filter { $0.value != "passed" } == ["discovery": "not tried"], "\(results[0])")
        #expect(first["label"] == "passed" && first["certificate"] == "passed" && first["ledger"] == "passed")
        let wrong = Set(second.filter { $0.value == "failed" }.keys)
        #expect(wrong == ["label", "certificate", "payload"], "\(results[1])")
        #expect("\(results[1])".contains("0xFFF1 by the manifest, but 0xFFF2 by the device"))
        let index = try String(contentsOf: folder.appendingPathComponent("index.html"), encoding: .utf8)
        #expect(
            index.contains("href=\"0002-lamp-1/report.html\"") && index.contains("href=\"0003-lamp-2/report.html\""))
        let sheet = try String(contentsOf: labels, encoding: .utf8)
        let codes = [good.qrCode, label["qrCode"]?.string ?? "MT:"]
        #expect(sheet.contains(codes[0]) && !sheet.contains(codes[1]) && sheet.contains("<li>lamp 2: "))
        let mode = try FileManager.default.attributesOfItem(atPath: labels.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for name in ["index.html", "0002-lamp-1/report.html", "0003-lamp-2/report.json"] {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            #expect(
                !text.contains("\(good.passcode)") && !text.contains("\(other.passcode)") && !text.contains("MT:"),
                "\(name)")
        }
        // A print run is checked before the devices are there, by the certificates of the factory.
        var listed = [rows[0] + ",attestation"]
        for (number, device) in [good, other].enumerated() {
            try await matterctl.succeed(
                "attest", device.qrCode, "--address", device.address, "--save",
                matterctl.folder.file("files\(number)").path, "--trust", trust.path, "--allow-test-devices")
            listed.append(rows[number + 1] + ",files\(number)")
        }
        try Data(listed.joined(separator: "\n").utf8).write(to: file)
        let before = try await matterctl.run([
            "check-device", "--manifest", file.path, "--offline", "--json", "--trust", trust.path,
            "--allow-test-devices",
        ])
        let printed = try before.stdout.split(separator: "\n").map { try verdicts(JSON(parsing: String($0))) }
        #expect(before.status == 12 && printed.count == 2, "\(before)")
        #expect(printed[0]["certificate"] == "passed" && printed[0]["attestation"] == "passed", "\(before)")
        #expect(printed[1]["certificate"] == "failed" && printed[1]["label"] == "passed", "\(before)")
        #expect([good, other].allSatisfy { $0.fabrics == 0 })
    }

    @Test(
        "who interrupts a print run leaves no device on a fabric and no fabric on the disk, and has the report of those that are done",
        .timeLimit(.minutes(15)))
    func interruptedManifest() async throws {
        var matterctl = try MatterCtl()
        // A folder in memory of its own: other examinations may be under way.
        let runtime = try #require(matterctl.environment["XDG_RUNTIME_DIR"]) + "/check-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: runtime, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: runtime) }
        matterctl.environment["XDG_RUNTIME_DIR"] = runtime
        var devices: [VirtualDevice] = []
        for _ in 0..<3 { devices.append(try await VirtualDevice.start()) }
        defer { for device in devices { device.stop() } }
        // The first one is not there, so it is done long before the others.
        var rows = ["qrCode,name,address", "\(devices[0].qrCode),absent,no-such-host.invalid"]
        rows += devices.enumerated().map { "\($1.qrCode),lamp \($0 + 1),\($1.address)" }
        let file = matterctl.folder.file("run.csv")
        try Data(rows.joined(separator: "\n").utf8).write(to: file)
        let folder = matterctl.folder.file("reports")
        let child = try matterctl.start([
            "check-device", "--manifest", file.path, "--no-ledger", "--allow-test-devices", "--report", folder.path,
            "--progress", "plain",
        ])
        func isTrying(_ line: Int, _ kind: String) -> Bool { child.stderr.contains("line \(line): trying: \(kind)") }
        try await eventually("the absent one is done, and all others are commissioned; \(child.stderr)") {
            child.stdout.contains("absent") && [3, 4, 5].allSatisfy { isTrying($0, "conformance") }
        }
        child.signal(SIGINT)
        #expect(await child.status() == 130, "\(child.stderr)")
        for (number, device) in devices.enumerated() {
            let steps = device.events.compactMap { $0["step"]?.string }
            #expect(device.fabrics == 0 && steps.contains("fabric-removed"), "\(number): \(steps)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: runtime).filter {
            $0.hasPrefix("matterctl-check")
        }
        #expect(left.isEmpty, "\(left)")
        let index = try String(contentsOf: folder.appendingPathComponent("index.html"), encoding: .utf8)
        #expect(index.contains("0002-absent/report.html"), "\(index)")
        let report = try String(contentsOf: folder.appendingPathComponent("0002-absent/report.json"), encoding: .utf8)
        #expect(try JSON(parsing: report)["failed"]?.int ?? 0 > 0, "\(report)")
        #expect(!index.contains("lamp 3") || child.stdout.contains("lamp 3"), "the index has what was told")
    }

    /// When the messages of a case went, in seconds of the day.
    private func times(_ one: JSON) -> [Double] {
        (one["messages"]?.elements ?? []).compactMap { message in
            let parts = (message.string ?? "").prefix { $0 != " " }.split(separator: ":").compactMap { Double($0) }
            return parts.count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : nil
        }
    }

    @Test("several devices at a time: the lines keep their order, and a case that measures has the network for itself")
    func severalAtATime() async throws {
        let matterctl = try MatterCtl()
        var devices: [VirtualDevice] = []
        for _ in 0..<3 { devices.append(try await VirtualDevice.start()) }
        defer { for device in devices { device.stop() } }
        var rows = ["qrCode,name,address"] + devices.enumerated().map { "\($1.qrCode),lamp \($0 + 1),\($1.address)" }
        // It ends first, and is told last.
        rows.append("\(devices[0].qrCode),absent,no-such-host.invalid")
        let (file, folder) = (matterctl.folder.file("run.csv"), matterctl.folder.file("reports"))
        try Data(rows.joined(separator: "\n").utf8).write(to: file)
        let run = try await matterctl.run([
            "check-device", "--manifest", file.path, "--no-ledger", "--allow-test-devices", "--json", "--report",
            folder.path,
        ])
        let results = try run.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(run.status == 12 && results.map { $0["line"]?.int } == [2, 3, 4, 5], "\(run)")
        for result in results.dropLast() {
            let verdicts = try verdicts(result)
            #expect(verdicts["commissioning"] == "passed" && verdicts["removal"] == "passed", "\(result)")
        }
        #expect(devices.allSatisfy { $0.fabrics == 0 })
        var spans: [(line: Int, kind: String, first: Double, last: Double)] = []
        for (number, result) in results.dropLast().enumerated() {
            let path = try #require(result["report"]?.string).replacingOccurrences(of: ".html", with: ".json")
            let report = try JSON(parsing: String(contentsOfFile: path, encoding: .utf8))
            for one in report["cases"]?.elements ?? [] where one["case"]?.string != "attestation" {
                let times = times(one)
                guard let first = times.min(), let last = times.max() else { continue }
                spans.append((number, one["case"]?.string ?? "", first, last))
            }
        }
        let alone = spans.filter { ["commissioning", "second-administrator"].contains($0.kind) }
        #expect(alone.count == 6, "\(spans)")
        for one in alone {
            let mixed = spans.filter { $0.line != one.line && $0.first < one.last && $0.last > one.first }
            #expect(mixed.isEmpty, "\(one) beside \(mixed)")
        }
        // The rest is not one after the other.
        let beside = spans.filter { one in
            spans.contains { $0.line != one.line && $0.first < one.last && $0.last > one.first }
        }
        #expect(!beside.isEmpty, "\(spans)")
    }

    @Test("a light of another make in a manifest: its label and its certificate are those of the product")
    func otherMakeInManifest() async throws {
        let scene = try await Scene.fresh()
        defer { scene.end() }
        let file = scene.matterctl.folder.file("run.jsonl")
        let line = #"{"qrCode":"\#(scene.light.qrCode)","name":"light","address":"\#(scene.light.address)"}"#
        try Data(line.utf8).write(to: file)
        let run = try await scene.matterctl.run([
            "check-device", "--manifest", file.path, "--allow-test-devices", "--no-ledger", "--json",
        ])
        let verdicts = try verdicts(run.json())
        #expect(run.status == 12 && verdicts["label"] == "passed" && verdicts["certificate"] == "passed", "\(run)")
        #expect(verdicts["ledger"] == "not tried" && verdicts["commissioning"] == "passed", "\(run)")
    }
}
