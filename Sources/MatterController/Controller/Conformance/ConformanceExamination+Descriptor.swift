import MatterModel

/// The Descriptor of one endpoint (Matter core specification 9.5).
extension ConformanceExamination {
    mutating func examineDescriptor(_ endpoint: EndpointID) {
        let place = Place(endpoint: endpoint)
        if endpoint.rawValue == .max {
            find(.endpointNumber, place, expected: "0 to 65534", found: "65535")
        }
        guard let descriptor = node.cluster(endpoint, Descriptor.id) else {
            find(.endpointDescriptor, place, expected: "the cluster Descriptor", found: "none")
            return
        }
        examineDeviceTypeList(endpoint)
        examineServerList(endpoint, descriptor)
        examineTags(endpoint)
    }

    private mutating func examineDeviceTypeList(_ endpoint: EndpointID) {
        let types = tree.deviceTypes(endpoint)
        let place = Self.descriptor(endpoint, "DeviceTypeList")
        let repeated = Set(types.map(\.deviceType)).count < types.count
        let unrevised = types.filter { $0.revision < 1 }
        guard types.isEmpty || repeated || !unrevised.isEmpty else { return }
        find(
            .descriptorDeviceTypes, place, expected: "one device type or more, each once, with a revision from 1",
            found: types.isEmpty
                ? "none" : types.map { "\(name($0.deviceType)) revision \($0.revision)" }.joined(separator: ", "))
    }

    private mutating func examineServerList(_ endpoint: EndpointID, _ descriptor: NodeStatement.Cluster) {
        guard let listed: [ClusterID] = descriptor.ids(Descriptor.Attribute.serverList) else { return }
        let answered = Set(node.endpoints[endpoint]?.keys.map { $0 } ?? [])
        let place = Self.descriptor(endpoint, "ServerList")
        let silent = Set(listed).subtracting(answered)
        let unlisted = answered.subtracting(listed)
        func names(_ clusters: Set<ClusterID>) -> String { clusters.sorted().map(name).joined(separator: ", ") }
        if !silent.isEmpty {
            find(.descriptorServerList, place, expected: "clusters that answer", found: "no answer of \(names(silent))")
        }
        if !unlisted.isEmpty {
            find(.descriptorServerList, place, expected: "also \(names(unlisted)), which answered", found: "not there")
        }
        if Set(listed).count < listed.count {
            find(
                .descriptorServerList, place, expected: "each cluster once",
                found: "\(listed.count) entries of \(Set(listed).count) clusters")
        }
    }

    // MARK: Tags

    private static let mostTags = 6

    private func tags(_ endpoint: EndpointID) -> [GlobalTypes.SemanticTag]? {
        node.value(Descriptor.tagList, endpoint)
    }

    private mutating func examineTags(_ endpoint: EndpointID) {
        let place = Self.descriptor(endpoint, "TagList")
        if let tags = tags(endpoint) {
            let unlabelled = tags.filter { $0.mfgCode != nil && ($0.label.flatMap { $0 } ?? "").isEmpty }
            let repeated = Set(tags).count < tags.count
            if !(1...Self.mostTags).contains(tags.count) || repeated || !unlabelled.isEmpty {
                find(
                    .descriptorTags, place, expected: "1 to \(Self.mostTags) tags, each once, with labels of their own",
                    found: "\(tags.count) tags" + (repeated ? ", some of them twice" : "")
                        + (unlabelled.isEmpty ? "" : ", a manufacturer's without a label"))
            }
        }
        examineKnownTags(endpoint, place)
        examineClosureTags(endpoint, place)
        let types = Set(tree.deviceTypes(endpoint).map(\.deviceType)).filter { demands($0)?.deviceClass == .simple }
        guard endpoint != 0, !types.isEmpty else { return }
        for other in tree.siblings(endpoint) where other < endpoint {
            let common = types.intersection(tree.deviceTypes(other).map(\.deviceType))
            guard let type = common.min() else { continue }
            let (own, others) = (tags(endpoint), tags(other))
            if own == nil || others == nil || own.map({ Set($0) }) == others.map({ Set($0) }) {
                find(
                    .descriptorSiblings, place,
                    expected: "tags other than those of endpoint \(other), which is also \(name(type))",
                    found: own == nil || others == nil ? "an endpoint without a TagList" : "the same tags",
                    isBridged(endpoint) ? .note : .none)
            }
        }
    }

    /// The tags of manufacturers are not ours to know.
    private mutating func examineKnownTags(_ endpoint: EndpointID, _ place: Place) {
        for tag in tags(endpoint) ?? [] where tag.mfgCode == nil {
            guard let namespace = SemanticNamespace(rawValue: tag.namespaceID) else {
                find(
                    .descriptorTagUnknown, place, expected: "a namespace of Matter \(ConformanceModel.version)",
                    found: "namespace \(hexadecimal(UInt32(tag.namespaceID)))")
                continue
            }
            guard !namespace.tags.contains(tag.tag) else { continue }
            find(
                .descriptorTagUnknown, place, expected: "a tag of the namespace \(namespace)",
                found: "tag \(hexadecimal(UInt32(tag.tag))) of it")
        }
    }

    private static let closureNamespaces: [(type: DeviceTypeID, namespace: SemanticNamespace)] = [
        (0x0230, .closure), (0x0231, .closurePanel),
    ]

    private mutating func examineClosureTags(_ endpoint: EndpointID, _ place: Place) {
        for (type, namespace) in Self.closureNamespaces
        where tree.deviceTypes(endpoint).contains(where: { $0.deviceType == type }) {
            let own = (tags(endpoint) ?? []).filter { $0.mfgCode == nil && $0.namespaceID == namespace.rawValue }
            guard own.count != 1 else { continue }
            find(
                .descriptorClosureTag, place, expected: "one tag of the namespace \(namespace)",
                found: own.isEmpty ? "none" : "\(own.count)")
        }
    }

    private static func descriptor(_ endpoint: EndpointID, _ attribute: String) -> Place {
        Place(endpoint: endpoint, cluster: Descriptor.id, element: attribute)
    }
}
