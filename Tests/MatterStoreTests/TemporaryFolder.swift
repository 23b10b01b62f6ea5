import Foundation

@testable import MatterState

/// A folder that disappears with the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        // In memory where possible: these tests synchronize a lot.
        let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
        path = base + "/matterctl-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A state directory in it that does not exist yet.
    var store: StateDirectory { StateDirectory(path: path + "/state") }

    /// The whole path of a file in the state directory.
    func file(_ name: String) -> String { path + "/state/" + name }

    func octets(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: file(name)).map(Array.init)
    }

    func put(_ octets: [UInt8], _ name: String) throws {
        try Data(octets).write(to: URL(fileURLWithPath: file(name)))
    }

    /// Everything in a folder of the state directory, hidden files too.
    func everything(in folder: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []).sorted()
    }

    /// How many descriptors of this process lead into it.
    var descriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(path)
                ?? false
        }
    }

    func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}

func text(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The error that something throws.
func storeError(_ body: () throws -> Void) -> StoreError? {
    do {
        try body()
        return nil
    } catch {
        return error as? StoreError
    }
}

func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
