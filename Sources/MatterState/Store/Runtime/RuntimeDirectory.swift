import CProcess
import Glibc

/// The folder for what must not outlive the machine's run: `$XDG_RUNTIME_DIR/matterctl`, in memory, of this user alone.
///
/// Its records hold the keys of living sessions. They never reach a disk or a backup, so there is no other place for them:
/// without such a folder nothing is kept.
public struct RuntimeDirectory: Sendable {
    package let path: String

    /// Called with every descriptor of a record; tests use it to know whose they are.
    package var atOpen: (@Sendable (Int32) -> Void)?

    /// The largest record.
    static let largestRecord = 4096

    private static let openFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW
    private static let folderMode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600

    /// - Parameter base: the user's folder for such things, as in `XDG_RUNTIME_DIR`; it has to be there.
    package init(base: String) { path = base + "/matterctl" }

    /// The folder that the environment names; `nil` if it names none.
    public init?(environment: [String: String]) {
        guard let base = environment["XDG_RUNTIME_DIR"], base.hasPrefix("/"), !base.utf8.contains(0) else { return nil }
        self.init(base: base)
    }

    /// Opens a record, and makes it if asked to.
    ///
    /// - Parameter sweep: what is to be done from time to time while the folder is open.
    /// - Returns: `nil` if it is not there.
    /// - Throws: ``StoreError`` if the folder or the file is not ours alone or not in memory.
    package func open(
        _ name: String, creating: Bool, sweep: RuntimeSweep? = nil
    ) throws(StoreError) -> RuntimeRecord? {
        guard let folder = try folder(creating: creating, sweep) else { return nil }
        return try open(name, in: folder, creating: creating)
    }

