package import MatterNetwork

/// The record that resumes a session with a node in a later process: `sessions/ID` in the fabric's folder.
package struct ResumptionStore: ResumptionMemory {
    private let state: StateDirectory
    private let folder: FabricFolder

    /// - Parameter identity: the fabric that has to be there when a session is kept; `nil` if any will do.
    package init(_ state: StateDirectory, fabric: String, identity: CompressedFabricID? = nil) {
        self.state = state
        folder = FabricFolder(state: state, name: fabric, identity: identity)
    }

    private func record(of node: NodeID) -> String { "\(folder.path)/sessions/\(node)" }

    /// - Returns: `nil` if there is none, or if it is damaged: a full handshake does without.
    package func load(_ node: NodeID) -> ResumptionRecord? {
        let record = try? state.withSecret(record(of: node)) { Self.decode($0, of: node) }
        return record ?? nil
    }

    // 16 bytes of resumption id, 32 of shared secret, four of each tag, the least significant first: no text, since
    // copies of texts cannot be wiped.
    private static let (idCount, secretCount, tagCount) = (16, 32, 4)

    private static func decode(_ octets: UnsafeRawBufferPointer, of node: NodeID) -> ResumptionRecord? {
        let tags = octets.dropFirst(idCount + secretCount)
        guard octets.count >= idCount + secretCount, tags.count.isMultiple(of: tagCount),
            tags.count / tagCount <= CASEAuthenticatedTag.maximumCount
        else { return nil }
        let cats = stride(from: tags.startIndex, to: tags.endIndex, by: tagCount).map { start in
            CASEAuthenticatedTag(tags[start..<(start + tagCount)].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        // A part of raw bytes would be copied one by one, by way of a search for conformances.
        let secret = UnsafeRawBufferPointer(rebasing: octets[idCount..<(idCount + secretCount)])
        return ResumptionRecord(
            resumptionID: Array(octets.prefix(idCount)), sharedSecret: SecretBytes(secret), peerNodeID: node.rawValue,
            peerCATs: cats)
    }

    /// Without waiting for the disk: a record that is lost or damaged costs one full handshake.
    ///
    /// - Throws: `StoreError`, or ``RecordError`` if the fabric is gone.
    package func save(_ resumption: ResumptionRecord, of node: NodeID) throws {
        try folder.check()
        var octets: [UInt8] = []
        octets.reserveCapacity(Self.idCount + Self.secretCount + Self.tagCount * resumption.peerCATs.count)
        octets += resumption.resumptionID
        resumption.sharedSecret.withUnsafeBytes { octets += $0 }
        for tag in resumption.peerCATs { octets += withUnsafeBytes(of: tag.rawValue.littleEndian, Array.init) }
        try state.writeSecret(record(of: node), octets, durability: .relaxed)
    }

    /// When the last session was set up, in seconds since 1970.
    package func savedAt(_ node: NodeID) -> Int64? { state.writtenAt(record(of: node)) }

    package func remove(_ node: NodeID) throws(StoreError) {
        try state.delete(record(of: node))
    }

    /// True if there is something to remove.
    package func has(_ node: NodeID) -> Bool {
        do {
            return try state.readSecret(record(of: node)) != nil
        } catch {
            return true
        }
    }

    /// Forgets every session of the fabric, so that the next ones are set up with the certificate that we have now.
    package func removeAll() throws(StoreError) {
        try state.deleteFolder("\(folder.path)/sessions")
    }
}
