/// The identity of a fabric: its root public key with its fabric id (Matter core specification, 2.5.1), and the keys
/// that follow from them.
public struct FabricIdentity: Hashable, Sendable {
    /// The bytes of an epoch key and of the operational keys derived from it.
    public static let groupKeyCount = 16

    package let rootPublicKey: P256PublicKey
    package let fabricID: FabricID
    package let compressedFabricID: CompressedFabricID

    init(rootPublicKey: P256PublicKey, fabricID: FabricID) throws(CredentialsError) {
        self.rootPublicKey = rootPublicKey
        self.fabricID = fabricID
        compressedFabricID = try Self.compressedFabricID(rootPublicKey: rootPublicKey, fabricID: fabricID)
    }

    /// The operational identity protection key that belongs to an epoch key.
    package func operationalIPK(epochKey: SecretBytes) throws(CredentialsError) -> SecretBytes {
        try Self.operationalIPK(epochKey: epochKey, compressedFabricID: compressedFabricID)
    }

    /// The destination identifier by which the first message of CASE names a node without giving it away (Matter core
    /// specification, 4.14.2.4.1).
    /// - Parameters:
    ///   - nodeID: the node that is meant.
    ///   - ipk: the operational identity protection key.
    ///   - initiatorRandom: the 32 random bytes of the message.
    package func destinationID(
        nodeID: NodeID, ipk: SecretBytes, initiatorRandom: [UInt8]
    ) throws(CredentialsError) -> [UInt8] {
        try cryptographic { () throws(CryptoError) in
            try HMACSHA256.authenticate(
                key: ipk,
                message: initiatorRandom + rootPublicKey.x963 + fabricID.rawValue.littleEndianOctets
                    + nodeID.rawValue.littleEndianOctets)
        }
    }

    /// The compressed fabric identifier (Matter core specification, 4.3.2.2).
    package static func compressedFabricID(
        rootPublicKey: P256PublicKey, fabricID: FabricID
    ) throws(CredentialsError) -> CompressedFabricID {
        guard fabricID.isValid else { throw CredentialsError(.invalidFabricID, "the fabric id is 0") }
        let octets = try cryptographic { () throws(CryptoError) in
            try HKDF.sha256(
                secret: Array(rootPublicKey.x963.dropFirst()), salt: fabricID.rawValue.bigEndianOctets,
                info: Array("CompressedFabric".utf8), count: 8)
        }
        return CompressedFabricID(octets.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The operational identity protection key of an epoch key (Matter core specification, 4.16.2).
    package static func operationalIPK(
        epochKey: SecretBytes, compressedFabricID: CompressedFabricID
    ) throws(CredentialsError) -> SecretBytes {
        try GroupKey.operationalKey(epochKey: epochKey, compressedFabricID: compressedFabricID)
    }
}

/// A group key as messages use it, with what follows from it (Matter core specification, 4.16).
package struct GroupKey: Sendable, Equatable {
    /// The key that encrypts, 16 bytes.
    package let operationalKey: SecretBytes
    /// The number that messages under the key carry. Several keys may share it.
    package let sessionID: UInt16

    package init(epochKey: SecretBytes, compressedFabricID: CompressedFabricID) throws(CredentialsError) {
        try self.init(
            operationalKey: try Self.operationalKey(epochKey: epochKey, compressedFabricID: compressedFabricID))
    }

    /// Takes an operational key that was derived before.
    package init(operationalKey: SecretBytes) throws(CredentialsError) {
        let hash = try Self.derive(operationalKey, salt: [], info: "GroupKeyHash", count: 2)
        self.operationalKey = operationalKey
        sessionID = hash.copyBytes().reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// The key that obscures headers, 16 bytes.
    package func privacyKey() throws(CredentialsError) -> SecretBytes {
        try Self.derive(operationalKey, salt: [], info: "PrivacyKey", count: FabricIdentity.groupKeyCount)
    }

    static func operationalKey(
        epochKey: SecretBytes, compressedFabricID: CompressedFabricID
    ) throws(CredentialsError) -> SecretBytes {
        try derive(
            epochKey, salt: compressedFabricID.octets, info: "GroupKey v1.0", count: FabricIdentity.groupKeyCount)
    }

    private static func derive(
        _ key: SecretBytes, salt: [UInt8], info: String, count: Int
    ) throws(CredentialsError) -> SecretBytes {
        guard key.count == FabricIdentity.groupKeyCount else {
            throw CredentialsError(.invalidMaterial, "a group key has 16 bytes, not \(key.count)")
        }
        return try cryptographic { () throws(CryptoError) in
            try HKDF.sha256(secret: key, salt: salt, info: Array(info.utf8), count: count)
        }
    }
}

/// Runs a cryptographic operation; its failure becomes this module's error.
func cryptographic<Result>(_ operation: () throws(CryptoError) -> Result) throws(CredentialsError) -> Result {
    do { return try operation() } catch { throw CredentialsError(.cryptography, error.reason) }
}
