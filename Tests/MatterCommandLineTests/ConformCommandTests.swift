import Foundation
import JSON
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController

/// `conform` with virtual devices in this process.
@Suite("conform", .fewAtATime) struct ConformCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func commission(_ types: String, _ options: String = "") async throws -> Background {
        let device = try shell.start("simulate \(types) --port 0 --mdns none \(options)")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name lamp --timeout 60s")
        return device
    }

    @Test("a virtual device passes, also strictly; the result is on stdout, a summary on stderr")
    func sound() async throws {
        let device = try await commission("dimmable-light")
        let run = try await shell.succeed("conform lamp --strict")
        let lines = run.stdout.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        #expect(lines.count == 1 && lines[0].count == 6 && lines[0][2] == "default.vendor", "\(run.stdout)")
        #expect(
            run.stderr.contains("examined by Matter 1.6.0, strictly: 0 failures, 1 warning, 0 notes"), "\(run.stderr)")
        let json = try await shell.succeed("conform lamp --json").json()
        #expect(json["failures"] == 0 && json["specificationVersion"] == "0x01060000" && json["strict"] == false)
        #expect(try await shell.succeed("conform lamp --format json").json()["endpoints"] == 2)
        let contradiction = try await shell.run("conform lamp --json --format junit")
        #expect(contradiction.status == 64 && contradiction.stdout.isEmpty)
        _ = await device.stop()
    }

    @Test("failures are exit 12 with conform.failed, after the result, in each format")
    func broken() async throws {
        let device = try await commission("dimmable-light", "--fault odd-values:0.2:3")
        let json = try await shell.run("conform lamp --json")
        #expect(try json.status == 12 && json.error().text("id") == "conform.failed", "\(json.stderr)")
        let result = try json.json()
        #expect(result["failures"]?.integer(as: Int.self) ?? 0 > 0)
        let findings = try #require(result["findings"]?.arrayValue)
        #expect(findings.contains { $0["rule"] == "value.type" && $0["severity"] == "failure" })
        let junit = try await shell.run("conform lamp --format junit")
        #expect(junit.status == 12)
        let count = try XMLCounter.count(junit.stdout)
        #expect(count["failure"] == result["failures"]?.integer(as: Int.self))
        #expect(count["testsuite"] ?? 0 >= 2)
        let text = try await shell.run("conform lamp")
        #expect(text.status == 12 && text.stdout.contains("failure\t"))
        _ = await device.stop()
    }

    @Test("the table of the rules has a row for each, with its severities and its words, and no other row")
    func documented() throws {
        let section = try #require(
            try DocumentsTests.page("commands/conform").components(separatedBy: "## Rules\n").last)
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        #expect(
            rows
                == ConformanceRule.allCases.map {
                    "| `\($0.rawValue)` | \($0.severity.rawValue) | \($0.strictSeverity.rawValue) | \($0.text) |"
                })
    }

    @Test("JUnit is well-formed whatever the device says, and counts what it has")
    func escaping() throws {
        let hostile = "<a href=\"x\">&amp;]]>\u{1B}[31m\u{0}\u{FFFE}\n\ttab"
        let finding = ConformanceFinding(
            kind: .valueType, severity: .failure, endpoint: 1, cluster: 6, clusterName: "OnOff", element: hostile,
            expected: hostile, found: hostile)
        var note = finding
        note.severity = .note
        note.endpoint = nil
        let report = ConformanceReport(
            specification: "1.6.0", specificationVersion: nil, isStrict: false, endpoints: [0, 1],
            clusters: [.init(endpoint: 1, cluster: 6, name: "OnOff"), .init(endpoint: 1, cluster: 8, name: hostile)],
            attributes: 2, findings: [note, finding])
        let text = ConformJUnit.text(report, of: hostile)
        let count = try XMLCounter.count(text)
        #expect(count["testsuite"] == 3 && count["failure"] == 1 && count["system-out"] == 1)
        // Endpoint 0 and the node have one case each, endpoint 1 the sound cluster and the failure.
        #expect(count["testcase"] == 4 && text.contains("tests=\"4\" failures=\"1\""), "\(text)")
        #expect(!text.contains("\u{1B}") && !text.contains("\u{0}"))
    }
}
