import Foundation
import TestSupport
import Testing

/// One of Home Assistant's own clients, in a Python of its own (`make peers-controller`).
enum HomeAssistantClient: String, CaseIterable, Sendable {
    /// python-matter-server 7.0.1.
    case ha7
    /// python-matter-server 8.1.2.
    case ha8
    /// matter-python-client 1.5.5.
    case ha15

    var python: URL {
        // Not standardized with its last part, which is a link to a Python without the packages.
        Laboratory.python.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("\(rawValue)/bin/python")
    }

    /// Whether all of them are installed; whether they work is for the tests to find out.
    static let areHere: Bool = {
        let missing = allCases.filter { !FileManager.default.fileExists(atPath: $0.python.path) }
        guard !missing.isEmpty else { return true }
        Laboratory.say("SKIPPED: no Home Assistant clients (\(missing)); see: make peers-controller")
        return false
    }()

    /// Has it perform steps of `ha_client.py`.
    func start(_ url: String, _ steps: [String], in folder: TemporaryFolder) throws -> Child {
        try Child(
            python, [Laboratory.scripts.appendingPathComponent("ha_client.py").path, "--full", url],
            input: steps.joined(separator: "\n") + "\n", folder: folder)
    }
}

/// The JSON lines of a program that has ended or still runs; the last line may not be complete yet.
extension Child {
    var lines: [JSON] { stdout.split(separator: "\n").compactMap { try? JSON(parsing: String($0)) } }
}

/// `matterctl serve`, which ends with the value.
final class RunningHouse {
    private let matterctl: MatterCtl
    private let socket: String
    private let options: [String]
    private var child: Child

    /// - Parameter devices: whose authorities it trusts.
    init(_ matterctl: MatterCtl, trusting devices: [VirtualDevice] = [], _ options: [String] = []) async throws {
        self.matterctl = matterctl
        self.options = options
        socket = matterctl.folder.file("house.sock").path
        for device in devices {
            try await matterctl.succeed("trust", "add", "\(device.trust)/paa.der")
        }
        child = try Self.run(matterctl, socket, options)
        try await waitUntilReady()
    }

    deinit { child.signal(SIGKILL) }

    private static func run(_ matterctl: MatterCtl, _ socket: String, _ options: [String]) throws -> Child {
        try matterctl.start(["serve", "--socket", socket, "--allow-test-devices"] + options)
    }

    private func waitUntilReady() async throws {
        try await awaitEvent("the server: \(child.stderr)") { [socket, child] in
            FileManager.default.fileExists(atPath: socket) || !child.isRunning
        }
        try #require(child.isRunning, "\(child.stderr)")
    }

    /// For the clients.
    var url: String { "unix:\(socket)" }
    var log: String { child.stderr }

    func signal(_ number: Int32) { child.signal(number) }

    func status(within limit: Duration = patience) async -> Int32 { await child.status(within: limit) }

    /// Kills it, and starts it once more.
    func restart() async throws {
        child.signal(SIGKILL)
        _ = await child.status()
        try? FileManager.default.removeItem(atPath: socket)
        child = try Self.run(matterctl, socket, options)
        try await waitUntilReady()
    }
}
