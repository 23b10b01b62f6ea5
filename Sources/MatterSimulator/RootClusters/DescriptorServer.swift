import MatterModel

/// Descriptor: what an endpoint is (Matter core specification 9.5).
struct DescriptorServer: ClusterServer {
    private typealias Attribute = Descriptor.Attribute

    let id = Descriptor.id
    private let tags: [TLVValue]

    /// - Parameter tags: semantic tags; needed where sibling endpoints have the same device type.
    init(tags: [TLVValue] = []) { self.tags = tags }

    var featureMap: FeatureMap { tags.isEmpty ? [] : Descriptor.Feature.tagList }

    var initialAttributes: [AttributeID: TLVValue] {
        var attributes: [AttributeID: TLVValue] = [
            Attribute.deviceTypeList: .array([]), Attribute.serverList: .array([]), Attribute.clientList: .array([]),
            Attribute.partsList: .array([]),
        ]
        if !tags.isEmpty { attributes[Attribute.tagList] = .array(of: tags) }
        return attributes
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard let endpoint = context.node.endpoints[context.endpoint] else { return nil }
        switch attribute {
        case Attribute.deviceTypeList:
            return .array(
                of: endpoint.deviceTypes.map {
                    Descriptor.DeviceType(deviceType: $0.id, revision: $0.revision).tlv
                })
        case Attribute.serverList: return .array(of: endpoint.clusterNumbers.map(\.tlv))
        case Attribute.clientList: return .array(of: endpoint.clients.sorted().map(\.tlv))
        case Attribute.partsList:
            let parts = context.endpoint == 0 ? context.endpoints.filter { $0 != 0 } : endpoint.parts
            return .array(of: parts.map(\.tlv))
        default: return nil
        }
    }
}
