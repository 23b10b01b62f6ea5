import Glibc
import MatterBase

/// Files outside of the state directory that only their owner may read.
package enum PrivateFile {
    /// Writes a new file: as a whole or not at all, durably. The folder is made, with those that lead to it.
    ///
    /// - Throws: ``StoreError`` `exists` if there is a file of that name.
    package static func create(_ name: String, _ contents: [UInt8], in path: String) throws(StoreError) {
        try makeFolder(path)
        let file = "\(path)/\(name)"
        let folder = Descriptor(
            owning: try raw(systemCall { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }, "open", path))
        let temporary = ".\(name).\(getpid())"
        unlinkat(folder.raw, temporary, 0)
        let folderDescriptor = folder.raw
        let opened = systemCall {
            openat(folderDescriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        let output = Descriptor(owning: try raw(opened, "write", path))
        defer { unlinkat(folder.raw, temporary, 0) }
        // The umask may have taken more than it should.
        _ = fchmod(output.raw, 0o600)
        try output.write(contents, file)
        try output.synchronize(file)
        if linkat(folder.raw, temporary, folder.raw, name, 0) != 0 {
            let number = errno
            if number == EEXIST { throw StoreError(.exists, "\(file) is there already", path: file) }
            // Some file systems, such as that of a USB stick, have no hard links.
            guard number == EPERM || number == EOPNOTSUPP, renameat(folder.raw, temporary, folder.raw, name) == 0
            else { throw .system(number, "write", file) }
        }
        try folder.synchronizeFolder(path)
    }

    private static func raw(
        _ opened: Result<Int32, SystemFailure>, _ verb: String, _ path: String
    ) throws(StoreError) -> Int32 {
        switch opened {
        case .success(let raw): return raw
        case .failure(let failure): throw .system(failure.number, verb, path)
        }
    }

    private static func makeFolder(_ path: String) throws(StoreError) {
        for end in path.indices where path[end] == "/" && end > path.startIndex { mkdir(String(path[..<end]), 0o700) }
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .system(errno, "create", path) }
    }
}
