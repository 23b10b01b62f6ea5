import Foundation
import Testing

/// `simulate` as a program: what it prints, what can be typed at it, and many nodes in one process.
@Suite("Simulate", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SimulateTests {
    private func start(
        _ arguments: String..., input: String = "", state: TemporaryFolder, until isReady: (Child) throws -> Bool
    ) async throws -> Child {
        let child = try Child(
            Laboratory.binary, ["simulate"] + arguments + ["--mdns", "none", "--state", state.file("state").path],
            input: input, folder: state)
        try await eventually("\(arguments): \(child.stdout) \(child.stderr)") {
            guard child.isRunning else { throw LaboratoryError("it ended: \(child.stdout) \(child.stderr)") }
            return try isReady(child)
        }
        return child
    }

    private func objects(_ child: Child) throws -> [JSON] {
        // The last piece may be half a line.
        try child.stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
            try JSON(parsing: String($0))
        }
    }

    /// What a device has printed of being switched.
    private func switchings(_ child: Child) throws -> [JSON] {
        try objects(child).filter { $0["attribute"]?.string == "OnOff" }
    }

    @Test("with --count each node has its own port, discriminator and codes, and hears its own lines only")
    func many() async throws {
        let folder = try TemporaryFolder()
        let lines = "#1 1 on-off on\n#2 1 on-off on\n#2 1 on-off off\n#7 1 on-off on\n#0 1 on-off fly\n"
        let child = try await start(
            "on-off-light", "--count", "3", "--port", "5790", "--discriminator", "4094", "--json", input: lines,
            state: folder
        ) { child in
            let changes = try switchings(child).count
            return changes >= 3 && child.stderr.split(separator: "\n").count >= 2
        }
        let ready = try objects(child).filter { $0["event"]?.string == "ready" }
        #expect(ready.map { $0["simulatedNode"]?.int } == [0, 1, 2])
        #expect(ready.map { $0["port"]?.int } == [5790, 5791, 5792])
        #expect(ready.map { $0["discriminator"]?.int } == [4094, 4095, 0])
        #expect(Set(ready.compactMap { $0["qrCode"]?.string }).count == 3)
        let changes = try switchings(child)
        let second: [Bool?] = changes.filter { $0["simulatedNode"]?.int == 1 }.map { $0["value"]?.bool }
        let third: [Bool?] = changes.filter { $0["simulatedNode"]?.int == 2 }.map { $0["value"]?.bool }
        #expect(second == [true])
        #expect(third == [true, false])
        #expect(changes.count == 3)
        let notes = try child.stderr.split(separator: "\n").map { try JSON(parsing: String($0))["progress"]?["note"] }
        #expect(Set(notes.map { $0?.string }) == ["there is no node #7", "the device makes nothing of '1 on-off fly'"])
        child.signal(SIGTERM)
        #expect(await child.status() == 0)
    }

    @Test("two processes do not play one device")
    func lock() async throws {
        let folder = try TemporaryFolder()
        let child = try await start("on-off-light", "--port", "0", state: folder) { $0.stdout.contains("\nready ") }
        defer { child.signal(SIGTERM) }
        let outcome = try await MatterCtl().fail(
            10, "simulate", "on-off-light", "--port", "0", "--mdns", "none", "--state", folder.file("state").path)
        #expect(outcome.stderr.contains("another process"))
    }

    @Test("what cannot be simulated: 64")
    func usage() async throws {
        let matterctl = try MatterCtl()
        let lines: [([String], String)] = [
            (["toaster"], "dimmable-light"), (["on-off-light", "--fault", "sleep"], "fabric-table-full"),
            (["on-off-light", "--count", "0"], "0 nodes"),
            (["on-off-light", "--count", "3", "--port", "65534"], "65534"),
            (["on-off-light", "--rainmaker-revision", "4"], "2 and 3"),
            (["on-off-light", "--rainmaker-node-id", ""], "1 to 39"),
            (["on-off-light", "--rainmaker-node-id", "x", "--count", "2"], "one RainMaker node id"),
            (["on-off-light", "--attestation", "/", "--paa-out", "x"], "--paa-out"),
        ]
        for (arguments, expected) in lines {
            let outcome = try await matterctl.run(["simulate", "--mdns", "none"] + arguments)
            #expect(outcome.status == 64 && outcome.stdout.isEmpty, "\(outcome)")
            #expect(outcome.stderr.contains(expected), "\(outcome)")
        }
    }

    @Test("help says what numbers are the default, as people write them")
    func help() async throws {
        let outcome = try await MatterCtl().succeed("simulate", "--help")
        #expect(outcome.stdout.contains("(default: 0xFFF1)") && outcome.stdout.contains("(default: 0x8001)"))
        #expect(!outcome.stdout.contains("NumberArgument"))
    }

    /// A cluster of a vendor's that no device has.
    private static let definitions = #"""
        {"clusters":[{"id":"0xFFF1FC10","name":"Blinker","attributes":[{"id":0,"name":"Rate","type":"uint16"}],
        "commands":[{"id":0,"name":"Blink","fields":[{"id":0,"name":"Times","type":"uint8"}]}]}]}
        """#

    @Test("clusters of one's own are known by name, from a file and from the state directory, and sent to a device")
    func definitions() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.fail(64, "clusters", "blinker")
        let file = matterctl.folder.file("blinker.json")
        try Data(Self.definitions.utf8).write(to: file)
        let named = try await matterctl.succeed("clusters", "blinker", "--cluster-defs", file.path)
        #expect(named.stdout.contains("blink times=uint8"))

        let state = try TemporaryFolder()
        let child = try await start("on-off-light", "--port", "0", state: state) { $0.stdout.contains("\nready ") }
        defer { child.signal(SIGTERM) }
        let lines = child.stdout.split(separator: "\n")
        let code = try #require(lines.first { $0.hasPrefix("qr ") }?.dropFirst(3))
        let port = try #require(lines.first { $0.hasPrefix("ready ") }?.dropFirst(6))
        try await matterctl.succeed(
            "commission", String(code), "--name", "light", "--address", "[\(Laboratory.nearAddress)]:\(port)",
            "--attestation", "skip")
        // The device has no such cluster, and says so of the path that the names stand for.
        for arguments in [
            ["read", "light", "1/blinker/rate"], ["invoke", "light", "1/blinker/blink", "times=3"],
        ] {
            let refused = try await matterctl.run(arguments + ["--cluster-defs", file.path, "--json"])
            #expect(refused.status == 6, "\(refused)")
            #expect(refused.stderr.contains("UNSUPPORTED_CLUSTER"), "\(refused)")
        }

        let folder = matterctl.home.appendingPathComponent("clusters")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(at: file, to: folder.appendingPathComponent("blinker.json"))
        #expect(try await matterctl.succeed("clusters", "blinker").stdout == named.stdout)
        try Data("{".utf8).write(to: folder.appendingPathComponent("broken.json"))
        #expect(try await matterctl.run(["clusters", "blinker"]).stderr.contains("broken.json"))
    }
}
