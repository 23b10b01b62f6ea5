package import MatterState

/// The record of a fabric with a cloud as its issuer, beside the fabric's own record.
package struct RainMakerMembership: Sendable, Equatable {
    /// The cloud account's profile.
    package var profile: String
    package var groupID: String
    package var groupName: String
    package var isPrimary: Bool
    package var adminCAT: CASEAuthenticatedTag
    package var operateCAT: CASEAuthenticatedTag

    func encoded() -> [UInt8] {
        JSONValue.object([
            "profile": .string(profile), "groupId": .string(groupID), "groupName": .string(groupName),
            "primary": .bool(isPrimary), "adminCat": .uint(UInt64(adminCAT.rawValue)),
            "operateCat": .uint(UInt64(operateCAT.rawValue)),
        ]).utf8()
    }
}

extension RainMakerMembership {
    init(profile: String, group: CloudGroup, fabric: CloudFabric) {
        self.init(
            profile: profile, groupID: group.id, groupName: group.name, isPrimary: group.isPrimary,
            adminCAT: fabric.adminCAT, operateCAT: fabric.operateCAT)
    }

    init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        profile = try fields.string("profile")
        groupID = try fields.string("groupId")
        groupName = try fields.optionalString("groupName") ?? ""
        isPrimary = try fields.optionalBool("primary") ?? true
        adminCAT = CASEAuthenticatedTag(try fields.integer("adminCat", as: UInt32.self))
        operateCAT = CASEAuthenticatedTag(try fields.integer("operateCat", as: UInt32.self))
    }
}

/// A node that is on the fabric, but not confirmed to the cloud: kept until it is.
package struct PendingConfirmation: Sendable, Equatable {
    package var requestID: String
    package var nodeID: NodeID
    /// The node id as the cloud wrote it.
    package var matterNodeID: String
    /// True if the device has been asked for its proof.
    package var isChallenged = false
    /// The device's proof; it signs a few times only, so the proof is kept. A Matter-only device proves nothing.
    package var evidence: RainMakerEvidence?
    /// JSON text of what goes with the confirmation.
    package var metadata: String?
    /// Seconds since 1970.
    var issuedAt: Int64

    /// The metadata of the confirmation.
    package var metadataObject: JSONObject? {
        metadata.flatMap { try? JSONValue(parsing: $0) }?.objectValue
    }

    init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        requestID = try fields.string("requestId")
        nodeID = NodeID(try fields.integer("nodeId", as: UInt64.self))
        matterNodeID = try fields.string("matterNodeId")
        metadata = try fields.optionalString("metadata")
        issuedAt = try fields.time("issuedAt")
        if let node = try fields.optionalString("rainmakerNodeId"), let text = try fields.optionalString("signature") {
            evidence = RainMakerEvidence(nodeID: node, signature: text)
        }
        isChallenged = try fields.optionalBool("challenged") ?? (evidence != nil)
    }

    init(requestID: String, nodeID: NodeID, matterNodeID: String, metadata: String?, issuedAt: Int64) {
        self.requestID = requestID
        self.nodeID = nodeID
        self.matterNodeID = matterNodeID
        self.metadata = metadata
        self.issuedAt = issuedAt
    }

    func encoded() -> [UInt8] {
        var object: JSONObject = [
            "requestId": .string(requestID), "nodeId": .id(nodeID.rawValue), "matterNodeId": .string(matterNodeID),
            "issuedAt": .int(issuedAt), "challenged": .bool(isChallenged),
        ]
        object["rainmakerNodeId"] = evidence.map { .string($0.nodeID) }
        object["signature"] = evidence.map { .string($0.signature) }
        object["metadata"] = metadata.map { .string($0) }
        return JSONValue.object(object).utf8()
    }
}

/// The proof of a RainMaker device: its node id in the cloud, and a signature with the key that the cloud knows.
package struct RainMakerEvidence: Sendable, Hashable {
    package var nodeID: String
    /// Hexadecimal digits.
    package var signature: String
}

/// A node that has left the fabric, or is about to, and of which the cloud has not been told: kept until it is.
package struct PendingRemoval: Sendable, Equatable {
    package var nodeID: NodeID
    package var name: String?
    /// Seconds since 1970.
    package var since: Int64

    func encoded() -> [UInt8] {
        var object: JSONObject = ["nodeId": .id(nodeID.rawValue), "since": .int(since)]
        object["name"] = name.map { .string($0) }
        return JSONValue.object(object).utf8()
    }
}

extension PendingRemoval {
    init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        nodeID = NodeID(try fields.integer("nodeId", as: UInt64.self))
        name = try fields.optionalString("name")
        since = try fields.time("since")
    }
}

/// The records of one fabric in its folder: `rainmaker.json`, `confirmations/REQUEST.json` and `removals/NODE.json`.
package struct RainMakerStore: Sendable {
    private let state: StateDirectory
    private let fabric: String
    private let folder: String

    package init(_ state: StateDirectory, fabric: String) {
        self.state = state
        self.fabric = fabric
        folder = FabricStore.folder(of: fabric)
    }

    private var membershipFile: String { folder + "/rainmaker.json" }
    private var confirmations: String { folder + "/confirmations" }

    private func file(_ requestID: String) -> String {
        "\(confirmations)/\(StateDirectory.component(for: requestID)).json"
    }

    package func membership() throws -> RainMakerMembership? {
        try state.read(membershipFile).map { try RainMakerMembership(decoding: $0, membershipFile) }
    }

    func save(_ membership: RainMakerMembership) throws { try state.write(membershipFile, membership.encoded()) }

    package func pending(_ requestID: String) throws -> PendingConfirmation? {
        let file = file(requestID)
        return try state.read(file).map { try PendingConfirmation(decoding: $0, file) }
    }

    package func allPending() throws -> [PendingConfirmation] {
        try state.records(in: confirmations).compactMap { file in
            try state.read(file).map { try PendingConfirmation(decoding: $0, file) }
        }
    }

    func save(_ pending: PendingConfirmation) throws { try state.write(file(pending.requestID), pending.encoded()) }

    package func removePending(_ requestID: String) throws { try state.delete(file(requestID)) }

    /// Forgets what waits to be confirmed of a node.
    package func removePending(of node: NodeID) throws {
        for pending in try allPending() where pending.nodeID == node { try removePending(pending.requestID) }
    }

    // MARK: Removals

    private var removals: String { folder + "/removals" }

    private func removal(of node: NodeID) -> String { "\(removals)/\(node).json" }

    /// The reports that the cloud has to get. A node that is still known here has not left: the command that was about to remove it was
    /// cut short.
    package func allRemovals() throws -> [PendingRemoval] {
        let nodes = NodeStore(state, fabric: fabric)
        return try state.records(in: removals).compactMap { file in
            try state.read(file).map { try PendingRemoval(decoding: $0, file) }
        }.filter { try nodes.node($0.nodeID) == nil }
    }

    package func save(_ removal: PendingRemoval) throws {
        try state.write(self.removal(of: removal.nodeID), removal.encoded())
    }

    func removeRemoval(of node: NodeID) throws { try state.delete(removal(of: node)) }
}
