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
            node.attributes.values.lazy.map { (path: $0.path.concrete, value: ValueEncoding.text($0.value)) })
    }

    /// The same as a whole.
    static func object(_ node: HouseBoard.Node) -> [UInt8] { Array(parts(node).joined()) }
}

/// The attributes of a node that its record implies, for the time until it has been heard.
enum NodeSeed {
    static func node(of record: NodeRecord) -> KeptNode {
        let parts = Set(record.endpoints.map(\.number).filter { $0 != 0 })
        return KeptNode(attributes: attributes(of: record, parts), parts: parts, interviewedAt: nil)
    }

    private static func attributes(of record: NodeRecord, _ parts: Set<UInt16>) -> AttributeTable {
        var table = AttributeTable()
        guard !record.endpoints.isEmpty else { return table }
        func set(_ endpoint: UInt16, _ cluster: ClusterID, _ attribute: AttributeID, _ value: TLVValue?) {
            guard let value else { return }
            let path = CachePath(endpoint, cluster.rawValue, attribute.rawValue)
            _ = table.set(path, value, at: AttributeTable.unknownTime)
        }
        for endpoint in record.endpoints {
            let types = endpoint.deviceTypes.map {
                Descriptor.DeviceType(deviceType: DeviceTypeID($0), revision: 1).tlv
            }
            set(endpoint.number, Descriptor.id, Descriptor.Attribute.deviceTypeList, .array(of: types))
            set(
                endpoint.number, Descriptor.id, Descriptor.Attribute.serverList,
                .array(of: endpoint.serverClusters.map { .uint(UInt64($0)) }))
        }
        set(0, Descriptor.id, Descriptor.Attribute.partsList, .array(of: parts.sorted().map { .uint(UInt64($0)) }))
        func tell(_ attribute: AttributeID, _ value: TLVValue?) { set(0, BasicInformation.id, attribute, value) }
        tell(BasicInformation.Attribute.vendorName, record.vendorName.map { .string($0) })
        tell(BasicInformation.Attribute.vendorID, record.vendorID.map { .uint(UInt64($0)) })
        tell(BasicInformation.Attribute.productName, record.productName.map { .string($0) })
        tell(BasicInformation.Attribute.productID, record.productID.map { .uint(UInt64($0)) })
        tell(BasicInformation.Attribute.serialNumber, record.serialNumber.map { .string($0) })
        tell(BasicInformation.Attribute.softwareVersionString, record.firmware.map { .string($0) })
        return table
    }
}
