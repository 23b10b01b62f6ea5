import CProcess
import Glibc
import Synchronization

/// An open folder of a state directory, for all who work in it at the time.
final class Folder: Sendable {
    /// Whose files these have to be.
    static let user = cprocess_user()

    private let descriptor: Descriptor
    let device: dev_t
    let inode: ino_t
    private let swept = Atomic(false)

    /// - Parameter status: of the descriptor.
    init(_ descriptor: consuming Descriptor, _ status: stat) {
        device = status.st_dev
        inode = status.st_ino
        self.descriptor = descriptor
    }

    var raw: Int32 { descriptor.raw }

    func status(_ path: String) throws(StoreError) -> stat { try descriptor.status(path) }

    /// Everything in it, temporary files and previous copies too.
    func entries(_ path: String) throws(StoreError) -> [FolderEntry] { try FolderEntries.read(raw, path) }

    func synchronize(_ path: String) throws(StoreError) { try descriptor.synchronizeFolder(path) }

    /// True once: what earlier processes left behind needs to be cleared away once.
    func isFirstVisit() -> Bool { !swept.exchange(true, ordering: .relaxed) }

    /// Whether the path still leads to this folder, and only its owner can use it.
    ///
    /// - Parameter followsLink: whether the last part of the path may be a symbolic link.
    func isStill(at path: String, followsLink: Bool) -> Bool {
        var status = stat()
        guard fstatat(AT_FDCWD, path, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return false }
        return status.st_dev == device && status.st_ino == inode && status.st_uid == Self.user
            && status.st_mode & 0o077 == 0
    }
}

/// The folders of a state directory that were used last.
///
/// Each is opened and examined once, and looked for again before every use: it may have been moved, replaced or removed
/// meanwhile, and what is written into it then would be lost.
final class OpenFolders: Sendable {
    /// How many stay open: the folder of a fabric and those in it that a command uses.
    private static let most = 6

    private struct Entry {
        let path: String
        let folder: Folder
    }

    /// The one used last stands last.
    private let entries = Mutex<[Entry]>([])

    /// - Returns: `nil` if it is not open, or is not what the path leads to any more.
    func folder(at path: String, followsLink: Bool) -> Folder? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.path == path }) else { return nil }
            let entry = entries.remove(at: index)
            guard entry.folder.isStill(at: path, followsLink: followsLink) else { return nil }
            entries.append(entry)
            return entry.folder
        }
    }

    /// The file open at a path, whether the path still leads there or not.
    func opened(_ path: String) -> Folder? {
        entries.withLock { entries in entries.first { $0.path == path }?.folder }
    }

    /// Closes all that is not in use at the moment.
    ///
    /// - Returns: whether there was any.
    func closeAll() -> Bool {
        entries.withLock { entries in
            defer { entries = [] }
            return !entries.isEmpty
        }
    }

    func keep(_ folder: Folder, at path: String) {
        entries.withLock { entries in
            entries.removeAll { $0.path == path }
            if entries.count >= Self.most { entries.removeFirst() }
            entries.append(Entry(path: path, folder: folder))
        }
    }
}
