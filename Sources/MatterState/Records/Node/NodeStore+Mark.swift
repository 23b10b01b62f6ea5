import Glibc

extension NodeStore {
    /// Tells whether records may have been added, changed or removed between two moments, whichever process did it.
    public struct Mark: Hashable, Sendable {
        let inode: UInt64
        let seconds: Int
        let nanoseconds: Int
    }

    /// The mark of this moment: one look at the folder.
    ///
    /// - Returns: `nil` while there is no folder.
    public func mark() -> Mark? {
        var status = stat()
        guard stat("\(state.path)/\(folder)", &status) == 0 else { return nil }
        return Mark(
            inode: UInt64(status.st_ino), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
}
