package import Foundation
package import Testing

/// The folder of material that lies beside the checkout: `vectors`, `trust`, `lab` and `reference`. It is read in place
/// and never copied.
package enum Shared {
    /// `MATTERCTL_SHARED`, or `shared` beside the checkout. It need not exist.
    package static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["MATTERCTL_SHARED"], !path.isEmpty {
            return URL(fileURLWithPath: path).standardizedFileURL
        }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../shared")
            .standardizedFileURL
    }()

    /// A folder in it, or `nil`, loudly, where it is absent.
    package static func folder(_ name: String, lost: String) -> URL? {
        let found = folder.appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: found.path) { return found }
        FileHandle.standardError.write(Data("\nSKIPPED: no \(found.path); \(lost).\n\n".utf8))
        return nil
    }
}

/// The shared test vectors of other projects; tests that need them are skipped where they are absent.
package enum Vectors {
    /// The `vectors` folder, or `nil` where this checkout stands alone.
    package static let folder = Shared.folder("vectors", lost: "the tests of the shared vectors do not run")

    /// Whether the vectors are at hand: use as `@Test(.vectors, .enabled(if: Vectors.available))`.
    package static var available: Bool { folder != nil }

    /// The contents of one file, e.g. `tlv.json`.
    package static func data(_ name: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    /// The part that is missing from a file.
    package struct TooFew: Error {
        package let name: String
        package let count: Int

        package init(name: String, count: Int) {
            self.name = name
            self.count = count
        }
    }

    /// The cases of one file, as the arguments of a test: each passes or fails by itself.
    ///
    /// - Parameter least: how many there are; fewer are an error of the test.
    package static func cases<File: Decodable, Case>(
        _ name: String, atLeast least: Int = 1, _ list: (File) throws -> [Case]
    ) throws -> [Case] {
        let cases = try list(try load(name))
        guard cases.count >= least else { throw TooFew(name: name, count: cases.count) }
        return cases
    }

    /// One file decoded.
    package static func load<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(T.self, from: data(name))
    }
}

/// Counts the tests of the vectors, for CI: the file that `MATTERCTL_VECTOR_LOG` names gets a line `planned NAME` for each
/// test that was to run and `ran NAME` for each that did.
package struct VectorCount: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func prepare(for test: Test) async throws {
        if !test.isSuite { Self.note("planned", test) }
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        if !test.isSuite { Self.note("ran", test) }
    }

    private static func note(_ what: String, _ test: Test) {
        guard let path = ProcessInfo.processInfo.environment["MATTERCTL_VECTOR_LOG"] else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // One write for each line: several processes may append at once.
        let line = Array("\(what) \(test.id)\n".utf8)
        _ = write(descriptor, line, line.count)
    }
}

extension Trait where Self == VectorCount {
    /// Marks a test of the shared vectors. It stands before the condition, so that a test that is skipped is counted too.
    package static var vectors: Self { VectorCount() }
}
