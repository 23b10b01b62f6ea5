package import Foundation

/// The Python of the peers that `make test` installs, with the official controller's package.
package enum PeerPython {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardizedFileURL
    package static let path =
        (ProcessInfo.processInfo.environment["MATTERCTL_PEERS"].map { URL(fileURLWithPath: $0) }
        ?? root.appendingPathComponent(".peers")).standardizedFileURL.appendingPathComponent("bin/python")

    /// Whether the official controller is installed; whether it works is for the tests to find out.
    package static let hasController = has("chip", otherwise: "no comparison with chip.clusters")
    /// Whether python-matter-server is installed, which needs the official controller.
    package static let hasServer = has("matter_server", otherwise: "no device is shared with it")

    /// Says so if a package is not there.
    private static func has(_ package: String, otherwise: String) -> Bool {
        let finder = "import importlib.util, sys; sys.exit(importlib.util.find_spec('\(package)') is None)"
        if FileManager.default.fileExists(atPath: path.path), (try? run("-c", finder))?.status == 0 { return true }
        FileHandle.standardError.write(
            Data("\nSKIPPED: \(path.path) has no package '\(package)'; \(otherwise).\n\n".utf8))
        return false
    }

    /// Runs a program to its end.
    package static func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = path
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
