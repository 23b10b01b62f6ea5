public import MatterNetwork

/// One right that a node grants: an entry of its access control list.
public struct AccessGrant: Sendable, Hashable {
    /// What may be done.
    public let privilege: AccessControl.AccessControlEntryPrivilege
    /// How those who may do it prove who they are.
    public let authMode: AccessControl.AccessControlEntryAuthMode
    /// The node ids, tags or group ids of those who may; empty for everyone who proves it in that way.
    public let subjects: [UInt64]
    /// Where they may; empty for the whole node.
    public let targets: [AccessControl.AccessControlTarget]
}

/// Who may do what with a node (Matter core specification 9.10).
extension Node {
    /// The rights of our fabric, in the order of the node.
    public func access(within time: Duration? = nil) async throws -> [AccessGrant] {
        try await reportingErrors {
            try await controller.link(to: record).accessList(deadline: Budget(time).deadline(for: record))
                .entries.map { entry in
                    AccessGrant(
                        privilege: entry.privilege, authMode: entry.authMode,
                        subjects: entry.subjects.map(\.rawValue), targets: entry.targets)
                }
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
            let edit = AccessListEdit(change, own: try await controller.credentials().identity, of: record)
            _ = try await controller.link(to: record)
                .change(accessListBy: edit, deadline: Budget(time).deadline(for: record))
        }
    }
}
