public import MatterCrypto

/// The credentials of a network that are kept for devices to come: of a house, whatever the fabric.
public struct StoredNetwork: Equatable, Sendable {
    /// A kind of network.
    public enum Kind: String, CaseIterable, Sendable {
        /// A kind of value.
        case wifi, thread
    }

    /// The kind of network.
    public let kind: Kind
    /// The SSID, or the extended PAN id.
    public let id: [UInt8]
    /// The name for people.
    public let name: String
    /// The password, or the operational dataset.
    public let secret: SecretBytes

    package init(_ kind: Kind, id: [UInt8], name: String, secret: SecretBytes) {
        self.kind = kind
        self.id = id
        self.name = name
        self.secret = secret
    }

    init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        do {
            let fields = try TLVFields(decoding: contents, file)
            guard let kind = Kind(rawValue: try fields.string(0)) else {
                throw TLVError(.malformed, "an unknown kind of network")
            }
            self.init(
                kind, id: try fields.octets(1, count: 1...32), name: try fields.string(2),
                secret: SecretBytes(try fields.octets(3)))
        } catch {
            throw RecordError(.invalid, "\(file) is not a stored network: \(error)")
        }
    }

    fileprivate func encoded() -> [UInt8] {
        TLVElement(
            .anonymous,
            .structure([
                TLVElement(0, .string(kind.rawValue)), TLVElement(1, .octets(id)), TLVElement(2, .string(name)),
                TLVElement(3, .octets(secret.copyBytes())),
            ])
        ).encoded()
    }
}

/// The stored credentials of networks: `networks/KIND-ID`, each a secret of its own.
public struct NetworkStore: Sendable {
    private static let folder = "networks"

    private let state: StateDirectory

    /// The contents of a state directory.
    public init(_ state: StateDirectory) { self.state = state }

    private func file(_ kind: StoredNetwork.Kind, _ id: [UInt8]) -> String {
        "\(Self.folder)/\(kind.rawValue)-\(Hex.encode(id))"
    }

    /// By kind and name.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func all() throws -> [StoredNetwork] {
        var networks: [StoredNetwork] = []
        for file in try state.records(in: Self.folder) {
            if let contents = try state.readSecret(file) {
                networks.append(try StoredNetwork(decoding: contents, file))
            }
        }
        return networks.sorted { ($0.kind.rawValue, $0.name) < ($1.kind.rawValue, $1.name) }
    }

    /// The kept part of a network; `nil` if nothing.
    ///
    /// - Throws: if it cannot be read.
    public func network(_ kind: StoredNetwork.Kind, _ id: [UInt8]) throws -> StoredNetwork? {
        let file = file(kind, id)
        return try state.readSecret(file).map { try StoredNetwork(decoding: $0, file) }
    }

    /// Keeps credentials; those of the same network give way.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func save(_ network: StoredNetwork) throws {
        try state.writeSecret(file(network.kind, network.id), network.encoded())
    }

    /// The stored networks with a name or an id in hexadecimal digits.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func named(_ name: String) throws -> [StoredNetwork] {
        try all().filter { $0.name == name || Hex.encode($0.id).lowercased() == name.lowercased() }
    }

    /// Forgets a network.
    ///
    /// - Throws: if the file cannot be removed.
    public func forget(_ network: StoredNetwork) throws { try state.delete(file(network.kind, network.id)) }
}
