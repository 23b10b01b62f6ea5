import JSON
import MatterCommandLine
import TestSupport
import Testing

/// `commission --check`: what would stop a commissioning, without a device.
@Suite("Check before a commissioning", .fewAtATime) struct ReadinessTests {
    private func checks(_ run: CommandRun) throws -> [String: String] {
        let rows = try run.json().arrayValue ?? []
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                guard let check = row["check"]?.stringValue else { return nil }
                return (check, row["error"]?["id"]?.stringValue ?? row["result"]?.stringValue ?? "")
            })
    }

    @Test("with all that is needed, every check is ready, and nothing is made")
    func ready() async throws {
        let shell = try Shell()
        let run = try await shell.run("commission --check --name lamp --address 127.0.0.1:9 --json")
        #expect(run.status == 0, "\(run)")
        let checks = try checks(run)
        #expect(Set(checks.values) == ["ready"], "\(checks)")
        #expect(
            Set(checks.keys) == ["fabric", "name", "clock", "issuer", "trust", "network", "discovery", "bluetooth"])
        #expect(try await shell.succeed("fabric ls").stdout.isEmpty, "a check makes no fabric")
        let text = try await shell.run("commission --check --address 127.0.0.1:9")
        #expect(text.stdout.hasPrefix("fabric\tready\ta new one is made\n"), "\(text)")
    }

    @Test("the first problem is the exit code; the others are told, too")
    func problems() async throws {
        let shell = try Shell(now: 1_000_000_000)
        try await Shell(["MATTERCTL_HOME": shell.home]).succeed("fabric create home")
        let run = try await shell.run(
            "commission --check --name a/b --trust \(shell.path("none")) --address 127.0.0.1:9 --json")
        #expect(run.status == 64, "\(run)")
        #expect(try run.error().text("id") == "name.invalid", "\(run)")
        let checks = try checks(run)
        #expect(checks["fabric"] == "ready" && checks["issuer"] == "ready", "\(checks)")
        #expect(checks["clock"]?.hasPrefix("certificate.") == true, "\(checks)")
        #expect(checks["trust"] == "attestation.unreadable-trust", "\(checks)")
    }

    @Test("an issuer that the fabric does not have, a setup code that is none, and a name that is taken")
    func refusals() async throws {
        let shell = try Shell()
        try await shell.succeed("fabric create home")
        let other = try await shell.run("commission --check --issuer rainmaker --address 127.0.0.1:9 --json")
        #expect(try other.status == 64 && checks(other)["issuer"] == "usage.issuer", "\(other)")
        let code = try await shell.run("commission 34970112333 --check --address 127.0.0.1:9 --json")
        #expect(try code.status == 64 && code.error().text("id") == "payload.check-digit", "\(code)")
        #expect(
            try await shell.run("commission --address 127.0.0.1:9").status == 64, "without --check, a code is needed")
    }
}
