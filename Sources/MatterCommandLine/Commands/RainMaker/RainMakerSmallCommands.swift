import ArgumentParser
import JSON
import MatterController
import MatterCrypto
import MatterSession
import RainMaker

struct RainMakerDataset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dataset", abstract: "The Thread network of a border router with RainMaker's older cluster.",
        discussion: "Example: matterctl rainmaker dataset set router dataset.hex",
        subcommands: [Show.self, Set.self, Start.self, Stop.self])

    struct Show: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show whether there is a dataset, and the border agent's id.",
            discussion: "Example: matterctl rainmaker dataset show router")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Flag(help: "Also the dataset itself, which has the network's key in it.") var secrets = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let state = try await device(context).state()
            var list = ValueList(node: try await context.controller.node(node.node))
            list.add("borderAgentId", "border agent", .string(Hex.encode(state.borderAgentID)))
            list.add("hasDataset", "has dataset", .bool(state.dataset != nil))
            if secrets, let dataset = state.dataset {
                list.add("dataset", "dataset", .string(Hex.encode(dataset.copyBytes())))
            }
            list.print(context.console)
        }
    }

    struct Set: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Give a border router an operational dataset.",
            discussion: "Example: matterctl rainmaker dataset set router dataset.hex")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Argument(help: "The dataset is the first line of this file, in hexadecimal digits; - for stdin.")
        var file: String
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let dataset = try SecretText(InputFile.firstLine(file))
            try await device(context).setDataset(dataset)
        }
    }

    struct Start: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Start the Thread network.",
            discussion: "Example: matterctl rainmaker dataset start router")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws { try await device(context).startNetwork() }
    }

    struct Stop: DatasetSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Stop the Thread network.",
            discussion: "Example: matterctl rainmaker dataset stop router")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws { try await device(context).stopNetwork() }
    }
}

/// A command about the older cluster of border routers.
protocol DatasetSubcommand: CustomClusterCommand {}

extension DatasetSubcommand {
    func device(_ context: CommandContext) async throws -> BorderRouterDevice {
        BorderRouterDevice(try await cluster(BorderRouterDevice.cluster, BorderRouterDevice.name, context))
    }
}

struct RainMakerParticipant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "participant", abstract: "The data on a participant's badge.",
        discussion: "Example: matterctl rainmaker participant show badge", subcommands: [Show.self, Set.self])

    struct Show: ParticipantSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the data.",
            discussion: "Example: matterctl rainmaker participant show badge")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let data = try await device(context).data()
            var list = ValueList(node: try await context.controller.node(node.node))
            for field in ParticipantDevice.Field.allCases {
                guard let text = data[field] else { continue }
                list.add("\(field)", field.title, .string(text))
            }
            list.print(context.console)
        }
    }

    struct Set: ParticipantSubcommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set what is given; the rest stays as it is.",
            discussion: "Example: matterctl rainmaker participant set badge --name 'Ada' --event 'Open Day'")

        @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
        @Option(help: ArgumentHelp("The participant's name.", valueName: "NAME")) var name: String?
        @Option(help: ArgumentHelp("The company.", valueName: "TEXT")) var company: String?
        @Option(help: ArgumentHelp("The e-mail address.", valueName: "TEXT")) var email: String?
        @Option(help: ArgumentHelp("How else to get in touch.", valueName: "TEXT")) var contact: String?
        @Option(help: ArgumentHelp("The event.", valueName: "TEXT")) var event: String?
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        private var data: [ParticipantDevice.Field: String] {
            var data: [ParticipantDevice.Field: String] = [:]
            data[.name] = name
            data[.companyName] = company
            data[.email] = email
            data[.contact] = contact
            data[.eventName] = event
            return data
        }

        func validate() throws {
            if data.isEmpty { throw ValidationError("nothing is given to be set") }
        }

        func run(_ context: CommandContext) async throws { try await device(context).send(data) }
    }
}

/// A command about the cluster of badges.
protocol ParticipantSubcommand: CustomClusterCommand {}

extension ParticipantSubcommand {
    func device(_ context: CommandContext) async throws -> ParticipantDevice {
        ParticipantDevice(try await cluster(ParticipantDevice.cluster, ParticipantDevice.name, context))
    }
}

extension ParticipantDevice.Field {
    /// As a person reads it.
    var title: String {
        switch self {
        case .name: "name"
        case .companyName: "company"
        case .email: "e-mail"
        case .contact: "contact"
        case .eventName: "event"
        }
    }
}
