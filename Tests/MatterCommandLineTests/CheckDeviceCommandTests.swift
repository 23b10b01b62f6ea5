import Foundation
import MatterBase
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController

/// The page about a device, and the command without one.
@Suite("Device checks", .together) struct CheckDeviceCommandTests {
    /// Texts as a hostile device may send them.
    private static let hostile = "<script>alert('1')</script>\"&\u{202E}\u{1B}[2J</pre>"

    private static func report() -> DeviceCheckReport {
        var cases = DeviceCheckCase.Kind.played.map {
            DeviceCheckCase($0, .passed, "as it should be", [.init("label", "text")])
        }
        cases[4] = DeviceCheckCase(.conformance, .failed, hostile, [.init(hostile, hostile)])
        cases[5] = DeviceCheckCase(.loss, .notTried, "no datagram was hit")
        cases[4].trace = [hostile]
        cases[4].messages = ["first\n    second \(hostile)", "third"]
        cases[4].time = .milliseconds(1234)
        return DeviceCheckReport(
            vendorID: 0xFFF1, productID: nil, began: 1_795_357_680, time: .seconds(61), cases: cases)
    }

    @Test("a page has one section for each case, loads nothing, and shows hostile text as text")
    func page() {
        let page = CheckDevicePage(report: Self.report()).text
        #expect(!page.contains("<script") && !page.contains("\u{1B}") && !page.contains("\u{202E}"))
        #expect(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;\\u202e\\x1b[2J&lt;/pre&gt;"))
        #expect(page.contains("default-src 'none'; style-src 'unsafe-inline'"))
        for kind in DeviceCheckCase.Kind.played {
            #expect(page.components(separatedBy: "<section id=\"\(kind.rawValue)\">").count == 2, "\(kind)")
            #expect(page.contains("<a href=\"#\(kind.rawValue)\">"))
        }
        #expect(
            page.contains("<summary>Log (1 line)</summary>")
                && page.contains("<summary>Messages (2 messages)</summary>"))
        #expect(page.contains("first\n    second &lt;script&gt;") && page.contains("\nthird\n"))
        #expect(page.contains("7 passed, 1 failed, 1 not tried") && page.contains("<td>1.23 s</td>"))
        for tag in ["section", "table", "pre", "details", "body", "html"] {
            let opened = page.components(separatedBy: "<\(tag)").count
            #expect(opened == page.components(separatedBy: "</\(tag)>").count, "\(tag)")
        }
        #expect(!page.contains("src=") && !page.contains("http://") && !page.contains("https://"))
    }

    @Test("the JSON has the cases with their evidence, and the log only in the file")
    func json() throws {
        let object = Report(Self.report(), tracing: false).json
        #expect(object["failed"] == 1 && object["passed"] == 7 && object["notTried"] == 1)
        let one = try #require(object["cases"]?.arrayValue?[4])
        #expect(one["case"] == "conformance" && one["verdict"] == "failed" && one["seconds"] == 1.23)
        #expect(one["evidence"]?.arrayValue?.first?["text"] == .string(Self.hostile) && one["trace"] == nil)
        #expect(Report(Self.report(), tracing: true).json["cases"]?.arrayValue?[4]["trace"] != nil)
        let messages = Report(Self.report(), tracing: true).json["cases"]?.arrayValue?[4]["messages"]?.arrayValue
        #expect(messages?.count == 2 && one["messages"] == nil && object["notes"] == 0)
    }

    @Test("what cannot be examined or written is said before anything is sent")
    func refusals() async throws {
        let shell = try Shell()
        for (words, status) in [
            ("check-device 34970112333 --report \(shell.path("report"))", 64), ("check-device 34970112332", 64),
            ("check-device 34970112332 --report /proc/nowhere", 64),
            ("check-device 34970112332 --report x --via ble --address [::1]:5540", 64),
            ("check-device", 64), ("check-device 34970112332 --manifest x", 64),
            ("check-device 34970112332 --report x --offline", 64),
            ("check-device 34970112332 --report x --labels y", 64),
            ("check-device --manifest /proc/none", 64), ("check-device --manifest x --via ip", 64),
            ("check-device --manifest x --no-ledger --test-net", 64),
            ("check-device --manifest x --at-a-time 0", 64), ("check-device --manifest x --at-a-time 17", 64),
            ("check-device 34970112332 --report x --at-a-time 2", 64),
        ] as [(String, Int32)] {
            let run = try await shell.run(words)
            #expect(run.status == status && run.stdout.isEmpty, "\(words): \(run)")
        }
    }

    // MARK: A manifest

    private static func payload(_ number: Int) throws -> SetupPayload {
        SetupPayload(
            vendorID: 0xFFF1, productID: 0x8001, discoveryCapabilities: .onNetwork,
            discriminator: try SetupDiscriminator(long: UInt16(3800 + number)),
            passcode: try SetupPasscode(20_202_020 + UInt32(number)))
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("a print run is checked without its devices: a line each, reports, and labels for those in order")
    func offline() async throws {
        let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let (one, two) = (try Self.payload(1), try Self.payload(2))
        let manifest = try shell.file(
            "run.csv",
            """
            qrCode,manualCode,name,vendorId,productId,serialNumber
            \(try one.qrCode()),\(try one.manualCode()),"<b>Lamp</b> &",65521,0x8001,A-1
            \(try two.qrCode()),\(try one.manualCode()),../../two,65522,0x8001,A-2
            """)
        let words = [
            "check-device", "--manifest", manifest, "--offline", "--labels", shell.path("labels.html"), "--report",
            shell.path("out"),
        ]
        let run = try await shell.run(words)
        #expect(run.status == 12 && run.stderr.contains("1 of 2 devices failed: line 3"), "\(run)")
        let rows = run.stdout.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.count == 2 && rows.allSatisfy { $0.count == 8 }, "\(run)")
        #expect(rows.first?.prefix(7) == ["2", "<b>Lamp</b> &", "note", "passed", "not tried", "note", "not tried"])
        #expect(rows.last?.prefix(6) == ["3", "../../two", "failed", "failed", "not tried", "note"])
        #expect(
            rows.last?[7].contains("different passcodes") == true && rows.last?[7].contains("vendor: 0xFFF2") == true)
        // The labels: of the sound one alone, as text, and for nobody else to read.
        let labels = try String(contentsOfFile: shell.path("labels.html"), encoding: .utf8)
        #expect(try mode(shell.path("labels.html")) == 0o600)
        #expect(try labels.contains(one.formattedManualCode()) && labels.contains(HTMLText.escaped(one.qrCode())))
        #expect(try !labels.contains(two.qrCode()) && labels.contains("<li>../../two: "))
        #expect(labels.contains("&lt;b&gt;Lamp&lt;/b&gt; &amp;") && !labels.contains("<b>"))
        #expect(labels.contains("Serial number A-1") && labels.contains("vendor 0xFFF1, product 0x8001"))
        #expect(labels.contains("<svg") == QRDrawing.isAvailable && labels.contains("default-src 'none'"))
        // The reports: a folder each, an index that leads to them, and no code in any.
        let index = try String(contentsOfFile: shell.path("out/index.html"), encoding: .utf8)
        for folder in ["0002-b-Lamp-b", "0003-two"] {
            #expect(index.contains("<a href=\"\(folder)/report.html\">"), "\(index)")
            let page = try String(contentsOfFile: shell.path("out/\(folder)/report.html"), encoding: .utf8)
            #expect(page.contains("<section id=\"label\">") && page.contains("<a href=\"../index.html\">"))
            for text in [index, page] {
                #expect(try !text.contains("MT:") && !text.contains(one.manualCode()) && !text.contains("2020202"))
                #expect(!text.contains("<b>") && !text.contains("<script"))
            }
            #expect(try mode(shell.path("out/\(folder)/report.json")) == 0o600)
        }
        // The same for programs: an object on each line.
        let json = try await shell.run(words + ["--json"])
        let objects = try json.stdout.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(objects.map { $0["result"]?.stringValue } == ["note", "failed"] && objects[0]["line"] == 2)
        #expect(objects[1]["report"] == .string(shell.path("out/0003-two/report.html")))
        #expect(try json.error().text("id") == "check.failed")
    }

    @Test("what could not be compared fails strictly, and the ledger is left alone if it is to be")
    func strict() async throws {
        let shell = try Shell(["MATTERCTL_LEDGER": "http://127.0.0.1:9"])
        let manifest = try shell.file("run.jsonl", "{\"qrCode\":\"\(try Self.payload(3).qrCode())\"}\n")
        let words = ["check-device", "--manifest", manifest, "--offline", "--json"]
        for (options, status, result) in [
            ([], 0, "note"), (["--strict"], 12, "failed"), (["--strict", "--no-ledger"], 0, "passed"),
        ] as [([String], Int32, String)] {
            let run = try await shell.run(words + options)
            #expect(try run.status == status && run.json()["result"]?.stringValue == result, "\(options): \(run)")
        }
    }

    @Test("the ledger's word on the product is a case, and certificates in files are compared without the device")
    func ledgerAndFiles() async throws {
        let server = try StandInServer { target in
            switch target.prefix(while: { $0 != "?" }) {
            case "/dcl/model/models/65521/32769":
                .init(#"{"model":{"vid":65521,"pid":32769,"productName":"Lamp"}}"#)
            case "/dcl/compliance/compliance-info/65521/32769/7/matter":
                .init(
                    #"""
                    {"complianceInfo":{"vid":65521,"pid":32769,"softwareVersion":7,"softwareVersionCertificationStatus":3}}
                    """#)
            default: .init(LedgerScene.notFound, status: 404)
            }
        }
        let shell = try Shell(["MATTERCTL_LEDGER": server.url])
        let qr = try Self.payload(4).qrCode()
        let manifest = try shell.file(
            "run.csv", "qrCode,softwareVersion,attestation\n\(qr),7,\n\(qr),8,no-such-folder\n")
        let run = try await shell.run(["check-device", "--manifest", manifest, "--offline"])
        let rows = run.stdout.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.map { $0[4] } == ["not tried", "failed"] && rows.map { $0[5] } == ["failed", "note"], "\(run)")
        #expect(rows.first?.last?.contains("was withdrawn") == true && run.status == 12, "\(run)")
        #expect(rows.last?.last?.contains("no-such-folder") == true && run.stderr.contains("lines 2, 3"), "\(run)")
    }

    @Test(
        "however many devices of a product are compared at a time, the ledger is asked once; the lines keep their order"
    )
    func oneQuestion() async throws {
        let server = try StandInServer { _ in
            var answer = StandInServer.Answer(LedgerScene.notFound, status: 404)
            // The others come in the meantime.
            answer.delay = 0.3
            return answer
        }
        let shell = try Shell(["MATTERCTL_LEDGER": server.url])
        let rows = try (1...12).map { "\(try Self.payload($0).qrCode()),7" }
        let manifest = try shell.file("run.csv", (["qrCode,softwareVersion"] + rows).joined(separator: "\n"))
        let run = try await shell.run(["check-device", "--manifest", manifest, "--offline", "--at-a-time", "6"])
        #expect(run.stdout.split(separator: "\n").map { Int($0.prefix { $0 != "\t" }) } == Array(2...13), "\(run)")
        let models = server.requests.filter { $0.contains("/dcl/model/models/65521/32769") }
        #expect(models.count == 1, "\(server.requests)")
    }

    @Test("all that is wrong with a manifest is told at once, with lines and columns, and nothing is begun")
    func faults() async throws {
        let shell = try Shell()
        let manifest = try shell.file("run.csv", "qrCode,vendorId,vendor-id\nMT:X,1,2\n34970112332,x,1\n")
        let words = ["check-device", "--manifest", manifest, "--offline", "--report", shell.path("out")]
        let run = try await shell.run(words)
        #expect(run.status == 64 && run.stdout.isEmpty && !OutputFile.exists(shell.path("out/index.html")), "\(run)")
        for text in [
            "error: the manifest has 4 faults; nothing was sent", "why: line 1, column vendor-id: two columns",
            "why: line 2, column qrCode: ", "why: line 3, column qrCode: it is the other form",
            "why: line 3, column vendorId: ",
        ] { #expect(run.stderr.contains(text), "\(text): \(run)") }
        let error = try await shell.run(words + ["--json"]).error()
        #expect(error.text("id") == "check.manifest" && error["lines"]?.arrayValue?.count == 4, "\(error)")
    }

    @Test("the folder of a device has letters, digits and dashes alone, and its line")
    func places() throws {
        for (name, place) in [
            ("Lamp 7", "0012-Lamp-7"), ("../../etc", "0012-etc"), ("", "0012"), ("Ä/ö", "0012"),
            ("a\u{0}b", "0012-a-b"),
        ] {
            var device = DeviceManifest.Device(line: 12)
            device.name = name
            #expect(CheckDeviceRound.place(of: device) == place)
        }
    }
}
