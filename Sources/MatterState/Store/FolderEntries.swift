import CProcess
import Glibc
import MatterBase

/// Something in a folder.
struct FolderEntry: Equatable {
    var name: String
    var isFolder: Bool
}

/// The entries of a folder, as the kernel lists them (getdents64(2)).
///
/// A stream of the C library would examine the folder once more, and take 32 KiB for it.
enum FolderEntries {
    private static let most = 100_000
    private static let bufferSize = 8192
    /// Where the fields of an entry stand: its length, its kind, and its name, which ends with a zero byte.
    private static let lengthOffset = 16
    private static let kindOffset = 18
    private static let nameOffset = 19

    /// Everything in a folder but the two that lead to itself and out of it.
    ///
    /// - Parameter folder: a descriptor whose position is not changed.
    static func read(_ folder: Int32, _ path: String) throws(StoreError) -> [FolderEntry] {
        let copy: Descriptor
        switch systemCall({ openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) {
        case .success(let raw): copy = Descriptor(owning: raw)
        case .failure(let failure): throw .system(failure.number, "read", path)
        }
        var entries: [FolderEntry] = []
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        while entries.count < most {
            switch copy.nextEntries(&buffer) {
            case .success(0): return entries
            case .success(let count): add(buffer.prefix(count), of: folder, to: &entries)
            case .failure(let failure): throw .system(failure.number, "read", path)
            }
        }
        return entries
    }

    private static func add(_ octets: ArraySlice<UInt8>, of folder: Int32, to entries: inout [FolderEntry]) {
        var rest = octets
        while rest.count > nameOffset {
            let start = rest.startIndex
            let length = Int(rest[start + lengthOffset]) | Int(rest[start + lengthOffset + 1]) << 8
            guard length > nameOffset, length <= rest.count else { return }
            let kind = Int(rest[start + kindOffset])
            let name = String(decoding: rest[start + nameOffset..<start + length].prefix { $0 != 0 }, as: UTF8.self)
            rest = rest.dropFirst(length)
            guard name != ".", name != ".." else { continue }
            if kind != Int(DT_UNKNOWN) {
                entries.append(FolderEntry(name: name, isFolder: kind == Int(DT_DIR)))
                continue
            }
            // A file system that does not say it with the name.
            var status = stat()
            guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            entries.append(FolderEntry(name: name, isFolder: status.st_mode & S_IFMT == S_IFDIR))
        }
    }
}

extension Descriptor {
    /// - Returns: how many bytes of entries there are now in the buffer, 0 at the end.
    fileprivate func nextEntries(_ buffer: inout [UInt8]) -> Result<Int, SystemFailure> {
        let folder = raw
        return buffer.withUnsafeMutableBytes { bytes in
            systemCall { cprocess_entries(folder, bytes.baseAddress, bytes.count) }
        }
    }
}
