import MatterState

/// The jobs of one fabric: `jobs/ID.json` in the fabric's folder, and the key of an identity that a job acts under as `keys/job-ID`.
///
/// Each change is one record that is replaced as a whole, so that a process may end between any two of them.
public struct JobStore: Sendable {
    private let state: StateDirectory
    private let fabric: String
    private let identity: CompressedFabricID?

    /// - Parameter identity: the fabric that has to be there when something is changed; `nil` if any will do.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        self.fabric = fabric
        self.identity = identity
    }

    private var folder: String { "\(FabricStore.folder(of: fabric))/jobs" }

    private func record(of id: UInt64) -> String { "\(folder)/\(id).json" }

    private func key(of id: UInt64) -> String { "\(FabricStore.folder(of: fabric))/keys/job-\(id)" }

    private func check() throws {
        guard let identity else { return }
        guard try FabricStore(state).fabric(named: fabric)?.compressedFabricID != identity else { return }
        throw RecordError(
            .fabricGone, "the fabric '\(fabric)' was removed while this command ran", hint: .step("fabric.see-others"))
    }

    // MARK: Reading

    /// The jobs whose records are sound, by number, and what is wrong with the other records.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be read.
    public func sound() throws -> (jobs: [Job], faults: [any Error]) {
        var jobs: [Job] = []
        var faults: [any Error] = []
        for id in try ids() {
            do {
                if let job = try job(id) { jobs.append(job) }
            } catch {
                faults.append(error)
            }
        }
        return (jobs, faults)
    }

    private func ids() throws -> [UInt64] {
        try state.records(in: folder).compactMap { file in
            let name = file.split(separator: "/").last ?? ""
            return name.hasSuffix(".json") ? UInt64(name.dropLast(5)) : nil
        }.sorted()
    }

    /// - Returns: `nil` if there is no job of that number.
    func job(_ id: UInt64) throws -> Job? {
        let file = record(of: id)
        return try state.read(file, version: Job.version).map { try Job(decoding: $0, id: id, file) }
    }

    /// The key of the identity that a job acts under; `nil` if there is none.
    func identityKey(of id: UInt64) throws -> SecretBytes? { try state.readSecret(key(of: id)).map { SecretBytes($0) } }

    // MARK: Writing

    /// Adds a job under a number that no job has had since the oldest that is kept.
    ///
    /// - Parameters:
    ///   - key: of the identity that it acts under; it is stored before the record says so.
    ///   - make: gets the number.
    func add(key: SecretBytes? = nil, _ make: (UInt64) throws -> Job) async throws -> Job {
        try await state.withLock(folder) {
            try check()
            let id = (try ids().last ?? 0) + 1
            let job = try make(id)
            if let key { try state.writeSecret(self.key(of: id), key.copyBytes()) }
            try write(job)
            return job
        }
    }

    /// Notes something that happened to a job, durably before it returns.
    ///
    /// - Throws: ``JobError`` `unknown`.
    @discardableResult
    func note(_ events: [Job.Event], of id: UInt64, at now: Int64) async throws -> Job {
        try await state.withLock(folder) { try noted(events, of: id, at: now) }
    }

    /// The part of ``note(_:of:at:)`` under the lock.
    private func noted(_ events: [Job.Event], of id: UInt64, at now: Int64) throws -> Job {
        try check()
        guard let before = try job(id) else { throw unknown(id) }
        var job = before
        for event in events { job.handle(event, at: now) }
        if job != before { try write(job) }
        return job
    }

    /// Lets a job act under another identity.
    func lend(_ identity: Job.Borrowed, key: SecretBytes, to id: UInt64, at now: Int64) async throws -> Job {
        // In one step for ``removeStrayKeys()`` of other processes.
        try await state.withLock(folder) {
            try state.writeSecret(self.key(of: id), key.copyBytes())
            return try noted([.borrowed(identity)], of: id, at: now)
        }
    }

    /// Puts the identity away that a job has acted under: the key first.
    func putAwayIdentity(of id: UInt64, at now: Int64) async throws -> Job {
        try state.delete(key(of: id))
        return try await note([.borrowed(nil)], of: id, at: now)
    }

    /// Removes the key that a job has worked with.
    func removeKey(of id: UInt64) throws { try state.delete(key(of: id)) }

    /// Removes keys that no job has: a process may have ended before it wrote the record.
    func removeStrayKeys() async throws {
        let prefix = "\(FabricStore.folder(of: fabric))/keys/job-"
        try await state.withLock(folder) {
            for file in try state.records(in: "\(FabricStore.folder(of: fabric))/keys") where file.hasPrefix(prefix) {
                // A record that cannot be read may be of a job that needs the key.
                guard let id = UInt64(file.dropFirst(prefix.count)) else { continue }
                if let job = try job(id), job.borrowed != nil || job.isRotating { continue }
                try state.delete(file)
            }
        }
    }

    private func write(_ job: Job) throws {
        try state.write(record(of: job.id), job.encoded(), version: Job.version)
    }

    /// Runs something while no other process does the work of a job.
    ///
    /// - Returns: `nil`, and nothing was run, if another process does it.
    func alone<Value>(
        on id: UInt64, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value? {
        guard let lock = try state.tryLock("\(folder)/run-\(id)") else { return nil }
        do {
            let value = try await body()
            lock.release()
            return value
        } catch {
            lock.release()
            throw error
        }
    }

    /// Whether no process does the work of a job.
    func isIdle(_ id: UInt64) throws -> Bool {
        guard let lock = try state.tryLock("\(folder)/run-\(id)") else { return false }
        lock.release()
        return true
    }

    func running(_ job: Job, hint: Hint) -> JobError {
        JobError(
            .running, "process \(job.owner.process) on \(job.owner.host) works on job \(job.id)", hint: hint)
    }

    func unknown(_ id: UInt64) -> JobError {
        JobError(.unknown, "there is no job \(id) on the fabric '\(fabric)'", hint: .step("job.see"))
    }
}
