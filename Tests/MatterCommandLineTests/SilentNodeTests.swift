import Foundation
import TestSupport
import Testing

@testable import MatterCommandLine

/// The view of a person on a node that gives no answer, with virtual devices in this process.
@Suite("A node that gives no answer", .fewAtATime) struct SilentNodeTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func device(_ name: String) async throws -> (device: Background, port: String) {
        let device = try shell.start("simulate on-off-light --port 0 --mdns none --state \(shell.path(name))")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name \(name) --timeout 60s")
        return (device, port)
    }

    /// Whether a line of a wait was shown. Which second comes first is up to the load of the machine.
    private static func counts(_ run: CommandRun, _ before: String = "", of seconds: Int) -> Bool {
        (1...seconds).contains { run.stderr.contains("\(before)\($0) s of \(seconds) s) …") }
    }

    @Test("a person is told whom a command waits for, on a line that goes with the wait; programs and logs are not")
    func waiting() async throws {
        let (device, port) = try await device("lamp")
        _ = await device.stop()
        let words = "on lamp --home \(shell.home) --no-keep --timeout 3s"
        let person = try await Shell(terminals: [.error]).run(words)
        #expect(person.status == 4 && person.stdout.isEmpty)
        #expect(Self.counts(person, "waiting for lamp (127.0.0.1:\(port), ", of: 3), "\(person)")
        #expect(person.stderr.contains(" … Ctrl-C stops\r\u{1B}[J"), "\(person)")
        #expect(person.stderr.contains("\r\u{1B}[Jerror: node 'lamp' does not answer"), "\(person)")
        for (terminals, more) in [([], ""), ([.error], " --json"), ([.error], " --progress none")]
            as [(
                Set<Terminal.Stream>, String
            )]
        {
            let run = try await Shell(terminals: terminals).run(words + more)
            #expect(run.status == 4 && !run.stderr.contains("waiting"), "\(more): \(run)")
        }
    }

    @Test("status shows what has answered while it waits for the rest, and then the table alone")
    func status() async throws {
        let (first, _) = try await device("lamp")
        let (second, _) = try await device("hall")
        _ = await second.stop()
        let words = "status --home \(shell.home) --timeout 8s"
        let person = try await Shell(terminals: [.output, .error]).succeed(words)
        #expect(
            person.stderr.hasPrefix(
                "ROOM  NODE  NAME  STATE  BATTERY  REACHABLE\n-     1     lamp  off    -        yes\n"),
            "\(person)")
        #expect(person.stderr.contains("-     2     hall  …      -        -\nwaiting for hall ("), "\(person)")
        #expect(person.stderr.hasSuffix("\r\u{1B}[3A\u{1B}[J"), "\(person)")
        #expect(
            person.stdout.contains("-     2     hall  no answer for ") && person.stdout.hasSuffix(" s  -        no\n"),
            "\(person)")
        #expect(try await shell.succeed(words).stderr.isEmpty)
        _ = await first.stop()
    }

    @Test(
        "what only reads gives up on a silent node after some seconds, or what --patience says; what changes has its time"
    )
    func patience() async throws {
        let (device, _) = try await device("lamp")
        _ = await device.stop()
        for words in ["read lamp 1/on-off/on-off", "describe lamp", "ping lamp", "events lamp"] {
            let run = try await Shell(terminals: [.error]).run("\(words) --home \(shell.home) --patience 2s")
            #expect(run.status == 4 && Self.counts(run, of: 2), "\(words): \(run)")
        }
        #expect(try await shell.succeed("status --patience 2s").stdout.contains("\tno answer for "))
        let changing = try await Shell(terminals: [.error]).run("on lamp --home \(shell.home) --timeout 4s")
        #expect(Self.counts(changing, of: 4), "\(changing)")
        let usual = try await shell.run("read lamp 1/on-off/on-off --json")
        #expect(usual.status == 4, "\(usual)")
        let refused = try await shell.run("on lamp --patience 2s")
        #expect(
            refused.status == 64 && refused.stderr.contains("--patience is for commands that only read"), "\(refused)")
        #expect(try await shell.run("read lamp 1/on-off/on-off --patience 0s").status == 64)
    }

    @Test("among several nodes, one that was silent a moment ago gets a short try, until it answers")
    func silent() async throws {
        let (first, _) = try await device("lamp")
        let (second, port) = try await device("hall")
        _ = await second.stop()
        let short = "too, so it was given a short time: --timeout 30s gives it more"
        // Nothing is known of it yet, and it is noted.
        let unknown = try await shell.run("off --all --timeout 8s")
        #expect(unknown.status == 4 && !unknown.stderr.contains(short), "\(unknown)")
        let known = try await shell.run("off --all")
        #expect(known.status == 4 && known.stderr.contains(short), "\(known)")
        #expect(known.stdout == "1\tlamp\tdone\n2\thall\tfailed\n")
        // The user's own time counts, and so does that of a node that is named alone.
        #expect(try await !shell.run("off --all --timeout 8s").stderr.contains(short))
        #expect(try await !shell.run("off hall --timeout 2s").stderr.contains(short))
        func noted() -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: shell.home + "/fabrics/home/silent")) ?? []
        }
        #expect(noted().count == 1)
        let back = try shell.start(
            "simulate on-off-light --port \(port) --mdns none --state \(shell.path("hall"))")
        _ = try await back.line("ready")
        #expect(try await shell.succeed("off --all --timeout 30s").stdout == "1\tlamp\tdone\n2\thall\tdone\n")
        #expect(noted().isEmpty)
        _ = await back.stop()
        _ = await first.stop()
    }
}
