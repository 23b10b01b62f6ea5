import Foundation
import Testing

/// Options that many commands share: times, ports, log files.
@Suite("Shared options", .enabled(if: Laboratory.isHere), .waitingSlot) struct OptionTests {
    @Test("a time of zero is wrong usage: 64")
    func zero() async throws {
        let matterctl = try MatterCtl()
        for time in ["0", "0s", "0ms"] {
            for words in [["discover"], ["toggle", "lamp"], ["commission", "34970112332"], ["cloud", "groups"]] {
                let outcome = try await matterctl.run(words + ["--timeout", time])
                #expect(outcome.status == 64 && outcome.stderr.contains("--timeout"), "\(outcome)")
            }
        }
    }

    @Test("all durations have one grammar: --timeout, --transition and fields")
    func grammar() async throws {
        let device = try await VirtualDevice.start("dimmable-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "lamp"])
        for time in ["10", "10s", "9500ms", "0m30s", "2min", "1h"] {
            try await matterctl.succeed("level", "lamp", "50%", "--transition", time, "--timeout", time)
        }
        for time in ["0m1s", "1s", "1000ms"] {
            try await matterctl.succeed(
                "invoke", "lamp", "1/level-control/move-to-level", "level=10", "transition-time=\(time)")
        }
        for time in ["1m30", "ten", "-1s", "1 s"] {
            try await matterctl.fail(64, "level", "lamp", "50%", "--transition=\(time)")
            try await matterctl.fail(64, "on", "lamp", "--timeout=\(time)")
        }
    }

    @Test("a time that is too short is blamed, and not the device")
    func tooShort() async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "lamp"])
        let on = try await matterctl.run(["on", "lamp", "--timeout", "1ms"])
        // It may not even get a turn among the commands to that node.
        #expect(on.status == 4 || on.status == 10, "\(on)")
        #expect(on.stderr.contains("timed out after 1 ms"), "\(on)")
        #expect(on.stderr.contains("--timeout 30s") && !on.stderr.contains("power"), "\(on)")
    }

    @Test("a port that is in use is named, without words of the program's insides")
    func portInUse() async throws {
        let device = try await VirtualDevice.start("on-off-light")
        defer { device.stop() }
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.binary,
            [
                "simulate", "on-off-light", "--mdns", "none", "--port", "\(device.port)", "--state",
                folder.file("s").path,
            ], folder: folder)
        #expect(await child.status() == 10)
        #expect(child.stderr.contains("error: UDP port \(device.port) is in use"), "\(child.stderr)")
        #expect(child.stderr.contains("--port") && !child.stderr.contains("("), "\(child.stderr)")
    }

    @Test("a log file is the user's alone, is no link, and no pipe that nothing reads")
    func logFile() async throws {
        let matterctl = try MatterCtl()
        func file(_ name: String) -> String { matterctl.folder.file(name).path }
        try await matterctl.succeed("fabric", "create", "house")
        let words = ["on", "lamp", "--log-file"]
        func mode(_ name: String) throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: file(name))[.posixPermissions] as? Int)
        }
        try Data("old\n".utf8).write(to: matterctl.folder.file("old"))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file("old"))
        #expect(try await matterctl.run(words + [file("old")]).status == 3)
        #expect(try mode("old") == 0o600)
        #expect(try String(contentsOfFile: file("old"), encoding: .utf8).hasPrefix("old\n"))
        #expect(try await matterctl.run(words + [file("new")]).status == 3)
        #expect(try mode("new") == 0o600)
        try FileManager.default.createSymbolicLink(atPath: file("link"), withDestinationPath: file("target"))
        let link = try await matterctl.run(words + [file("link")])
        #expect(link.status == 64 && link.stderr.contains("symbolic link"), "\(link)")
        #expect(!FileManager.default.fileExists(atPath: file("target")))
        #expect(mkfifo(file("pipe"), 0o600) == 0)
        let pipe = try await matterctl.run(words + [file("pipe")])
        #expect(pipe.status == 64 && pipe.stderr.contains("pipe"), "\(pipe)")
    }
}