    private func open(
        _ name: String, in folder: borrowing Descriptor, creating: Bool
    ) throws(StoreError) -> RuntimeRecord? {
        let path = "\(path)/\(name)"
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (creating ? O_CREAT : 0)
        let directory = folder.raw
        let opened = systemCall { openat(directory, name, flags, Self.fileMode) }
        switch opened {
        case .failure(let failure) where failure.number == ENOENT: return nil
        case .failure(let failure): throw .system(failure.number, "open", path)
        case .success(let raw):
            atOpen?(raw)
            let file = Descriptor(owning: raw)
            let status = try file.status(path)
            guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == Folder.user, status.st_nlink == 1,
                status.st_mode & 0o077 == 0
            else { throw StoreError(.insecure, "\(path) is not a file of this user alone", path: path) }
            return RuntimeRecord(
                file, path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        }
    }

    /// Makes sure that records can be kept.
    ///
    /// - Throws: ``StoreError`` if the folder is not there and cannot be made, is not ours alone, or not in memory.
    package func check() throws(StoreError) { _ = try folder(creating: true) }

    /// The path of something that is no record, such as the socket of a server. The folder is made if it is missing. It need not
    /// lie in memory.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be made, or is not ours alone.
    public func place(of name: String) throws(StoreError) -> String {
        _ = try folder(creating: true, inMemory: false)
        return "\(path)/\(name)"
    }

    /// Why no sessions can be kept here; `nil` if they can.
    public var obstacle: StoreError? {
        do throws(StoreError) { try check() } catch { return error }
        return nil
    }

    /// The same path, for who only looks whether something is there.
    public func presumedPlace(of name: String) -> String { "\(path)/\(name)" }

    package func remove(_ name: String) {
        guard let folder = try? folder(creating: false) else { return }
        unlinkat(folder.raw, name, 0)
    }

    /// The names of all records that begin in some way.
    package func names(prefix: String) -> [String] {
        guard let folder = try? folder(creating: false), let entries = try? FolderEntries.read(folder.raw, path)
        else { return [] }
        return entries.map(\.name).filter { $0.hasPrefix(prefix) && !$0.hasPrefix(".") }.sorted()
    }

    /// - Returns: `nil` if there is no such folder, and none is to be made.
    private func folder(
        creating: Bool, _ sweep: RuntimeSweep? = nil, inMemory: Bool = true
    ) throws(StoreError) -> Descriptor? {
        var opened = systemCall { Glibc.open(path, Self.openFolder) }
        if creating, case .failure(let failure) = opened, failure.number == ENOENT {
            try checkBase()
            if mkdir(path, Self.folderMode) != 0, errno != EEXIST { throw .system(errno, "create", path) }
            opened = systemCall { Glibc.open(path, Self.openFolder) }
        }
        switch opened {
        case .failure(let failure) where failure.number == ENOENT: return nil
        case .failure(let failure): throw .system(failure.number, "open", path)
        case .success(let raw):
            let folder = Descriptor(owning: raw)
            let status = try folder.status(path)
            guard status.st_uid == Folder.user, status.st_mode & 0o077 == 0 else {
                throw StoreError(.insecure, "\(path) is not a folder of this user alone", path: path)
            }
            guard !inMemory || cprocess_in_memory(folder.raw) else {
                throw StoreError(.insecure, "\(path) does not lie in memory", path: path)
            }
            if let sweep, sweep.isDue(status) { self.sweep(folder, sweep) }
            return folder
        }
    }

    private func sweep(_ folder: borrowing Descriptor, _ sweep: RuntimeSweep) {
        guard let entries = try? FolderEntries.read(folder.raw, path) else { return }
        for name in sweep.turn(of: entries.map(\.name)) {
            // It is read again under its lock: another process may have written it meanwhile.
            guard var record = try? open(name, in: folder, creating: false), sweep.isDead(record),
                (try? record.lock()) ?? false, sweep.isDead(record)
            else { continue }
            unlinkat(folder.raw, name, 0)
        }
        sweep.mark(folder.raw)
    }

    /// In a folder that others may write to, they could put a folder of theirs in the place of ours.
    private func checkBase() throws(StoreError) {
        let base = String(path.dropLast("/matterctl".count))
        var status = stat()
        guard lstat(base, &status) == 0 else { throw .system(errno, "examine", base) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == Folder.user, status.st_mode & 0o077 == 0 else {
            throw StoreError(.insecure, "\(base) is not a folder of this user alone", path: base)
        }
    }
}

/// An open record of a ``RuntimeDirectory``. It is written in one piece, so that a process that is killed leaves the old
/// contents or the new ones.
package struct RuntimeRecord: ~Copyable, Sendable {
    private let file: Descriptor
    private let path: String
    /// Which file it is: a copy is another one.
    package let device: UInt64
    let inode: UInt64
    private var isLocked = false

    fileprivate init(_ file: consuming Descriptor, path: String, device: UInt64, inode: UInt64) {
        self.file = file
        self.path = path
        self.device = device
        self.inode = inode
    }

    /// Keeps other processes out until the record is closed.
    ///
    /// - Returns: `false` if another process has it.
    package mutating func lock() throws(StoreError) -> Bool {
        do { isLocked = try file.lock(Self.whole) } catch { throw .system(error.number, "lock", path) }
        return isLocked
    }

    private static let whole = ByteRange(start: 0, length: 1)

    /// A child that this process is just starting has a copy of the descriptor: closing ours alone would not end the lock.
    deinit {
        if isLocked { try? file.unlock(Self.whole) }
    }

    /// Lends the contents, and wipes them.
    func withContents<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(StoreError) -> Result {
        var buffer = [UInt8](repeating: 0, count: RuntimeDirectory.largestRecord)
        defer { wipe(&buffer) }
        let read = buffer.withUnsafeMutableBytes { bytes in
            systemCall { pread(file.raw, bytes.baseAddress, bytes.count, 0) }
        }
        switch read {
        case .failure(let failure): throw .system(failure.number, "read", path)
        case .success(let count):
            return buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        }
    }

    /// Replaces the contents, and wipes the array.
    ///
    /// - Throws: ``StoreError``, also if there is nothing to write or not all of it was written.
    package func write(_ contents: consuming [UInt8]) throws(StoreError) {
        var contents = contents
        defer { wipe(&contents) }
        guard !contents.isEmpty else { throw .system(EINVAL, "write", path) }
        let written = contents.withUnsafeBytes { bytes in
            systemCall { pwrite(file.raw, bytes.baseAddress, bytes.count, 0) }
        }
        switch written {
        case .failure(let failure): throw .system(failure.number, "write", path)
        case .success(let count):
            guard count == contents.count else { throw .system(ENOSPC, "write", path) }
        }
    }
}
