public import MatterNetwork

/// Who may do what with a node (Matter core specification 9.10).
extension Node {
    /// The entries of our fabric, in the order of the node. Those without subjects are for everyone who proves himself in their
    /// way; those without targets are for the whole node.
    ///
    /// - Throws: ``MatterError``.
    public func access(within time: Duration? = nil) async throws -> [AccessControl.AccessControlEntry] {
        try await reportingErrors {
            try await controller.links.link(to: record).accessList(deadline: Budget(time).deadline(for: record))
                .entries.map(\.known)
        }
    }

    /// Lets nodes do something with this one; what they may already stays as it is.
    ///
    /// - Parameters:
    ///   - subjects: the ids of the nodes.
    ///   - targets: where; everywhere by default.
    /// - Throws: ``MatterError``, and nothing has changed, if the list is full.
    public func grant(
        _ privilege: AccessControl.AccessControlEntryPrivilege, to subjects: [UInt64],
        at targets: [AccessControl.AccessControlTarget] = [], within time: Duration? = nil
    ) async throws {
        let entry = AccessControlEntry(privilege, subjects: subjects.map { NodeID($0) }, targets: targets)
        try await change(.grant([entry]), time)
    }

    /// Takes from nodes everything that they may do with this one.
    ///
    /// - Throws: ``MatterError``, and nothing has changed, if the controller itself could not administer the node afterwards.
    public func revokeAccess(of subjects: [UInt64], within time: Duration? = nil) async throws {
        try await change(.revoke(subjects.map { AccessSubject(id: NodeID($0)) }), time)
    }

    private func change(_ change: AccessListEdit.Change, _ time: Duration?) async throws {
        try await reportingErrors {
            let edit = AccessListEdit(change, own: try controller.context.credentials().identity, of: record)
            _ = try await controller.links.link(to: record)
                .change(accessListBy: edit, deadline: Budget(time).deadline(for: record))
        }
    }
}
