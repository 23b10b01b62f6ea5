package import Foundation

/// The shared test vectors of other projects: read in place, never copied, loudly skipped where they are absent.
package enum Vectors {
    /// The `vectors` folder, or `nil` where this checkout stands alone. `MATTERCTL_VECTORS` overrides it.
    package static let folder: URL? = {
        let candidates =
            [ProcessInfo.processInfo.environment["MATTERCTL_VECTORS"].map { URL(fileURLWithPath: $0) }]
            + [
                URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                    "../../../shared/vectors")
            ]
        let found = candidates.compactMap { $0?.standardizedFileURL }
            .first { FileManager.default.fileExists(atPath: $0.path) }
        if found == nil {
            FileHandle.standardError.write(
                Data("\nSKIPPED: no shared test vectors here; their tests do not run.\n\n".utf8))
        }
        return found
    }()

    /// Whether the vectors are at hand: use as `@Test(.enabled(if: Vectors.available))`.
    package static var available: Bool { folder != nil }

    /// The contents of one file, e.g. `tlv.json`.
    package static func data(_ name: String) throws -> Data {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: folder.appendingPathComponent(name))
    }

    /// One file decoded.
    package static func load<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        try JSONDecoder().decode(T.self, from: data(name))
    }
}
