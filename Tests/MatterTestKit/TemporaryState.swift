import Foundation
package import MatterState

/// A state directory that disappears with the test.
package final class TemporaryState: Sendable {
    package let directory: StateDirectory
    private let path: String

    package init() throws {
        // In memory where possible: records are synchronized.
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        path = base + "/matterctl-state-" + UUID().uuidString
        var directory = StateDirectory(path: path)
        directory.time = testTime
        self.directory = directory
    }

    deinit { remove() }

    /// Removes it before its time.
    package func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Puts a file where the folder of the locks should be.
    package func forbidLocks() throws {
        try FileManager.default.removeItem(atPath: path + "/locks")
        try Data().write(to: URL(fileURLWithPath: path + "/locks"))
    }

    /// Every file of the directory with its contents.
    package func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
            if let data = FileManager.default.contents(atPath: path + "/" + name) {
                files[name] = String(decoding: data, as: UTF8.self)
            }
        }
        return files
    }
}
