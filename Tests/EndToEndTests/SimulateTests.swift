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

    /// The lines of a device about being switched.
    private func switchings(_ child: Child) throws -> [JSON] {
        try objects(child).filter { $0["attribute"]?.string == "OnOff" }
    }

    @Test("the authority is written where it is wanted, and the folder is made")
    func authority() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("new/trust/light.der").path
        let child = try await start("on-off-light", "--port", "6789", "--paa-out", path, state: folder) { child in
            child.stdout.contains("ready 6789")
        }
        defer { child.signal(SIGTERM) }
        let authority = try Data(contentsOf: URL(fileURLWithPath: path))
        // A certificate: a DER sequence of its length.
        #expect(authority.prefix(2) == Data([0x30, 0x82]))
        let length = authority.dropFirst(2).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        #expect(authority.count == 4 + length)
    }

    @Test("with --count each node has its own port, discriminator and codes, and hears its own lines only")
    func many() async throws {
        let folder = try TemporaryFolder()
        let lines = "#1 1 on-off on\n#2 1 on-off on\n#2 1 on-off off\n#7 1 on-off on\n#0 1 on-off fly\n#x on\n"
        let child = try await start(
            "on-off-light", "--count", "3", "--port", "6790", "--discriminator", "4094", "--json", input: lines,
            state: folder
        ) { child in
            let changes = try switchings(child).count
            return changes >= 3 && child.stderr.split(separator: "\n").count >= 3
        }
        let ready = try objects(child).filter { $0["event"]?.string == "ready" }
        #expect(ready.map { $0["simulatedNode"]?.int } == [0, 1, 2])
        #expect(ready.map { $0["port"]?.int } == [6790, 6791, 6792])
        #expect(ready.map { $0["discriminator"]?.int } == [4094, 4095, 0])
        #expect(Set(ready.compactMap { $0["qrCode"]?.string }).count == 3)
        let changes = try switchings(child)
        let second: [Bool?] = changes.filter { $0["simulatedNode"]?.int == 1 }.map { $0["value"]?.bool }
        let third: [Bool?] = changes.filter { $0["simulatedNode"]?.int == 2 }.map { $0["value"]?.bool }
        #expect(second == [true])
        #expect(third == [true, false])
        #expect(changes.count == 3)
        let notes = try child.stderr.split(separator: "\n").map { try JSON(parsing: String($0))["progress"]?["note"] }
        #expect(
            Set(notes.map { $0?.string }) == [
                "there is no node #7", "unrecognised input: '1 on-off fly'", "#x is not a node",
            ])
        child.signal(SIGTERM)
        #expect(await child.status() == 0)
    }

    /// KiB of memory that a process shares with no other.
    private func memory(_ child: Child) throws -> Int {
        let rollup = try String(contentsOfFile: "/proc/\(child.pid)/smaps_rollup", encoding: .utf8)
        return rollup.split(separator: "\n").filter { $0.hasPrefix("Private_Clean:") || $0.hasPrefix("Private_Dirty:") }
            .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.reduce(0, +)
    }

    /// Clock ticks of the CPU that a process has used.
    private func ticks(_ child: Child) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8)
        let fields = try #require(status.lastIndex(of: ")").map { status[$0...].split(separator: " ") })
        return try fields[12...13].map { try #require(Int($0)) }.reduce(0, +)
    }

    @Test("a hundred nodes take less than 1 MiB each, and next to no CPU while they are left alone")
    func hundred() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let one = try await start("thermostat", "--port", "0", state: other) { $0.stdout.contains("\nready ") }
        defer { one.signal(SIGTERM) }
        let many = try await start("thermostat", "--count", "100", "--port", "16800", state: folder) { child in
            child.stdout.split(separator: "\n").count { $0.contains(" port ") } == 100
        }
        defer { many.signal(SIGTERM) }
        // The first seconds may still belong to the start; a hundredth of a second is a tick.
        var used = Int.max
        for _ in 0..<60 where used > 5 {
            let before = try ticks(many)
            // Ticks are time of its own, so that others may be busy meanwhile.
            try await Task.sleep(for: .seconds(2))
            used = try ticks(many) - before
        }
        #expect(used <= 5, "ticks in two seconds")
        let each = (try memory(many) - memory(one)) / 99
        #expect(each > 0 && each < 1024, "\(each) KiB")
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
            (["on-off-light", "--count", "0"], "--count 0"),
            (["on-off-light", "--count", "3", "--port", "65534"], "65534"),
            (["on-off-light", "--rainmaker-revision", "4"], "2 and 3"),
            (["on-off-light", "--rainmaker-node-id", ""], "1 to 39"),
            (["on-off-light", "--rainmaker-node-id", "x", "--count", "2"], "one RainMaker node id"),
            (["on-off-light", "--rainmaker-revision", "4"], "leave out --rainmaker-revision for the newest"),
            (["on-off-light", "--rainmaker-node-id", "x", "--count", "2"], "leave out --rainmaker-node-id"),
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
        #expect(outcome.stdout.contains("(default: 0xFFF1)") && outcome.stdout.contains("0x8001"))
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
