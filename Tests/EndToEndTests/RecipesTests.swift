import Foundation
import Testing

/// The scripts of docs/recipes.md, run by a shell as they stand there.
@Suite("Recipes", .enabled(if: Laboratory.isHere), .laboratorySlot) struct RecipesTests {
    private let matterctl: MatterCtl
    private let device: VirtualDevice

    init() async throws {
        matterctl = try MatterCtl()
        device = try await VirtualDevice.start("contact-sensor,temperature-sensor,energy-plug")
        try await matterctl.succeed(
            "commission", device.manualCode, "--address", device.address, "--attestation", "skip", "--name", "porch",
            "--room", "Hall")
    }

    /// The script below a heading.
    private static func script(below heading: String) throws -> String {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("docs/recipes.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.range(of: "\n## \(heading)")).upperBound
        let block = try #require(text[start...].range(of: "```sh\n")).upperBound
        let end = try #require(text[block...].range(of: "```")).lowerBound
        return String(text[block..<end])
    }

    private func run(_ script: String, _ arguments: [String] = []) async throws -> Child {
        let programs = matterctl.folder.file("programs")
        try? FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
        try? FileManager.default.createSymbolicLink(
            at: programs.appendingPathComponent("matterctl"), withDestinationURL: Laboratory.binary)
        var environment = matterctl.environment
        environment["MATTERCTL_HOME"] = matterctl.home.path
        environment["PATH"] = programs.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
        return try Child(
            URL(fileURLWithPath: "/bin/bash"), ["-c", script, "recipe"] + arguments, environment: environment,
            folder: matterctl.folder)
    }

    @Test("the script for Prometheus writes the sensors and which devices answer")
    func prometheus() async throws {
        defer { device.stop() }
        let folder = matterctl.folder.file("exporter")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let child = try await run(try Self.script(below: "Prometheus"), [folder.path])
        #expect(await child.status() == 0, "\(child.stderr)")
        let text = try String(contentsOf: folder.appendingPathComponent("matter.prom"), encoding: .utf8)
        #expect(text.contains("matter_value{node=\"porch\",endpoint=\"2\",quantity=\"temperature\"} 2150\n"), "\(text)")
        #expect(text.contains("matter_reachable{node=\"porch\",room=\"Hall\"} 1\n"), "\(text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["matter.prom"])
    }

    @Test("the script for a contact says when it is opened")
    func contact() async throws {
        defer { device.stop() }
        let child = try await run(try Self.script(below: "Do something"))
        // It was closed when it was switched on last.
        try await device.restart(input: "1 boolean-state open\n")
        #expect(await child.status() == 0, "\(child.stderr)")
        #expect(child.stdout.contains("the door is open\n"), "\(child.stdout)\(child.stderr)")
    }

    @Test("a backup that was unpacked somewhere else controls the same house")
    func backup() async throws {
        defer { device.stop() }
        let copy = matterctl.folder.file("copy.tar.gz")
        let child = try await run(try Self.script(below: "Backup"), [copy.path])
        #expect(await child.status() == 0, "\(child.stderr)")
        let mode = try FileManager.default.attributesOfItem(atPath: copy.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let place = matterctl.folder.file("restored").path
        let restored = try await run(
            "umask 077; mkdir '\(place)' && tar -C '\(place)' -xzf '\(copy.path)' && matterctl --home '\(place)' "
                + "read porch 2/temperature-measurement/measured-value --address \(device.address)")
        #expect(await restored.status() == 0, "\(restored.stderr)")
        #expect(restored.stdout == "2150\n")
    }
}
