import Glibc

extension StateDirectory {
    private static let temporaryPrefix = ".tmp-"

    /// Writes a file whole or not at all.
    func write(
        _ name: RecordName, _ contents: [UInt8], version: Int, replacing: Bool, keepingPrevious: Bool,
        durability: Durability
    ) throws(StoreError) {
        let path = path(of: name.components)
        guard contents.count <= Self.largestRecord else {
            throw StoreError(
                .tooLarge, "\(contents.count) bytes are too many for \(path); \(Self.largestRecord) are allowed",
                path: path)
        }
        guard let folder = try folder(name.folder, creating: true) else { throw .system(ENOENT, "create", path) }
        if folder.isFirstVisit() { Self.removeAbandonedFiles(in: folder, path) }
        if replacing, !keepingPrevious { try refuseNewer(name.file, in: folder, path, version: version) }
        var octets = RecordEnvelope.encode(contents, version: version)
        defer { wipe(&octets) }
        let temporary = try createTemporary(in: folder, path)
        do throws(StoreError) {
            atStage?(.temporaryCreated)
            try temporary.file.write(octets, path)
            atStage?(.temporaryWritten)
            if durability == .synchronized { try temporary.file.synchronize(path) }
            atStage?(.temporarySynchronized)
            if replacing {
                if keepingPrevious { try keepPrevious(name.file, in: folder, path, version: version) }
                atStage?(.previousKept)
                guard renameat(folder.raw, temporary.name, folder.raw, name.file) == 0 else {
                    throw StoreError.system(errno, "write", path)
                }
            } else {
                try Self.publish(temporary.name, as: name.file, in: folder, path)
            }
        } catch {
            unlinkat(folder.raw, temporary.name, 0)
            throw error
        }
        atStage?(.renamed)
        if durability == .synchronized { try folder.synchronize(path) }
        atStage?(.folderSynchronized)
    }

    /// A record that a newer program wrote is not overwritten. (Where the previous copy is kept, that is found out there.)
    private func refuseNewer(
        _ file: String, in folder: Folder, _ path: String, version: Int
    ) throws(StoreError) {
        guard var octets = try? Self.readFile(file, in: folder, path, store: self) else { return }
        defer { wipe(&octets) }
        do {
            _ = try RecordEnvelope.decode(octets, newest: version)
        } catch {
            if case .newerVersion = error { throw fault(error, path, previous: nil) }
        }
    }

    /// Gives a finished temporary file its name unless the name is taken.
    private static func publish(
        _ temporaryName: String, as file: String, in folder: Folder, _ path: String
    ) throws(StoreError) {
        guard linkat(folder.raw, temporaryName, folder.raw, file, 0) == 0 else {
            let number = errno
            if number == EEXIST { throw StoreError(.exists, "\(path) exists already", path: path) }
            throw .system(number, "write", path)
        }
        unlinkat(folder.raw, temporaryName, 0)
    }

    struct TemporaryFile: ~Copyable {
        let file: Descriptor
        let name: String
    }

    /// A new temporary file, locked for as long as it is open, so that others see that it is in use.
    func createTemporary(
        in folder: Folder, _ path: String
    ) throws(StoreError) -> TemporaryFile {
        let folderDescriptor = folder.raw
        for _ in 0..<16 {
            let name = Self.temporaryPrefix + String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let opened = opened {
                openat(folderDescriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            }
            switch opened {
            case .failure(let failure) where failure.number == EEXIST: continue
            case .failure(let failure): throw .system(failure.number, "write", path)
            case .success(let raw):
                let file = Descriptor(owning: raw)
                // A process that clears up holds this lock for an instant at most.
                if case .failure(let failure) = systemCall({ flock(raw, LOCK_EX) }) {
                    unlinkat(folderDescriptor, name, 0)
                    throw .system(failure.number, "lock", path)
                }
                // The file may have been cleared away between its creation and the lock.
                let status = try file.status(path)
                guard status.st_nlink > 0 else { continue }
                // The umask may have taken more than it should.
                _ = fchmod(raw, 0o600)
                try makePrivate(file, status, path)
                return TemporaryFile(file: file, name: name)
            }
        }
        throw StoreError(.system, "cannot make a temporary file beside \(path)", path: path)
    }

    /// Removes temporary files whose process has ended.
    static func removeAbandonedFiles(in folder: Folder, _ path: String) {
        guard let entries = try? folder.entries(path) else { return }
        for entry in entries where entry.name.hasPrefix(temporaryPrefix) && !entry.isFolder {
            let raw = openat(folder.raw, entry.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard raw >= 0 else { continue }
            let file = Descriptor(owning: raw)
            if flock(file.raw, LOCK_EX | LOCK_NB) == 0 { unlinkat(folder.raw, entry.name, 0) }
        }
    }

    /// Makes the record as it is now the previous copy, unless it is damaged: then the older copy is worth more. A
    /// record that a newer program wrote is left alone.
    private func keepPrevious(
        _ file: String, in folder: Folder, _ path: String, version: Int
    ) throws(StoreError) {
        let previous = file + RecordName.previousSuffix
        guard let octets = try Self.readFile(file, in: folder, path, store: self) else {
            // A record that was deleted has no past.
            unlinkat(folder.raw, previous, 0)
            return
        }
        do {
            _ = try RecordEnvelope.decode(octets, newest: version)
        } catch {
            if case .newerVersion = error { throw fault(error, path, previous: nil) }
            return
        }
        // A second name for the same file first, since a rename replaces the older copy at once.
        let link = ".bak-" + file
        unlinkat(folder.raw, link, 0)
        if linkat(folder.raw, file, folder.raw, link, 0) != 0 {
            guard errno != ENOENT, errno != EEXIST else { return }
            try copy(octets, to: link, in: folder, path + RecordName.previousSuffix)
        }
        let renamed = renameat(folder.raw, link, folder.raw, previous)
        let number = errno
        // Where both were names of one file already, the rename has left them alone.
        unlinkat(folder.raw, link, 0)
        guard renamed == 0 || number == ENOENT else {
            throw .system(number, "write", path + RecordName.previousSuffix)
        }
    }

    /// For file systems without hard links.
    private func copy(
        _ octets: [UInt8], to name: String, in folder: Folder, _ path: String
    ) throws(StoreError) {
        let raw = openat(folder.raw, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { throw .system(errno, "write", path) }
        let file = Descriptor(owning: raw)
        _ = fchmod(raw, 0o600)
        try file.write(octets, path)
        try file.synchronize(path)
    }
}
