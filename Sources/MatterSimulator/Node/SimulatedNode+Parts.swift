import MatterNetwork

extension SimulatedNode {
    /// An endpoint that its bridge does not have at present.
    struct AbsentPart {
        var bridge: EndpointID
        var endpoint: NodeEndpoint
    }

    /// A bridge loses a device, and with it the endpoint. At the next start the device is there again.
    ///
    /// - Returns: whether it is one of its parts.
    func takeAway(_ part: EndpointID, from bridge: EndpointID) -> Bool {
        guard isBridge(bridge), let endpoint = endpoints[part],
            let index = endpoints[bridge]?.parts.firstIndex(of: part)
        else { return false }
        endpoints[bridge]?.parts.remove(at: index)
        endpoints[part] = nil
        endpointNumbers.removeAll { $0 == part }
        absentParts[part] = AbsentPart(bridge: bridge, endpoint: endpoint)
        partsChanged(of: bridge)
        return true
    }

    /// The device is back, as it was.
    ///
    /// - Returns: whether the bridge had lost it.
    func bringBack(_ part: EndpointID, to bridge: EndpointID) -> Bool {
        guard let absent = absentParts[part], absent.bridge == bridge else { return false }
        absentParts[part] = nil
        endpoints[part] = absent.endpoint
        endpointNumbers = (endpointNumbers + [part]).sorted()
        endpoints[bridge]?.parts.append(part)
        endpoints[bridge]?.parts.sort()
        // A fabric may have gone meanwhile.
        forgetLostFabrics()
        for cluster in absent.endpoint.clusterNumbers {
            guard let entry = entry(part, cluster) else { continue }
            entry.dataVersion &+= 1
            for attribute in entry.attributeNumbers {
                let path = ConcreteAttributePath(endpoint: part, cluster: cluster, attribute: attribute)
                for index in subscriptions.indices { subscriptions[index].noteChange(path) }
            }
        }
        partsChanged(of: bridge)
        return true
    }

    private func isBridge(_ endpoint: EndpointID) -> Bool {
        endpoints[endpoint]?.deviceTypes.contains { $0.id == .aggregator } ?? false
    }

    private func partsChanged(of bridge: EndpointID) {
        for endpoint in [bridge, 0] { changed(endpoint, Descriptor.id, Descriptor.Attribute.partsList) }
    }
}
