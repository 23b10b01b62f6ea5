package import MatterCrypto

/// The fabrics in the state directory: `fabrics/NAME/fabric.json`, their keys, nodes and sessions below it.
public struct FabricStore: Sendable {
    /// Where the fabrics are kept.
    public let state: StateDirectory

    /// The fabrics that are kept in a state directory.
    public init(_ state: StateDirectory) {
        self.state = state
    }

    static let folder = "fabrics"
    static let choice = "default-fabric.json"
    static let nextKey = "operational-next"

    /// Octets of a private key.
    private static let scalarCount = 32

    /// The folder of one fabric.
    package static func folder(of name: String) -> String {
        "\(folder)/\(StateDirectory.component(for: name))"
    }

    static func record(of name: String) -> String { "\(folder(of: name))/fabric.json" }

    static func key(_ kind: String, of name: String) -> String { "\(folder(of: name))/keys/\(kind)" }

    // MARK: Reading

    /// The names of all fabrics, in order.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func names() throws -> [String] {
        let (fabrics, faults) = try sound()
        if let fault = faults.first { throw fault.error }
        return fabrics.map(\.name)
    }

    /// A fabric whose record cannot be used.
    public struct Fault: Sendable {
        /// The fabric's name by its folder.
        package var name: String
        /// Why it cannot be read.
        public var error: any Error
    }

    /// The fabrics whose records are sound, by name, and what is wrong with the other records.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func sound() throws -> (fabrics: [FabricRecord], faults: [Fault]) {
        var fabrics: [FabricRecord] = []
        var faults: [Fault] = []
        for folder in try state.folders(in: Self.folder) {
            let file = "\(folder)/fabric.json"
            do {
                if let contents = try state.read(file) { fabrics.append(try FabricRecord(decoding: contents, file)) }
            } catch {
                faults.append(Fault(name: Self.name(of: folder), error: error))
            }
        }
        return (fabrics.sorted { $0.name < $1.name }, faults)
    }

    private static func name(of path: String) -> String {
        let component = String(path.dropFirst(folder.count + 1))
        return StateDirectory.text(of: component) ?? component
    }

    /// The names of fabrics whose removal was interrupted: without a record, but with keys.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func halfRemoved() throws -> [String] {
        try state.folders(in: Self.folder).filter { folder in
            try state.records(in: folder).allSatisfy { $0 != "\(folder)/fabric.json" }
                && state.readPrevious("\(folder)/fabric.json") == nil && !state.records(in: "\(folder)/keys").isEmpty
        }.map(Self.name)
    }

    /// - Returns: `nil` if there is no fabric of that name.
    package func fabric(named name: String) throws -> FabricRecord? {
        let file = Self.record(of: name)
        return try state.read(file).map { try FabricRecord(decoding: $0, file) }
    }

    /// The fabric to work with: the one that is named, else the only one, else the one chosen before.
    ///
    /// - Throws: ``RecordError`` with `.noFabric` if there is none at all.
    public func select(_ name: String?) throws -> FabricRecord {
        if let name {
            guard let record = try fabric(named: name) else { throw unknown(name) }
            return record
        }
        let (chosen, damage) = choice()
        if let chosen, let record = try fabric(named: chosen) { return record }
        let (fabrics, faults) = try sound()
        guard let first = fabrics.first else {
            if let fault = faults.first { throw fault.error }
            throw RecordError(
                .noFabric, "there is no fabric in \(state.title)",
                hint: .step("fabric.none"))
        }
        guard fabrics.count + faults.count == 1 else {
            if let damage { throw damage }
            let names = (fabrics.map(\.name) + faults.map(\.name)).sorted()
            throw RecordError(
                .ambiguousFabric, "there are several fabrics: \(names.joined(separator: ", "))",
                hint: .step("fabric.ambiguous"))
        }
        return first
    }

    /// The name chosen with ``choose(_:)``.
    package func chosen() throws -> String? {
        let (name, damage) = choice()
        if let damage { throw damage }
        return name
    }

    /// The choice, or what is wrong with the record of it, which is no loss: choosing again puts it right.
    private func choice() -> (name: String?, damage: (any Error)?) {
        let remedy = Hint.step("fabric.choose-again")
        do {
            return (try state.read(Self.choice).map { try RecordFields($0, Self.choice).string("fabric") }, nil)
        } catch var error as StoreError {
            if error.code == .damaged { error.hint = remedy }
            return (nil, error)
        } catch var error as RecordError {
            error.hint = remedy
            return (nil, error)
        } catch {
            return (nil, error)
        }
    }

    /// Our credentials on a fabric. Signatures are not checked again: that was done when they were stored.
    package func credentials(of fabric: FabricRecord) throws -> OperationalCredentials {
        let root = try MatterCertificate(tlv: fabric.root)
        let chain = try OperationalChain(noc: fabric.noc, icac: fabric.nocIntermediate, root: root)
        return try OperationalCredentials(
            chain: chain, key: try operationalKey(of: fabric.name, for: chain.noc),
            ipkEpochKey: try secret("ipk", of: fabric.name))
    }

    /// The certificate authority of a fabric; it cannot issue if its key is not here.
    package func authority(of fabric: FabricRecord) throws -> CertificateAuthorityMaterial {
        try CertificateAuthorityMaterial(
            fabricID: fabric.fabricID, root: try MatterCertificate(tlv: fabric.root),
            rootKey: try optionalScalar("root", of: fabric.name),
            intermediate: try fabric.intermediate.map { try MatterCertificate(tlv: $0) },
            intermediateKey: try optionalScalar("intermediate", of: fabric.name))
    }

    private func operationalKey(of name: String, for noc: MatterCertificate) throws -> P256PrivateKey {
        let key = try operationalKey(of: name)
        guard key.publicKey != noc.publicKey, let next = try nextOperationalKey(of: name) else { return key }
        // A process ended when it had replaced the certificate, and before it had replaced the key.
        return next.publicKey == noc.publicKey ? next : key
    }

    /// The key of a certificate that is about to be ours, or has just become so.
    func nextOperationalKey(of name: String) throws -> P256PrivateKey? {
        try optionalScalar(Self.nextKey, of: name).flatMap { try? P256PrivateKey(scalar: $0) }
    }

    func operationalKey(of name: String) throws -> P256PrivateKey {
        let kind = "operational"
        guard let scalar = try optionalScalar(kind, of: name) else { throw missing(kind, of: name) }
        do {
            return try P256PrivateKey(scalar: scalar)
        } catch {
            throw unusable(kind, of: name, "is not a private key")
        }
    }

    private func optionalScalar(_ kind: String, of name: String) throws -> SecretBytes? {
        guard let scalar = try optionalSecret(kind, of: name) else { return nil }
        guard scalar.count == Self.scalarCount else {
            throw unusable(kind, of: name, "has \(scalar.count) bytes instead of \(Self.scalarCount)")
        }
        return scalar
    }

    private func unusable(_ kind: String, of name: String, _ fault: String) -> StoreError {
        let path = "\(state.path)/\(Self.key(kind, of: name))"
        return StoreError(
            .damaged, "the key in \(path) \(fault)", hint: "restore \(path) from a backup", path: path)
    }

    private func optionalSecret(_ kind: String, of name: String) throws -> SecretBytes? {
        try state.withSecret(Self.key(kind, of: name)) { SecretBytes($0) }
    }

    func secret(_ kind: String, of name: String) throws -> SecretBytes {
        guard let secret = try optionalSecret(kind, of: name) else { throw missing(kind, of: name) }
        return secret
    }

    private func missing(_ kind: String, of name: String) -> StoreError {
        StoreError(
            .damaged, "the \(kind) key of the fabric '\(name)' is missing",
            hint: "restore \(state.path)/\(Self.key(kind, of: name)) from a backup")
    }

    func unknown(_ name: String) -> RecordError {
        RecordError(
            .unknownFabric, "there is no fabric '\(name)' in \(state.title)", name, among: (try? names()) ?? [],
            see: .step("fabric.see"))
    }
}
