package import MatterCrypto

/// A node of the user's account (docs/rainmaker.md).
package struct CloudNode: Sendable, Equatable {
    package var id: String
    /// `rainmaker`, `pure_matter` or `rainmaker_matter`.
    package var type: String?
    package var role: String?
    package var isConnected: Bool?
    /// Milliseconds since 1970.
    package var lastChange: Int?
    package var groupID: String?
    package var matterNodeID: NodeID?
    /// The whole metadata object.
    package var metadata: JSONObject?
    /// The services of its RainMaker firmware.
    package var services: [CloudService] = []
    /// The values of its parameters, by device or service and then by name.
    package var parameters: JSONObject?

    package init(id: String) { self.id = id }

    init(_ fields: CloudFields) throws(RainMakerError) {
        let name = try fields.optionalString("id")
        id = if let name { name } else { try fields.nonEmptyString("node_id") }
        type = try fields.optionalString("node_type")
        let isPrimary = try fields.optionalBool("primary")
        role = try fields.optionalString("role") ?? isPrimary.map { $0 ? "primary" : "secondary" }
        if let status = try fields.optionalObject("status") {
            let connectivity = status["connectivity"]
            isConnected = connectivity?["connected"]?.boolValue
            lastChange = connectivity?["timestamp"]?.integer()
        }
        metadata = try fields.optionalObject("metadata")?.object
        // Firmware writes these two: an odd one is that node's own fault.
        services = (fields["config"]?["services"]?.arrayValue ?? []).compactMap { CloudService($0) }
        parameters = fields["params"]?.objectValue
        groupID = try fields.optionalString("group_id") ?? matter?["group_id"]?.stringValue
        matterNodeID = try fields.optionalHex("matter_node_id", digits: 16).map { NodeID($0) }
    }

    private var matter: JSONObject? { metadata?["Matter"]?.objectValue }

    /// The name that an app gave it; several spellings are in use.
    package var name: String? {
        let text = (matter?["deviceName"] ?? matter?["device_name"])?.stringValue
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    package var deviceType: UInt32? { matter?["deviceType"]?.integer() }
    package var vendorID: UInt16? { matter?["vendorId"]?.integer() }
    package var productID: UInt16? { matter?["productId"]?.integer() }
    package var serialNumber: String? { matter?["serialNumber"]?.stringValue }
    var manufacturerName: String? { matter?["manufacturerName"]?.stringValue }
    package var productName: String? { matter?["productName"]?.stringValue }

    /// Server clusters by endpoint, from either layout of the metadata (docs/rainmaker.md).
    package var serverClusters: [UInt16: [UInt32]] {
        var clusters: [UInt16: [UInt32]] = [:]
        for member in matter?["serversData"]?.objectValue?.members ?? [] {
            guard let endpoint = UInt16(member.key), let list = member.value.arrayValue else { continue }
            clusters[endpoint] = list.compactMap { $0.integer() }
        }
        guard clusters.isEmpty else { return clusters }
        for member in matter?["endpoints"]?.objectValue?.members ?? [] {
            guard let endpoint = Self.hex(member.key, as: UInt16.self) else { continue }
            let servers = member.value["clusters"]?["servers"]?.objectValue?.keys ?? []
            clusters[endpoint] = servers.compactMap { Self.hex($0, as: UInt32.self) }
        }
        return clusters
    }

    private static func hex<T: FixedWidthInteger>(_ text: String, as type: T.Type) -> T? {
        text.hasPrefix("0x") ? T(text.dropFirst(2), radix: 16) : nil
    }
}

/// Who has access to a group (docs/rainmaker.md).
package struct CloudSharing: Sendable, Equatable {
    package var groupID: String
    package var primary: [String]
    package var secondary: [String]

    init(_ fields: CloudFields) throws(RainMakerError) {
        groupID = try fields.nonEmptyString("group_id")
        let users = try fields.optionalObject("users")
        primary = try users?.strings("primary") ?? []
        secondary = try users?.strings("secondary") ?? []
    }
}

/// An offer to share groups that has not been answered.
package struct CloudSharingRequest: Sendable, Equatable {
    package var id: String
    package var status: String?
    package var groupIDs: [String]
    package var groupNames: [String]
    package var userName: String?
    package var primaryUserName: String?

    init(_ fields: CloudFields) throws(RainMakerError) {
        id = try fields.nonEmptyString("request_id")
        status = try fields.optionalString("request_status")
        groupIDs = try fields.strings("group_ids")
        groupNames = try fields.strings("group_names")
        userName = try fields.optionalString("user_name")
        primaryUserName = try fields.optionalString("primary_user_name")
    }
}

/// The account (docs/rainmaker.md).
package struct CloudUser: Sendable, Equatable {
    package var id: String
    package var userName: String
    package var name: String?

    init(_ fields: CloudFields) throws(RainMakerError) {
        id = try fields.nonEmptyString("user_id")
        userName = try fields.nonEmptyString("user_name")
        name = try fields.optionalString("name")
    }
}
