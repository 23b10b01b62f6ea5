import Foundation

/// The secrets of a state directory: what is in its folders for keys and sessions.
enum SecretRecords {
    /// Each with the forms that it may have in a text: hexadecimal and base64, in small letters.
    static func all(below home: URL) throws -> [(name: String, forms: [String])] {
        try FileManager.default.subpathsOfDirectory(atPath: home.path).compactMap { path in
            var isFolder: ObjCBool = false
            let url = home.appendingPathComponent(path)
            guard path.contains("/keys/") || path.contains("/sessions/"),
                FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue
            else { return nil }
            let record = try Data(contentsOf: url)
            guard let end = record.firstIndex(of: 0x0A) else { return nil }
            let contents = Data(record[(end + 1)...])
            // The secret stands behind the resumption id, which is public, and before the tags.
            let octets = path.contains("/sessions/") ? contents.dropFirst(16).prefix(32) : contents
            guard !octets.isEmpty else { return nil }
            return (
                path,
                [octets.map { String(format: "%02x", $0) }.joined(), octets.base64EncodedString().lowercased()]
            )
        }
    }
}
