#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension VendorDefinitions {
    /// No file of definitions is longer.
    private static let sizeLimit = 16 << 20

    /// Reads one file.
    ///
    /// - Throws: ``DataModelError`` `badDefinitions`: the file cannot be read, or breaks the schema.
    public init(file path: String) throws(DataModelError) {
        try self.init(json: Self.contents(of: path), source: path)
    }

    /// Reads all `*.json` files of a folder in the order of their names. A folder that does not exist has none.
    ///
    /// - Throws: ``DataModelError``.
    public static func folder(_ path: String) throws(DataModelError) -> [VendorDefinitions] {
        guard let folder = opendir(path) else {
            guard errno != ENOENT else { return [] }
            throw unreadable(path)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
        }
        var definitions: [VendorDefinitions] = []
        for name in names.sorted() { definitions.append(try VendorDefinitions(file: "\(path)/\(name)")) }
        return definitions
    }

    private static func contents(of path: String) throws(DataModelError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw unreadable(path) }
        defer { fclose(file) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            contents += chunk.prefix(count)
            guard contents.count <= sizeLimit else {
                throw DataModelError(
                    .badDefinitions, "\(TerminalText.escaped(path)): larger than \(sizeLimit >> 20) MiB", place: path)
            }
            if count < chunk.count { break }
        }
        guard ferror(file) == 0 else { throw unreadable(path) }
        return contents
    }

    private static func unreadable(_ path: String) -> DataModelError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return DataModelError(.badDefinitions, "\(TerminalText.escaped(path)): cannot be read: \(reason)", place: path)
    }
}
