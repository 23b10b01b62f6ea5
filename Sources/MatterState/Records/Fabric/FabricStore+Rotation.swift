package import MatterCrypto

/// The parts of our own membership that are exchanged while the fabric stays.
extension FabricStore {
    /// Replaces the identity protection key that we use. Durable when it returns.
    ///
    /// - Parameter madeAt: when it was made, in seconds since 1970; `nil` for the first one of the fabric.
    package func replaceIdentityKey(of name: String, with key: SecretBytes, madeAt: Int64?) async throws {
        try await state.withLock(Self.folder) {
            guard var record = try fabric(named: name) else { throw unknown(name) }
            try state.writeSecret(Self.key("ipk", of: name), key.copyBytes())
            record.identityKeyMadeAt = madeAt
            try state.write(Self.record(of: name), record.encoded())
        }
    }

    /// Replaces our own key and certificate. A process may end between any two of the steps: the key that belongs to the certificate of
    /// the record is always there.
    ///
    /// - Throws: ``CredentialsError`` if the certificate is for another node or fabric.
    package func replaceOwnCertificate(of name: String, with credentials: OperationalCredentials) async throws {
        try await state.withLock(Self.folder) {
            guard var record = try fabric(named: name) else { throw unknown(name) }
            guard credentials.fabric.compressedFabricID == record.compressedFabricID,
                credentials.nodeID == record.nodeID
            else {
                throw CredentialsError(
                    .nodeMismatch, "the new certificate is for another node or fabric", certificate: .node)
            }
            // An earlier replacement may have ended half-way: its key is the one of the record.
            let present = try self.credentials(of: record).key
            if try operationalKey(of: name).publicKey != present.publicKey {
                try state.writeSecret(Self.key("operational", of: name), present.scalar.copyBytes())
            }
            try state.writeSecret(Self.key(Self.nextKey, of: name), credentials.key.scalar.copyBytes())
            record.noc = credentials.noc.tlv
            record.nocIntermediate = credentials.icac?.tlv
            // Twice, so that the previous copy is one whose key is there.
            for _ in 0..<2 { try state.write(Self.record(of: name), record.encoded()) }
            try state.writeSecret(Self.key("operational", of: name), credentials.key.scalar.copyBytes())
            try state.delete(Self.key(Self.nextKey, of: name))
        }
    }
}
