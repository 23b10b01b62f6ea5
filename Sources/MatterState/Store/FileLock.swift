import Glibc
import MatterNetwork

/// A lock that this process holds until it is released or the process ends, however it ends.
package struct FileLock: ~Copyable, Sendable {
    private let file: Descriptor

    fileprivate init(_ file: consuming Descriptor) {
        self.file = file
    }

    /// Lets the next one have it.
    package consuming func release() {}

    /// A child that this process is just starting has a copy of the descriptor: closing ours alone would not end the lock.
    deinit { _ = flock(file.raw, LOCK_UN) }
}

extension StateDirectory {
    /// How long everybody waits for a lock that is held for one write only.
    static let lockTimeout: Duration = .seconds(10)

    private static let lockMode: mode_t = 0o600
    /// The pause before another look, in a time that does not pass while a thread waits.
    private static let step: Duration = .milliseconds(1)

    /// Takes the lock of a name, which need not be that of a record.
    ///
    /// Locks are files of their own below `locks`, never renamed or deleted. While another holds the lock, the task sleeps, and
    /// a thread made for it stands in the kernel's queue.
    ///
    /// - Throws: ``StoreError`` with code `busy` after the timeout, `CancellationError` if the task is cancelled.
    package func lock(
        _ name: String, timeout: Duration = StateDirectory.lockTimeout,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> FileLock {
        let deadline = time.now + timeout
        while true {
            if let lock = try tryLock(name) { return lock }
            guard time.now < deadline else { throw busy(try RecordName(name, isLock: true), timeout) }
            if let lock = try await nextLock(try RecordName(name, isLock: true), deadline) { return lock }
        }
    }

    /// Waits in the kernel's queue for a lock that another has.
    ///
    /// - Returns: `nil` if it has to be looked at again.
    private func nextLock(
        _ name: RecordName, _ deadline: Instant, isolation: isolated (any Actor)? = #isolation
    ) async throws -> FileLock? {
        guard !time.isStepped else {
            try await time.sleep(for: min(Self.step, deadline - time.now))
            return nil
        }
        let file = try openLockFile(name)
        do {
            guard try await KernelWait.lock(file.raw).happens(until: deadline, of: time) else { return nil }
        } catch let error as KernelWaitError {
            throw StoreError.system(error.number, "wait for the lock on", path(of: [RecordName.locks, name.lockFile]))
        }
        return try taken(file, name)
    }

    /// Takes the lock of a name if it is free.
    package func tryLock(_ name: String) throws(StoreError) -> FileLock? {
        let name = try RecordName(name, isLock: true)
        let path = path(of: [RecordName.locks, name.lockFile])
        while true {
            let file = try openLockFile(name)
            let raw = file.raw
            if case .failure(let failure) = systemCall({ flock(raw, LOCK_EX | LOCK_NB) }) {
                if failure.number == EWOULDBLOCK { return nil }
                throw .system(failure.number, "lock", path)
            }
            if let lock = try taken(file, name) { return lock }
        }
    }

    /// The state of the lock of an open file; `nil` if the file has been deleted.
    private func taken(_ file: consuming Descriptor, _ name: RecordName) throws(StoreError) -> FileLock? {
        // Locks should not be deleted; a lock on a deleted file excludes no other process.
        guard try file.status(path(of: [RecordName.locks, name.lockFile])).st_nlink > 0 else { return nil }
        let holder = Array("\(getpid())\n".utf8)
        if ftruncate(file.raw, 0) == 0 { _ = pwrite(file.raw, holder, holder.count, 0) }
        return FileLock(file)
    }

    /// Opens the file of a lock, which is made if it is missing.
    func openLockFile(_ name: RecordName) throws(StoreError) -> Descriptor {
        let path = path(of: [RecordName.locks, name.lockFile])
        guard let folder = try folder([RecordName.locks], creating: true) else {
            throw .system(ENOENT, "create", path)
        }
        let folderDescriptor = folder.raw
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        var opened = opened { openat(folderDescriptor, name.lockFile, flags) }
        if case .failure(let failure) = opened, failure.number == ENOENT {
            opened = self.opened { openat(folderDescriptor, name.lockFile, flags | O_CREAT, Self.lockMode) }
            // The umask may have taken more than it should.
            if case .success(let descriptor) = opened { _ = fchmod(descriptor, Self.lockMode) }
        }
        switch opened {
        case .success(let descriptor): return Descriptor(owning: descriptor)
        case .failure(let failure): throw .system(failure.number, "open", path)
        }
    }

    private func busy(_ name: RecordName, _ timeout: Duration) -> StoreError {
        let path = path(of: [RecordName.locks, name.lockFile])
        var number: Int32?
        if let folder = try? folder([RecordName.locks], creating: false) {
            number = LockHolder.process(of: name.lockFile, in: folder, path, store: self)
        }
        let holder =
            number.map { $0 == getpid() ? "another task of this process" : "process \($0)" } ?? "another process"
        return StoreError(
            .busy,
            "\(holder) has held the lock on \(name.components.joined(separator: "/")) for \(timeout), as long as this one waited",
            hint: "a lock is held for one write only; check whether that process hangs", path: path)
    }

    /// Runs something while holding a lock, for one short change of the state.
    package func withLock<Value>(
        _ name: String, timeout: Duration = StateDirectory.lockTimeout,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        let lock = try await lock(name, timeout: timeout)
        do {
            let value = try await body()
            lock.release()
            return value
        } catch {
            lock.release()
            throw error
        }
    }
}
