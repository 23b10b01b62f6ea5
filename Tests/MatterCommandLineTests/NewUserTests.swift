import TestSupport
import Testing

@testable import MatterCommandLine

/// Words of people who do not know the program yet.
@Suite("A new user", .fewAtATime) struct NewUserTests {
    private let shell: Shell
    private let device: Background

    /// Node 1 `Küche`: 1 a light in colour, 2 a lock, 3 a contact sensor, 4 a switch with a meter.
    init() async throws {
        shell = try Shell()
        device = try shell.start("simulate color-light,door-lock,contact-sensor,energy-plug --port 0 --mdns none")
        let port = try await device.line("ready")
        try await shell.succeed(
            "commission 34970112332 --address 127.0.0.1:\(port) --attestation skip --name Küche --room Hall --timeout 60s"
        )
    }

    private func said(_ words: String...) async throws -> String {
        let run = try await shell.run(words)
        #expect(run.status == 0, "\(words): \(run)")
        return run.stdout
    }

    private func refused(_ words: String...) async throws -> String {
        let run = try await shell.run(words)
        #expect(run.status != 0, "\(words): \(run)")
        return run.stderr
    }

    @Test("a name is meant whatever its case and accents, and no other node may have it in another spelling")
    func names() async throws {
        for name in ["Küche", "küche", "KÜCHE", "kuche"] { _ = try await said("off", name + "/1") }
        #expect(try await refused("off", "kitchen").contains("there is no node 'kitchen'"))
        let other = try shell.start(
            "simulate on-off-light --passcode 12341234 --port 0 --mdns none --state \(shell.path("other"))")
        let port = try await other.line("ready")
        let taken = try await refused(
            "commission", "35323407532", "--address", "127.0.0.1:\(port)", "--attestation", "skip", "--name", "kuche",
            "--timeout", "60s")
        #expect(taken.contains("node 1 is called 'Küche' already"), "\(taken)")
        _ = try await said(
            "commission", "35323407532", "--address", "127.0.0.1:\(port)", "--attestation", "skip", "--name", "lamp",
            "--timeout", "60s")
        #expect(try await refused("node", "rename", "lamp", "KUCHE").contains("node 1 is called 'Küche' already"))
        // The node itself may be spelled in another way.
        _ = try await said("node", "rename", "kuche", "Kuche")
        _ = try await said("toggle", "küche/1")
        _ = await other.stop()
        _ = await device.stop()
    }

    @Test("everything is read without a path, and an endpoint is left out where only one has the cluster")
    func paths() async throws {
        let all = try await said("read", "Küche")
        #expect(all.contains("2/door-lock/lock-state\t") && all.split(separator: "\n").count > 200)
        let starred = try await said("read", "Küche", "*").split(separator: "\n").count
        #expect(starred == all.split(separator: "\n").count)
        #expect(try await said("read", "Küche", "level-control/on-level") == "null\n")
        #expect(try await said("read", "Küche", "door-lock").contains("2/door-lock/lock-state\t"))
        _ = try await said("write", "Küche", "level-control/on-level", "50%")
        let ambiguous = try await refused("read", "Küche", "on-off/on-off")
        #expect(ambiguous.contains("several endpoints of node 'Küche' have the cluster on-off: 1, 4"), "\(ambiguous)")
        #expect(ambiguous.contains("name one, as in 1/on-off/on-off"), "\(ambiguous)")
        let lacking = try await refused("read", "Küche", "thermostat/local-temperature")
        #expect(lacking.contains("no endpoint of node 'Küche' has the cluster thermostat"), "\(lacking)")
        _ = try await said("wait", "Küche", "boolean-state/state-value=closed", "--timeout", "20s")
        #expect(try await said("subscribe", "Küche", "*/on-off/on-off", "--count", "1").contains("on-off"))
        _ = await device.stop()
    }

    @Test("all that is wrong with fields is said at once")
    func fields() async throws {
        let missing = try await refused("invoke", "Küche", "1/level-control/move-to-level")
        #expect(missing.contains("needs fields 'level' (uint8), 'transition-time' (uint16?)"), "\(missing)")
        let wrong = try await refused("invoke", "Küche", "1/level-control/move-to-level", "levl=5", "foo=3")
        #expect(wrong.contains("no field 'levl'") && wrong.contains("no field 'foo'"), "\(wrong)")
        #expect(wrong.contains("did you mean level?"))
        _ = await device.stop()
    }

    @Test("colours and scenes are said as people say them")
    func values() async throws {
        _ = try await said("color", "Küche", "#ff8800")
        #expect(try await said("color", "Küche", "#f80", "--verify") == "5825\t254\n", "32 degrees, of 65536 steps")
        _ = try await said("color", "Küche", "warm", "white")
        _ = try await said("color", "Küche", "Warm White")
        #expect(try await refused("color", "Küche", "#000").contains("#000"))
        _ = try await said("scene", "store", "Küche/1", "Evening")
        _ = try await said("scene", "store", "Küche/1", "Night")
        #expect(try await said("scene", "ls", "Küche/1").contains("2\tNight"))
        _ = try await said("scene", "store", "Küche/1", "evening")
        _ = try await said("scene", "recall", "Küche/1", "EVENING")
        let unknown = try await refused("scene", "recall", "Küche/1", "Evenin")
        #expect(unknown.contains("has no scene 'Evenin'") && unknown.contains("did you mean evening?"), "\(unknown)")
        #expect(try await refused("scene", "recall", "--all", "Evening").contains("is for one node"))
        _ = try await said("scene", "remove", "Küche/1", "Night")
        #expect(try await said("scene", "ls", "Küche/1").split(separator: "\n").count == 1)
        _ = await device.stop()
    }

    @Test("turn on, turn off and the like are understood; what is mistyped is put right")
    func commands() async throws {
        _ = try await said("turn", "on", "Küche/1")
        #expect(try await said("read", "Küche", "1/on-off/on-off") == "true\n")
        _ = try await said("turn", "Küche/1", "off")
        #expect(try await said("read", "Küche", "1/on-off/on-off") == "false\n")
        _ = try await said("switch", "on", "Küche/4")
        #expect(try await said("node", "fabrics", "Küche") == said("fabrics", "ls", "Küche"))
        for (words, hint) in [
            (["node", "lsit"], "did you mean ls?"), (["lights", "on"], "use: matterctl on"),
            (["temperature", "Küche"], "use: matterctl sensor"),
            (["simulate", "dimable-light"], "did you mean dimmable-light?"),
        ] {
            let run = try await shell.run(words)
            #expect(run.status == 64 && run.stderr.contains(hint), "\(run)")
        }
        _ = await device.stop()
    }

    @Test("a room is followed by its state and by what changes, not by everything that its devices say")
    func following() async throws {
        let watch = try shell.start("watch --room Hall --count 19 --for 60s")
        _ = try await watch.text { $0.contains("lock-state") && $0.contains("state-value") }
        try await shell.succeed("write Küche 0/basic-information/node-label changed")
        let run = await watch.end()
        let lines = run.stdout.split(separator: "\n")
        #expect(!run.stdout.contains("attribute-list") && lines.count == 19, "\(run)")
        #expect(lines.last?.hasSuffix("node-label\tchanged") ?? false, "\(run)")
        let everything = try await said("watch", "Küche", "--everything", "--for", "1s")
        #expect(everything.contains("attribute-list"))
        _ = await device.stop()
    }
}
