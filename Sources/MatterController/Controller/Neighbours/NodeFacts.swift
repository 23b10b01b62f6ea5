import MatterState

/// The attributes of a node that another program has kept, by endpoint, cluster and attribute, as a record of ours.
struct NodeFacts {
    private var attributes: [UInt16: [UInt32: [UInt32: JSONValue]]] = [:]

    mutating func set(_ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32, _ value: JSONValue) {
        attributes[endpoint, default: [:]][cluster, default: [:]][attribute] = value
    }

    private enum Cluster {
        static let descriptor: UInt32 = 0x001D
        static let basicInformation: UInt32 = 0x0028
        static let bridgedBasicInformation: UInt32 = 0x0039
        static let operationalCredentials: UInt32 = 0x003E
        static let icdManagement: UInt32 = 0x0046
    }
    private static let featureMap: UInt32 = 0xFFFC
    private static let operatingMode: UInt32 = 8
    /// LongIdleTimeSupport among the features of ICD Management (Matter core specification, 9.16.4).
    private static let longIdleTimes: UInt32 = 0x4
    private static let acceptedCommandList: UInt32 = 0xFFF9

    private func text(_ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32) -> String? {
        attributes[endpoint]?[cluster]?[attribute]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func number<Number: FixedWidthInteger>(_ cluster: UInt32, _ attribute: UInt32) -> Number? {
        attributes[0]?[cluster]?[attribute]?.integer()
    }

    /// The record; the name is the node's label, if it can be one.
    func record(of id: NodeID) -> NodeRecord {
        var record = NodeRecord(nodeID: id)
        let basic = Cluster.basicInformation
        record.name = text(0, basic, 5).flatMap(Self.name)
        record.vendorName = text(0, basic, 1)
        record.vendorID = number(basic, 2)
        record.productName = text(0, basic, 3)
        record.productID = number(basic, 4)
        record.firmware = text(0, basic, 10)
        record.serialNumber = text(0, basic, 15)
        let sleep: UInt32 = number(Cluster.icdManagement, Self.featureMap) ?? 0
        // In the other mode, of short times, it answers.
        record.isLongIdleTime =
            sleep & Self.longIdleTimes != 0 && number(Cluster.icdManagement, Self.operatingMode) ?? UInt8(1) == 1
        record.endpoints = attributes.keys.sorted().compactMap { endpoint in
            guard let clusters = attributes[endpoint], let descriptor = clusters[Cluster.descriptor] else { return nil }
            let types = descriptor[0]?.arrayValue ?? []
            var found = NodeRecord.Endpoint(
                number: endpoint,
                // A structure: its first field is the type. matter.js has names for fields, the Matter server has numbers.
                deviceTypes: types.compactMap { ($0["0"] ?? $0["deviceType"])?.integer(as: UInt32.self) },
                serverClusters: (descriptor[1]?.arrayValue ?? []).compactMap { $0.integer(as: UInt32.self) })
            for (cluster, values) in clusters {
                let commands = values[Self.acceptedCommandList]?.arrayValue?.compactMap { $0.integer(as: UInt32.self) }
                if let commands, !commands.isEmpty { found.acceptedCommands[cluster] = commands }
            }
            if let bridged = clusters[Cluster.bridgedBasicInformation] {
                found.bridged = BridgedDevice(
                    label: text(endpoint, Cluster.bridgedBasicInformation, 5), isReachable: bridged[17]?.boolValue)
            }
            return found
        }
        return record
    }

    /// A label that may be a name.
    private static func name(_ label: String) -> String? {
        (try? NameRule.check(label, what: "node")) == nil ? nil : label
    }
}

extension [NodeRecord] {
    /// The records with one name each: of several nodes of one label only the first keeps it.
    func withUniqueNames() -> [NodeRecord] {
        var names: [String] = []
        return map { node in
            var node = node
            if let name = node.name {
                if names.contains(where: { NameRule.isSame($0, name) }) { node.name = nil } else { names.append(name) }
            }
            return node
        }
    }
}
