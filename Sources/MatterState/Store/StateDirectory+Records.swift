import Glibc
import MatterBase

extension StateDirectory {
    /// The contents of a record.
    ///
    /// - Parameters:
    ///   - name: such as `nodes/5.json`.
    ///   - version: the newest version of its format that the caller understands.
    /// - Returns: `nil` if there is no such record.
    /// - Throws: ``StoreError``: `damaged` names the file and, if there is one, its previous copy; `newerVersion` if a
    ///   newer program wrote it.
    package func read(_ name: String, version: Int = 1) throws(StoreError) -> [UInt8]? {
        let name = try RecordName(name)
        guard let folder = try folder(name.folder, creating: false) else { return nil }
        let path = path(of: name.components)
        guard var octets = try Self.readFile(name.file, in: folder, path, store: self) else { return nil }
        defer { wipe(&octets) }
        do {
            return try RecordEnvelope.decode(octets, newest: version)
        } catch {
            throw fault(error, path, previous: try? previous(name, in: folder, version: version))
        }
    }

    /// The contents of a record of whatever version, for one who only carries it elsewhere.
    ///
    /// - Returns: `nil` if there is no such record.
    func readAnyVersion(_ name: String) throws(StoreError) -> (version: Int, contents: [UInt8])? {
        let name = try RecordName(name)
        guard let folder = try folder(name.folder, creating: false) else { return nil }
        let path = path(of: name.components)
        guard var octets = try Self.readFile(name.file, in: folder, path, store: self) else { return nil }
        defer { wipe(&octets) }
        do {
            return try RecordEnvelope.decodeAnyVersion(octets)
        } catch {
            throw fault(error, path, previous: nil)
        }
    }

    /// The contents of a record before it was last written.
    ///
    /// - Returns: `nil` if there is no such copy, or if it is damaged as well.
    package func readPrevious(_ name: String, version: Int = 1) throws(StoreError) -> [UInt8]? {
        let name = try RecordName(name)
        guard let folder = try folder(name.folder, creating: false) else { return nil }
        return try previous(name, in: folder, version: version)
    }

    /// Writes a record so that, whenever the process or the machine stops, either the old or the new one is there:
    /// to a temporary file, synchronized, renamed, and the folder synchronized. An undamaged old one stays beside it as
    /// `NAME.bak`.
    ///
    /// Two processes that change one record need ``withLock(_:timeout:isolation:_:)``.
    ///
    /// - Parameters:
    ///   - replacing: `false` to fail with `exists` if the record is there.
    ///   - keepingPrevious: `false` for records that can be made again from others.
    ///   - durability: what it survives.
    package func write(
        _ name: String, _ contents: [UInt8], version: Int = 1, replacing: Bool = true, keepingPrevious: Bool = true,
        durability: Durability = .synchronized
    ) throws(StoreError) {
        try write(
            try RecordName(name), contents, version: version, replacing: replacing, keepingPrevious: keepingPrevious,
            durability: durability)
    }

    /// The time when a record was last written.
    ///
    /// - Returns: seconds since 1970; `nil` if there is no such record.
    func writtenAt(_ name: String) -> Int64? {
        guard let name = try? RecordName(name), let folder = try? folder(name.folder, creating: false) else {
            return nil
        }
        var status = stat()
        guard fstatat(folder.raw, name.file, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Int64(status.st_mtim.tv_sec)
    }

    /// Removes a record and its previous copy.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    package func delete(_ name: String) throws(StoreError) -> Bool {
        let name = try RecordName(name)
        guard let folder = try folder(name.folder, creating: false) else { return false }
        let path = path(of: name.components)
        // The copy first: one that stands alone shows that a record was lost.
        _ = try Self.remove(name.file + RecordName.previousSuffix, from: folder, path + RecordName.previousSuffix)
        let existed = try Self.remove(name.file, from: folder, path)
        try folder.synchronize(path)
        return existed
    }

    /// Removes a folder with everything in it.
    package func deleteFolder(_ name: String) throws(StoreError) {
        let name = try RecordName(name)
        guard let parent = try folder(name.folder, creating: false),
            let folder = try folder(name.components[...], creating: false)
        else { return }
        let path = path(of: name.components)
        try Self.empty(folder, path, depth: 0)
        if unlinkat(parent.raw, name.file, AT_REMOVEDIR) != 0, errno != ENOENT { throw .system(errno, "delete", path) }
        try parent.synchronize(path)
    }

    /// Removes a state directory that was made for a while, with everything in it, and its own folder.
    package func destroy() throws(StoreError) {
        let raw = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else {
            if errno == ENOENT { return }
            throw .system(errno, "open", path)
        }
        let folder = Descriptor(owning: raw)
        let status = try folder.status(path)
        try Self.empty(Folder(folder, status), path, depth: 0)
        if rmdir(path) != 0, errno != ENOENT { throw .system(errno, "delete", path) }
    }
}

