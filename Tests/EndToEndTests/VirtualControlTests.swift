import Foundation
import Testing

/// Commands to a virtual device whose sessions, power and network come and go. Each command has a session of its own; what
/// is kept between them is in KeptSessionTests.
@Suite("Controlling a virtual device", .enabled(if: Laboratory.isHere), .waitingSlot)
struct VirtualControlTests {
    private struct Home {
        let device: VirtualDevice
        let matterctl: MatterCtl

        /// A device that is node 1, `kitchen`.
        static func made(
            _ types: String = "dimmable-light", faults: [String] = []
        ) async throws -> Home {
            let home = Home(
                device: try await VirtualDevice.start(types, faults: faults),
                matterctl: try MatterCtl(keepsSessions: false))
            try await home.matterctl.commission(home.device, ["--name", "kitchen"])
            return home
        }
    }

    private static func sessions(_ device: VirtualDevice) -> [String] {
        device.steps.filter { $0.hasPrefix("case-") }
    }

    @Test("a session is resumed by the next process; a device that has forgotten it gets a full handshake at once")
    func resumption() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        try await matterctl.succeed("toggle", "kitchen")
        try await matterctl.succeed("toggle", "kitchen")
        #expect(Self.sessions(device) == ["case-established", "case-resumed", "case-resumed"])
        let verbose = try await matterctl.succeed("toggle", "kitchen", "-v")
        #expect(verbose.stderr.contains("resumed a session with node"), "\(verbose)")
        // A restarted device still has its records.
        try await device.restart()
        try await matterctl.succeed("toggle", "kitchen")
        #expect(Self.sessions(device).last == "case-resumed")
        // One that has lost them is no reason to fail, or to start over.
        await device.end()
        try device.forgetResumptions()
        try await device.restart()
        let before = Self.sessions(device).count
        let outcome = try await matterctl.succeed("toggle", "kitchen", "-v")
        #expect(outcome.stderr.contains("set up a session with node"), "\(outcome)")
        #expect(Self.sessions(device).dropFirst(before) == ["case-established"])
        try await matterctl.succeed("toggle", "kitchen")
        #expect(Self.sessions(device).last == "case-resumed")
        #expect(device.switchings == 6)
    }

    @Test("a device that is busy with another handshake is left alone for as long as it asks")
    func busy() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        try await home.device.restart(faults: ["busy:2:900"])
        let outcome = try await home.matterctl.succeed("toggle", "kitchen")
        #expect(outcome.duration > .milliseconds(1800), "\(outcome)")
        #expect(home.device.events.count { $0["fault"]?.string == "busy" } == 2)
        #expect(home.device.switchings == 1)
    }

    @Test("30 % loss, duplicates and reordering: commissioned, and every toggle done exactly once")
    func loss() async throws {
        let device = try await VirtualDevice.start(faults: ["drop:0.3,duplicate:0.2,reorder:0.3"])
        defer { device.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(device, ["--name", "kitchen"])
        for number in 1...6 {
            let outcome = try await matterctl.run(["toggle", "kitchen", "--timeout", "80s", "--json"])
            // A fate that stays unknown is no failure of the promise; a second execution is.
            if outcome.status != 0 {
                #expect(outcome.status == 4, "\(outcome)")
                #expect(try outcome.error()["outcome"]?.string == "unknown", "\(outcome)")
            }
            #expect(device.switchings == number, "\(outcome)")
        }
        #expect(device.count(ofCommand: "Toggle") == 6 && device.fabrics == 1)
    }

    // MARK: Power

    @Test("a device that is off when the command begins, and comes back within the budget: done once, 0")
    func comesBack() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        await device.end(SIGKILL)
        let child = try matterctl.start(["toggle", "kitchen"])
        // It has asked at least once by now; a slower machine makes it ask later, which changes nothing.
        try await Task.sleep(for: .seconds(1))
        try await device.restart()
        #expect(await child.status() == 0, "\(child.stderr)")
        #expect(device.count(ofCommand: "Toggle") == 1, "\(device.events)")
    }

    @Test("an absolute command across a power cut is sent again: 0")
    func absoluteAcrossCut() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        try await device.restart(faults: ["ignore:invoke:1"])
        let child = try matterctl.start(["on", "kitchen"])
        try await device.waitForFault("ignore")
        try await device.restart(SIGKILL)
        #expect(await child.status() == 0, "\(child.stderr)")
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").result == "true")
    }
}
