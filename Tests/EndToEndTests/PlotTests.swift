import Foundation
import Testing

/// Values over time as a picture on a terminal, and as a table in a pipe.
@Suite("Values over time", .enabled(if: Laboratory.isHere), .laboratorySlot) struct PlotTests {
    private static let level = "1/level-control/current-level"

    @Test("a chart is drawn in place, fits the window when that changes, and leaves the terminal as it was")
    func terminal() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        try await matterctl.succeed("level", "lamp", "25%")
        let screen = try PseudoTerminal(
            matterctl, ["subscribe", "lamp", Self.level, "--plot"], size: "60x16", next: "100x30",
            ["LC_ALL": "C.UTF-8", "TERM": "xterm"])
        try await eventually("the chart; there is: \(screen.text)") { screen.picture.contains { $0.contains("25.2%") } }
        #expect(screen.text.hasPrefix("\u{1B}[?1049h\u{1B}[?25l"), "\(screen.text.prefix(40))")
        let first = screen.picture
        #expect(first.count == 16 && first.allSatisfy { $0.count <= 60 }, "\(first)")
        #expect(first.last == "Ctrl-C stops" && first.contains { $0.hasPrefix("UTC") })
        try await matterctl.succeed("level", "lamp", "75%")
        try await eventually("the change; there is: \(screen.picture)") {
            screen.picture.contains { $0.hasPrefix("● \(Self.level)") && $0.contains("75.2%") }
        }
        screen.resize()
        try await eventually("the window; there is: \(screen.picture)") { screen.picture.count == 30 }
        #expect(screen.picture.contains { $0.count == 100 }, "\(screen.picture)")
        screen.signal(SIGINT)
        #expect(await screen.status() == 0, "\(screen.text)")
        let parts = screen.text.components(separatedBy: "\u{1B}[?25h\u{1B}[?1049l")
        #expect(parts.count == 2, "the screen is given back once: \(screen.text.suffix(200))")
        // The last picture stays.
        #expect(
            screen.rest.last?.contains("75.2%") == true && screen.rest.contains { $0.contains("●") }, "\(screen.rest)")
    }

    @Test("SIGTERM, the end of the time and a failure give the terminal back; without Unicode there is ASCII")
    func ends() async throws {
        let (device, matterctl) = (try await VirtualDevice.start("temperature-sensor"), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "attic"])
        let words = ["sensor", "attic", "--watch", "--plot"]
        let ended = try PseudoTerminal(
            matterctl, words, size: "50x12", next: "50x12", ["LC_ALL": "C", "TERM": "xterm"])
        try await eventually("the chart; there is: \(ended.text)") {
            ended.picture.contains { $0.hasPrefix("* 1 temperature") }
        }
        #expect(ended.text.utf8.allSatisfy { $0 < 0x80 }, "\(ended.text)")
        ended.signal(SIGTERM)
        #expect(await ended.status() == 0 && ended.text.contains("\u{1B}[?25h\u{1B}[?1049l"), "\(ended.text)")
        let timed = try PseudoTerminal(
            matterctl, words + ["--for", "1s"], size: "50x12", next: "50x12", ["LC_ALL": "C", "TERM": "xterm"])
        #expect(await timed.status() == 0 && timed.rest.contains { $0.hasPrefix("* 1 temperature") }, "\(timed.text)")
        let unknown = try PseudoTerminal(
            matterctl, ["subscribe", "attic", "9/temperature-measurement/measured-value", "--plot"], size: "50x12",
            next: "50x12")
        #expect(await unknown.status() == 6 && !unknown.text.contains("\u{1B}[?1049h"), "\(unknown.text)")
    }

    @Test("a node that is away leaves a gap, and the other one goes on")
    func gap() async throws {
        let (device, other, matterctl) = (
            try await VirtualDevice.start(), try await VirtualDevice.start(), try MatterCtl()
        )
        defer {
            device.stop()
            other.stop()
        }
        try await matterctl.commission(device, ["--name", "lamp"])
        try await matterctl.commission(other, ["--name", "hall"])
        let screen = try PseudoTerminal(
            matterctl, ["subscribe", "lamp", "hall", Self.level, "--plot", "--max", "2s", "--color", "never"],
            size: "70x16", next: "70x16", ["LC_ALL": "C.UTF-8", "TERM": "xterm"])
        func legend(_ node: String) -> String? { screen.picture.first { $0.dropFirst(2).hasPrefix("\(node) ") } }
        try await eventually("both; there is: \(screen.text)") { legend("lamp") != nil && legend("hall") != nil }
        await other.end(SIGKILL)
        try await eventually("the loss; there is: \(screen.picture)") { legend("hall")?.contains("away") == true }
        #expect(legend("lamp")?.contains("%") == true && screen.picture.last?.contains("hall is away") == true)
        try await other.restart()
        try await eventually("the return; there is: \(screen.picture)") { legend("hall")?.contains("away") == false }
        screen.signal(SIGINT)
        #expect(await screen.status() == 0)
    }

    @Test("a table has a line for each value of several nodes, with the time, the value in its unit, and the unit")
    func table() async throws {
        let (device, matterctl) = (
            try await VirtualDevice.start("temperature-sensor", input: "1 temperature-measurement -3.5\n"),
            try MatterCtl()
        )
        let lamp = try await VirtualDevice.start()
        defer {
            device.stop()
            lamp.stop()
        }
        try await matterctl.commission(device, ["--name", "=attic, \"north\""])
        try await matterctl.commission(lamp, ["--name", "lamp"])
        let watch = try matterctl.start([
            "subscribe", "--all", "*/temperature-measurement/measured-value", Self.level, "--csv",
        ])
        try await eventually("the lines; there are: \(watch.stdout)") {
            watch.stdout.split(separator: "\n").count >= 3
        }
        try await matterctl.succeed("level", "lamp", "75%")
        try await eventually("the change; there is: \(watch.stdout)") { watch.stdout.contains(",75.2,%") }
        watch.signal(SIGINT)
        #expect(await watch.status() == 0, "\(watch.stderr)")
        let lines = watch.stdout.split(separator: "\n").map(String.init)
        #expect(lines.first == "time,node,name,path,value,unit")
        let time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/
        #expect(lines.dropFirst().allSatisfy { $0.prefixMatch(of: time) != nil }, "\(lines)")
        #expect(
            lines.contains {
                $0.hasSuffix(",1,\"'=attic, \"\"north\"\"\",1/temperature-measurement/measured-value,-3.50,°C")
            }, "\(lines)")
    }

    @Test("a light of another make is followed as a table")
    func otherMake() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        try await scene.matterctl.succeed("level", "kitchen", "50%")
        let watch = try scene.matterctl.start(["subscribe", "kitchen", Self.level, "1/on-off/on-off", "--csv"])
        try await eventually("the lines; there are: \(watch.stdout)") { watch.stdout.contains(",50.0,%") }
        try await scene.matterctl.succeed("off", "kitchen")
        try await eventually("the lines; there are: \(watch.stdout)") {
            watch.stdout.contains(",kitchen,1/on-off/on-off,false,\n")
        }
        watch.signal(SIGINT)
        #expect(await watch.status() == 0, "\(watch.stderr)")
    }
}
