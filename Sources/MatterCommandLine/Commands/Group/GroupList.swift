import ArgumentParser
import MatterController

extension GroupCommand {
    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the groups with their members, as they are kept here.",
            discussion: "Example: matterctl group ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let controller = try state.controller()
            let nodes = try controller.context.nodes().sound().nodes
            let (groups, faults) = try controller.context.groups().sound()
            console.result(groups.map { Report($0, nodes: nodes) })
            // The readable part is of use; the fault is said after it.
            if let fault = faults.first { throw fault }
        }
    }
}

extension Report {
    /// - Parameter nodes: those with names.
    init(_ group: GroupRecord, nodes: [NodeRecord]) {
        func name(_ member: GroupRecord.Member) -> String? { nodes.first { $0.nodeID == member.nodeID }?.name }
        self.init {
            Field("group", group.group, column: "ID")
            Field("name", group.name, column: "NAME")
            Field("keySet", group.keySet)
            Field(
                "members",
                group.members.map { member in
                    Report {
                        Field("node", member.nodeID)
                        Field("name", name(member))
                        Field("endpoint", member.endpoint)
                        if member.isPending { Field("incomplete", true) }
                    }
                })
            Field(
                column: "MEMBERS",
                group.members.isEmpty
                    ? nil
                    : group.members.map { member in
                        "\(name(member) ?? "\(member.nodeID.rawValue)")/\(member.endpoint)"
                            + (member.isPending ? " (incomplete)" : "")
                    })
        }
    }
}
