import Glibc

/// Files that users ask for.
public enum OutputFile {
    /// Folders that are missing on the way are made.
    ///
    /// - Parameter isPrivate: whether other users may not read it, nor a folder that is made for it.
    public static func write(_ contents: [UInt8], to path: String, isPrivate: Bool = false) throws {
        makeFolders(of: path, mode: isPrivate ? 0o700 : 0o755)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isPrivate ? 0o600 : 0o644)
        guard descriptor >= 0 else {
            throw CommandLineError(.usageFile, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        if isPrivate { _ = fchmod(descriptor, 0o600) }
        var rest = contents[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw CommandLineError(.usageFile, "cannot write \(path): \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(written)
        }
    }

    /// Looks whether a file could be put in place of an older one, and leaves that as it is.
    static func checkReplaceable(_ path: String) throws {
        func failure(_ number: Int32) -> CommandLineError {
            CommandLineError(.usageFile, "cannot write \(path): \(String(cString: strerror(number)))")
        }
        makeFolders(of: path, mode: 0o700)
        var facts = stat()
        guard stat(path, &facts) != 0 || facts.st_mode & S_IFMT != S_IFDIR else { throw failure(EISDIR) }
        let temporary = "\(path).\(getpid()).tmp"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        close(descriptor)
        unlink(temporary)
    }

    /// Writes a secret whole or not at all, in place of an older file.
    static func replace(_ contents: [UInt8], at path: String) throws {
        makeFolders(of: path, mode: 0o700)
        let temporary = "\(path).\(getpid()).tmp"
        unlink(temporary)
        func failure() -> CommandLineError {
            CommandLineError(.usageFile, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var rest = contents[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else {
                defer { unlink(temporary) }
                throw failure()
            }
            rest = rest.dropFirst(written)
        }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            defer { unlink(temporary) }
            throw failure()
        }
    }

    /// True if there is something of that name.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Bytes as they are, for a pipe.
    static func writeToStandardOutput(_ contents: [UInt8]) throws {
        var rest = contents[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else {
                throw CommandLineError(.outputFailed, "cannot write to stdout: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(written)
        }
    }

    /// A folder that cannot be made shows when the file is opened.
    private static func makeFolders(of path: String, mode: mode_t) {
        for end in path.indices where path[end] == "/" && end > path.startIndex {
            mkdir(String(path[..<end]), mode)
        }
    }
}
