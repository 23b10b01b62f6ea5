public import MatterState

/// A group of nodes that take one message together.
public struct NodeGroup: Sendable, Identifiable {
    let record: GroupRecord
    let controller: Controller

    /// The group id, unique on the fabric.
    public var id: UInt16 { record.group }
    /// Its name.
    public var name: String { record.name }
    /// The ids of its nodes, each once.
    public var members: [UInt64] {
        Set(record.members.map(\.nodeID)).map(\.rawValue).sorted()
    }

    /// Makes a node a member: key, membership and right, or nothing of it.
    ///
    /// - Parameter endpoints: those that take messages; the only one that can by default.
    /// - Returns: the group with the member.
    /// - Throws: ``MatterError``.
    @discardableResult
    public func add(
        _ node: Node, endpoints: Set<EndpointID>? = nil, within time: Duration? = nil
    ) async throws -> NodeGroup {
        try await reportingErrors {
            _ = try await controller.groups.join(record, GroupParty(node.record, endpoints), budget: Budget(time))
            return try controller.group(id)
        }
    }

    /// Takes a node, or some endpoints of it, out of the group.
    ///
    /// - Returns: the group without it.
    /// - Throws: ``MatterError``.
    @discardableResult
    public func remove(
        _ node: Node, endpoints: Set<EndpointID>? = nil, within time: Duration? = nil
    ) async throws -> NodeGroup {
        try await reportingErrors {
            _ = try await controller.groups.leave(record, GroupParty(node.record, endpoints), budget: Budget(time))
            return try controller.group(id)
        }
    }

    /// Sends a command to all members at once, such as `OnOff.On()`. No member answers it, and one may miss it.
    ///
    /// - Throws: ``MatterError``.
    public func invoke(_ command: some ClusterCommand) async throws {
        try await reportingErrors {
            _ = try await controller.groups.send(Command(command, at: nil), to: record)
        }
    }

    /// Forgets the group; members keep what they have of it.
    ///
    /// - Throws: ``MatterError``.
    public func forget() async throws {
        try await reportingErrors { try await controller.context.groups().remove(record) }
    }
}

extension Controller {
    /// All groups of the fabric, by id.
    ///
    /// - Throws: ``MatterError``.
    public func allGroups() throws -> [NodeGroup] {
        do { return try context.groups().sound().groups.map { NodeGroup(record: $0, controller: self) } } catch {
            throw MatterError(error)
        }
    }

    /// A group by its name, or its id in digits.
    ///
    /// - Throws: ``MatterError`` `notFound`.
    public func group(_ name: String) throws -> NodeGroup {
        do { return NodeGroup(record: try context.groups().find(name), controller: self) } catch {
            throw MatterError(error)
        }
    }

    /// A group by its id.
    ///
    /// - Throws: ``MatterError`` `notFound`.
    public func group(_ id: UInt16) throws -> NodeGroup { try group("\(id)") }

    /// Makes a group with a key of its own. No node is told before it is added.
    ///
    /// - Throws: ``MatterError``.
    public func makeGroup(_ name: String) async throws -> NodeGroup {
        try await reportingErrors { NodeGroup(record: try await groups.createGroup(name), controller: self) }
    }
}
