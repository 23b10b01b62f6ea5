import MatterModel

/// The demands of an endpoint's device types (Matter device library specification).
extension ConformanceExamination {
    private static let manufacturerTypes: ClosedRange<UInt32> = 0x0000...0xBFFF

    mutating func examineDeviceTypes(_ endpoint: EndpointID) {
        let place = Place(endpoint: endpoint)
        var known: [(demands: DeviceTypeDemands, revision: UInt16, tolerance: Tolerance)] = []
        for type in tree.deviceTypes(endpoint) {
            guard let demands = demands(type.deviceType) else {
                examineUnknown(type.deviceType, place)
                continue
            }
            var tolerance = Tolerance(isMilder: isBridged(endpoint))
            if specificationVersion == nil { tolerance.cap = .note }
            if let revision = demands.revision, revision != type.revision {
                tolerance.cap = .note
                find(
                    .typeRevision, place.naming(demands.name),
                    expected: "revision \(revision) (Matter \(ConformanceModel.version))", found: "\(type.revision)")
            }
            known.append((demands, type.revision, tolerance))
        }
        examineCombination(known.map(\.demands), place)
        let isWhole = known.count == tree.deviceTypes(endpoint).count && !known.isEmpty
        if let base = Self.base { known.append((base, 1, .none)) }
        let allowed = allowed(known.map { ($0.demands, $0.revision) }, endpoint)
        for (demands, revision, tolerance) in known {
            examineServers(demands, revision, allowed, endpoint, tolerance)
            examineClients(demands, revision, endpoint, tolerance)
            examineParts(demands, endpoint, tolerance)
        }
        // Of a device type that we do not know we cannot say what it allows.
        if isWhole { examineExtras(known.map(\.demands), endpoint) }
    }

    private mutating func examineUnknown(_ type: DeviceTypeID, _ place: Place) {
        let place = place.naming(hexadecimal(type))
        guard let manufacturer = type.rawValue.manufacturer else {
            let name = catalogue.deviceType(type).map { " (\($0.label))" } ?? ""
            find(
                .typeUnknown, place, expected: "a device type of Matter \(ConformanceModel.version)",
                found: hexadecimal(type) + name)
            return
        }
        find(
            Self.manufacturerTypes.contains(type.rawValue & 0xFFFF) ? .typeManufacturer : .typeUnknown, place,
            expected: "device types of the specification",
            found: "\(hexadecimal(type)) of \(manufacturerName(manufacturer))")
    }

    // MARK: Several device types

    private mutating func examineCombination(_ types: [DeviceTypeDemands], _ place: Place) {
        let applications = types.filter { $0.deviceClass == .simple }
        for (position, one) in applications.enumerated() {
            for other in applications.dropFirst(position + 1)
            where !ancestors(one).contains(other.id) && !ancestors(other).contains(one.id) {
                find(
                    .typeCombination, place, expected: "device types of which one extends the other",
                    found: "\(one.name) and \(other.name)")
            }
        }
    }

    /// The device types that one extends, itself included.
    private mutating func ancestors(_ type: DeviceTypeDemands) -> Set<DeviceTypeID> {
        var found: Set<DeviceTypeID> = [type.id]
        var next = type.superset
        while let id = next, found.insert(id).inserted { next = demands(id)?.superset }
        return found
    }

    /// The clusters that a device type of the endpoint allows, whatever the others say of them.
    private mutating func allowed(
        _ types: [(demands: DeviceTypeDemands, revision: UInt16)], _ endpoint: EndpointID
    ) -> Set<ClusterID> {
        var found: Set<ClusterID> = []
        for (type, revision) in types {
            let facts = facts(type, revision, endpoint)
            for row in type.servers {
                switch row.conformance.verdict(facts) {
                case .mandatory, .optional, .unknown, .provisional: found.insert(row.id)
                case .notApplicable, .disallowed, .deprecated: break
                }
            }
        }
        return found
    }

    private mutating func examineExtras(_ types: [DeviceTypeDemands], _ endpoint: EndpointID) {
        let named = Set(types.flatMap { $0.servers.map(\.id) })
        for cluster in tree.servers(endpoint).subtracting(named).sorted() where cluster.rawValue.manufacturer == nil {
            find(
                .typeClusterExtra, Place(endpoint: endpoint, cluster: cluster),
                expected: "clusters of \(types.filter { $0.deviceClass != .base }.map(\.name).joined(separator: ", "))",
                found: name(cluster))
        }
    }

    // MARK: Servers

    private mutating func examineServers(
        _ type: DeviceTypeDemands, _ revision: UInt16, _ allowed: Set<ClusterID>, _ endpoint: EndpointID,
        _ tolerance: Tolerance
    ) {
        let present = tree.servers(endpoint)
        let facts = facts(type, revision, endpoint)
        var choices: [Conformance.Choice: [(id: ClusterID, isPresent: Bool)]] = [:]
        for row in type.servers {
            let isThere = present.contains(row.id)
            let place = Place(endpoint: endpoint, cluster: row.id)
            let demand = "of \(type.name) (conformance: \(row.conformance.text))"
            switch row.conformance.verdict(facts) {
            case .mandatory where !isThere:
                find(
                    .typeClusterMissing, place, expected: "\(name(row.id)), mandatory \(demand)",
                    found: "ServerList lacks it", type.id == .rootNode ? .none : tolerance)
            case .notApplicable where isThere && !allowed.contains(row.id),
                .disallowed where isThere && !allowed.contains(row.id),
                .deprecated where isThere && !allowed.contains(row.id):
                find(
                    .typeClusterNotAllowed, place, expected: "no \(name(row.id)), not allowed \(demand)",
                    found: "ServerList has it", tolerance)
            case .optional(let choice?): choices[choice, default: []].append((row.id, isThere))
            default: break
            }
            if isThere, let cluster = node.cluster(endpoint, row.id) {
                examine(row, cluster, type, revision, endpoint, tolerance)
            }
            if row.isSingleton { examinePlacement(row.id, type, endpoint) }
        }
        for (choice, members) in choices {
            let there = members.filter(\.isPresent)
            guard there.isEmpty || !choice.allowsMore && there.count > 1 else { continue }
            find(
                .typeClusterChoice, Place(endpoint: endpoint, element: type.name),
                expected: (choice.allowsMore ? "at least one of " : "one of ")
                    + members.map { name($0.id) }.joined(separator: ", "),
                found: there.isEmpty ? "none of them" : there.map { name($0.id) }.joined(separator: ", "), tolerance)
        }
    }

