import MatterModel

/// The conditions of device types: facts about the product, which no attribute states. Some follow from what the node says.
extension ConformanceExamination {
    private static let refrigerator: DeviceTypeID = 0x70
    private static let oven: DeviceTypeID = 0x7B
    private static let networkManager: DeviceTypeID = 0x90

    /// The facts that the conditions of a device type's rules ask for.
    mutating func facts(
        _ type: DeviceTypeDemands, _ revision: UInt16, _ endpoint: EndpointID
    ) -> Conformance.Facts {
        let known = conditions(of: type.id, endpoint)
        return Conformance.Facts(revision: revision, holds: { known[$0.lowercased()] })
    }

    private mutating func conditions(of type: DeviceTypeID, _ endpoint: EndpointID) -> [String: Bool] {
        let own = tree.deviceTypes(endpoint).map(\.deviceType)
        let all = node.endpointNumbers.flatMap { tree.deviceTypes($0).map(\.deviceType) }
        var known: [String: Bool] = [
            "matter": true, "zigbee": false, "node": endpoint == 0,
            "simple": own.contains { demands($0)?.deviceClass == .simple }, "client": !tree.clients(endpoint).isEmpty,
            "managedaclallowed": all.contains(Self.networkManager),
        ]
        if endpoint != 0 {
            let applications = Set(own.filter { demands($0)?.deviceClass == .simple })
            known["duplicate"] = tree.siblings(endpoint).contains { other in
                other != endpoint && tree.deviceTypes(other).contains { applications.contains($0.deviceType) }
            }
            let above = tree.parent(endpoint).map { tree.deviceTypes($0).map(\.deviceType) } ?? []
            if above.contains(Self.refrigerator) { known.merge(["cooler": true, "heater": false]) { $1 } }
            if above.contains(Self.oven) { known.merge(["cooler": false, "heater": true]) { $1 } }
        } else {
            known["duplicate"] = false
        }
        addInterfaces(to: &known)
        addGifts(of: all, to: type, &known)
        return known
    }

    private func addInterfaces(to known: inout [String: Bool]) {
        let features = node.endpointNumbers.compactMap { endpoint in
            node.cluster(endpoint, NetworkCommissioning.id)?.featureMap.map { FeatureMap(rawValue: $0) }
        }
        if !features.isEmpty {
            typealias Feature = NetworkCommissioning.Feature
            for (name, feature) in [
                ("wifi", Feature.wiFiNetworkInterface), ("thread", Feature.threadNetworkInterface),
                ("ethernet", Feature.ethernetNetworkInterface),
            ] {
                known[name] = features.contains { $0.contains(feature) }
            }
        }
        if let features = node.cluster(0, IcdManagement.id)?.featureMap {
            let isLong = FeatureMap(rawValue: features).contains(IcdManagement.Feature.longIdleTimeSupport)
            known["lit"] = isLong
            known["sit"] = !isLong
        }
    }

    /// The conditions that other device types of the node make true.
    private mutating func addGifts(
        of all: [DeviceTypeID], to type: DeviceTypeID, _ known: inout [String: Bool]
    ) {
        for other in Set(all) {
            for gift in demands(other)?.gifts ?? [] where gift.deviceType == type {
                if gift.conformance.text == "M" { known[gift.condition.lowercased()] = true }
            }
        }
    }
}
