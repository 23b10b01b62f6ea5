import Glibc
import MatterBase

/// A folder with backups, one file each: `matterctl-20261128T132000Z.age`, or `….json` where it is not encrypted. Their names sort
/// by time.
package struct BackupFolder: Sendable {
    package static let sealedSuffix = ".age"
    package static let plainSuffix = ".json"
    private static let prefix = "matterctl-"
    /// `20261128T132000Z`.
    private static let stampCount = 16
    /// The largest backup that is read: a house of some thousand nodes.
    private static let largest = 64 << 20

    package let path: String

    package init(path: String) { self.path = path }

    private func path(of name: String) -> String { "\(path)/\(name)" }

    /// The names of the backups, the oldest first.
    package func names() throws(StoreError) -> [String] {
        guard let folder = try opened() else { return [] }
        return try FolderEntries.read(folder.raw, path).filter { !$0.isFolder && Self.isBackup($0.name) }.map {
            $0.name
        }.sorted()
    }

    private static func isBackup(_ name: String) -> Bool {
        guard name.hasPrefix(prefix), let suffix = [sealedSuffix, plainSuffix].first(where: name.hasSuffix) else {
            return false
        }
        let stamp = name.dropFirst(prefix.count).dropLast(suffix.count)
        return stamp.utf8.count >= stampCount && stamp.allSatisfy { "0123456789TZ_".contains($0) }
    }

    /// The path of the newest backup; `nil` if there is none.
    package func newest() throws(StoreError) -> String? { try names().last.map(path(of:)) }

    /// Writes a backup: as a whole or not at all, durably, and read again afterwards.
    ///
    /// - Parameters:
    ///   - stamp: the time, as the name has it.
    ///   - isSealed: whether it is encrypted.
    /// - Returns: its path.
    /// - Throws: ``StoreError``; `damaged` if other bytes are there afterwards.
    package func write(_ contents: [UInt8], stamp: String, isSealed: Bool) throws(StoreError) -> String {
        let taken = Set(try names())
        let suffix = isSealed ? Self.sealedSuffix : Self.plainSuffix
        // Two in one second are told apart; their names sort behind the first.
        let names = [stamp] + (2...9).map { "\(stamp)_\($0)" }
        guard let name = names.map({ "\(Self.prefix)\($0)\(suffix)" }).first(where: { !taken.contains($0) }) else {
            throw StoreError(.exists, "there are too many backups of one second in \(path)", path: path)
        }
        try PrivateFile.create(name, contents, in: path)
        guard try Self.contents(at: path(of: name)) == contents else {
            throw StoreError(
                .damaged, "\(path(of: name)) has other bytes than were written",
                hint: .step("export.not-written"), path: path(of: name))
        }
        return path(of: name)
    }

    /// Removes all but the newest backups.
    ///
    /// - Parameter count: how many stay.
    /// - Returns: how many were removed.
    package func keep(_ count: Int) throws(StoreError) -> Int {
        guard let folder = try opened() else { return 0 }
        let old = try names().dropLast(max(1, count))
        for name in old where unlinkat(folder.raw, name, 0) != 0 && errno != ENOENT {
            throw .system(errno, "delete", path(of: name))
        }
        if !old.isEmpty { try folder.synchronizeFolder(path) }
        return old.count
    }

    /// The bytes of a backup.
    package static func contents(at path: String) throws(StoreError) -> [UInt8] {
        let opened = systemCall { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard case .success(let raw) = opened else { throw .system(errno, "open", path) }
        let file = Descriptor(owning: raw)
        let status = try file.status(path)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.insecure, "\(path) is not an ordinary file", path: path)
        }
        let octets = try file.read(limit: largest, size: Int(status.st_size), path)
        guard octets.count <= largest else {
            throw StoreError(.tooLarge, "\(path) has more than \(largest >> 20) MiB", path: path)
        }
        return octets
    }

    /// True if a path is a folder.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private func opened() throws(StoreError) -> Descriptor? {
        switch systemCall({ open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }) {
        case .success(let raw): return Descriptor(owning: raw)
        case .failure(let failure) where failure.number == ENOENT: return nil
        case .failure(let failure): throw .system(failure.number, "open", path)
        }
    }

    /// The name of this machine; `nil` if it has none.
    package static var host: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return nil }
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
