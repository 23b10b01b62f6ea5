import Glibc
import Synchronization

/// A file of the state directory that comes in pieces, and is too large for a record. It has its name once all of it is there. What is
/// not finished goes with the draft, and after a process that was killed with the next one that clears the folder.
package final class FileDraft: Sendable {
    private let folder: Folder
    private let folderPath: String
    private let temporary: Mutex<StateDirectory.TemporaryFile?>
    /// Where it lies until it is finished.
    package let path: String

    fileprivate init(_ temporary: consuming StateDirectory.TemporaryFile, in folder: Folder, _ folderPath: String) {
        self.folder = folder
        self.folderPath = folderPath
        path = "\(folderPath)/\(temporary.name)"
        self.temporary = Mutex(temporary)
    }

    deinit { discard() }

    /// Writes further bytes behind those that are there. A draft that cannot be written is gone.
    package func append(_ octets: [UInt8]) throws(StoreError) {
        try temporary.withLock { temporary throws(StoreError) in
            guard let draft = temporary.take() else { throw StoreError.system(EBADF, "write", path) }
            do throws(StoreError) {
                try draft.file.write(octets, path)
            } catch {
                unlinkat(folder.raw, draft.name, 0)
                throw error
            }
            temporary = consume draft
        }
    }

    /// Gives it its name durably; another file of that name is replaced.
    package func finish(as file: String) throws(StoreError) {
        let name = try RecordName(file).file
        try temporary.withLock { temporary throws(StoreError) in
            guard let draft = temporary.take() else { throw StoreError.system(EBADF, "write", path) }
            do throws(StoreError) {
                try draft.file.synchronize(path)
                guard renameat(folder.raw, draft.name, folder.raw, name) == 0 else {
                    throw StoreError.system(errno, "write", "\(folderPath)/\(name)")
                }
            } catch {
                unlinkat(folder.raw, draft.name, 0)
                throw error
            }
        }
        try folder.synchronize(folderPath)
    }

    /// Removes it, unless it is finished.
    package func discard() {
        temporary.withLock { temporary in
            guard let draft = temporary.take() else { return }
            unlinkat(folder.raw, draft.name, 0)
        }
    }
}

extension StateDirectory {
    /// Begins a file in a folder, which is made if it is missing.
    package func draft(in name: String) throws(StoreError) -> FileDraft {
        let components = try RecordName(name).components[...]
        let path = path(of: components)
        guard let folder = try folder(components, creating: true) else { throw .system(ENOENT, "create", path) }
        return FileDraft(try createTemporary(in: folder, path), in: folder, path)
    }

    /// Removes what processes that are gone have begun in a folder.
    package func clearDrafts(in name: String) throws(StoreError) {
        let components = try RecordName(name).components[...]
        guard let folder = try folder(components, creating: false) else { return }
        Self.removeAbandonedFiles(in: folder, path(of: components))
    }

    /// Where a folder of the state directory is; `nil` if there is none.
    package func path(ofFolder name: String) throws(StoreError) -> String? {
        let components = try RecordName(name).components[...]
        return try folder(components, creating: false) == nil ? nil : path(of: components)
    }
}
