import MatterController

/// Says that a device that leaves a group knows the group's key, which the other members go on using.
struct GroupKeyWarning {
    private let controller: Controller
    private let leaving: Set<UInt64>
    private let groups: [GroupRecord]

    /// - Parameter nodes: those that are to leave, before they do.
    init(_ nodes: [NodeID], _ controller: Controller, group: GroupRecord? = nil) async throws {
        self.controller = controller
        leaving = Set(nodes.map(\.rawValue))
        let candidates = if let group { [group] } else { try controller.context.groups().sound().groups }
        groups = candidates.filter { group in nodes.contains { !group.members(of: $0).isEmpty } }
    }

    /// Says it for each group that one of the nodes has left, and that has other members.
    func print(_ console: Console) async throws {
        guard !groups.isEmpty else { return }
        for group in try controller.context.groups().sound().groups
        where groups.contains(where: { $0.group == group.group }) {
            let members = Set(group.members.map(\.nodeID.rawValue))
            guard !members.isEmpty, !leaving.isSubset(of: members) else { continue }
            console.warning(
                "the key of the group '\(group.name)' stays the same: a device that has left can still send to the group "
                    + "if it has kept the key",
                .step("group.key-stays", group.name))
        }
    }
}
