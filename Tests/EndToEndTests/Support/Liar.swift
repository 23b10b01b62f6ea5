import Foundation
import Synchronization

/// An attacker who answers handshakes in a device's name, Tests/Lab/liar.py.
final class Liar: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    private let child: Child

    private static let count = Atomic(0)

    private init(port: Int, folder: TemporaryFolder, child: Child) {
        (self.port, self.folder, self.child) = (port, folder, child)
    }

    deinit { child.signal(SIGTERM) }

    /// - Parameters:
    ///   - device: stands in front of it; `nil` only lies.
    ///   - port: that of another one at another address; a new one if `nil`.
    static func start(before device: String? = nil, port: Int? = nil, _ options: [String] = []) async throws -> Liar {
        let port = port ?? 6800 + count.add(1, ordering: .relaxed).newValue
        let folder = try TemporaryFolder()
        let child = try Child(
            Laboratory.python,
            [Laboratory.scripts.appendingPathComponent("liar.py").path, "--port", "\(port)"]
                + (device.map { ["--to", $0] } ?? []) + options, folder: folder)
        try await eventually("the liar to start: \(child.stderr)") { child.stdout.contains("ready") }
        return Liar(port: port, folder: folder, child: child)
    }

    var address: String { "[\(Laboratory.nearAddress)]:\(port)" }

    func stop() async {
        child.signal(SIGTERM)
        _ = await child.status()
    }

    /// Its actions.
    var lies: Int { child.stdout.split(separator: "\n").count - 1 }
}
