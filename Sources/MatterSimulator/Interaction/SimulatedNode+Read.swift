import MatterModel

/// Reading (Matter core specification 8.4.3.2).
extension SimulatedNode {
    /// A request that is refused as a whole.
    struct Refusal: Error, Equatable {
        var status: IMStatus
    }

    /// The answer to a ReadRequest.
    func read(
        _ request: ReadRequest, caller: Caller
    ) throws(Refusal) -> (attributes: [AttributeReportIB], events: [EventReportIB]) {
        guard request.attributePaths.count + request.eventPaths.count <= configuration.limits.pathsPerRead else {
            throw Refusal(status: .pathsExhausted)
        }
        return try read(
            attributePaths: request.attributePaths, eventPaths: request.eventPaths,
            eventMinimum: request.eventFilters.map(\.minimum).max() ?? 0, isFabricFiltered: request.isFabricFiltered,
            filters: request.dataVersionFilters, caller: caller)
    }

    func read(
        attributePaths: [AttributePath], eventPaths: [EventPath], eventMinimum: UInt64, isFabricFiltered: Bool,
        filters: [DataVersionFilter], caller: Caller
    ) throws(Refusal) -> (attributes: [AttributeReportIB], events: [EventReportIB]) {
        guard attributePaths.allSatisfy(\.isReadable) else { throw Refusal(status: .invalidAction) }
        var unchanged: Set<ClusterPath> = []
        for filter in filters
        where entry(filter.path.endpoint, filter.path.cluster)?.dataVersion == filter.dataVersion {
            unchanged.insert(ClusterPath(endpoint: filter.path.endpoint, cluster: filter.path.cluster))
        }
        var attributes: [AttributeReportIB] = []
        for path in attributePaths {
            if let concrete = path.concrete {
                guard !unchanged.contains(ClusterPath(endpoint: concrete.endpoint, cluster: concrete.cluster)) else {
                    continue
                }
                attributes.append(report(concrete, path, isFabricFiltered, caller))
            } else {
                for concrete in expand(path, caller)
                where !unchanged.contains(ClusterPath(endpoint: concrete.endpoint, cluster: concrete.cluster)) {
                    if let data = data(concrete, isFabricFiltered, caller) { attributes.append(.data(data)) }
                }
            }
        }
        return (attributes, readEvents(eventPaths, from: eventMinimum, caller: caller))
    }

    /// The report of an attribute of a concrete path, or the reason why there is none.
    private func report(
        _ path: ConcreteAttributePath, _ asked: AttributePath, _ isFabricFiltered: Bool, _ caller: Caller
    ) -> AttributeReportIB {
        if let refusal = readRefusal(path, caller) {
            return .status(AttributeStatusIB(path: asked, status: StatusIB(refusal)))
        }
        guard let data = data(path, isFabricFiltered, caller) else {
            return .status(AttributeStatusIB(path: asked, status: StatusIB(.unsupportedAttribute)))
        }
        return .data(data)
    }

    private func readRefusal(_ path: ConcreteAttributePath, _ caller: Caller) -> IMStatus? {
        guard let endpoint = endpoints[path.endpoint], let entry = endpoint.clusters[path.cluster],
            entry.values[path.attribute] != nil, let definition = entry.model.attributes[path.attribute]
        else {
            // Who may not look is not told what there is.
            guard allows(caller, .view, path.endpoint, path.cluster) else { return .unsupportedAccess }
            return missing(path.endpoint, path.cluster) ?? .unsupportedAttribute
        }
        guard allows(caller, definition.readPrivilege, path.endpoint, path.cluster) else { return .unsupportedAccess }
        return definition.isReadable ? nil : .unsupportedRead
    }

    /// Why there is no such cluster; `nil` if there is.
    func missing(_ endpoint: EndpointID, _ cluster: ClusterID) -> IMStatus? {
        guard let endpoint = endpoints[endpoint] else { return .unsupportedEndpoint }
        return endpoint.clusters[cluster] == nil ? .unsupportedCluster : nil
    }

    /// The attributes of a wildcard path for the caller, ascending.
    func expand(_ path: AttributePath, _ caller: Caller) -> [ConcreteAttributePath] {
        let flags = path.wildcardFlags ?? []
        var found: [ConcreteAttributePath] = []
        for number in path.endpoint.map({ [$0] }) ?? endpointNumbers {
            guard let endpoint = endpoints[number] else { continue }
            if path.endpoint == nil, number == 0, flags.contains(.skipRootNode) { continue }
            for cluster in path.cluster.map({ [$0] }) ?? endpoint.clusterNumbers {
                guard let entry = endpoint.clusters[cluster] else { continue }
                if path.cluster == nil, flags.contains(.skipDiagnosticsClusters), Self.isDiagnostic(cluster) {
                    continue
                }
                if path.cluster == nil, flags.contains(.skipCustomElements), cluster.isManufacturerSpecific { continue }
                for attribute in path.attribute.map({ [$0] }) ?? entry.attributeNumbers {
                    guard entry.values[attribute] != nil, let definition = entry.model.attributes[attribute],
                        path.attribute != nil || !Self.skips(definition, flags), definition.isReadable,
                        allows(caller, definition.readPrivilege, number, cluster)
                    else { continue }
                    found.append(ConcreteAttributePath(endpoint: number, cluster: cluster, attribute: attribute))
                }
            }
        }
        return found
    }

