import Foundation
import Synchronization

/// A bad network between us and a light, Tests/Lab/lossy_relay.py.
final class Relay: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    private let child: Child

    private static let count = Atomic(0)

    private init(port: Int, folder: TemporaryFolder, child: Child) {
        (self.port, self.folder, self.child) = (port, folder, child)
    }

    deinit { child.signal(SIGTERM) }

    static func start(to light: Light, seed: Int, _ options: [String]) async throws -> Relay {
        try await start(to: light.address, seed: seed, options)
    }

    static func start(to device: VirtualDevice, _ options: [String]) async throws -> Relay {
        try await start(to: device.address, seed: 1, options)
    }

    private static func start(to address: String, seed: Int, _ options: [String]) async throws -> Relay {
        let port = 6600 + count.add(1, ordering: .relaxed).newValue
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.python,
            [
                Laboratory.scripts.appendingPathComponent("lossy_relay.py").path, "--port", "\(port)", "--to",
                address, "--seed", "\(seed)",
            ] + options, folder: folder)
        try await eventually("the relay to start: \(child.stderr)") { child.stdout.contains("ready") }
        return Relay(port: port, folder: folder, child: child)
    }

    var address: String { "[\(Laboratory.nearAddress)]:\(port)" }

    /// Ends it, and what it says it did with the datagrams.
    func stop() async -> String {
        child.signal(SIGTERM)
        _ = await child.status()
        return child.stdout
    }
}
