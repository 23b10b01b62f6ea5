import ArgumentParser
import MatterController

extension NodeCommand {
    struct Set: NodeSubject {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Put a node or a device behind a bridge into a room, or give it another name.",
            discussion: """
                Only what is kept here changes, unless --on-device is given.

                Example: matterctl node set kitchen --room Kitchen
                """)

        @Argument(help: "Node id or name, or a device behind a bridge.") var node: NodeArgument
        @Option(help: ArgumentHelp("The new name.", valueName: "NAME")) var name: String?
        @Option(help: ArgumentHelp("The room that it is in.", valueName: "ROOM"), completion: .kind(.room)) var room:
            String?
        @Flag(help: "It is in no room.") var noRoom = false
        @Flag(name: .long, help: "Also write the name (NodeLabel) and the room (a user label) into the device.")
        var onDevice = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        /// Without the device, there is no session to share.
        var isServed: Bool { onDevice }

        func validate() throws {
            guard name != nil || room != nil || noRoom else {
                throw ValidationError("say what to change: --name, --room or --no-room")
            }
            guard room == nil || !noRoom else { throw ValidationError("choose one: --room or --no-room") }
        }

        func run(_ context: CommandContext) async throws {
            if let name { try ShortForms.check(name) }
            let controller = context.controller
            let (record, endpoint) = try controller.nodes.place(of: node.node, endpoint: node.endpoint)
            // The spelling that the room has already.
            let rooms = try controller.context.rooms()
            let room = try room.map { try rooms.room(named: $0)?.name ?? $0 }
            // Steps that may fail come first.
            if onDevice, room != nil || noRoom {
                try await controller.nodes.tell(record, bridged: endpoint, room: room, budget: context.budget)
            }
            if onDevice, let name {
                try await controller.nodes.rename(
                    record, bridged: endpoint, to: name, alsoAt: .device, budget: context.budget)
            }
            if let endpoint {
                try await controller.nodes.update(record, bridged: endpoint) { device in
                    if let name { device.name = name }
                    if let room { device.room = room }
                    if noRoom { device.room = nil }
                }
                return try context.console.object(Report(changed: record, endpoint, in: controller))
            }
            try await controller.context.nodes().update(record.nodeID) { record in
                if let name { record.name = name }
                if let room { record.room = room }
                if noRoom { record.room = nil }
            }
            try context.console.object(Report(changed: record, nil, in: controller))
        }
    }
}

extension Report {
    /// The present name of a node or of a device behind a bridge, and where it is.
    init(changed node: NodeRecord, _ endpoint: EndpointID?, in controller: Controller) throws {
        let record = try controller.nodes.record(of: "\(node.nodeID.rawValue)")
        let device = endpoint.flatMap { record.bridged(at: $0.rawValue) }
        self.init {
            Field("node", record.nodeID)
            Field("name", endpoint == nil ? record.name : device?.title)
            Field("endpoint", endpoint)
            Field("room", endpoint == nil ? record.room : device?.room)
            Field("result", "changed")
        }
    }
}
