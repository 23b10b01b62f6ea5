import MatterModel

/// The node as a whole, and how its endpoints go together (Matter core specification 9.2 and 9.5).
extension ConformanceExamination {
    mutating func examineNode() {
        for fault in node.unattributed {
            find(.nodeReports, Place(), expected: "reports with the path of an attribute", found: fault)
        }
        if let events = node.events, events == 0 {
            find(.nodeEvents, Place(), expected: "the event StartUp, at least", found: "no events")
        }
        examineSpecification()
        examineGroupcast()
        examineRoot()
        examineManagement()
        examineTree()
        examineUniqueIDs()
    }

    /// Matter core specification 9.10: only devices that manage a network may have others limit the access to them.
    private mutating func examineManagement() {
        guard let features = node.cluster(0, AccessControl.id)?.featureMap,
            FeatureMap(rawValue: features).contains(AccessControl.Feature.managedDevice)
        else { return }
        let isManager = node.endpointNumbers.contains { endpoint in
            tree.deviceTypes(endpoint).contains { $0.deviceType == .networkInfrastructureManager }
        }
        guard !isManager else { return }
        find(
            .accessManaged, Place(endpoint: 0, cluster: AccessControl.id, element: "FeatureMap"),
            expected: "no feature ManagedDevice, or the device type NetworkInfrastructureManager",
            found: types(of: 0))
    }

    private mutating func examineSpecification() {
        let version = specificationVersion
        guard version != ConformanceModel.versionNumber else { return }
        find(
            .nodeSpecification, Place(endpoint: 0, cluster: BasicInformation.id, element: "SpecificationVersion"),
            expected: "\(hexadecimal(ConformanceModel.versionNumber)) (Matter \(ConformanceModel.version))",
            found: version.map { hexadecimal($0) } ?? "none: a node of before Matter 1.3")
    }

    /// The cluster Groupcast, and its features Listener and Sender.
    private static let groupcast: (id: ClusterID, listener: FeatureMap, sender: FeatureMap) = (
        0x0065, FeatureMap(bit: 0), FeatureMap(bit: 1)
    )

    /// The demands of Matter 1.6.1 on the root endpoint; until 1.6.0 the cluster was provisional.
    private mutating func examineGroupcast() {
        guard let version = specificationVersion, version > ConformanceModel.versionNumber else { return }
        func map(_ cluster: ClusterID) -> FeatureMap? {
            node.cluster(0, cluster)?.featureMap.map { FeatureMap(rawValue: $0) }
        }
        let (groupcast, access) = (map(Self.groupcast.id), map(AccessControl.id))
        let all = node.endpointNumbers.map { tree.servers($0) }
        var missing: [String] = []
        if all.contains(where: { $0.contains(Groups.id) }), groupcast?.contains(Self.groupcast.listener) != true {
            missing.append("Groupcast with the feature Listener, as an endpoint has Groups")
        }
        if all.contains(where: { $0.contains(Binding.id) }), groupcast?.contains(Self.groupcast.sender) != true {
            missing.append("Groupcast with the feature Sender, as an endpoint has Binding")
        }
        if groupcast?.contains(Self.groupcast.listener) == true,
            access?.contains(AccessControl.Feature.auxiliary) != true
        {
            missing.append("AccessControl with the feature Auxiliary, as the node is a listener")
        }
        for element in missing {
            find(.nodeGroupcast, Place(endpoint: 0), expected: element, found: "not there")
        }
    }

    private mutating func examineRoot() {
        let place = Place(endpoint: 0)
        if !tree.deviceTypes(0).contains(where: { $0.deviceType == .rootNode }) {
            find(
                .rootDeviceType, place, expected: "endpoint 0 with the device type RootNode",
                found: node.endpoints[0] == nil ? "no endpoint 0" : "\(types(of: 0))")
        }
        for endpoint in node.endpointNumbers where endpoint != 0 {
            if tree.deviceTypes(endpoint).contains(where: { $0.deviceType == .rootNode }) {
                find(
                    .rootElsewhere, Place(endpoint: endpoint), expected: "device types without RootNode",
                    found: types(of: endpoint))
            }
        }
        let applications = tree.deviceTypes(0).filter { demands($0.deviceType)?.deviceClass == .simple }
        if !applications.isEmpty {
            find(
                .rootApplication, place, expected: "device types of nodes and utilities",
                found: applications.map { name($0.deviceType) }.joined(separator: ", "))
        }
    }

