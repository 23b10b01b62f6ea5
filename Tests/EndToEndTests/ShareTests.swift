import Foundation
import TestSupport
import Testing

/// Devices that are handed to a Matter server, which adds them itself.
@Suite("Sharing with a server", .enabled(if: Laboratory.isHere), .laboratorySlot) struct ShareTests {
    /// `Tests/Lab/matter_server.py`: the interface of a server, with its faults, and no Matter.
    private final class StandIn {
        private static let script = Laboratory.scripts.appendingPathComponent("matter_server.py")
        let url: String
        private let folder: TemporaryFolder
        private let child: Child

        init(_ mode: String) async throws {
            folder = try TemporaryFolder()
            let socket = folder.file("server.sock").path
            url = "unix:\(socket)"
            child = try Child(
                URL(fileURLWithPath: "/usr/bin/env"), ["python3", Self.script.path, mode, socket], folder: folder)
            try await awaitEvent("the server: \(child.stderr)") { [child] in child.stdout.hasPrefix("ready") }
        }

        deinit { child.signal(SIGKILL) }

        /// The commands that came, and whether the client has taken its leave.
        var events: [String] { child.stdout.split(separator: "\n").dropFirst().map(String.init) }
    }

    private static let asked = "commission_with_code True"

    private func home() async throws -> (matterctl: MatterCtl, device: VirtualDevice) {
        let device = try await VirtualDevice.start("on-off-light")
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "lamp"])
        return (matterctl, device)
    }

    private static func isClosed(_ matterctl: MatterCtl, _ name: String = "lamp") async throws -> Bool {
        try await matterctl.succeed("window", "status", name).result == "closed"
    }

    @Test(
        "a server that says so has the device, also if its answer comes in pieces; the window is closed then",
        arguments: ["answer", "fragments"])
    func answers(mode: String) async throws {
        let (matterctl, device) = try await home()
        defer { device.stop() }
        let server = try await StandIn(mode)
        let run = try await matterctl.succeed("share", "lamp", "--to", server.url, "--json")
        let result = try run.json()
        #expect(result["result"]?.string == "shared" && result["serverNode"]?.int == 77, "\(run)")
        // It has not added it in truth.
        #expect(result["fabricIndex"] == nil && run.stderr.contains("does not have the fabric of the server"), "\(run)")
        #expect(try await Self.isClosed(matterctl))
        #expect(server.events == [Self.asked, "closed"])
    }

    @Test(
        "a failure of the server is told apart, the window is closed, and no code is in what is said",
        arguments: [
            ("refuse", "share.server-refused"), ("silent", "share.server-silent"), ("hang-up", "share.server-lost"),
            ("masked", "share.server-lost"), ("flood", "share.server-lost"), ("not-json", "share.server-lost"),
            ("no-id", "share.server-malformed"),
        ])
    func failures(mode: String, id: String) async throws {
        let (matterctl, device) = try await home()
        defer { device.stop() }
        let server = try await StandIn(mode)
        let words = ["share", "lamp", "--to", server.url, "--json"] + (mode == "silent" ? ["--timeout", "5s"] : [])
        let run = try await matterctl.run(words)
        #expect(run.status == 9 && run.stdout.isEmpty, "\(run)")
        let error = try run.error()
        #expect(error["id"]?.string == id && !run.stderr.contains("MT:"), "\(run)")
        if mode == "refuse" {
            #expect(error["serverError"]?.int == 1 && error["serverDetails"]?.string?.contains("\u{1B}") == true)
            let shown = try await matterctl.fail(9, "share", "lamp", "--to", server.url)
            #expect(shown.stderr.contains(#"no \x1b[31m<device>\u202e here"#) && !shown.stderr.contains("\u{1B}"))
        }
        #expect(server.events.first == Self.asked)
        #expect(try await Self.isClosed(matterctl))
    }

    @Test(
        "a server that cannot be used is named before a window is opened",
        arguments: [
            ("old", "share.server-version"), ("new", "share.server-version"), ("mute", "share.server-silent"),
            ("no-socket", "websocket.refused"), ("wrong-key", "websocket.malformed"),
        ])
    func unsuitable(mode: String, id: String) async throws {
        let (matterctl, device) = try await home()
        defer { device.stop() }
        let server = try await StandIn(mode)
        let error = try await matterctl.fail(
            9, "share", "lamp", "--to", server.url, "--json", "--timeout", mode == "mute" ? "2s" : "20s"
        ).error()
        #expect(error["id"]?.string == id, "\(error)")
        #expect(!server.events.contains(Self.asked) && device.steps.count { $0 == "window-opened" } == 1)
    }

    @Test("an interruption closes the window that the server was to use")
    func interruption() async throws {
        let (matterctl, device) = try await home()
        defer { device.stop() }
        let server = try await StandIn("silent")
        let sharing = try matterctl.start(["share", "lamp", "--to", server.url])
        try await awaitEvent("the command at the server") { server.events.contains(Self.asked) }
        #expect(try await matterctl.succeed("window", "status", "lamp").result.hasPrefix("enhanced"))
        sharing.signal(SIGINT)
        #expect(await sharing.status() == 130)
        #expect(try await Self.isClosed(matterctl))
    }

    @Test(
        "python-matter-server adds a house, but for a device without room; then both control it, and nothing is opened twice",
        .enabled(if: PeerPython.hasServer), .timeLimit(.minutes(20)))
    func house() async throws {
        let devices = [
            try await VirtualDevice.start("on-off-light", isAdvertised: true),
            try await VirtualDevice.start("on-off-light", isAdvertised: true),
            try await VirtualDevice.start("on-off-light", options: ["--fabrics", "1"], isAdvertised: true),
        ]
        defer { for device in devices { device.stop() } }
        let matterctl = try MatterCtl()
        for (number, device) in devices.enumerated() {
            try await matterctl.commission(device, ["--name", "light\(number + 1)"])
        }
        let server = try await PythonMatterServer(trusting: devices)
        let run = try await matterctl.run(["share", "--all", "--to", server.url, "--json"])
        #expect(run.status == 5, "\(run)\n\(server.log)")
        let lines = try run.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        var nodes: [Int] = []
        for name in ["light1", "light2"] {
            let line = try #require(lines.first { $0["name"]?.string == name })
            #expect(line["result"]?.string == "shared" && line["fabricIndex"]?.int == 2, "\(run)\n\(server.log)")
            nodes.append(try #require(line["serverNode"]?.int))
            #expect(try await Self.isClosed(matterctl, name))
        }
        let full = try #require(lines.first { $0["name"]?.string == "light3" })
        #expect(full["error"]?["id"]?.string == "share.table-full", "\(run)")
        #expect(devices[0].fabrics == 2 && devices[1].fabrics == 2 && devices[2].fabrics == 1)

        let toggled = try await server.command("Toggle", node: nodes[0])
        #expect(!toggled.contains("error_code"), "\(toggled)\n\(server.log)")
        #expect(devices[0].switchings == 1)
        try await matterctl.succeed("toggle", "light1")
        #expect(devices[0].switchings == 2 && devices[1].switchings == 0)

        let again = try await matterctl.run(["share", "light1", "light2", "--to", server.url])
        #expect(again.status == 0 && again.result.split(separator: "\n").count == 2, "\(again)")
        #expect(again.result.split(separator: "\n").allSatisfy { $0.contains("\tpresent\t") }, "\(again)")
    }
}
