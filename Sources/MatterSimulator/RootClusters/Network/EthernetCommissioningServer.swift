import MatterModel

/// Network Commissioning of a device on a cable: there is nothing to commission (Matter core specification 11.9).
struct EthernetCommissioningServer: ClusterServer {
    let id = NetworkCommissioning.id

    var featureMap: FeatureMap { NetworkCommissioning.Feature.ethernetNetworkInterface }
    var initialAttributes: [AttributeID: TLVValue] {
        [
            NetworkCommissioning.Attribute.maxNetworks: .uint(1),
            NetworkCommissioning.Attribute.networks: .array(of: [
                NetworkCommissioning.NetworkInfo(networkID: Array("eth0".utf8), connected: true).tlv
            ]),
            NetworkCommissioning.Attribute.interfaceEnabled: .bool(true),
            NetworkCommissioning.Attribute.lastNetworkingStatus: .null,
            NetworkCommissioning.Attribute.lastNetworkID: .null,
            NetworkCommissioning.Attribute.lastConnectErrorValue: .null,
        ]
    }
    var persistentAttributes: Set<AttributeID> { [NetworkCommissioning.Attribute.interfaceEnabled] }
}
