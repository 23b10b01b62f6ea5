import Glibc
import MatterBase

extension StateDirectory {
    private static let folderMode: mode_t = 0o700
    private static let openFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC

    /// A folder of the state directory, opened if it is not open already.
    ///
    /// - Parameter creating: whether to make it and all that leads to it.
    /// - Returns: `nil` if it does not exist.
    func folder(_ components: ArraySlice<String>, creating: Bool) throws(StoreError) -> Folder? {
        let path = path(of: components)
        if let folder = openFolders.folder(at: path, followsLink: components.isEmpty) { return folder }
        let opened: Folder?
        if let name = components.last {
            guard let parent = try folder(components.dropLast(), creating: creating) else { return nil }
            opened = try subfolder(name, of: parent, path, creating: creating)
        } else {
            opened = try root(creating: creating)
        }
        if let opened { openFolders.keep(opened, at: path) }
        return opened
    }

    /// Opens something. A process that may not have more files open does without those that only save time.
    func opened(_ call: () -> Int32) -> Result<Int32, SystemFailure> {
        var result = systemCall(call)
        if case .failure(let failure) = result, failure.number == EMFILE, openFolders.closeAll() {
            result = systemCall(call)
        }
        if let atOpen, case .success(let raw) = result { atOpen(raw) }
        return result
    }

    private func root(creating: Bool) throws(StoreError) -> Folder? {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidName, "the path of the state directory is empty, or has a zero byte")
        }
        var opened = self.opened { open(path, Self.openFolder) }
        if creating, case .failure(let failure) = opened, failure.number == ENOENT {
            try makeRoot()
            opened = self.opened { open(path, Self.openFolder) }
        }
        return try checked(opened, path)
    }

    private func subfolder(
        _ name: String, of parent: Folder, _ path: String, creating: Bool
    ) throws(StoreError) -> Folder? {
        let parentDescriptor = parent.raw
        var opened = self.opened { openat(parentDescriptor, name, Self.openFolder | O_NOFOLLOW) }
        if creating, case .failure(let failure) = opened, failure.number == ENOENT {
            switch systemCall({ mkdirat(parentDescriptor, name, Self.folderMode) }) {
            // The umask may have taken more than it should.
            case .success: _ = fchmodat(parentDescriptor, name, Self.folderMode, 0)
            case .failure(let failure) where failure.number == EEXIST: break
            case .failure(let failure): throw .system(failure.number, "create", path)
            }
            try parent.synchronize(path)
            opened = self.opened { openat(parentDescriptor, name, Self.openFolder | O_NOFOLLOW) }
        }
        // A symbolic link is reported as something that is not a folder.
        if case .failure(let failure) = opened, failure.number == ENOTDIR {
            throw .system(ELOOP, "open", path)
        }
        return try checked(opened, path)
    }

    /// Makes the state directory with all folders that lead to it, each durable in its parent.
    private func makeRoot() throws(StoreError) {
        var made = path.hasPrefix("/") ? "" : "."
        for component in path.split(separator: "/") {
            let parent = made.isEmpty ? "/" : made
            made += "/" + component
            switch systemCall({ mkdir(made, Self.folderMode) }) {
            case .success:
                _ = chmod(made, Self.folderMode)
                if case .success(let raw) = systemCall({ open(parent, Self.openFolder) }) {
                    // A parent that cannot be opened or synchronized is not ours to care for.
                    _ = systemCall { fsync(raw) }
                    close(raw)
                }
            case .failure(let failure) where failure.number == EEXIST: continue
            case .failure(let failure):
                // A parent without permission to write may well exist.
                var status = stat()
                if stat(made, &status) == 0 { continue }
                throw .system(failure.number, "create", made)
            }
        }
    }

    private func checked(_ opened: Result<Int32, SystemFailure>, _ path: String) throws(StoreError) -> Folder? {
        switch opened {
        case .success(let raw):
            let folder = Descriptor(owning: raw)
            let status = try folder.status(path)
            try makePrivate(folder, status, path)
            return Folder(folder, status)
        case .failure(let failure) where failure.number == ENOENT:
            return nil
        case .failure(let failure):
            var status = stat()
            if failure.number == EACCES, stat(path, &status) == 0, status.st_uid != geteuid() {
                throw Self.notOwned(path, by: status.st_uid)
            }
            throw .system(failure.number, "open", path)
        }
    }

    /// Refuses what belongs to another user, and takes away what others may do with it.
    ///
    /// - Parameter status: the metadata of the file.
    func makePrivate(_ file: borrowing Descriptor, _ status: stat, _ path: String) throws(StoreError) {
        guard status.st_uid == Folder.user else { throw Self.notOwned(path, by: status.st_uid) }
        guard status.st_mode & 0o077 != 0 else { return }
        if fchmod(file.raw, status.st_mode & 0o700) != 0, errno == EROFS { return }
        guard try file.status(path).st_mode & 0o077 == 0 else {
            throw StoreError(
                .insecure, "other users can access \(path), and its permissions cannot be changed",
                hint: .step("state.with-permissions"), path: path)
        }
    }

    private static func notOwned(_ path: String, by owner: uid_t) -> StoreError {
        func name(_ user: uid_t) -> String { user == 0 ? "root" : "user \(user)" }
        return StoreError(
            .notOwned, "\(path) belongs to \(name(owner)), but this process runs as \(name(geteuid()))",
            hint: owner == 0 ? .step("state.made-with-sudo", path) : .step("state.other-user"),
            path: path)
    }
}

