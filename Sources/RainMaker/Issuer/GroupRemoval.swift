import MatterCrypto

/// Tells the cloud about nodes that have left the fabric (docs/rainmaker.md).
package struct GroupRemoval: Sendable {
    private let client: CloudClient
    private let store: RainMakerStore
    private let groupID: String

    package init(client: CloudClient, store: RainMakerStore, groupID: String) {
        self.client = client
        self.store = store
        self.groupID = groupID
    }

    /// Takes a node out of the account. What is needed to repeat it stays until the cloud has done so; a node that the
    /// cloud does not know is taken out already.
    package func tell(_ removal: PendingRemoval) async throws {
        do {
            if let member = try await member(removal.nodeID) {
                _ = try await client.call(.removeMapping(of: member))
            }
        } catch let error as RainMakerError where error.cloudFacts?.isNotTheUsers ?? false {
            // Another user was faster, or an earlier answer was lost.
        } catch var error as RainMakerError {
            error.nodeID = removal.nodeID
            error.reason =
                "node \(removal.nodeID.rawValue) has left the fabric, but the cloud still lists it: \(error.reason)"
            error.hint = "nothing was lost; " + .step("cloud.repeat-removal", "\(removal.nodeID.rawValue)")
            throw error
        }
        try store.removeRemoval(of: removal.nodeID)
    }

    /// The node's id in the cloud.
    private func member(_ node: NodeID) async throws -> String? {
        do {
            return try await client.group(groupID).nodes.first { $0.matterNodeID == node }?.nodeID
        } catch let error as RainMakerError where error.code == .unknownGroup {
            // Its nodes went with it.
            return nil
        }
    }
}
