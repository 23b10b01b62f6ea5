import Foundation
import Testing

extension Laboratory {
    /// Whether this system writes a core dump into the working directory of a program that crashes, and gdb can read it.
    static let keepsCores: Bool = {
        guard isHere else { return false }
        let pattern = (try? String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)) ?? "|"
        let place = pattern.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !place.contains("/"), !place.hasPrefix("|"), !place.isEmpty else {
            say("SKIPPED: core dumps go elsewhere (core_pattern is '\(place)'); what gdb says of a crash is not tested")
            return false
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/gdb") else {
            say("SKIPPED: no gdb here; what it says of a crash is not tested. See: make deps")
            return false
        }
        return true
    }()
}

/// The view of a debugger on a crash of the program as it is installed.
@Suite("Core dumps", .enabled(if: Laboratory.keepsCores), .laboratorySlot) struct CoreDumpTests {
    private static let tools = Laboratory.scripts.appendingPathComponent("../Tools").standardizedFileURL

    /// Beside a program that is stripped; `nil` where its symbols are in it.
    private static let symbols: String? = {
        let beside = Laboratory.binary.path + ".debug"
        return FileManager.default.fileExists(atPath: beside) ? beside : nil
    }()

    /// Runs the program in a folder of its own, with core dumps of any size.
    private func start(
        _ binary: String, _ words: [String], of matterctl: MatterCtl, in folder: URL, dumps: Bool = true
    ) throws -> Child {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["MATTERCTL_CORE_DUMPS"] = dumps ? "1" : nil
        // The runtime of a debug build would call a program of its own before the core is dumped.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return try Child(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "cd \"$0\" && ulimit -c unlimited && exec \"$@\"", folder.path, binary] + words,
            environment: environment, folder: matterctl.folder)
    }

    private func cores(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("core") }
    }

    /// The output of gdb for commands about the core in a folder.
    private func gdb(_ binary: String, _ folder: URL, _ commands: [String], of matterctl: MatterCtl) async throws
        -> [String]
    {
        let core = try #require(try cores(in: folder).first, "no core in \(folder.path)")
        let swift = Self.tools.appendingPathComponent("gdb_swift.py").path
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/gdb"),
            [
                "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ix", swift,
            ]
                + commands.flatMap { ["-ex", $0] } + [binary, folder.appendingPathComponent(core).path],
            folder: matterctl.folder)
        let status = await child.status()
        #expect(status == 0, "\(child.stderr)")
        return child.stdout.split(separator: "\n").map(String.init)
    }

    /// The frames that have a name and not just an address.
    private func named(_ lines: [String]) -> [String] {
        lines.filter {
            $0.firstMatch(of: /^ *#\d+ +(await )?[^ ]*[A-Za-z_$]/) != nil && !$0.contains(/#\d+ +0x[0-9a-f]+$/)
        }
    }

    @Test("a trap in the middle of a command: ten frames and more have names, across an await")
    func trap() async throws {
        let device = try await VirtualDevice.start()
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "lamp"])
        let trapped = matterctl.folder.file("trapped").path
        let planting = try Child(
            Self.tools.appendingPathComponent("plant_trap.py"),
            [
                Laboratory.binary.path, Self.symbols ?? Laboratory.binary.path, "$s12MatterCrypto9AES128CCMC4seal",
                trapped,
            ],
            folder: matterctl.folder)
        #expect(await planting.status() == 0, "\(planting.stderr)")
        if let symbols = Self.symbols {
            // The program names the file, and a debugger looks for it beside the program.
            let name = URL(fileURLWithPath: symbols).lastPathComponent
            try FileManager.default.createSymbolicLink(
                atPath: matterctl.folder.file(name).path, withDestinationPath: symbols)
        }
        let folder = matterctl.folder.file("crash")
        let crashed = try start(trapped, ["toggle", "lamp"], of: matterctl, in: folder)
        #expect(await crashed.status() == 128 + SIGILL, "\(crashed.stderr)")
        let lines = try await gdb(trapped, folder, ["swift-backtrace"], of: matterctl)
        #expect(named(lines).count >= 10, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("#0 ") && $0.contains("seal") }, "\(lines)")
        #expect(
            named(lines).contains { $0.contains("await") && $0.contains(/Connector|NodeLink|Exchange/) }, "\(lines)")
        #expect(lines.contains { $0.contains("Program") && $0.contains("run") }, "\(lines)")
    }

    @Test("kill -SEGV while it waits: the thread's frames and the waiting tasks have names, across their awaits")
    func segmentationFault() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let folder = matterctl.folder.file("crash")
        let listener = try start(Laboratory.binary.path, ["icd", "listen"], of: matterctl, in: folder)
        try await eventually("the listener to listen: \(listener.stderr)") { listener.stderr.contains("listening") }
        // The line comes before the wait.
        try await eventually("the listener to wait in the kernel") {
            (try? String(contentsOfFile: "/proc/\(listener.pid)/stat", encoding: .utf8))?.contains(") S ") ?? false
        }
        listener.signal(SIGSEGV)
        #expect(await listener.status() == 128 + SIGSEGV)
        let lines = try await gdb(
            Laboratory.binary.path, folder, ["swift-backtrace", "swift-tasks"], of: matterctl)
        let tasks = try #require(lines.firstIndex { $0.hasPrefix("task 1") }, "\(lines)")
        #expect(named(Array(lines[..<tasks])).contains { $0.contains("epoll_wait") }, "\(lines)")
        #expect(named(lines).count >= 10, "\(lines)")
        #expect(named(Array(lines[tasks...])).contains { $0.contains(/[Ll]isten/) }, "\(lines)")
    }

    @Test("without MATTERCTL_CORE_DUMPS=1 nothing is dumped: it would hold keys")
    func sealed() async throws {
        let matterctl = try MatterCtl()
        try await matterctl.succeed("fabric", "create", "home")
        let folder = matterctl.folder.file("crash")
        let listener = try start(Laboratory.binary.path, ["icd", "listen"], of: matterctl, in: folder, dumps: false)
        try await eventually("the listener to listen: \(listener.stderr)") { listener.stderr.contains("listening") }
        listener.signal(SIGSEGV)
        #expect(await listener.status() == 128 + SIGSEGV)
        #expect(try cores(in: folder).isEmpty)
    }
}