    private static func isDiagnostic(_ cluster: ClusterID) -> Bool { (0x0032...0x0037).contains(cluster) }

    private static func skips(_ attribute: AttributeDefinition, _ flags: WildcardPathFlags) -> Bool {
        if flags.contains(.skipGlobalAttributes), attribute.isGlobal { return true }
        if flags.contains(.skipAttributeList), attribute.id == GlobalAttribute.attributeList { return true }
        if flags.contains(.skipCommandLists),
            attribute.id == GlobalAttribute.acceptedCommandList || attribute.id == GlobalAttribute.generatedCommandList
        {
            return true
        }
        if flags.contains(.skipCustomElements), attribute.id.isManufacturerSpecific { return true }
        return flags.contains(.skipChangesOmittedAttributes) && attribute.changesOmitted
    }

    /// The value of an attribute as the caller may see it.
    func data(_ path: ConcreteAttributePath, _ isFabricFiltered: Bool, _ caller: Caller) -> AttributeDataIB? {
        guard let entry = entry(path.endpoint, path.cluster), var value = read(path, caller: caller),
            let definition = entry.model.attributes[path.attribute]
        else { return nil }
        if definition.isFabricScoped, let items = value.items {
            value = .array(of: Self.visible(items, definition.type, isFabricFiltered, caller.fabricIndex))
        }
        if let oddity = configuration.faults.oddValues?.oddity(
            endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute)
        {
            guard let odd = OddValues.value(oddity, insteadOf: value) else { return nil }
            value = odd
        }
        return AttributeDataIB(dataVersion: entry.dataVersion, path: AttributePath(path), data: value)
    }

    /// The entries of a fabric-scoped list: one's own, or all with what is sensitive left out of others'.
    private static func visible(
        _ items: [TLVValue], _ type: DataType, _ isFabricFiltered: Bool, _ fabric: UInt8
    ) -> [TLVValue] {
        let own = { (item: TLVValue) in fabric != 0 && item.fabricIndex == fabric }
        guard !isFabricFiltered else { return items.filter(own) }
        guard case .structure(let definition) = type.kind else { return items }
        let sensitive = Set(definition.fields.filter(\.isFabricSensitive).map(\.id))
        return items.map { item in
            guard !own(item), case .structure(let members) = item else { return item }
            return .structure(
                members.filter { member in
                    if case .context(let tag) = member.tag { !sensitive.contains(tag) } else { true }
                })
        }
    }

    // MARK: Events

    /// The events of some paths for the caller, ascending, after the reasons why others have none.
    func readEvents(_ paths: [EventPath], from minimum: UInt64, caller: Caller) -> [EventReportIB] {
        guard !paths.isEmpty else { return [] }
        var reports: [EventReportIB] = []
        for path in paths {
            guard let concrete = path.concrete, let refusal = eventRefusal(concrete, caller) else { continue }
            reports.append(.status(EventStatusIB(path: path, status: StatusIB(refusal))))
        }
        for record in events.records where record.number >= minimum {
            guard paths.contains(where: { $0.matches(record.path) }), isVisible(record, caller) else { continue }
            reports.append(
                .data(
                    EventDataIB(
                        path: EventPath(record.path), number: record.number, priority: record.priority,
                        timestamp: .epoch(record.unixMilliseconds), data: record.data)))
        }
        return reports
    }

    private func isVisible(_ record: EventRecord, _ caller: Caller) -> Bool {
        guard let definition = entry(record.path.endpoint, record.path.cluster)?.model.events[record.path.event] else {
            return false
        }
        if let fabric = record.fabricIndex, fabric != caller.fabricIndex { return false }
        return allows(caller, definition.readPrivilege, record.path.endpoint, record.path.cluster)
    }

    private func eventRefusal(_ path: ConcreteEventPath, _ caller: Caller) -> IMStatus? {
        guard let entry = entry(path.endpoint, path.cluster), let definition = entry.model.events[path.event] else {
            guard allows(caller, .view, path.endpoint, path.cluster) else { return .unsupportedAccess }
            return missing(path.endpoint, path.cluster) ?? .unsupportedEvent
        }
        return allows(caller, definition.readPrivilege, path.endpoint, path.cluster) ? nil : .unsupportedAccess
    }
}

extension EventPath {
    func matches(_ path: ConcreteEventPath) -> Bool {
        (endpoint ?? path.endpoint) == path.endpoint && (cluster ?? path.cluster) == path.cluster
            && (event ?? path.event) == path.event
    }
}

extension AttributePath {
    func matches(_ path: ConcreteAttributePath) -> Bool {
        (endpoint ?? path.endpoint) == path.endpoint && (cluster ?? path.cluster) == path.cluster
            && (attribute ?? path.attribute) == path.attribute
    }
}
