import Foundation
import Testing

/// Many commands at once to devices that grant few sessions.
@Suite("Many commands to one node", .enabled(if: Laboratory.isHere), .waitingSlot)
struct SessionSlotTests {
    /// A device that is node 1, `kitchen`.
    private static func home(_ options: [String], faults: [String] = []) async throws -> (VirtualDevice, MatterCtl) {
        let device = try await VirtualDevice.start(faults: faults, options: options)
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "kitchen"])
        return (device, matterctl)
    }

    private static func togglesAtOnce(_ count: Int, _ matterctl: MatterCtl) async throws -> [MatterCtl.Outcome] {
        try await withThrowingTaskGroup(of: MatterCtl.Outcome.self) { group in
            for _ in 0..<count { group.addTask { try await matterctl.run(["toggle", "kitchen"]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("twenty toggles at once: twenty exits with 0, twenty changes at the device", arguments: [1, 2, 3, 10])
    func twenty(sessions: Int) async throws {
        let (device, matterctl) = try await Self.home(["--sessions", "\(sessions)"])
        defer { device.stop() }
        for outcome in try await Self.togglesAtOnce(20, matterctl) { #expect(outcome.status == 0, "\(outcome)") }
        try await device.wait(for: "20 toggles") { _ in device.count(ofCommand: "Toggle") == 20 }
        #expect(device.switchings == 20)
        // With a session to spare no goodbye can be late.
        if sessions > 2 { #expect(!device.steps.contains("evicted"), "\(device.steps)") }
    }

    @Test("four toggles at once of a device that takes part in one handshake at a time: all succeed")
    func oneHandshake() async throws {
        let (device, matterctl) = try await Self.home(["--handshakes", "1"], faults: ["slow-crypto:100"])
        defer { device.stop() }
        for outcome in try await Self.togglesAtOnce(4, matterctl) { #expect(outcome.status == 0, "\(outcome)") }
        #expect(device.count(ofCommand: "Toggle") == 4)
    }

    @Test("no slot until the deadline: 10, nothing sent, and who has it; a killed holder frees it")
    func holder() async throws {
        let (device, matterctl) = try await Self.home(["--sessions", "2"])
        defer { device.stop() }
        try await device.restart(faults: ["ignore:invoke:1"])
        let holder = try matterctl.start(["toggle", "kitchen", "--timeout", "60s"])
        try await device.waitForFault("ignore")
        let before = device.steps.count { $0.hasPrefix("case-") }
        let refused = try await matterctl.run(["toggle", "kitchen", "--timeout", "2s", "--json"])
        #expect(refused.status == 10, "\(refused)")
        let error = try refused.error()
        #expect(error["id"]?.string == "node.sessions-in-use")
        #expect(error["processes"]?.elements.compactMap(\.int) == [Int(holder.pid)], "\(refused)")
        #expect(error["message"]?.string?.contains("\(holder.pid)") == true)
        #expect(device.steps.count { $0.hasPrefix("case-") } == before)
        let next = try matterctl.start(["toggle", "kitchen", "--timeout", "20s"])
        holder.signal(SIGKILL)
        #expect(await holder.status() == 137)
        #expect(await next.status() == 0, "\(next.stderr)")
        #expect(device.count(ofCommand: "Toggle") == 1)
    }

    @Test("commands that wait have their turns in the order in which they came")
    func order() async throws {
        let (device, matterctl) = try await Self.home(["--sessions", "2"])
        defer { device.stop() }
        try await device.restart(faults: ["ignore:invoke:1"])
        let holder = try matterctl.start(["toggle", "kitchen", "--timeout", "60s"])
        try await device.waitForFault("ignore")
        // The holder keeps its ticket for a moment; counted as another's, it would let two commands start at once.
        try await eventually("the holder to have its slot alone") { try Self.locks(matterctl) == 1 }
        var waiting: [Child] = []
        for number in 1...6 {
            waiting.append(try matterctl.start(["level", "kitchen", "\(number * 10)%", "--transition", "0s"]))
            // The slot of the holder, and a ticket for each.
            try await eventually("\(number) commands to wait") { try Self.locks(matterctl) == 1 + number }
        }
        holder.signal(SIGKILL)
        for child in waiting { #expect(await child.status() == 0, "\(child.stderr)") }
        let levels = device.values("LevelControl", "CurrentLevel").compactMap(\.int).filter { (25...153).contains($0) }
        #expect(levels.count == 6 && levels == levels.sorted(), "\(device.events)")
    }

    /// How many locks there are on the file of the slots.
    private static func locks(_ matterctl: MatterCtl) throws -> Int {
        let file = matterctl.home.appendingPathComponent("locks/fabrics~home~slots.lock").path
        let number = try #require(
            try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int)
        return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").count {
            // Who waits for a lock has a line with an arrow.
            $0.contains("OFDLCK") && $0.contains(":\(number) ") && !$0.contains("->")
        }
    }

    @Test("a node whose sessions are in use holds up no other node")
    func otherNode() async throws {
        let (device, matterctl) = try await Self.home(["--sessions", "2"])
        let other = try await VirtualDevice.start()
        defer {
            device.stop()
            other.stop()
        }
        try await matterctl.commission(other, ["--name", "hall"])
        try await device.restart(faults: ["ignore:invoke:1"])
        let holder = try matterctl.start(["toggle", "kitchen", "--timeout", "60s"])
        defer { holder.signal(SIGKILL) }
        try await device.waitForFault("ignore")
        let outcome = try await matterctl.succeed("toggle", "hall")
        #expect(holder.isRunning, "\(outcome)")
    }

    @Test("a session that another host's command evicts is set up again for what may be repeated: 0")
    func evicted() async throws {
        let (device, matterctl) = try await Self.home(["--sessions", "1"])
        defer { device.stop() }
        try await device.restart(faults: ["ignore:invoke:1"])
        // Another host shares no locks.
        let other = try MatterCtl()
        try FileManager.default.copyItem(at: matterctl.home, to: other.home)
        let child = try matterctl.start(["on", "kitchen", "--timeout", "80s"])
        try await device.waitForFault("ignore")
        try await other.succeed("toggle", "kitchen")
        #expect(device.steps.contains("evicted"))
        #expect(await child.status() == 0, "\(child.stderr)")
        #expect(device.count(ofCommand: "On") == 1 && device.count(ofCommand: "Toggle") == 1)
    }

    @Test("where no lock can be made, commands go without")
    func noLocks() async throws {
        let (device, matterctl) = try await Self.home([])
        defer { device.stop() }
        let locks = matterctl.home.appendingPathComponent("locks")
        try FileManager.default.removeItem(at: locks)
        try Data().write(to: locks)
        try await matterctl.succeed("toggle", "kitchen")
        #expect(device.count(ofCommand: "Toggle") == 1)
    }

    @Test("what a device grants is in its record; a virtual device without sessions cannot be")
    func granted() async throws {
        let (device, matterctl) = try await Self.home(["--sessions", "7"])
        defer { device.stop() }
        let nodes = matterctl.home.appendingPathComponent("fabrics/home/nodes")
        let record = try String(
            contentsOf: nodes.appendingPathComponent("0000000000000001.json"), encoding: .utf8)
        #expect(record.contains("\"sessionsPerFabric\":7"), "\(record)")
        for option in ["--sessions", "--handshakes"] {
            let error = try await matterctl.fail(64, "simulate", "on-off-light", option, "0", "--json").error()
            #expect(error["id"]?.string == "usage.sessions")
        }
    }
}
