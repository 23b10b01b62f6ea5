package import MatterCredentials
import MatterCrypto
package import MatterSecureChannel
package import MatterStore
import MatterTLV

/// What is kept to resume a session with a node in a later process: `sessions/ID` in the fabric's folder.
package struct ResumptionStore: Sendable {
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
        guard let contents = try? state.readSecret(record(of: node)),
            let fields = try? RecordFields(contents, "session"),
            let id = try? fields.octets("resumptionId"), id.count == 16,
            let secret = try? fields.octets("sharedSecret"), secret.count == 32,
            let tags = try? fields.array("cats")
        else { return nil }
        let cats = tags.compactMap { $0.integer(as: UInt32.self).map { CASEAuthenticatedTag($0) } }
        guard cats.count == tags.count else { return nil }
        return ResumptionRecord(
            resumptionID: id, sharedSecret: SecretBytes(secret), peerNodeID: node.rawValue, peerCATs: cats)
    }

    /// - Throws: `StoreError`, or ``RecordError`` if the fabric is gone.
    package func save(_ resumption: ResumptionRecord, of node: NodeID) throws {
        try folder.check()
        let object: JSONObject = [
            "resumptionId": .string(Hex.encode(resumption.resumptionID)),
            "sharedSecret": .string(Hex.encode(resumption.sharedSecret.copyBytes())),
            "cats": .array(resumption.peerCATs.map { .uint(UInt64($0.rawValue)) }),
        ]
        try state.writeSecret(record(of: node), JSONValue.object(object).utf8())
    }

    package func remove(_ node: NodeID) throws(StoreError) {
        try state.delete(record(of: node))
    }

    /// Whether there is something to remove.
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
