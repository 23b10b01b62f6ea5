import Foundation
package import MatterState

/// A folder in memory for kept sessions, which disappears with the test.
package final class RuntimeFolder: Sendable {
    private let base: String
    package let directory: RuntimeDirectory

    package init() throws {
        base = "/dev/shm/matterctl-runtime-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: base, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        directory = RuntimeDirectory(base: base)
    }

    deinit { remove() }

    /// Removes it before its time.
    package func remove() { try? FileManager.default.removeItem(atPath: base) }
}
