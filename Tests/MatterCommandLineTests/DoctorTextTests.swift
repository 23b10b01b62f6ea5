import JSON
import TestSupport
import Testing

@testable import MatterCommandLine

/// How `doctor` tells people what it has found.
@Suite("Findings of doctor for people", .oneByOne) struct DoctorTextTests {
    /// Letters alone: lines are folded where there is room.
    private static func letters(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    @Test("a terminal shows every cure in full, however narrow it is", arguments: ["40", "80"])
    func cures(columns: String) async throws {
        let variables = ["COLUMNS": columns, "NO_COLOR": "1"]
        let person = try Shell(variables, terminals: [.output])
        let run = try await person.run("doctor")
        let answer = try JSONValue(parsing: try await person.run("doctor --json").stdout)
        let checks = try #require(answer["checks"]?.arrayValue)
        let wrong = checks.filter { $0["verdict"] != "ok" }
        // This machine has no fabric, so something is always to do.
        #expect(wrong.contains { $0["check"] == "state-folder" })
        let shown = Self.letters(run.stdout)
        for check in wrong where check["check"] != "multicast" {
            let cure = check["cure"]?.stringValue ?? ""
            #expect(shown.contains(Self.letters(cure)), "\(check)")
        }
        let sound = try #require(checks.first { $0["verdict"] == "ok" }?["check"]?.stringValue)
        #expect(run.stdout.split(separator: "\n").last { $0.hasPrefix("ok  ") } != nil && shown.contains(sound))
    }

    @Test("programs get a line for each check, and --wide a table")
    func lines() async throws {
        let shell = try Shell()
        let piped = try await shell.run("doctor").stdout
        #expect(piped.contains("state-folder\tnote\t"))
        let person = try Shell(["COLUMNS": "80", "NO_COLOR": "1"], terminals: [.output])
        #expect(try await person.run("doctor --wide").stdout.hasPrefix("CHECK"))
    }
}
