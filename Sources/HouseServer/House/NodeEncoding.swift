import MatterController

/// Nodes in the form of the interface.
enum NodeEncoding {
    /// A node with all its attributes, in parts.
    static func parts(_ node: HouseBoard.Node) -> [[UInt8]] {
        let commissioned = UInt64(clamping: node.record.commissionedAt ?? 0) * 1000
        let object = NodeObject(
            node: node.record.nodeID.rawValue, commissioned: commissioned,
            interviewed: node.interviewedAt.map { UInt64(clamping: $0) } ?? commissioned, isAvailable: node.isAvailable)
        return object.parts(
            node.attributes.sorted { $0.key < $1.key }.lazy.map { (path: $0.key.concrete, value: $0.value) })
    }

    /// The same as a whole.
    static func object(_ node: HouseBoard.Node) -> [UInt8] { Array(parts(node).joined()) }
}

/// The attributes of a node that its record implies, for the time until it has been heard.
enum NodeSeed {
    static func types(_ endpoint: UInt16) -> CachePath {
        CachePath(endpoint, Descriptor.id.rawValue, Descriptor.Attribute.deviceTypeList.rawValue)
    }

    static func parts(of record: NodeRecord) -> Set<UInt16> {
        Set(record.endpoints.map(\.number).filter { $0 != 0 })
    }

    static func attributes(of record: NodeRecord) -> [CachePath: [UInt8]] {
        guard !record.endpoints.isEmpty else { return [:] }
        var values: [CachePath: [UInt8]] = [:]
        let descriptor = Descriptor.id.rawValue
        for endpoint in record.endpoints {
            let types = endpoint.deviceTypes.map { "{\"0\":\($0),\"1\":1}" }.joined(separator: ",")
            values[self.types(endpoint.number)] = Array("[\(types)]".utf8)
            values[CachePath(endpoint.number, descriptor, Descriptor.Attribute.serverList.rawValue)] =
                list(endpoint.serverClusters.map { UInt64($0) })
        }
        values[.parts] = list(parts(of: record).sorted().map { UInt64($0) })
        func set(_ attribute: AttributeID, _ value: JSONValue?) {
            guard let value else { return }
            values[CachePath(0, BasicInformation.id.rawValue, attribute.rawValue)] = value.utf8()
        }
        set(BasicInformation.Attribute.vendorName, record.vendorName.map { .string($0) })
        set(BasicInformation.Attribute.vendorID, record.vendorID.map { .int(Int64($0)) })
        set(BasicInformation.Attribute.productName, record.productName.map { .string($0) })
        set(BasicInformation.Attribute.productID, record.productID.map { .int(Int64($0)) })
        set(BasicInformation.Attribute.serialNumber, record.serialNumber.map { .string($0) })
        set(BasicInformation.Attribute.softwareVersionString, record.firmware.map { .string($0) })
        return values
    }

    private static func list(_ numbers: [UInt64]) -> [UInt8] {
        Array("[\(numbers.map { "\($0)" }.joined(separator: ","))]".utf8)
    }
}
