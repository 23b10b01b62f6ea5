import Foundation
import Testing

/// A toggle runs once or not at all, whatever becomes of its datagrams, its answers, its session and its device.
@Suite("At most once", .enabled(if: Laboratory.isHere), .waitingSlot)
struct AtMostOnceTests {
    private struct Home {
        let device: VirtualDevice
        let matterctl: MatterCtl

        /// A device that is node 1, `kitchen`.
        static func made() async throws -> Home {
            let home = Home(device: try await VirtualDevice.start(), matterctl: try MatterCtl())
            try await home.matterctl.commission(home.device, ["--name", "kitchen"])
            return home
        }
    }

    /// The state that a command reads after an unknown outcome.
    private func state(
        _ outcome: MatterCtl.Outcome, status: Int32 = 4, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Bool?] {
        #expect(outcome.status == status, "\(outcome)", sourceLocation: sourceLocation)
        let error = try outcome.error()
        #expect(error["id"]?.string == "command.outcome-unknown", "\(outcome)", sourceLocation: sourceLocation)
        #expect(error["outcome"]?.string == "unknown", "\(outcome)", sourceLocation: sourceLocation)
        #expect(error["exitCode"]?.int == Int(status), "\(outcome)", sourceLocation: sourceLocation)
        return error["readings"]?.elements.map { $0["value"]?.bool } ?? []
    }

    private func outcome(of child: Child) async -> MatterCtl.Outcome {
        MatterCtl.Outcome(
            arguments: [], status: await child.status(), stdout: child.stdout, stderr: child.stderr, duration: .zero)
    }

    // MARK: Power

