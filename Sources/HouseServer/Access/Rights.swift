import MatterController

/// The rights that a command of the interface needs. They follow from what is done, not from the name of the call; what is in no
/// table needs `administer`.
enum Rights {
    /// The device types of an endpoint, as its Descriptor lists them; those of all endpoints of the node if none is given. `nil` for
    /// an endpoint that is not known: it may be a door.
    typealias DeviceTypes = (_ node: UInt64?, _ endpoint: UInt16?) -> Set<UInt32>?

    /// The rights for a command with its arguments. One who lacks any of them may not do it.
    static func needs(_ command: String, _ arguments: JSONValue, deviceTypes: DeviceTypes) -> Set<Role> {
        let object = arguments.objectValue
        let node: UInt64? = object?["node_id"]?.number()
        switch command {
        case "device_command":
            return [invocation(object, node, deviceTypes)]
        case "batched_device_commands":
            guard case .array(let commands)? = object?["commands"], !commands.isEmpty else { return [.administer] }
            return Set(commands.map { invocation($0.objectValue, node, deviceTypes) })
        case "write_attribute":
            guard let path = object?["attribute_path"]?.text?.split(separator: "/", omittingEmptySubsequences: false),
                path.count == 3, let cluster = UInt32(path[1]), let attribute = UInt32(path[2])
            else { return [.administer] }
            let endpoint = UInt16(path[0])
            // All endpoints at once is a matter of settings.
            guard endpoint != nil else { return [.administer] }
            return [role(writing: attribute, cluster: cluster, deviceTypes: deviceTypes(node, endpoint))]
        default:
            return [role(of: command)]
        }
    }

    private static func invocation(_ object: JSONObject?, _ node: UInt64?, _ deviceTypes: DeviceTypes) -> Role {
        guard let cluster: UInt32 = object?["cluster_id"]?.number(), let name = object?["command_name"]?.text,
            let endpoint: UInt16 = object?["endpoint_id"]?.number()
        else { return .administer }
        return role(invoking: name, cluster: cluster, deviceTypes: deviceTypes(node, endpoint))
    }

    /// The right for a command of the interface that is about no cluster.
    static func role(of command: String) -> Role { interface[command] ?? .administer }

    /// The right for a command of a cluster.
    ///
    /// - Parameter name: the name as a client writes it: case, hyphens and underscores do not matter.
    static func role(invoking name: String, cluster: UInt32, deviceTypes: Set<UInt32>?) -> Role {
        guard let cluster = clusterKey(cluster), let rights = clusters[cluster],
            let role = rights.commands[key(name)]
        else { return .administer }
        return raised(role, rights, deviceTypes)
    }

    /// The right to write an attribute of a cluster.
    static func role(writing attribute: UInt32, cluster: UInt32, deviceTypes: Set<UInt32>?) -> Role {
        guard let name = Catalogue.standard.attribute(cluster: ClusterID(cluster), AttributeID(attribute))?.name,
            let cluster = clusterKey(cluster), let rights = clusters[cluster],
            rights.attributes.contains(key(name))
        else { return .administer }
        return raised(.control, rights, deviceTypes)
    }

    /// The role on an endpoint: `control` becomes `unlock` where it moves what closes a way, or a valve.
    private static func raised(_ role: Role, _ rights: ClusterRights, _ deviceTypes: Set<UInt32>?) -> Role {
        guard role == .control, !rights.isHarmless else { return role }
        guard let deviceTypes else { return .administer }
        return deviceTypes.isDisjoint(with: ways) ? role : .unlock
    }

    private static func clusterKey(_ cluster: UInt32) -> String? {
        // Clusters of makers stand in no table.
        guard cluster >> 16 == 0 else { return nil }
        return Catalogue.standard.clusterName(ClusterID(cluster)).map(key)
    }

    private static func key(_ name: String) -> String {
        String(decoding: name.lowercased().utf8.filter { $0 != 0x2D && $0 != 0x5F && $0 != 0x20 }, as: UTF8.self)
    }

    /// The device types of what closes a way into the house, or a pipe.
    private static let ways = Set(
        RightsTable.ways.compactMap { try? Catalogue.standard.deviceType(named: $0.deviceType).id.rawValue })

    private static let interface = Dictionary(
        RightsTable.interface.flatMap { row in row.names.map { ($0, row.role) } },
        uniquingKeysWith: { first, second in first == second ? first : .administer })

    private struct ClusterRights {
        var commands: [String: Role] = [:]
        var attributes: Set<String> = []
        var isHarmless = false
    }

    private static let clusters = RightsTable.clusters.reduce(into: [String: ClusterRights]()) { rights, row in
        let cluster = key(row.cluster)
        for name in row.commands { rights[cluster, default: ClusterRights()].commands[key(name)] = row.role }
        for name in row.attributes where row.role == .control {
            rights[cluster, default: ClusterRights()].attributes.insert(key(name))
        }
        if row.isHarmless { rights[cluster, default: ClusterRights()].isHarmless = true }
    }
}

extension JSONValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate func number<Number: FixedWidthInteger>() -> Number? {
        switch self {
        case .int(let number): Number(exactly: number)
        case .uint(let number): Number(exactly: number)
        default: nil
        }
    }
}
