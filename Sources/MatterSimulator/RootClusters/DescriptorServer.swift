import MatterModel

/// Descriptor: what an endpoint is (Matter core specification 9.5).
///
/// A bridge loses a device with `remove ENDPOINT`, and has it again with `add ENDPOINT`.
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

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        guard words.count == 2, let part = UInt16(words[1]).map({ EndpointID($0) }) else { return false }
        switch words[0] {
        case "remove": return context.node.takeAway(part, from: context.endpoint)
        case "add": return context.node.bringBack(part, to: context.endpoint)
        default: return false
        }
    }
}
