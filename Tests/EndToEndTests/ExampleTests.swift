import Foundation
import Testing

/// The programs of docs/Examples, which use the library; `make check` builds them.
@Suite("Examples", .enabled(if: Laboratory.isHere), .waitingSlot)
struct ExampleTests {
    private static let binaries =
        Laboratory.environment["MATTERCTL_EXAMPLES"].map { URL(fileURLWithPath: $0) }
        ?? Laboratory.scripts.appendingPathComponent("../../.build-examples/debug").standardizedFileURL

    private static func run(_ program: String, _ arguments: String..., at matterctl: MatterCtl) async throws -> String {
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["XDG_STATE_HOME"] = matterctl.folder.file("xdg-state").path
        let child = try Child(
            binaries.appendingPathComponent(program), arguments, environment: environment, input: "",
            folder: matterctl.folder)
        let status = await child.status()
        try #require(status == 0, "\(program) → \(status)\n\(child.stdout)\n\(child.stderr)")
        return child.stdout
    }

    @Test(
        "they commission, switch and watch a light, on records that matterctl shares; an unknown outcome is told as such"
    )
    func programs() async throws {
        let device = try await VirtualDevice.start(isAdvertised: true)
        defer { device.stop() }
        let matterctl = try MatterCtl()
        let refused = try await Self.run("commission", device.qrCode, "kitchen", at: matterctl)
        #expect(refused.hasPrefix("the device cannot prove its origin: attestation failed"), "\(refused)")
        let commissioned = try await Self.run("commission", device.qrCode, "kitchen", device.trust, at: matterctl)
        #expect(commissioned == "node 'kitchen' is on the fabric with the id 1\n")
        #expect(try await Self.run("toggle-and-read", "kitchen", at: matterctl) == "node 'kitchen' is on\n")
        #expect(try await matterctl.succeed("read", "kitchen", "1/on-off/on-off").result == "true")
        async let watched = Self.run("watch", "kitchen", "2", at: matterctl)
        try await device.wait(for: "subscribed")
        try await matterctl.succeed("level", "kitchen", "7")
        #expect(try await watched.hasSuffix("level 7\n"))
        #expect(try await Self.run("dim", "kitchen", "100", at: matterctl).hasPrefix("level "))
        #expect(try await Self.run("toggle-and-read", "hall", at: matterctl).hasPrefix("error: "))
        try await device.restart(faults: ["mute:invoke:1"])
        let unknown = try await Self.run("toggle-and-read", "kitchen", at: matterctl)
        #expect(unknown.hasPrefix("no answer: ") && unknown.hasSuffix("node 'kitchen' is off\n"), "\(unknown)")
    }
}
