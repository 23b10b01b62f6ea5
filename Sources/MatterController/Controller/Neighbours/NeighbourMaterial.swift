public import MatterState

/// The parts of a fabric as a store of another program has them, before anything is checked.
struct NeighbourMaterial {
    /// Where they were found, for people: `fabric 1 in chip.json`.
    var place: String
    /// Certificates, in TLV or DER.
    var root: [UInt8]?
    var intermediate: [UInt8]?
    var noc: [UInt8]?
    /// Private keys, each of one of the certificates.
    var keys: [[UInt8]] = []
    /// The identity protection key as it was handed out, and as messages use it.
    var epochKey: [UInt8]?
    var operationalKey: [UInt8]?
    /// Who the controller is, where there is no certificate of it.
    var fabricID: UInt64?
    var nodeID: UInt64?
    var tags: [UInt32] = []
    /// The compressed fabric id that names of files have.
    var compressedFabricID: UInt64?
    var vendorID: UInt16?
    var label: String?
    var nodes: [NodeRecord] = []
    /// The nodes' next id; 0 if the store has none.
    var nextNodeID: UInt64 = 0
}

/// Something that was checked of a fabric before it is taken over.
public enum NeighbourCheck: String, Sendable, CaseIterable {
    /// The root certificate has signed itself.
    case rootSignature = "root-signature"
    /// The controller's certificate leads to the root.
    case chain
    /// Each private key belongs to one of the certificates.
    case keyPairs = "key-pairs"
    /// The compressed fabric id that follows from root and fabric id is that in the names of the store's files.
    case compressedFabricID = "compressed-fabric-id"
    /// The operational identity protection key that follows from the key that was handed out is that of the store.
    case identityProtectionKey = "identity-protection-key"
}

/// A fabric in the store of another program that is whole, with what was checked of it.
public struct NeighbourFabric: Sendable {
    /// Where it was found.
    public let place: String
    /// The id of the fabric.
    public let fabricID: FabricID
    /// The id by which its nodes are found.
    public let compressedFabricID: CompressedFabricID
    /// The other controller's own node id.
    public let nodeID: NodeID
    /// The tags that its certificate has.
    public let tags: [CASEAuthenticatedTag]
    /// The vendor id that devices store for it.
    public let vendorID: VendorID
    /// The label that devices store for it; `nil` if it has none.
    public let label: String?
    /// The nodes that the store knows, and those that were found on the network.
    public internal(set) var nodes: [NodeRecord]
    /// The checks that were made; each was passed.
    public let checks: [NeighbourCheck]
    /// The means by which our own controller acts as the other one.
    let local: LocalFabric

    /// The record that it would have here under a name.
    public func record(named name: String) -> FabricRecord {
        var record = FabricRecord(local, name: name, vendorID: vendorID)
        record.nodeIDs = .random
        return record
    }
}

extension NeighbourFabric {
    /// Checks what can be checked.
    ///
    /// - Parameters:
    ///   - ipk: the identity protection key, if the user gives it.
    ///   - time: when the certificates have to be valid.
    ///   - validity: of a certificate that is issued now, where the store does not have the controller's own key.
    /// - Throws: ``NeighbourError``, ``CredentialsError``, ``CryptoError`` for the first fault.
    init(
        checking material: NeighbourMaterial, ipk: SecretBytes?, at time: ValidationTime, validity: CertificateValidity
    ) throws {
        guard let rootOctets = material.root else {
            throw NeighbourError(.damaged, "\(material.place) has no root certificate")
        }
        var checks: [NeighbourCheck] = []
        let root = try MatterCertificate(anyForm: rootOctets)
        try OperationalChain.validate(root: root, at: time)
        checks.append(.rootSignature)
        let intermediate = try material.intermediate.map { octets throws(CredentialsError) in
            try MatterCertificate(anyForm: octets)
        }
        let noc = try material.noc.map { octets throws(CredentialsError) in try MatterCertificate(anyForm: octets) }
        let identity: NodeIdentity? = try noc.map { noc throws(CredentialsError) in
            // The authority may have issued the controller's certificate without the one between.
            let direct = intermediate.map { noc.issuer != $0.subject } ?? true
            let chain = OperationalChain(noc: noc, icac: direct ? nil : intermediate, root: root)
            return try chain.validate(at: time)
        }
        if identity != nil { checks.append(.chain) }
        let keys = try material.keys.map { octets throws(CredentialsError) in try PrivateKeyFile.decode(octets) }
        for key in keys where ![root, intermediate, noc].contains(where: { $0?.publicKey == key.publicKey }) {
            throw CredentialsError(
                .keyMismatch, "a private key of \(material.place) belongs to none of its certificates")
        }
        checks.append(.keyPairs)
        guard let fabricID = identity?.fabricID ?? material.fabricID.map({ FabricID($0) }),
            let nodeID = identity?.nodeID ?? material.nodeID.map({ NodeID($0) })
        else {
            throw NeighbourError(.damaged, "\(material.place) does not say the ids of its controller")
        }
        func scalar(_ certificate: MatterCertificate?) -> SecretBytes? {
            certificate.flatMap { certificate in keys.first { $0.publicKey == certificate.publicKey }?.scalar }
        }
        let authority = try CertificateAuthorityMaterial(
            fabricID: fabricID, root: root, rootKey: scalar(root), intermediate: intermediate,
            intermediateKey: scalar(intermediate))
        let compressed = try FabricIdentity.compressedFabricID(rootPublicKey: root.publicKey, fabricID: fabricID)
        if let named = material.compressedFabricID {
            guard named == compressed.rawValue else {
                throw NeighbourError(
                    .damaged,
                    "\(material.place) has the compressed fabric id \(CompressedFabricID(named)), and the one that "
                        + "follows from its root and its fabric id is \(compressed)")
            }
            checks.append(.compressedFabricID)
        }
        let epochKey = ipk ?? SecretBytes(material.epochKey ?? SDKValues.usualEpochKey)
        if let operational = material.operationalKey {
            let derived = try FabricIdentity.operationalIPK(epochKey: epochKey, compressedFabricID: compressed)
            guard derived == SecretBytes(operational) else {
                throw NeighbourError(
                    .unknownKey,
                    "\(material.place): its devices have another identity protection key than "
                        + (ipk == nil ? "these programs use by default" : "the one that was given"),
                    hint: .step("neighbour.ipk"))
            }
            checks.append(.identityProtectionKey)
        }
        let cats = identity?.cats ?? material.tags.map { CASEAuthenticatedTag(rawValue: $0) }
        if let noc, scalar(noc) != nil {
            let direct = intermediate.map { noc.issuer != $0.subject } ?? true
            local = try LocalFabric(
                importing: OperationalChain(noc: noc, icac: direct ? nil : intermediate, root: root), keys: keys,
                ipk: epochKey, at: time)
        } else {
            local = try LocalFabric(
                continuing: authority, nodeID: nodeID, cats: cats, ipk: epochKey, validity: validity)
        }
        place = material.place
        self.fabricID = fabricID
        compressedFabricID = compressed
        self.nodeID = nodeID
        tags = cats
        vendorID = VendorID(material.vendorID ?? Controller.testVendor.rawValue)
        label = material.label
        nodes = material.nodes.filter { $0.nodeID != nodeID && $0.nodeID.isOperational }.sorted {
            $0.nodeID < $1.nodeID
        }
        self.checks = checks
    }
}
