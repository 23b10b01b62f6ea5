import Foundation
import Synchronization
import TestSupport

/// A CircuitMatter light of our own, Tests/Lab/cm_device.py. It goes with the value, or with ``stop()``.
final class Light: Sendable {
    let port: Int
    let discriminator: Int
    let passcode: Int
    private let folder: TemporaryFolder
    private let command: [String]
    private let state: Mutex<State>

    private struct State {
        var child: Child
        /// The output of earlier runs of the device.
        var past: [String] = []
    }

    /// Every light has its own port, passcode and discriminator; sixteen in a row differ in the short one too.
    private static let count = Atomic(0)

    private init(port: Int, discriminator: Int, passcode: Int, folder: TemporaryFolder, command: [String], child: Child)
    {
        (self.port, self.discriminator, self.passcode) = (port, discriminator, passcode)
        (self.folder, self.command) = (folder, command)
        state = Mutex(State(child: child))
    }

    deinit { stop() }

    /// Starts a light and waits until it listens.
    ///
    /// - Parameters:
    ///   - options: of cm_device.py.
    ///   - onFarHost: on the other host of the laboratory, without avahi-daemon.
    static func start(_ options: String..., onFarHost: Bool = false) async throws -> Light {
        try await start(options, onFarHost: onFarHost)
    }

    static func start(_ options: [String], onFarHost: Bool = false) async throws -> Light {
        let number = count.add(1, ordering: .relaxed).newValue
        let (port, passcode) = (5600 + number, 20_202_021 + 7 * number)
        let discriminator = (number % 16) << 8 | (number / 16 * 16 + 5) % 256
        let folder = try TemporaryFolder()
        var command =
            [
                Laboratory.scripts.appendingPathComponent("cm_device.py").path, "--port", "\(port)", "--discriminator",
                "\(discriminator)", "--passcode", "\(passcode)", "--state", folder.file("light.json").path,
            ] + (onFarHost ? ["--mdns", "zeroconf"] : [])
        command = (onFarHost ? Laboratory.far : []) + [Laboratory.python.path] + command
        let light = Light(
            port: port, discriminator: discriminator, passcode: passcode, folder: folder, command: command,
            child: try run(command + options, in: folder))
        try await light.waitUntilReady()
        return light
    }

    private static func run(_ command: [String], in folder: TemporaryFolder) throws -> Child {
        var environment = Laboratory.environment
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return try Child(URL(fileURLWithPath: "/usr/bin/env"), command, environment: environment, folder: folder)
    }

    /// Where it is, for `--address`.
    var address: String { "[\(Laboratory.nearAddress)]:\(port)" }

    var qrCode: String { value(of: "qr") }
    var manualCode: String { value(of: "manual") }

    /// Its output since it was first started.
    var lines: [String] {
        state.withLock { state in state.past + Self.lines(of: state.child) }
    }

    /// How often it was switched.
    var switchings: Int { lines.count { $0 == "light on" || $0 == "light off" } }

    /// How many fabrics it last said it was on.
    var fabrics: Int {
        lines.last { $0.hasPrefix("fabrics ") }.flatMap { Int($0.dropFirst(8)) } ?? 0
    }

    func wait(for line: String, within limit: Duration = patience) async throws {
        try await eventually("the light to print '\(line)'; it printed \(lines) and \(errors)", within: limit) {
            lines.contains(line)
        }
    }

    /// Its complaints.
    var errors: String { state.withLock { $0.child.stderr } }

    func signal(_ number: Int32) { state.withLock { $0.child.signal(number) } }

    /// Switches it off; it says goodbye on the network.
    func stop() { signal(SIGTERM) }

    /// Switches it off, and waits until it answers no more.
    func end() async {
        let child = state.withLock { $0.child }
        child.signal(SIGTERM)
        _ = await child.status()
    }

    /// Switches it off and on again; what it had stored, it still has.
    func restart(_ options: String...) async throws {
        let old = state.withLock { $0.child }
        old.signal(SIGTERM)
        _ = await old.status()
        let new = try Self.run(command + options, in: folder)
        state.withLock { $0 = State(child: new, past: $0.past + Self.lines(of: $0.child)) }
        try await waitUntilReady()
    }

    private func waitUntilReady() async throws {
        try await eventually("the light to start: \(errors)") {
            let child = state.withLock { $0.child }
            guard child.isRunning else { throw LaboratoryError("the light did not start: \(child.stderr)") }
            return Self.lines(of: child).contains("ready \(port)")
        }
    }

    private static func lines(of child: Child) -> [String] {
        child.stdout.split(separator: "\n").map(String.init)
    }

    private func value(of key: String) -> String {
        lines.first { $0.hasPrefix(key + " ") }.map { String($0.dropFirst(key.count + 1)) } ?? ""
    }
}
