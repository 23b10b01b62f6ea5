public import MatterCrypto

/// The registrations of one fabric with devices that sleep: `icd/ID` in the fabric's folder.
public struct ICDStore: Sendable {
    private let state: StateDirectory
    private let folder: FabricFolder

    /// - Parameter identity: the fabric that has to be there when a registration is kept; `nil` if any will do.
    package init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        folder = FabricFolder(state: state, name: fabric, identity: identity)
    }

    /// Also the name of the lock under which registrations are changed.
    private var path: String { "\(folder.path)/icd" }

    private func record(of node: NodeID) -> String { "\(path)/\(node)" }

    /// The agreement with a node; `nil` if nothing.
    ///
    /// - Throws: if it cannot be read.
    public func registration(of node: NodeID) throws -> ICDRegistration? {
        let file = record(of: node)
        return try state.readSecret(file).map { try ICDRegistration(decoding: $0, of: node, file) }
    }

    /// Says when one of the registrations may have changed.
    package func watch() -> FolderWatch { state.watch(path) }

    /// The registrations whose records are sound, by node, and what is wrong with the other records.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func sound() throws -> (registrations: [ICDRegistration], faults: [any Error]) {
        var registrations: [ICDRegistration] = []
        var faults: [any Error] = []
        for file in try state.records(in: path) {
            guard let node = file.split(separator: "/").last.flatMap({ UInt64($0, radix: 16) }) else { continue }
            do {
                if let registration = try registration(of: NodeID(node)) { registrations.append(registration) }
            } catch {
                faults.append(error)
            }
        }
        return (registrations.sorted { $0.nodeID < $1.nodeID }, faults)
    }

    /// Adds or replaces a registration.
    package func save(_ registration: ICDRegistration) async throws {
        try await state.withLock(path) {
            try folder.check()
            try state.writeSecret(record(of: registration.nodeID), registration.encoded())
        }
    }

    /// Changes a registration that is there, durably before it returns; what is not there stays away.
    package func update<Result>(
        _ node: NodeID, _ change: (inout ICDRegistration) -> Result
    ) async throws -> Result? {
        try await state.withLock(path) {
            guard let before = try registration(of: node) else { return nil }
            var after = before
            let result = change(&after)
            if after != before { try state.writeSecret(record(of: node), after.encoded()) }
            return result
        }
    }

    /// Makes all registrations good for use by a second machine, durably before it returns. One that is damaged stays as it is.
    func leap() async throws {
        try await state.withLock(path) {
            for registration in try sound().registrations {
                var leapt = registration
                leapt.leap()
                try state.writeSecret(record(of: registration.nodeID), leapt.encoded())
            }
        }
    }

    @discardableResult
    package func remove(_ node: NodeID) async throws -> Bool {
        try await state.withLock(path) { try state.delete(record(of: node)) }
    }
}
