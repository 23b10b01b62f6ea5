import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController

/// The page about a device, and the command without one.
@Suite("Device checks", .together) struct CheckDeviceCommandTests {
    /// Texts as a hostile device may send them.
    private static let hostile = "<script>alert('1')</script>\"&\u{202E}\u{1B}[2J</pre>"

    private static func report() -> DeviceCheckReport {
        var cases = DeviceCheckCase.Kind.allCases.map {
            DeviceCheckCase($0, .passed, "as it should be", [.init("label", "text")])
        }
        cases[4] = DeviceCheckCase(.conformance, .failed, hostile, [.init(hostile, hostile)])
        cases[5] = DeviceCheckCase(.loss, .notTried, "no datagram was hit")
        cases[4].trace = [hostile]
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
        for kind in DeviceCheckCase.Kind.allCases {
            #expect(page.components(separatedBy: "<section id=\"\(kind.rawValue)\">").count == 2, "\(kind)")
            #expect(page.contains("<a href=\"#\(kind.rawValue)\">"))
        }
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
    }

    @Test("what cannot be examined or written is said before anything is sent")
    func refusals() async throws {
        let shell = try Shell()
        for (words, status) in [
            ("check-device 34970112333 --report \(shell.path("report"))", 64), ("check-device 34970112332", 64),
            ("check-device 34970112332 --report /proc/nowhere", 64),
            ("check-device 34970112332 --report x --via ble --address [::1]:5540", 64),
        ] as [(String, Int32)] {
            let run = try await shell.run(words)
            #expect(run.status == status && run.stdout.isEmpty, "\(words): \(run)")
        }
    }
}