// MARK: - Looking around

extension StateDirectory {
    /// The names of the records in a folder, in order, each with the folder: `nodes/5.json`.
    package func records(in folder: String = "") throws(StoreError) -> [String] {
        try entries(of: folder).filter { !$0.isFolder }.map { Self.join(folder, $0.name) }
    }

    /// The names of the folders in a folder, in order, each with the outer folder.
    package func folders(in folder: String = "") throws(StoreError) -> [String] {
        try entries(of: folder).filter { $0.isFolder && !(folder.isEmpty && $0.name == RecordName.locks) }
            .map { Self.join(folder, $0.name) }
    }

    /// True if there is a folder of that name.
    func hasFolder(_ name: String) throws(StoreError) -> Bool {
        guard try folder(try RecordName(name).components[...], creating: false) != nil else { return false }
        return true
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : folder + "/" + name
    }

    /// Goes through the records of a folder, by name, as they lie on the disk: with their headers, and not examined. What cannot
    /// be read is left out.
    ///
    /// It is for a shell that waits. A file is not asked for its owner and its size, because that takes as long as to read it; the
    /// folder was asked.
    ///
    /// - Parameter take: gets the name and the bytes. The array may be longer than the record: how many are its own, comes last.
    /// - Throws: ``StoreError`` if the folder cannot be read.
    func contents(
        in folder: String, _ take: (_ file: String, _ octets: [UInt8], _ count: Int) -> Void
    ) throws(StoreError) {
        let components = try RecordName(folder).components[...]
        guard let descriptor = try self.folder(components, creating: false) else { return }
        let path = path(of: components)
        // A page; few records are larger.
        var buffer = [UInt8](repeating: 0, count: 4096)
        for entry in try descriptor.entries(path).sorted(by: { $0.name < $1.name })
        where !entry.isFolder && RecordName.isAllowed(entry.name) {
            let file = Self.join(folder, entry.name)
            guard let count = read(entry.name, in: descriptor, &buffer) else { continue }
            guard count == buffer.count else {
                take(file, buffer, count)
                continue
            }
            if let octets = try? Self.readFile(entry.name, in: descriptor, "\(path)/\(entry.name)", store: self) {
                take(file, octets, octets.count)
            }
        }
    }

    /// Reads as much of a file as there is room.
    private func read(_ file: String, in folder: borrowing Folder, _ buffer: inout [UInt8]) -> Int? {
        let folderDescriptor = folder.raw
        // As in `readFile`: a named pipe does not keep us waiting.
        let opened = opened { openat(folderDescriptor, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard case .success(let raw) = opened else { return nil }
        let descriptor = Descriptor(owning: raw)
        let count = buffer.withUnsafeMutableBytes { room in
            systemCall { Glibc.read(descriptor.raw, room.baseAddress, room.count) }
        }
        guard case .success(let count) = count else { return nil }
        return count
    }

    private func entries(of folder: String) throws(StoreError) -> [FolderEntry] {
        let components = folder.isEmpty ? [] : try RecordName(folder).components[...]
        guard let descriptor = try self.folder(components, creating: false) else { return [] }
        return try descriptor.entries(path(of: components)).filter { RecordName.isAllowed($0.name) }
            .sorted { $0.name < $1.name }
    }
}