    private mutating func examinePlacement(_ cluster: ClusterID, _ type: DeviceTypeDemands, _ endpoint: EndpointID) {
        for other in node.endpointNumbers where other != endpoint && tree.servers(other).contains(cluster) {
            // A bridged device may have them, and a second network interface.
            let types = tree.deviceTypes(other).compactMap { demands($0.deviceType) }
            guard !types.contains(where: { $0.servers.contains { $0.id == cluster } }) else { continue }
            find(
                .clusterPlacement, Place(endpoint: other, cluster: cluster),
                expected: "\(name(cluster)) on endpoint \(endpoint) only", found: "also on endpoint \(other)")
        }
    }

    /// The demands of a device type on a cluster beyond those of the cluster itself.
    private mutating func examine(
        _ row: DeviceTypeDemands.Cluster, _ cluster: NodeStatement.Cluster, _ type: DeviceTypeDemands,
        _ revision: UInt16, _ endpoint: EndpointID, _ tolerance: Tolerance
    ) {
        guard let model = demands(row.id) else { return }
        let place = Place(endpoint: endpoint, cluster: row.id)
        let conditions = facts(type, revision, endpoint)
        let elements = Self.facts(cluster, model)
        let facts = Conformance.Facts(
            revision: revision, holds: { conditions.holds($0) ?? elements.holds($0) }, number: elements.number)
        func judge(_ name: String, _ rule: Conformance?, _ isThere: Bool?) {
            guard let rule, let isThere else { return }
            let demand = "of \(type.name) (conformance: \(rule.text))"
            switch rule.verdict(facts) {
            case .mandatory where !isThere:
                find(
                    .typeElementMissing, place.naming(name), expected: "mandatory \(demand)", found: "not there",
                    tolerance)
            case .notApplicable where isThere, .disallowed where isThere:
                find(
                    .typeElementNotAllowed, place.naming(name), expected: "not allowed \(demand)", found: "there",
                    tolerance)
            default: break
            }
        }
        for feature in row.features {
            judge(feature.id, feature.conformance, elements.holds(feature.id))
        }
        let accepted = cluster.acceptedCommands
        for command in row.requests {
            let name = model.requests.first { $0.id == command.id }?.name ?? hexadecimal(command.id)
            judge(name, command.conformance, accepted.map { $0.contains(command.id) })
        }
        for attribute in row.attributes {
            let name = model.attributes.first { $0.id == attribute.id }?.name ?? hexadecimal(attribute.id)
            judge(name, attribute.conformance, cluster.attributes.contains(attribute.id))
            guard let values = attribute.values, let value = cluster.value(attribute.id),
                let number = value.integer(as: Int64.self), !values.contains(number)
            else { continue }
            let range = values.count == 1 ? "\(values.lowerBound)" : "\(values.lowerBound) to \(values.upperBound)"
            find(
                .typeValue, place.naming(name), expected: "\(range) for \(type.name)", found: "\(number)", tolerance)
        }
    }

    // MARK: Clients and parts

    private mutating func examineClients(
        _ type: DeviceTypeDemands, _ revision: UInt16, _ endpoint: EndpointID, _ tolerance: Tolerance
    ) {
        let present = tree.clients(endpoint)
        let facts = facts(type, revision, endpoint)
        for row in type.clients where !present.contains(row.id) && row.conformance.verdict(facts) == .mandatory {
            find(
                .typeClient, Place(endpoint: endpoint, cluster: row.id),
                expected: "a client of \(name(row.id)), mandatory of \(type.name)", found: "ClientList lacks it",
                tolerance)
        }
    }

    private mutating func examineParts(
        _ type: DeviceTypeDemands, _ endpoint: EndpointID, _ tolerance: Tolerance
    ) {
        let facts = facts(type, type.revision ?? 1, endpoint)
        let below = tree.descendants(endpoint).union([endpoint])
        for wanted in Set(type.parts.map(\.deviceType)).sorted() {
            guard type.parts.contains(where: { $0.deviceType == wanted && $0.conformance.verdict(facts) == .mandatory })
            else { continue }
            // A power source or a sensor may serve several endpoints, and stand beside them.
            let isUtility = demands(wanted)?.deviceClass == .utility
            let places = isUtility ? Set(node.endpointNumbers) : below
            guard !places.contains(where: { tree.deviceTypes($0).contains { $0.deviceType == wanted } }) else {
                continue
            }
            find(
                .typePart, Place(endpoint: endpoint, element: type.name), expected: "an endpoint with \(name(wanted))",
                found: "none", tolerance)
        }
    }
}
