public import MatterCrypto

/// The members of one fabric: `members.json` in the fabric's folder, on the machine with the authority's key.
public struct MemberStore: Sendable {
    private let state: StateDirectory
    private let folder: FabricFolder

    /// - Parameter identity: the fabric that has to be there when something is changed; `nil` if any will do.
    public init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        folder = FabricFolder(state: state, name: fabric, identity: identity)
    }

    private var file: String { "\(folder.path)/members.json" }

    /// The members.
    ///
    /// - Returns: `nil` if there was never one.
    /// - Throws: ``StoreError`` if the file cannot be read, ``RecordError`` if it is damaged.
    public func roster() throws -> MemberRoster? {
        try state.read(file).map { try MemberRoster(decoding: $0, file) }
    }

    /// Changes what is kept, durably before it returns. Nothing is written if `change` throws.
    ///
    /// - Parameter change: gets `nil` if there was never a member.
    package func change<Value>(_ change: (inout MemberRoster?) throws -> Value) async throws -> Value {
        try await state.withLock("\(folder.path)/members") {
            try folder.check()
            let before = try roster()
            var after = before
            let value = try change(&after)
            if after != before, let after { try state.write(file, after.encoded()) }
            return value
        }
    }
}
