import ArgumentParser
import MatterController
import MatterRecords

extension NodeCommand {
    struct Set: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Put a node or a device behind a bridge into a room, or give it another name.",
            discussion: """
                Only what is kept here changes; the device is not told.

                Example: matterctl node set kitchen --room Kitchen
                """)

        @Argument(help: "Node id or name, or a device behind a bridge.") var node: NodeArgument
        @Option(help: ArgumentHelp("The new name.", valueName: "NAME")) var name: String?
        @Option(help: ArgumentHelp("The room that it is in.", valueName: "ROOM")) var room: String?
        @Flag(help: "It is in no room.") var noRoom = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard name != nil || room != nil || noRoom else {
                throw ValidationError("say what to change: --name, --room or --no-room")
            }
            guard room == nil || !noRoom else { throw ValidationError("choose one: --room or --no-room") }
        }

        func execute() async throws {
            if let name { try ShortForms.check(name) }
            let controller = try state.controller()
            let (record, endpoint) = try await controller.place(of: node.node, endpoint: node.endpoint)
            // The spelling that the room has already.
            let rooms = try await controller.rooms()
            let room = try room.map { try rooms.room(named: $0)?.name ?? $0 }
            if let endpoint {
                return try await controller.update(record, bridged: endpoint) { device in
                    if let name { device.name = name }
                    if let room { device.room = room }
                    if noRoom { device.room = nil }
                }
            }
            try await controller.nodes().update(record.nodeID) { record in
                if let name { record.name = name }
                if let room { record.room = room }
                if noRoom { record.room = nil }
            }
        }
    }
}
