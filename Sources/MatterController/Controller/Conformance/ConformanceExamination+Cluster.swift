import MatterModel

/// One cluster of an endpoint: its global attributes, and which elements it has (Matter core specification 7.3 and 7.13).
extension ConformanceExamination {
    /// The clusters that every node has on endpoint 0: an old revision of them excuses less than elsewhere.
    static let rootClusters: Set<ClusterID> = [
        Descriptor.id, AccessControl.id, BasicInformation.id, GeneralCommissioning.id, GeneralDiagnostics.id,
        AdministratorCommissioning.id, NodeOperationalCredentials.id, GroupKeyManagement.id,
    ]

    /// Attributes that clusters had before Matter 1.3: EventList.
    private static let formerGlobals: Set<AttributeID> = [0xFFFA]
    private static let lastStandardCluster: UInt32 = 0x7FFF
    private static let manufacturerClusters: ClosedRange<UInt32> = 0xFC00...0xFFFE
    private static let lastStandardAttribute: UInt32 = 0x4FFF
    private static let lastStandardCommand: UInt32 = 0xFF

    mutating func examine(_ cluster: NodeStatement.Cluster, at endpoint: EndpointID) {
        let place = Place(endpoint: endpoint, cluster: cluster.id)
        examineNumber(cluster.id, place)
        examineGlobals(cluster, place)
        examineReports(cluster, place)
        examineIDs(cluster, place)
        if let demands = demands(cluster.id) { examine(cluster, by: demands, place) }
        examineValues(cluster, place, tolerance(cluster, endpoint))
    }

    private mutating func examineNumber(_ cluster: ClusterID, _ place: Place) {
        let number = cluster.rawValue
        if let manufacturer = number.manufacturer {
            if number.isOfTestVendor {
                find(
                    .clusterTestVendor, place, expected: "the number of the maker",
                    found: "\(hexadecimal(cluster)) of \(manufacturerName(manufacturer))")
            } else {
                find(
                    .clusterManufacturer, place, expected: "clusters of the specification",
                    found: "\(name(cluster)) of \(manufacturerName(manufacturer))")
            }
            if !Self.manufacturerClusters.contains(number & 0xFFFF) {
                find(.clusterID, place, expected: "0xFC00 to 0xFFFE in the lower half", found: hexadecimal(cluster))
            }
        } else if number > Self.lastStandardCluster {
            find(.clusterID, place, expected: "0x0000 to 0x7FFF", found: hexadecimal(cluster))
        } else if demands(cluster) == nil {
            find(
                .clusterUnknown, place, expected: "a cluster of Matter \(ConformanceModel.version)",
                found: name(cluster))
        }
    }

    // MARK: Global attributes

    private mutating func examineGlobals(_ cluster: NodeStatement.Cluster, _ place: Place) {
        for attribute in GlobalAttribute.all where cluster.outcomes[attribute] == nil {
            let name = catalogue.attribute(cluster: cluster.id, attribute)?.name ?? hexadecimal(attribute)
            let isOld = attribute == GlobalAttribute.generatedCommandList && specificationVersion == nil
            find(
                .globalMissing, place.naming(name), expected: "\(name)", found: "no report of it",
                isOld ? .note : .none)
        }
        if cluster.value(GlobalAttribute.clusterRevision) != nil, cluster.revision ?? 0 == 0 {
            find(
                .globalRevision, place.naming("ClusterRevision"), expected: "1 to 65535",
                found: cluster.value(GlobalAttribute.clusterRevision).map(Self.text) ?? "none")
        }
        for (name, numbers) in [
            ("AttributeList", cluster.attributeList.map { $0.map(\.rawValue) }),
            ("AcceptedCommandList", cluster.acceptedCommands.map { $0.map(\.rawValue) }),
            ("GeneratedCommandList", cluster.generatedCommands.map { $0.map(\.rawValue) }),
        ] {
            guard let numbers, Set(numbers).count < numbers.count else { continue }
            find(
                .globalRepeats, place.naming(name), expected: "each number once",
                found: "\(numbers.count) entries of \(Set(numbers).count) numbers")
        }
    }

