import MatterTLV

/// Descriptor: what an endpoint is (Matter core specification 9.5).
struct DescriptorServer: ClusterServer {
    private enum Attribute {
        static let deviceTypeList: UInt32 = 0
        static let serverList: UInt32 = 1
        static let clientList: UInt32 = 2
        static let partsList: UInt32 = 3
        static let tagList: UInt32 = 4
    }

    let id = ClusterID.descriptor
    private let tags: [TLVValue]

    /// - Parameter tags: semantic tags; needed where sibling endpoints have the same device type.
    init(tags: [TLVValue] = []) { self.tags = tags }

    var featureMap: UInt32 { tags.isEmpty ? 0 : 1 }

    var initialAttributes: [UInt32: TLVValue] {
        var attributes: [UInt32: TLVValue] = [:]
        for attribute in Attribute.deviceTypeList...Attribute.partsList { attributes[attribute] = .array([]) }
        if !tags.isEmpty { attributes[Attribute.tagList] = .array(of: tags) }
        return attributes
    }

    func read(_ attribute: UInt32, _ context: ClusterContext) -> TLVValue? {
        guard let endpoint = context.node.endpoints[context.endpoint] else { return nil }
        switch attribute {
        case Attribute.deviceTypeList:
            return .array(
                of: endpoint.deviceTypes.map {
                    .structure([TLVElement(0, .uint(UInt64($0.id))), TLVElement(1, .uint(UInt64($0.revision)))])
                })
        case Attribute.serverList: return .array(of: endpoint.clusterNumbers.map { .uint(UInt64($0)) })
        case Attribute.clientList: return .array(of: endpoint.clients.sorted().map { .uint(UInt64($0)) })
        case Attribute.partsList:
            let parts = context.endpoint == 0 ? context.endpoints.filter { $0 != 0 } : endpoint.parts
            return .array(of: parts.map { .uint(UInt64($0)) })
        default: return nil
        }
    }
}
