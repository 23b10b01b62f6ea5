import Foundation
import Testing

/// The instruments themselves: a test that relies on a blind one shows nothing.
@Suite("The laboratory", .enabled(if: Laboratory.isHere), .laboratorySlot) struct HarnessTests {
    @Test("a light tells its codes, is found by a relay's client, and survives a restart")
    func light() async throws {
        let light = try await Light.start()
        defer { light.stop() }
        #expect(light.qrCode.hasPrefix("MT:"))
        #expect(light.manualCode.filter(\.isNumber).count == 11)
        try await light.restart()
        #expect(light.lines.count { $0 == "ready \(light.port)" } == 2)
    }

    @Test("a lossy relay loses what its seed says, in both runs the same")
    func relay() async throws {
        var reports: Set<String> = []
        for _ in 0..<2 {
            let light = try await Light.start("--mdns", "none")
            defer { light.stop() }
            let relay = try await Relay.start(to: light, seed: 4, ["--loss", "0.3", "--duplicate", "0.1"])
            let folder = try TemporaryFolder()
            let sender = """
                import socket
                s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
                for n in range(200): s.sendto(b"noise", ("\(Laboratory.nearAddress)", \(relay.port)))
                """
            let child = try Child(Laboratory.python, ["-c", sender], folder: folder)
            #expect(await child.status() == 0)
            // Nothing tells that the last datagram has come through.
            try await Task.sleep(for: .milliseconds(200))
            reports.insert(await relay.stop())
        }
        #expect(reports.count == 2, "the ports differ: \(reports)")
        let fates = Set(reports.map { $0.split(separator: "\n").dropFirst().joined(separator: "\n") })
        #expect(fates.count == 1, "\(fates)")
        let lost = try #require(fates.first?.firstMatch(of: /(\d+) lost/)?.1)
        #expect((30...90).contains(try #require(Int(lost))))
    }

    @Test("a child that runs too long is killed and says so")
    func watchdog() async throws {
        let folder = try TemporaryFolder()
        let child = try Child(URL(fileURLWithPath: "/bin/sleep"), ["60"], folder: folder)
        #expect(await child.status(within: .milliseconds(100)) == 137)
    }

    @Test("CI counts the vector tests that ran: too few fail it, a skipped one too, unless that is allowed")
    func vectorCount() async throws {
        let names = (1...63).map { "Suite/test\($0)" }
        func status(_ ran: [String], allowed: Bool = false) async throws -> (Int32, String) {
            let folder = try TemporaryFolder()
            // A test that ran once for each of its arguments counts once.
            let lines = names.map { "planned \($0)" } + (ran + ran).map { "ran \($0)" }
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: folder.file("log"))
            var environment = Laboratory.environment
            environment["MATTERCTL_WITHOUT_SHARED"] = allowed ? "1" : nil
            let script = Laboratory.scripts.appendingPathComponent("../Tools/count_vector_tests.sh").standardizedFileURL
            let child = try Child(
                script, [folder.file("log").path], environment: environment, folder: folder)
            return (await child.status(), child.stdout)
        }
        #expect(try await status(names) == (0, "vector tests: 63 of 63 ran\n"))
        #expect(try await status(names.dropLast()) == (1, "vector tests: 62 of 63 ran\n"))
        #expect(try await status([]) == (1, "vector tests: 0 of 63 ran\n"))
        #expect(try await status([], allowed: true) == (0, "vector tests: 0 of 63 ran\n"))
    }
}
