import Foundation
import TestSupport
import Testing

/// A storage of the official controller, which is a fabric of its own.
struct OfficialStorage {
    private static let script = Laboratory.scripts.appendingPathComponent("../Bench/chip_ctrl.py")
    let folder: TemporaryFolder
    private let trust: String
    var storage: URL { folder.file("storage") }

    init(trusting device: VirtualDevice) throws {
        folder = try TemporaryFolder()
        trust = device.trust
    }

    func callAsFunction(_ arguments: String...) async throws -> String {
        // It leaves files where it runs.
        let child = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["-C", folder.url.path, Laboratory.python.path, Self.script.path] + arguments
                + ["--storage", storage.path, "--paa", trust],
            environment: Laboratory.environment, folder: folder)
        _ = await child.status()
        return child.stdout
    }
}