    private mutating func examineReports(_ cluster: NodeStatement.Cluster, _ place: Place) {
        guard let listed = cluster.attributeList else { return }
        let definition = catalogue.cluster(cluster.id)
        for attribute in Set(listed).sorted() {
            let known = definition?.attribute(attribute)
            let place = place.naming(known?.name ?? hexadecimal(attribute))
            switch cluster.outcomes[attribute] {
            case .value: break
            case nil:
                if known?.isReadable ?? true {
                    find(
                        .globalAttributeList, place, expected: "a value",
                        found: "AttributeList names it, and no report has it")
                }
            case .failure(let status):
                // A write-only attribute, or one that is for others to read.
                if status.status == .unsupportedRead { continue }
                find(
                    .valueUnreadable, place, expected: "a value", found: "\(status)",
                    status.status == .unsupportedAccess ? .note : .none)
            case .unreadable(let reason):
                find(.valueUnreadable, place, expected: "a value", found: reason)
            }
        }
        for attribute in Set(cluster.outcomes.keys).subtracting(listed).sorted() {
            find(
                .globalAttributeList, place.naming(definition?.attribute(attribute)?.name ?? hexadecimal(attribute)),
                expected: "an entry of AttributeList", found: "a report, and no entry")
        }
    }

    // MARK: Numbers

    private mutating func examineIDs(_ cluster: NodeStatement.Cluster, _ place: Place) {
        let attributes = cluster.attributes
        for attribute in attributes.sorted() {
            let number = attribute.rawValue
            if let manufacturer = number.manufacturer {
                found(number, .attributeManufacturer, manufacturer, place)
                if number & 0xFFFF > Self.lastStandardAttribute {
                    find(
                        .attributeID, place.naming(hexadecimal(attribute)),
                        expected: "0x0000 to 0x4FFF in the lower half", found: hexadecimal(attribute))
                }
            } else if number > Self.lastStandardAttribute, !GlobalAttribute.all.contains(attribute) {
                find(
                    .attributeID, place.naming(hexadecimal(attribute)), expected: "0x0000 to 0x4FFF, or a global one",
                    found: hexadecimal(attribute), Self.formerGlobals.contains(attribute) ? .note : .none)
            }
        }
        for command in Set((cluster.acceptedCommands ?? []) + (cluster.generatedCommands ?? [])).sorted() {
            let number = command.rawValue
            if let manufacturer = number.manufacturer {
                found(number, .commandManufacturer, manufacturer, place)
            }
            if number & 0xFFFF > Self.lastStandardCommand {
                find(
                    .commandID, place.naming(hexadecimal(command)), expected: "0x00 to 0xFF",
                    found: hexadecimal(command))
            }
        }
    }

    private mutating func found(_ number: UInt32, _ rule: ConformanceRule, _ manufacturer: UInt16, _ place: Place) {
        // Of a manufacturer's cluster nothing else is expected.
        guard place.cluster?.rawValue.manufacturer != manufacturer else { return }
        guard !number.isOfTestVendor else {
            return find(
                .elementTestVendor, place.naming(hexadecimal(number)), expected: "the number of the maker",
                found: "\(hexadecimal(number)) of \(manufacturerName(manufacturer))")
        }
        find(
            rule, place.naming(hexadecimal(number)), expected: "elements of the specification",
            found: "\(hexadecimal(number)) of \(manufacturerName(manufacturer))")
    }

    // MARK: Tolerance

    /// How mildly a device in use is judged by the rules of a cluster: we know those of one revision only.
    func tolerance(_ cluster: NodeStatement.Cluster, _ endpoint: EndpointID) -> Tolerance {
        var tolerance = Tolerance(isMilder: isBridged(endpoint))
        if specificationVersion == nil { tolerance.cap = .note }
        guard let ours = ConformanceModel.revision(of: cluster.id), let revision = cluster.revision else {
            return tolerance
        }
        if revision != ours {
            let isRoot = revision < ours && Self.rootClusters.contains(cluster.id)
            tolerance.cap = min(tolerance.cap, isRoot ? .warning : .note)
        }
        return tolerance
    }
}
