import Foundation
import Testing

/// A program that follows a whole house, with the library: docs/Examples/Sources/house-monitor.
@Suite("House monitor", .enabled(if: Laboratory.isHere), .waitingSlot)
struct HouseMonitorTests {
    private static let lasting = 80
    private static let killed = 20

    private static let program = Examples.binaries.appendingPathComponent("house-monitor")

    /// A process with many lights.
    private func house(_ count: Int, port: Int, discriminator: Int) async throws -> VirtualDevice {
        try await VirtualDevice.start(
            "on-off-light",
            options: [
                "--count", "\(count)", "--port", "\(port)", "--discriminator", "\(discriminator)",
                // By which its codes are told from those of other tests.
                "--product-id", "0x8055",
            ], isAdvertised: true)
    }

    /// The setup codes of a house, a line each.
    private func codes(_ house: VirtualDevice) -> [String] {
        house.events.filter { $0["event"]?.string == "ready" }.compactMap { $0["qrCode"]?.string }
    }

    private func commission(_ house: VirtualDevice, _ matterctl: MatterCtl, named prefix: String) async throws {
        let list = codes(house).enumerated().map { "\($1) \(prefix)\($0)" }.joined(separator: "\n")
        let file = matterctl.folder.file("\(prefix).txt")
        try list.write(to: file, atomically: true, encoding: .utf8)
        try await matterctl.succeed(
            "commission", "--from", file.path, "--trust", house.trust, "--allow-test-devices", "--timeout", "120s")
    }

    @Test(
        "of 100 nodes 20 are killed and start again with another state: each is told to be silent and back, and each change is told",
        .timeLimit(.minutes(15)))
    func house() async throws {
        let matterctl = try MatterCtl()
        let lasting = try await house(Self.lasting, port: 12_100, discriminator: 1000)
        let killed = try await house(Self.killed, port: 12_300, discriminator: 2000)
        defer { for house in [lasting, killed] { house.stop() } }
        try await lasting.wait(for: "all lights") { _ in codes(lasting).count == Self.lasting }
        try await killed.wait(for: "all lights") { _ in codes(killed).count == Self.killed }
        try await commission(lasting, matterctl, named: "a")
        try await commission(killed, matterctl, named: "b")

        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        // A program whose output is a file keeps lines back.
        let monitor = try Child(
            URL(fileURLWithPath: "/usr/bin/stdbuf"), ["-oL", Self.program.path], environment: environment, input: "",
            folder: matterctl.folder)
        defer { monitor.signal(SIGKILL) }
        func lines(_ suffix: String, of prefix: String) -> Int {
            let all = monitor.stdout.split(separator: "\n")
            return all.count { $0.hasPrefix("node '\(prefix)") && $0.contains("': \(suffix)") }
        }
        try await eventually("the whole house to be followed: \(monitor.stdout.suffix(2000))", within: .seconds(120)) {
            lines("there", of: "a") == Self.lasting && lines("there", of: "b") == Self.killed
        }
        // While they cannot be seen, all of them change.
        let changes = (0..<Self.killed).map { "#\($0) 1 on-off toggle\n" }.joined()
        try await killed.restart(SIGKILL, input: changes)
        try await eventually("the lost nodes: \(monitor.stdout.suffix(4000))", within: .seconds(180)) {
            lines("back after", of: "b") >= Self.killed && lines("1/on-off/on-off", of: "b") >= Self.killed
        }
        #expect(lines("silent", of: "b") >= Self.killed)
        let told = Set(
            monitor.stdout.split(separator: "\n").filter { $0.contains("1/on-off/on-off") }
                .map { $0.prefix { $0 != ":" } })
        #expect(told.count == Self.killed, "\(told)")
        // The others have been followed all the time.
        #expect(lines("silent", of: "a") == 0, "\(monitor.stdout.suffix(4000))")
        try await matterctl.succeed("on", "a7")
        try await eventually("a change of the others: \(monitor.stdout.suffix(2000))") {
            lines("1/on-off/on-off", of: "a7") == 1
        }
    }
}
