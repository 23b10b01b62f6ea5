package import MatterCredentials
package import MatterCrypto
import MatterTLV

/// A node group, which may be a Matter fabric (reference, 1.6).
package struct CloudGroup: Sendable, Equatable {
    package var id: String
    package var name: String
    package var isMatter: Bool
    package var fabricID: FabricID?
    /// Whether the caller is a primary user.
    package var isPrimary: Bool
    package var total: Int?
    package var nodes: [Member]
    package var fabric: CloudFabric?

    /// A node as the group lists it.
    package struct Member: Sendable, Equatable {
        package var nodeID: String
        package var matterNodeID: NodeID?
    }

    package init(_ fields: CloudFields) throws(RainMakerError) {
        id = try fields.string("group_id")
        name = try fields.optionalString("group_name") ?? ""
        fabricID = try fields.optionalHex("fabric_id", digits: 16).map { FabricID($0) }
        isMatter = try fields.optionalBool("is_matter") ?? (fabricID != nil)
        if fabricID?.isValid == false { throw fields.wrong("fabric_id", "a fabric id: it is 0") }
        isPrimary = try fields.optionalBool("primary") ?? true
        total = try fields.optionalInteger("total")
        var nodes: [Member] = []
        for member in try fields.objects("node_details") {
            let name = try member.optionalString("node_id")
            guard let id = if let name { name } else { try member.optionalString("id") } else { continue }
            let matterNodeID = try member.optionalHex("matter_node_id", digits: 16)
            nodes.append(Member(nodeID: id, matterNodeID: matterNodeID.map { NodeID($0) }))
        }
        if nodes.isEmpty { nodes = try fields.strings("nodes").map { Member(nodeID: $0) } }
        self.nodes = nodes
        // Some answers have an empty object for a group that is no fabric.
        if isMatter, let details = try fields.optionalObject("fabric_details") {
            fabric = try CloudFabric(CloudFields(details, "fabric_details"))
        }
    }
}

/// What the cloud says about a fabric.
package struct CloudFabric: Sendable, Equatable {
    package var root: MatterCertificate
    /// The identity protection key's epoch key.
    package var ipk: SecretBytes
    package var adminCAT: CASEAuthenticatedTag
    package var operateCAT: CASEAuthenticatedTag
    /// The caller's own node id on the fabric.
    package var userID: NodeID?

    init(_ fields: CloudFields) throws(RainMakerError) {
        let pem = try fields.string("root_ca")
        do {
            root = try MatterCertificate(pem: pem)
            try OperationalChain.validate(root: root)
        } catch {
            throw RainMakerError(
                .invalidCertificate, "the root certificate that the cloud gives for the fabric is unusable: \(error)")
        }
        // Some answers have blanks between the digits.
        let digits = try fields.string("ipk").filter { $0 != " " }
        guard digits.utf8.count == 2 * FabricIdentity.groupKeyCount, let octets = try? Hex.decode(digits) else {
            throw fields.wrong("ipk", "32 hexadecimal digits")
        }
        ipk = SecretBytes(octets)
        adminCAT = try Self.tag("group_cat_id_admin", fields)
        operateCAT = try Self.tag("group_cat_id_operate", fields)
        userID = try fields.optionalHex("matter_user_id", digits: 16).map { NodeID($0) }
        if let userID, !userID.isOperational { throw fields.wrong("matter_user_id", "the id of a node") }
    }

    private static func tag(_ key: String, _ fields: CloudFields) throws(RainMakerError) -> CASEAuthenticatedTag {
        let tag = CASEAuthenticatedTag(UInt32(truncatingIfNeeded: try fields.hex(key, digits: 8)))
        guard tag.isValid else { throw fields.wrong(key, "a tag: its version is 0") }
        return tag
    }
}

/// A certificate that the cloud issued.
package struct CloudCertificate: Sendable, Equatable {
    package var groupID: String
    package var nodeID: NodeID?
    package var noc: MatterCertificate
    /// For node certificates: what the confirmation refers to.
    package var requestID: String?

    /// Reads the answer to G5, G6 or G7.
    init(_ object: JSONObject, isNode: Bool, group: String, _ operation: String) throws(RainMakerError) {
        let fields = CloudFields(object, operation)
        requestID = isNode ? try fields.string("request_id") : nil
        let all = try fields.objects("certificates")
        guard let certificate = all.first, all.count == 1 else {
            throw .malformed("it has \(all.count) certificates instead of one", operation)
        }
        groupID = try certificate.string("group_id")
        guard groupID == group else {
            throw RainMakerError(.invalidCertificate, "the cloud's certificate is for another group")
        }
        let nodeKey = isNode ? "matter_node_id" : "matter_user_id"
        nodeID = try certificate.optionalHex(nodeKey, digits: 16).map { NodeID($0) }
        if isNode, nodeID == nil { throw .malformed("it lacks 'matter_node_id'", operation) }
        let pem = try certificate.string(isNode ? "node_noc" : "user_noc")
        do { noc = try MatterCertificate(pem: pem) } catch {
            throw RainMakerError(.invalidCertificate, "the certificate that the cloud gives is unusable: \(error)")
        }
    }
}
