package import MatterCrypto

/// The requests of this machine that have no answer yet: `requests/NAME` with the keys that go with each. A request becomes the
/// fabric of its name.
public struct JoinRequestStore: Sendable {
    private static let folder = "requests"

    private let state: StateDirectory

    /// The requests that are kept in a state directory.
    public init(_ state: StateDirectory) { self.state = state }

    private static func folder(of name: String) -> String { "\(folder)/\(StateDirectory.component(for: name))" }

    private func record(of name: String) -> String { "\(Self.folder(of: name))/request.json" }

    private func key(_ kind: String, of name: String) -> String { "\(Self.folder(of: name))/keys/\(kind)" }

    /// The names of the fabrics that were asked for, in order.
    ///
    /// - Throws: ``StoreError`` if the folder cannot be read.
    public func names() throws -> [String] {
        try state.folders(in: Self.folder).compactMap { path in
            StateDirectory.text(of: String(path.dropFirst(Self.folder.count + 1)))
        }.sorted()
    }

    /// A request; `nil` if there is none of that name.
    ///
    /// - Throws: ``StoreError`` if it cannot be read, ``MemberError`` if it is damaged.
    public func request(named name: String) throws -> JoinRequest? {
        try state.read(record(of: name)).map { contents in try JoinRequest(decoding: contents) }
    }

    /// Makes the keys and the request for a fabric. One that was made before is given again.
    ///
    /// - Parameters:
    ///   - name: what the fabric will be called here.
    ///   - made: the time, seconds since 1970.
    package func make(
        _ name: String, made: Int64, host: String?, random: any RandomSource
    ) async throws -> JoinRequest {
        try NameRule.check(name, what: "fabric")
        return try await state.withLock(Self.folder) {
            if let request = try request(named: name) { return request }
            let operational = try P256PrivateKey.generate(random)
            let identity = try AgeIdentity.generate(random)
            let request = try JoinRequest(
                key: operational, recipient: identity.recipient, made: made, host: host)
            try state.writeSecret(key("operational", of: name), operational.scalar.copyBytes())
            try state.writeSecret(key("recipient", of: name), identity.scalar.copyBytes())
            // The record last: without it there is no request.
            try state.write(record(of: name), request.encoded(), keepingPrevious: false)
            return request
        }
    }

    /// The keys that belong to a request.
    ///
    /// - Returns: `nil` if there is no request of that name.
    package func keys(of name: String) throws -> (operational: P256PrivateKey, identity: AgeIdentity)? {
        guard try state.read(record(of: name)) != nil else { return nil }
        guard let operational = try secret("operational", of: name), let identity = try secret("recipient", of: name)
        else {
            throw StoreError(
                .damaged, "the keys of the request for '\(name)' are missing",
                hint: "remove \(state.path)/\(Self.folder(of: name)), and make another request")
        }
        return (try P256PrivateKey(scalar: operational), try AgeIdentity(scalar: identity))
    }

    private func secret(_ kind: String, of name: String) throws -> SecretBytes? {
        try state.withSecret(key(kind, of: name)) { SecretBytes($0) }
    }

    /// Forgets a request with its keys: it was answered.
    package func remove(_ name: String) async throws {
        try await state.withLock(Self.folder) {
            // The record first: what is left of an interrupted removal is not a request any more.
            try state.delete(record(of: name))
            try state.deleteFolder(Self.folder(of: name))
        }
    }
}