    @Test("power fails after a toggle was done and acknowledged, before its answer: 4, unknown, done once")
    func cutAfterAcknowledgement() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        try await device.restart(faults: ["mute:invoke:1"])
        let child = try matterctl.start(["toggle", "kitchen", "--timeout", "15s", "--json"])
        try await device.waitForFault("mute")
        // The acknowledgement follows within 200 ms, and nothing tells of it. Where it has not come, the time to wait for an
        // answer ends later.
        try await Task.sleep(for: .milliseconds(500))
        try await device.restart(SIGKILL)
        let outcome = await outcome(of: child)
        #expect(try state(outcome) == [true])
        #expect(outcome.stderr.contains(", acknowledged"), "\(outcome)")
        #expect(device.count(ofCommand: "Toggle") == 1, "\(device.events)")
    }

    @Test("power fails after a toggle was done, before anything said so: 4, unknown, done once")
    func cutAfterToggle() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        // Nothing that the device says about the command arrives, so that its end cannot come too late.
        let relay = try await Relay.start(to: device, ["--mute"])
        let child = try matterctl.start(
            ["toggle", "kitchen", "--timeout", "30s", "--json", "--address", relay.address])
        try await device.wait(for: "the command") { _ in device.count(ofCommand: "Toggle") == 1 }
        try await device.restart(SIGKILL)
        let outcome = await outcome(of: child)
        #expect(try state(outcome) == [true])
        #expect(outcome.stderr.contains("not acknowledged"), "\(outcome)")
        #expect(device.count(ofCommand: "Toggle") == 1, "\(device.events)")
        _ = await relay.stop()
    }

    @Test("power fails after a toggle was acknowledged and before it was done: 4, unknown, and not done later")
    func cutBeforeToggle() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        try await device.restart(faults: ["ignore:invoke:1"])
        let child = try matterctl.start(["toggle", "kitchen", "--timeout", "15s", "--json"])
        try await device.waitForFault("ignore")
        // The acknowledgement follows within 200 ms, and nothing tells of it. Where it has not come, the time to wait for an
        // answer ends later.
        try await Task.sleep(for: .milliseconds(500))
        try await device.restart(SIGKILL)
        #expect(await child.status() == 4, "\(child.stderr)")
        #expect(child.stderr.contains("\"outcome\":\"unknown\""), "\(child.stderr)")
        #expect(device.count(ofCommand: "Toggle") == 0, "\(device.events)")
    }

    @Test("a device that is restarted between handshake and command: 4, unknown, not done, and the state is told")
    func sessionForgotten() async throws {
        let home = try await Home.made()
        let (device, matterctl) = (home.device, home.matterctl)
        defer { device.stop() }
        try await device.restart(faults: ["reboot:case-resumed"])
        let outcome = try await matterctl.fail(4, "toggle", "kitchen", "--timeout", "8s", "--json")
        let error = try outcome.error()
        #expect(error["outcome"]?.string == "unknown", "\(outcome)")
        #expect(error["readings"]?.elements.map { $0["value"]?.bool } == [false], "\(outcome)")
        #expect(device.count(ofCommand: "Toggle") == 0, "\(outcome) \(device.events)")
        #expect(device.events.contains { $0["fault"]?.string == "reboot" })
        // A command that sets a state is sent again.
        try await device.restart(faults: ["reboot:case-resumed"])
        try await matterctl.succeed("on", "kitchen")
        #expect(device.count(ofCommand: "On") == 1, "\(device.events)")
    }

    // MARK: The network

    @Test("a toggle that is seven seconds late is waited for: 0, done once")
    func late() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        let relay = try await Relay.start(to: home.device, ["--hold", "7"])
        let outcome = try await home.matterctl("toggle", "kitchen", "--address", relay.address)
        #expect(outcome.status == 0 && outcome.duration > .seconds(7), "\(outcome)")
        #expect(home.device.count(ofCommand: "Toggle") == 1)
        _ = await relay.stop()
    }

    @Test("one that is later than its time-out: 4, unknown, and it runs once at most")
    func tooLate() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        let relay = try await Relay.start(to: home.device, ["--hold", "7"])
        let outcome = try await home.matterctl(
            "toggle", "kitchen", "--address", relay.address, "--timeout", "4s", "--json")
        #expect(try state(outcome) == [false])
        #expect(home.device.count(ofCommand: "Toggle") == 0)
        try await home.device.wait(for: "the late copy") { _ in home.device.count(ofCommand: "Toggle") > 0 }
        // All further copies, and the end of the session, are behind it. Nothing happens, so there is no event to wait for.
        try await Task.sleep(for: .seconds(5))
        #expect(home.device.count(ofCommand: "Toggle") == 1)
        _ = await relay.stop()
    }

    @Test("a device whose answers alone are lost: 4, unknown, done once")
    func silenced() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        let relay = try await Relay.start(to: home.device, ["--mute"])
        let outcome = try await home.matterctl("toggle", "kitchen", "--address", relay.address, "--json")
        #expect(try state(outcome) == [true])
        #expect(outcome.duration > .seconds(14), "\(outcome)")
        #expect(home.device.count(ofCommand: "Toggle") == 1)
        _ = await relay.stop()
    }

    @Test("the same with a device that we did not write, and a toggle that is late there")
    func foreign() async throws {
        let light = try await Light.start("--mdns", "none")
        defer { light.stop() }
        let matterctl = try MatterCtl()
        try await matterctl.commission(light, nil, ["--name", "kitchen"])
        let mute = try await Relay.start(to: light, seed: 1, ["--mute"])
        let silenced = try await matterctl(
            "toggle", "kitchen", "--address", mute.address, "--timeout", "8s", "--json")
        #expect(try state(silenced) == [true])
        #expect(light.switchings == 1, "\(light.lines)")
        let slow = try await Relay.start(to: light, seed: 1, ["--hold", "7"])
        let late = try await matterctl("toggle", "kitchen", "--address", slow.address)
        #expect(late.status == 0, "\(late)")
        #expect(light.switchings == 2, "\(light.lines)")
        // A command that sets a state is repeated, and done.
        let other = try await Relay.start(to: light, seed: 1, ["--mute"])
        try await matterctl.succeed("invoke", "kitchen", "1/on-off/on", "--address", other.address)
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").result == "true")
        for relay in [mute, slow, other] { _ = await relay.stop() }
    }

    // MARK: Interruption and answers

    @Test("Ctrl-C after a toggle was done: 130, unknown, with the state")
    func interrupted() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        let relay = try await Relay.start(to: home.device, ["--mute"])
        let child = try home.matterctl.start(["toggle", "kitchen", "--address", relay.address, "--json"])
        try await home.device.wait(for: "the command") { _ in home.device.count(ofCommand: "Toggle") == 1 }
        child.signal(SIGINT)
        let outcome = await outcome(of: child)
        #expect(try state(outcome, status: 130) == [true])
        #expect(outcome.stderr.contains("interrupted"), "\(outcome)")
        #expect(home.device.count(ofCommand: "Toggle") == 1)
        _ = await relay.stop()
    }

    @Test("an answer that cannot be decoded: 4, unknown, done once, whatever may be repeated")
    func garbled() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        for (words, command) in [(["toggle"], "Toggle"), (["on"], "On")] {
            try await home.device.restart(faults: ["garble:1"])
            let outcome = try await home.matterctl.run(words + ["kitchen", "--json"])
            #expect(try state(outcome) == [true])
            #expect(outcome.stderr.contains("cannot be decoded"), "\(outcome)")
            #expect(home.device.count(ofCommand: command) == 1)
        }
    }

    @Test("an answer after 18 s: in time with a longer --timeout, unknown without")
    func slow() async throws {
        let home = try await Home.made()
        defer { home.device.stop() }
        try await home.device.restart(faults: ["slow-answer:18000"])
        let patient = try await home.matterctl("toggle", "kitchen", "--timeout", "90s")
        #expect(patient.status == 0 && patient.duration > .seconds(18), "\(patient)")
        let impatient = try await home.matterctl("invoke", "kitchen", "1/on-off/toggle", "--json")
        #expect(impatient.status == 4, "\(impatient)")
        #expect(home.device.count(ofCommand: "Toggle") == 2)
    }
}
