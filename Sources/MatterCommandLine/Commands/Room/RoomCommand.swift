import ArgumentParser
import MatterController

struct RoomCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "room", abstract: "The rooms of the house, and the nodes in them.",
        discussion: """
            A room is a name that nodes have in common, without regard to case; the devices are not told. A node gets its \
            room when it is commissioned, or with node set NODE --room ROOM.

            Example: matterctl room ls
            """, subcommands: [List.self, Add.self, Rename.self, Remove.self])

    struct List: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the rooms with their nodes.",
            discussion: "Example: matterctl room ls", aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let (rooms, faults) = try state.controller().context.rooms().sound()
            console.result(rooms.map { Report($0) })
            // The readable part is of use; the fault is said after it.
            if let fault = faults.first { throw fault }
        }
    }

    struct Add: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a room that no node is in yet.",
            discussion: "Example: matterctl room add Hall")

        @Argument(help: "The name.", completion: .kind(.room)) var room: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            try await state.controller().context.rooms().add(room)
            console.object(Report(room: room, result: "added"))
        }
    }

    struct Rename: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a room another name; its nodes stay in it.",
            discussion: """
                The name of another room makes one room of both.

                Example: matterctl room rename Hall Entrance
                """)

        @Argument(help: "The room.", completion: .kind(.room)) var room: String
        @Argument(help: "The new name.") var name: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let rooms = try state.controller().context.rooms()
            let room = try rooms.find(room)
            if !Room.isSame(room.name, name), let other = try rooms.room(named: name) {
                try console.confirm(
                    "There is a room '\(other.name)' already. Move the nodes of '\(room.name)' into it?", given: yes)
            }
            try await rooms.rename(room, to: name)
            console.object(Report(room: name, result: "renamed"))
        }
    }

    struct Remove: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Remove a room; its nodes are in none then.",
            discussion: "Example: matterctl room rm Hall --yes", aliases: ["remove"])

        @Argument(help: "The room.", completion: .kind(.room)) var room: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func execute() async throws {
            let rooms = try state.controller().context.rooms()
            let room = try rooms.find(room)
            if !room.labels.isEmpty {
                let labels = room.labels.joined(separator: ", ")
                try console.confirm("Remove the room '\(room.name)' although nodes are in it (\(labels))?", given: yes)
            }
            try await rooms.remove(room)
            console.object(Report(room: room.name, result: "removed"))
        }
    }
}

extension Report {
    fileprivate init(room: String, result: String) {
        self.init {
            Field("room", room)
            Field("result", result)
        }
    }

    init(_ room: Room) {
        self.init {
            Field("room", room.name, column: "ROOM")
            Field(
                "nodes",
                room.nodes.map { node in
                    Report {
                        Field("node", node.nodeID)
                        Field("name", node.name)
                    }
                })
            if !room.devices.isEmpty {
                Field(
                    "devices",
                    room.devices.map { device in
                        Report {
                            Field("node", device.node.nodeID)
                            Field("endpoint", device.endpoint.number)
                            Field("label", device.device.title)
                        }
                    })
            }
            Field(column: "NODES", room.labels.isEmpty ? nil : room.labels)
        }
    }
}

extension Room {
    /// The nodes in it, and the devices behind bridges.
    fileprivate var labels: [String] { nodes.map(\.label) + devices.map(\.title) }
}
