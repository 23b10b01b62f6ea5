package import MatterCrypto

/// A node group, which may be a Matter fabric (docs/rainmaker.md).
package struct CloudGroup: Sendable, Equatable {
    package var id: String
    package var name: String
    package var isMatter: Bool
    package var fabricID: FabricID?
    /// True if the caller is a primary user.
    package var isPrimary: Bool
    package var total: Int?
    package var nodes: [Member]
    package var fabric: CloudFabric?
    /// The fault in the cloud's data on the fabric. It concerns this group alone, so it is raised only where
    /// this fabric is needed: ``requireFabric()``.
    package var fault: RainMakerError?

    /// A node as the group lists it.
    package struct Member: Sendable, Equatable {
        package var nodeID: String
        package var matterNodeID: NodeID?
    }

    package init(_ fields: CloudFields) throws(RainMakerError) {
        id = try fields.nonEmptyString("group_id")
        name = try fields.optionalString("group_name") ?? ""
        isPrimary = try fields.optionalBool("primary") ?? true
        total = try fields.optionalInteger("total")
        var nodes: [Member] = []
        for member in try fields.objects("node_details") {
            let name = try member.optionalString("node_id")
            guard let id = if let name { name } else { try member.optionalString("id") } else { continue }
            // An odd id is that node's own fault: it cannot be reached by it.
            let matterNodeID = try? member.optionalHex("matter_node_id", digits: 16)
            nodes.append(Member(nodeID: id, matterNodeID: matterNodeID.map { NodeID($0) }))
        }
        if nodes.isEmpty { nodes = try fields.strings("nodes").map { Member(nodeID: $0) } }
        self.nodes = nodes
        isMatter = fields["fabric_id"] != nil
        do throws(RainMakerError) {
            fabricID = try fields.optionalHex("fabric_id", digits: 16).map { FabricID($0) }
            isMatter = try fields.optionalBool("is_matter") ?? (fabricID != nil)
            if fabricID?.isValid == false {
                fabricID = nil
                throw fields.wrong("fabric_id", "a fabric id: it is 0")
            }
            // Some answers have an empty object for a group that is no fabric.
            if isMatter, let details = try fields.optionalObject("fabric_details") {
                fabric = try CloudFabric(details)
            }
        } catch {
            fault = error.about(group: name, id)
        }
    }

    /// The fabric with its id.
    ///
    /// - Throws: ``RainMakerError``: the ``fault``, or that the group is no fabric, or that the cloud says nothing about it.
    package func requireFabric() throws(RainMakerError) -> (fabric: CloudFabric, id: FabricID) {
        if let fault { throw fault }
        guard isMatter else {
            throw RainMakerError(
                .notAFabric, "the group '\(name)' is not a Matter fabric",
                hint: .step("cloud.convert", id))
        }
        guard let fabric, let fabricID else {
            throw RainMakerError(
                .malformedAnswer, "the cloud gave no data on the fabric of the group '\(name)' (\(id))",
                hint: "try again later")
        }
        return (fabric, fabricID)
    }
}

extension RainMakerError {
    /// The fault with its group added.
    fileprivate func about(group name: String, _ id: String) -> RainMakerError {
        var error = self
        error.reason = "the fabric of the group '\(name)' (\(id)) cannot be used: \(reason)"
        error.hint = "other groups still work; report it to the operator of the cloud"
        return error
    }
}

/// The cloud's data on a fabric.
package struct CloudFabric: Sendable, Equatable {
    package var root: MatterCertificate
    /// The identity protection key's epoch key.
    package var ipk: SecretBytes
    /// True if the cloud gave no such key, so that it is ``absentIPK``.
    package var lacksIPK: Bool
    package var adminCAT: CASEAuthenticatedTag
    package var operateCAT: CASEAuthenticatedTag
    /// A node id of the caller on the fabric, for information: two phones of one user may have two, so that it need not be
    /// the one in our certificate.
    package var userID: NodeID?

    /// The key of the phone apps if the cloud gives none (docs/rainmaker.md).
    static let absentIPK = SecretBytes([UInt8](repeating: 0, count: FabricIdentity.groupKeyCount))

    init(_ fields: CloudFields) throws(RainMakerError) {
        let pem = try fields.nonEmptyString("root_ca")
        do {
            root = try MatterCertificate(pem: pem)
            try OperationalChain.validate(root: root)
        } catch {
            throw RainMakerError(
                .invalidCertificate, "the cloud's root certificate of the fabric is not valid: \(error)")
        }
        // Some answers have blanks between the digits.
        let digits = try fields.optionalString("ipk")?.filter { $0 != " " } ?? ""
        lacksIPK = digits.isEmpty
        if lacksIPK {
            ipk = Self.absentIPK
        } else {
            guard digits.utf8.count == 2 * FabricIdentity.groupKeyCount, let octets = try? Hex.decode(digits) else {
                throw fields.wrong("ipk", "32 hexadecimal digits")
            }
            ipk = SecretBytes(octets)
        }
        adminCAT = try Self.tag("group_cat_id_admin", fields)
        operateCAT = try Self.tag("group_cat_id_operate", fields)
        userID = (try? fields.optionalHex("matter_user_id", digits: 16)).map { NodeID($0) }
    }

    private static func tag(_ key: String, _ fields: CloudFields) throws(RainMakerError) -> CASEAuthenticatedTag {
        let tag = CASEAuthenticatedTag(UInt32(truncatingIfNeeded: try fields.hex(key, digits: 8)))
        guard tag.isValid else { throw fields.wrong(key, "a tag: its version is 0") }
        return tag
    }
}

/// A certificate that the cloud issued.
struct CloudCertificate: Sendable, Equatable {
    var groupID: String
    var nodeID: NodeID?
    /// The id as the cloud wrote it: a device may have to sign exactly this text.
    var nodeText: String?
    var noc: MatterCertificate
    /// For node certificates: what the confirmation refers to.
    var requestID: String?

    /// Reads the answer to G5, G6 or G7.
    init(_ object: JSONObject, isNode: Bool, group: String, _ operation: String) throws(RainMakerError) {
        let fields = CloudFields(object, operation)
        requestID = isNode ? try fields.nonEmptyString("request_id") : nil
        let all = try fields.objects("certificates")
        guard let certificate = all.first, all.count == 1 else {
            throw .malformed("it has \(all.count) certificates instead of one", operation)
        }
        groupID = try certificate.nonEmptyString("group_id")
        guard groupID == group else {
            throw RainMakerError(.invalidCertificate, "the cloud's certificate is for another group")
        }
        let nodeKey = isNode ? "matter_node_id" : "matter_user_id"
        nodeID = try certificate.optionalHex(nodeKey, digits: 16).map { NodeID($0) }
        nodeText = try certificate.optionalString(nodeKey)
        if isNode, nodeID == nil { throw .malformed("it lacks 'matter_node_id'", operation) }
        let pem = try certificate.nonEmptyString(isNode ? "node_noc" : "user_noc")
        do { noc = try MatterCertificate(pem: pem) } catch {
            throw RainMakerError(.invalidCertificate, "the cloud's certificate is not valid: \(error)")
        }
    }
}
