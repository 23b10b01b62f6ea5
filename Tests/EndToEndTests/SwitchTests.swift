import Foundation
import Glibc
import Testing

/// A virtual switch that switches a virtual light, found by itself in the network.
@Suite("A virtual switch and its light", .enabled(if: Laboratory.isHere), .laboratorySlot) struct SwitchTests {
    /// A virtual device at which a test can type.
    private final class Device {
        private let folder: TemporaryFolder
        private let command: [String]
        private let hand: FileHandle
        private(set) var child: Child

        init(_ type: String) async throws {
            folder = try TemporaryFolder()
            let pipe = folder.file("hand").path
            guard mkfifo(pipe, 0o600) == 0 else { throw LaboratoryError("no pipe") }
            // Open for reading too, it waits for no writer and never ends.
            hand = FileHandle(fileDescriptor: open(pipe, O_RDWR), closeOnDealloc: true)
            command = [
                "-c", #"exec "$0" "$@" <"$HAND""#, Laboratory.binary.path, "simulate", type, "--port", "0", "--state",
                folder.file("state").path,
            ]
            child = try Self.run(command, in: folder)
            try await waitUntilReady()
        }

        deinit { child.signal(SIGTERM) }

        private static func run(_ command: [String], in folder: TemporaryFolder) throws -> Child {
            let environment = Laboratory.environment.merging(["HAND": folder.file("hand").path]) { $1 }
            return try Child(URL(fileURLWithPath: "/bin/sh"), command, environment: environment, folder: folder)
        }

        private func waitUntilReady() async throws {
            try await eventually("the device to start: \(child.stderr)") {
                guard child.isRunning else { throw LaboratoryError("it did not start: \(child.stderr)") }
                return child.stdout.contains("\nready ")
            }
        }

        var lines: [String] { child.stdout.split(separator: "\n").map(String.init) }

        func value(_ key: String) -> String {
            lines.first { $0.hasPrefix(key + " ") }.map { String($0.dropFirst(key.count + 1)) } ?? ""
        }

        func type(_ line: String) throws { try hand.write(contentsOf: Data("\(line)\n".utf8)) }

        func restart() async throws {
            child.signal(SIGTERM)
            #expect(await child.status() == 0)
            child = try Self.run(command, in: folder)
            try await waitUntilReady()
        }

        /// - Returns: its node id.
        func commission(_ name: String, by matterctl: MatterCtl) async throws -> Int {
            let outcome = try await matterctl.succeed(
                "commission", value("qr"), "--address", "[\(Laboratory.nearAddress)]:\(value("ready"))", "--name", name,
                "--attestation", "skip", "--json")
            return try #require(try outcome.json()["node"]?.int)
        }
    }

    @Test("it drives what it is bound to over CASE, once it may, and also after it was switched off")
    func bound() async throws {
        let matterctl = try MatterCtl()
        let light = try await Device("on-off-light")
        let wall = try await Device("on-off-switch")
        let lightID = try await light.commission("light", by: matterctl)
        _ = try await wall.commission("wall", by: matterctl)
        try await matterctl.succeed(
            "write", "wall", "1/binding/binding", #"[{"node":\#(lightID),"endpoint":1,"cluster":6}]"#)

        // The light was not told that the switch may.
        try wall.type("1 binding on")
        try await eventually("the refusal: \(wall.lines)") {
            wall.lines.contains { $0.hasPrefix("session command-sent") && $0.contains("UNSUPPORTED_ACCESS") }
        }
        #expect(!light.lines.contains("1/on-off/on-off true"))

        // The binding is there already; what is missing is the right.
        let bound = try await matterctl.succeed("bind", "wall", "light", "--cluster", "on-off", "--json").json()
        #expect(bound["bindings"]?[0]?["result"]?.string == "present" && bound["access"]?.string == "granted")
        try wall.type("1 binding on")
        try await eventually("the light to go on: \(wall.lines)") {
            light.lines.contains("1/on-off/on-off true")
        }

        try await wall.restart()
        try wall.type("1 binding toggle")
        try await eventually("the light to go off: \(wall.lines)") {
            light.lines.contains("1/on-off/on-off false")
        }
        try await eventually("the answer: \(wall.lines)") {
            wall.lines.contains { $0.hasPrefix("session command-sent") && $0.contains("SUCCESS") }
        }

        try await matterctl.succeed("unbind", "wall", "light")
        #expect(try await matterctl.succeed("acl", "ls", "light").result.split(separator: "\n").count == 1)
        try wall.type("1 binding toggle")
        try await eventually("that nothing is bound: \(wall.lines)") {
            wall.lines.contains { $0.contains("nothing is bound") }
        }
    }
}
