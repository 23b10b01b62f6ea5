import Glibc

/// Files that users ask for.
enum OutputFile {
    /// Folders that are missing on the way are made.
    static func write(_ contents: [UInt8], to path: String) throws {
        makeFolders(of: path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw CommandLineError("usage.file", "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var rest = contents[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw CommandLineError("usage.file", "cannot write \(path): \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(written)
        }
    }

    /// What cannot be made shows when the file is opened.
    private static func makeFolders(of path: String) {
        for end in path.indices where path[end] == "/" && end > path.startIndex {
            mkdir(String(path[..<end]), 0o755)
        }
    }
}
