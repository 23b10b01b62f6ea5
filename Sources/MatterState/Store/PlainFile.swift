import Glibc
import MatterBase

/// An ordinary file of whatever folder, open to be read piece by piece.
package struct PlainFile: ~Copyable {
    /// The properties that differ after each change of a file.
    package struct Stamp: Hashable, Sendable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int64
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
            size = Int64(status.st_size)
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    private let file: Descriptor
    private let path: String
    /// Bytes of the file when it was opened.
    package let size: Int
    package let stamp: Stamp

    /// - Parameter followsLink: whether the last part of the path may be a symbolic link.
    package init(_ path: String, followsLink: Bool) throws(StoreError) {
        // Without O_NONBLOCK, a named pipe would keep us waiting.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLink ? 0 : O_NOFOLLOW)
        let raw: Int32
        switch systemCall({ open(path, flags) }) {
        case .failure(let failure): throw .system(failure.number, "open", path)
        case .success(let opened): raw = opened
        }
        let file = Descriptor(owning: raw)
        let status = try file.status(path)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.insecure, "\(path) is not an ordinary file", path: path)
        }
        self.file = file
        self.path = path
        size = Int(status.st_size)
        stamp = Stamp(status)
    }

    /// The next bytes; fewer than asked for at the end of the file only.
    package func read(_ count: Int) throws(StoreError) -> [UInt8] {
        var octets: [UInt8] = []
        let descriptor = file.raw
        while octets.count < count {
            let room = min(count - octets.count, 1 << 20)
            var failure: SystemFailure?
            let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                switch systemCall({ Glibc.read(descriptor, buffer.baseAddress, room) }) {
                case .success(let read): count = read
                case .failure(let refusal): failure = refusal
                }
            }
            if let failure { throw .system(failure.number, "read", path) }
            if piece.isEmpty { break }
            octets += piece
        }
        return octets
    }

    /// The names of what lies in a folder and is not a folder itself, in order.
    ///
    /// - Parameter suffix: only names that end like this.
    package static func names(in path: String, suffix: String) throws(StoreError) -> [String] {
        let raw: Int32
        switch systemCall({ open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) {
        case .failure(let failure): throw .system(failure.number, "open", path)
        case .success(let opened): raw = opened
        }
        let folder = Descriptor(owning: raw)
        return try FolderEntries.read(folder.raw, path).filter {
            !$0.isFolder && !$0.name.hasPrefix(".") && $0.name.hasSuffix(suffix)
        }.map(\.name).sorted()
    }
}
