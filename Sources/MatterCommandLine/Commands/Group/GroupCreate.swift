import ArgumentParser
import MatterController

extension GroupCommand {
    struct Create: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a group with a key of its own; no device is told yet.",
            discussion: """
                Devices have room for few keys, three in addition to that of the fabric as a rule. Groups that share a key \
                take the room of one; every device with the key can send to all of them.

                Example: matterctl group create lights
                """)

        @Argument(help: "The name.") var name: String
        @Option(help: ArgumentHelp("The group id, 1 to 65279; the lowest free one by default.", valueName: "N")) var id:
            NumberArgument<UInt16>?
        @Option(help: ArgumentHelp("Use the key of this group.", valueName: "GROUP"), completion: .kind(.group))
        var keyOf: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            if let id, !GroupRecord.ids.contains(id.value) { throw ValidationError("a group id is 1 to 65279") }
        }

        func execute() async throws {
            let controller = try state.controller()
            let other = try await keyOf.asyncMap { try controller.context.groups().find($0) }
            let group = try await controller.groups.createGroup(name, id: id?.value, keyOf: other)
            console.object(Report(group, nodes: []))
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        if let self { try await transform(self) } else { nil }
    }
}