// MARK: - Secrets

extension StateDirectory {
    /// The bytes of a secret, each in a file of its own.
    ///
    /// - Returns: `nil` if there is no such secret. Put it into a type that wipes itself.
    package func readSecret(_ name: String) throws(StoreError) -> [UInt8]? {
        try read(name)
    }

    /// Lends the bytes of a secret, and wipes them afterwards.
    ///
    /// - Returns: `nil` if there is no such secret.
    func withSecret<Result>(
        _ name: String, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(StoreError) -> Result? {
        guard var octets = try read(name) else { return nil }
        defer { wipe(&octets) }
        return octets.withUnsafeBytes(body)
    }

    /// Writes a secret like a record, but keeps no previous copy of it, and wipes the array if nothing else refers to it.
    package func writeSecret(
        _ name: String, _ secret: consuming [UInt8], replacing: Bool = true, durability: Durability = .synchronized
    ) throws(StoreError) {
        defer { wipe(&secret) }
        try write(
            try RecordName(name), secret, version: 1, replacing: replacing, keepingPrevious: false,
            durability: durability)
    }
}

// MARK: - Parts

extension StateDirectory {
    private func previous(
        _ name: RecordName, in folder: Folder, version: Int
    ) throws(StoreError) -> [UInt8]? {
        let path = path(of: name.components) + RecordName.previousSuffix
        let file = name.file + RecordName.previousSuffix
        guard let octets = try Self.readFile(file, in: folder, path, store: self) else { return nil }
        return try? RecordEnvelope.decode(octets, newest: version)
    }

    func fault(_ fault: RecordEnvelope.Fault, _ path: String, previous: [UInt8]?) -> StoreError {
        switch fault {
        case .newerVersion(let version):
            return StoreError(
                .newerVersion, "\(path) was written by a newer version of this program (format \(version))",
                hint: .step("state.newer-version"), path: path)
        case .damaged(let how):
            guard previous != nil else {
                return StoreError(
                    .damaged, "the file \(path) \(how), and it has no previous copy",
                    hint: "restore it from a backup", path: path)
            }
            let copy = path + RecordName.previousSuffix
            return StoreError(
                .damaged, "the file \(path) \(how); the previous copy is at \(copy)",
                hint: "look at both, then go back to the previous copy: mv '\(copy)' '\(path)'", path: path,
                previousCopy: copy)
        }
    }

    /// The bytes of a file; `nil` if it does not exist.
    static func readFile(
        _ file: String, in folder: Folder, _ path: String, store: StateDirectory
    ) throws(StoreError) -> [UInt8]? {
        let folderDescriptor = folder.raw
        // Without O_NONBLOCK, a named pipe would keep us waiting.
        let opened = store.opened { openat(folderDescriptor, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        switch opened {
        case .failure(let failure) where failure.number == ENOENT: return nil
        case .failure(let failure): throw .system(failure.number, "open", path)
        case .success(let raw):
            let descriptor = Descriptor(owning: raw)
            let status = try descriptor.status(path)
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw StoreError(.insecure, "\(path) is not an ordinary file", path: path)
            }
            try store.makePrivate(descriptor, status, path)
            // The header may come on top of the largest contents.
            let limit = largestRecord + 128
            let octets = try descriptor.read(limit: limit, size: Int(status.st_size), path)
            guard octets.count <= limit else {
                throw StoreError(.tooLarge, "\(path) has more than \(largestRecord) bytes", path: path)
            }
            return octets
        }
    }

    private static func remove(
        _ file: String, from folder: Folder, _ path: String
    ) throws(StoreError) -> Bool {
        if unlinkat(folder.raw, file, 0) == 0 { return true }
        guard errno == ENOENT else { throw .system(errno, "delete", path) }
        return false
    }

    private static func empty(_ folder: Folder, _ path: String, depth: Int) throws(StoreError) {
        guard depth < 16 else { throw StoreError(.system, "\(path) is nested too deep to delete", path: path) }
        for entry in try folder.entries(path) {
            let place = path + "/" + entry.name
            if entry.isFolder {
                let raw = openat(folder.raw, entry.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                guard raw >= 0 else { throw .system(errno, "open", place) }
                let inner = Descriptor(owning: raw)
                let status = try inner.status(place)
                try empty(Folder(inner, status), place, depth: depth + 1)
            }
            let result = unlinkat(folder.raw, entry.name, entry.isFolder ? AT_REMOVEDIR : 0)
            if result != 0, errno != ENOENT { throw .system(errno, "delete", place) }
        }
    }
}
