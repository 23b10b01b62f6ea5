import MatterState

/// A node's part of a group.
struct GroupState: Sendable, Equatable {
    /// When the key set with the group's id begins; `nil` if there is no such set.
    var keyStart: UInt64?
    /// The key set that the group is mapped to.
    var mapping: UInt16?
    /// True if another group is mapped to the key set of this one.
    var isKeyShared = false
    var endpoints: Set<EndpointID> = []
    /// True if the access control list lets the group operate the node.
    var hasAccess = false

    init() {}
}

/// One thing that a member of a group needs, in the order in which a node takes them: a group needs its key, and an endpoint
/// the group (Matter core specification 11.2.6, application cluster specification 1.3.7.1).
enum GroupStep: Sendable, Equatable {
    case keySet
    case mapping
    case endpoint(EndpointID)
    case access
}

extension GroupState {
    /// The steps missing for endpoints to be members.
    ///
    /// - Throws: ``ControllerError`` `groupConflict` if the node has another group or key set under the ids of ours.
    func steps(
        toJoin group: GroupRecord, _ wanted: Set<EndpointID>, on node: NodeRecord
    ) throws(ControllerError) -> [GroupStep] {
        if let keyStart, keyStart != group.keyStart {
            throw conflict("a key set \(group.keySet) that is not the one of group '\(group.name)'", node)
        }
        if let mapping, mapping != group.keySet {
            throw conflict("a group \(group.group) with the key set \(mapping), which is another one's", node)
        }
        return (keyStart == nil ? [.keySet] : []) + (mapping == nil ? [.mapping] : [])
            + wanted.subtracting(endpoints).sorted().map { .endpoint($0) } + (hasAccess ? [] : [.access])
    }

    private func conflict(_ what: String, _ node: NodeRecord) -> ControllerError {
        ControllerError(
            .groupConflict, "\(node.title) has \(what)", hint: .step("group.conflict", node.label))
    }

    /// The steps to take back so that endpoints, or all of them, are members no more; the opposite order. A group and a key
    /// set that only have the ids of ours are left.
    func steps(toLeave group: GroupRecord, _ given: Set<EndpointID>?) -> [GroupStep] {
        guard mapping == nil || mapping == group.keySet else { return [] }
        let leaving = given.map(endpoints.intersection) ?? endpoints
        let steps = leaving.sorted().map { GroupStep.endpoint($0) }
        guard leaving == endpoints else { return steps }
        return (hasAccess ? [.access] : []) + steps + (mapping != nil ? [.mapping] : [])
            + (keyStart == group.keyStart && !isKeyShared ? [.keySet] : [])
    }
}
