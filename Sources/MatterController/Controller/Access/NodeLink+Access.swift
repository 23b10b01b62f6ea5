public import MatterNetwork

extension NodeLink {
    package static let accessListName = "access control list"

    /// The path of the access control list.
    package static let accessListPath = ConcreteAttributePath(
        endpoint: 0, cluster: AccessControl.id, attribute: AccessControl.Attribute.acl)

    /// Our entries of the access control list; only administrators may read it.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func accessList(deadline: Instant) async throws -> FabricList<AccessControlEntry> {
        try await list(Self.accessListPath, Self.accessListName, deadline: deadline)
    }

    /// Changes our entries of the access control list, unless we could not administer the node afterwards.
    ///
    /// - Returns: the list that the node has now, and whether it was written.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func change(
        accessListBy edit: AccessListEdit, deadline: Instant
    ) async throws -> (list: FabricList<AccessControlEntry>, isChanged: Bool) {
        let (limits, present) = try await accessListLimits(deadline: deadline)
        var edit = edit
        if edit.seen == nil { edit.seen = present.entries }
        let meant = edit
        return try await change(Self.accessListPath, Self.accessListName, deadline: deadline) { list in
            try meant.applied(to: list.entries, within: limits)
        }
    }

    /// The room that the node has for our entries, and those that are there, in one request.
    func accessListLimits(
        deadline: Instant
    ) async throws -> (AccessListEdit.Limits, FabricList<AccessControlEntry>) {
        var limits = AccessListEdit.Limits()
        let fields: [(AttributeID, WritableKeyPath<AccessListEdit.Limits, Int>)] = [
            (AccessControl.Attribute.accessControlEntriesPerFabric, \.entries),
            (AccessControl.Attribute.subjectsPerAccessControlEntry, \.subjects),
            (AccessControl.Attribute.targetsPerAccessControlEntry, \.targets),
        ]
        let result = try await read(
            fields.map { AttributePath(endpoint: 0, cluster: AccessControl.id, attribute: $0.0) }
                + [AttributePath(Self.accessListPath)], deadline: deadline)
        for (attribute, limit) in fields {
            let path = ConcreteAttributePath(endpoint: 0, cluster: AccessControl.id, attribute: attribute)
            if let count = result.attribute(path)?.value?.integer(as: UInt16.self) {
                limits[keyPath: limit] = Int(count)
            }
        }
        return (limits, try Self.list(Self.accessListPath, Self.accessListName, in: result, of: node.title))
    }
}
