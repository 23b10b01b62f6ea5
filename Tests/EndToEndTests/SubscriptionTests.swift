import Foundation
import Testing

/// `subscribe`, `events` and `wait` as a user runs them, against devices in other processes.
@Suite("Following nodes", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SubscriptionTests {
    @Test("a light of another make is followed while other commands switch it")
    func otherMake() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        try await matterctl.succeed("off", "kitchen")
        let watch = try matterctl.start(["subscribe", "kitchen", "1/on-off/on-off", "--count", "3", "--max", "5s"])
        try await eventually("the lines; there are: \(watch.stdout)") { watch.stdout == "false\n" }
        try await matterctl.succeed("on", "kitchen")
        try await eventually("the lines; there are: \(watch.stdout)") { watch.stdout == "false\ntrue\n" }
        try await matterctl.succeed("off", "kitchen")
        #expect(await watch.status() == 0 && watch.stdout == "false\ntrue\nfalse\n", "\(watch.stdout)\(watch.stderr)")
        let wait = try matterctl.start(["wait", "kitchen", "1/on-off/on-off=true", "--for", "60s"])
        try await matterctl.succeed("on", "kitchen")
        #expect(await wait.status() == 0)
    }

    @Test("a light of another make is described, and says what it supports")
    func otherDescription() async throws {
        let scene = try await Scene.commissioned()
        defer { scene.end() }
        let matterctl = scene.matterctl
        let text = try await matterctl.succeed("describe", "kitchen").result
        #expect(text.hasPrefix("endpoint 0: ") && text.contains("\nendpoint 1: Dimmable Light"), "\(text)")
        #expect(text.contains("  on-off, revision "), "\(text)")
        #expect(try await matterctl.run(["supports", "kitchen", "1/level-control/current-level"]).status == 0)
        #expect(try await matterctl.run(["supports", "kitchen", "1/door-lock"]).status == 6)
    }

    @Test("a restart of the device is a gap that is marked, and the changes and events of the gap follow")
    func restart() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        try await matterctl.succeed("off", "lamp")
        let watch = try matterctl.start(
            ["subscribe", "lamp", "1/on-off/on-off", "0/basic-information/start-up", "--json", "--max", "2s"])
        try await eventually("the lines; there are: \(watch.stdout)") { watch.stdout.contains("\"value\":false") }
        await device.end(SIGKILL)
        try await device.restart()
        try await matterctl.succeed("on", "lamp")
        try await eventually("the lines; there are: \(watch.stdout)") {
            watch.stdout.contains("\"value\":true")
        }
        watch.signal(SIGINT)
        #expect(await watch.status() == 0)
        let objects = try watch.stdout.split(separator: "\n").map { try JSON(parsing: String($0)) }
        let states = objects.compactMap { $0["subscription"]?.string }
        #expect(states.first == "established" && states.contains("lost") && states.last == "established", "\(states)")
        #expect(objects.filter { $0["event"]?.string == "StartUp" }.count == 1, "\(watch.stdout)")
        #expect(objects.allSatisfy { $0["time"]?.string?.hasSuffix("Z") == true })
    }

    @Test("a restart is noticed when the device is announced again, long before its next report is overdue")
    func announcedAgain() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(isAdvertised: true), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        let watch = try matterctl.start(
            ["subscribe", "lamp", "0/basic-information/start-up", "--json", "--max", "10m"])
        try await eventually("the subscription") { watch.stdout.contains("established") }
        await device.end(SIGKILL)
        // The daemon says goodbye in its place; the subscriber says nothing of that.
        try await Task.sleep(for: .seconds(2))
        try await device.restart()
        try await eventually("the restart; there is: \(watch.stdout)") {
            watch.stdout.contains("StartUp")
        }
        watch.signal(SIGINT)
        #expect(await watch.status() == 0)
    }

    @Test("one node that is away costs another one nothing, and is followed when it is back")
    func oneAway() async throws {
        let (device, other, matterctl) = (
            try await VirtualDevice.start(), try await VirtualDevice.start(), try MatterCtl()
        )
        defer {
            device.stop()
            other.stop()
        }
        try await matterctl.commission(device, ["--name", "lamp"])
        try await matterctl.commission(other, ["--name", "away"])
        await other.end()
        let watch = try matterctl.start(["subscribe", "--all", "1/on-off/on-off", "--timeout", "3s", "--max", "5s"])
        try await eventually("the lines; there are: \(watch.stdout)") {
            watch.stdout.contains("lamp\t1/on-off/on-off\t")
        }
        try await other.restart()
        try await eventually("the lines; there are: \(watch.stdout)") {
            watch.stdout.contains("away\t1/on-off/on-off\t")
        }
        watch.signal(SIGTERM)
        #expect(await watch.status() == 0)
    }

    @Test("motion is told when it is seen, and when it is over")
    func motion() async throws {
        let (device, matterctl) = (
            try await VirtualDevice.start("occupancy-sensor", input: "1 occupancy-sensing motion\n"), try MatterCtl()
        )
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "hall"])
        let path = "1/occupancy-sensing/occupancy"
        let watch = try matterctl.start(["subscribe", "hall", path, "--count", "2", "--timestamps"])
        #expect(await watch.status() == 0, "\(watch.stderr)")
        let values = watch.stdout.split(separator: "\n").map { $0.split(separator: "\t").last }
        #expect(values == ["[\"Occupied\"]", "[]"], "\(watch.stdout)")
    }

    @Test("nodes that report nonsense, fall silent or lose what they send cost another one nothing")
    func badCompany() async throws {
        let devices = [
            try await VirtualDevice.start(), try await VirtualDevice.start(faults: ["odd-values:1:7"]),
            try await VirtualDevice.start(faults: ["mute:sigma1:1", "busy:2", "ignore:subscribe:1"]),
            try await VirtualDevice.start(faults: ["drop:0.3", "duplicate:0.3", "reorder:0.3"]),
        ]
        defer { for device in devices { device.stop() } }
        let matterctl = try MatterCtl()
        for (name, device) in zip(["lamp", "odd", "mute", "lossy"], devices) {
            try await matterctl.commission(device, ["--name", name, "--attestation", "skip"])
        }
        try await matterctl.succeed("off", "lamp")
        let watch = try matterctl.start(["subscribe", "--all", "*/*/*", "--max", "5s"])
        func told(_ value: String) -> Int {
            watch.stdout.split(separator: "\n").count { $0 == "lamp\t1/on-off/on-off\t\(value)" }
        }
        try await eventually("the light's state; there is: \(watch.stderr)") { told("false") == 1 }
        for round in 1...10 {
            try await matterctl.succeed("toggle", "lamp")
            try await eventually("change \(round); there is: \(watch.stderr)") {
                told("false") + told("true") == 1 + round
            }
        }
        #expect(watch.isRunning)
        watch.signal(SIGINT)
        #expect(await watch.status() == 0, "\(watch.stderr)")
        #expect(!watch.stderr.contains("lamp"), "\(watch.stderr)")
    }

    @Test("a pipe that is closed ends it with exit code 0")
    func closedPipe() async throws {
        let (device, matterctl) = (try await VirtualDevice.start(), try MatterCtl())
        defer { device.stop() }
        try await matterctl.commission(device, ["--name", "lamp"])
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        let child = try Child(
            URL(fileURLWithPath: "/bin/bash"),
            ["-c", "\"$0\" subscribe lamp 1/on-off/on-off | head -n 1; echo ${PIPESTATUS[0]}", Laboratory.binary.path],
            environment: environment, folder: matterctl.folder)
        _ = await child.status()
        #expect(child.stdout.split(separator: "\n").last == "0", "\(child.stdout)\(child.stderr)")
    }
}