    /// The device types of an endpoint in words.
    mutating func types(of endpoint: EndpointID) -> String {
        let names = tree.deviceTypes(endpoint).map { name($0.deviceType) }
        return names.isEmpty ? "no device types" : names.joined(separator: ", ")
    }

    // MARK: Parts

    private mutating func examineTree() {
        let all = node.endpointNumbers
        let others = Set(all).subtracting([0])
        let named = Set(tree.parts(0))
        if !others.subtracting(named).isEmpty {
            find(
                .descriptorPartsRoot, Self.partsList(0), expected: "all other endpoints: \(Self.text(others))",
                found: Self.text(named))
        }
        for endpoint in all {
            let parts = tree.parts(endpoint)
            let strange = Set(parts).subtracting(all)
            if Set(parts).count < parts.count || parts.contains(endpoint) || !strange.isEmpty {
                find(
                    .descriptorPartsList, Self.partsList(endpoint),
                    expected: "some of the endpoints \(Self.text(Set(all).subtracting([endpoint]))), each once",
                    found: parts.map(\.description).joined(separator: ", "))
            }
        }
        examineParents(others.sorted())
        examineFamilies(others.sorted())
    }

    private mutating func examineParents(_ endpoints: [EndpointID]) {
        let trees = endpoints.filter { !isAggregator($0) }
        for endpoint in endpoints {
            let parents = trees.filter { $0 != endpoint && tree.parts($0).contains(endpoint) }
            let isOwnPart = tree.descendants(endpoint).contains(endpoint)
            guard parents.count > 1 || isOwnPart else { continue }
            find(
                .descriptorPartsTree, Self.partsList(endpoint), expected: "one parent, which is not one of its parts",
                found: isOwnPart ? "the endpoint is among its own parts" : "parts of \(Self.text(Set(parents)))")
        }
    }

    private mutating func examineFamilies(_ endpoints: [EndpointID]) {
        for endpoint in endpoints where isAggregator(endpoint) {
            let missing = tree.descendants(endpoint).subtracting(tree.parts(endpoint)).subtracting([endpoint])
            guard !missing.isEmpty else { continue }
            find(
                .descriptorPartsFamily, Self.partsList(endpoint), expected: "also \(Self.text(missing))",
                found: Self.text(Set(tree.parts(endpoint))))
        }
    }

    private func isAggregator(_ endpoint: EndpointID) -> Bool {
        tree.deviceTypes(endpoint).contains { $0.deviceType == .aggregator }
    }

    private static func partsList(_ endpoint: EndpointID) -> Place {
        Place(endpoint: endpoint, cluster: Descriptor.id, element: "PartsList")
    }

    static func text(_ endpoints: Set<EndpointID>) -> String {
        endpoints.isEmpty ? "none" : endpoints.sorted().map(\.description).joined(separator: ", ")
    }

    private mutating func examineUniqueIDs() {
        var owners: [String: EndpointID] = [:]
        for endpoint in node.endpointNumbers {
            guard let id: String = node.value(Descriptor.endpointUniqueID, endpoint) else { continue }
            let place = Place(endpoint: endpoint, cluster: Descriptor.id, element: "EndpointUniqueID")
            if !(1...32).contains(id.utf8.count) {
                find(.descriptorUniqueID, place, expected: "1 to 32 characters", found: "\(id.utf8.count)")
            }
            if let other = owners.updateValue(endpoint, forKey: id) {
                find(.descriptorUniqueID, place, expected: "an id of its own", found: "that of endpoint \(other)")
            }
        }
    }
}
