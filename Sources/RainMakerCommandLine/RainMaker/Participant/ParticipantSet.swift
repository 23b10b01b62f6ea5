import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerParticipant {
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

        func run(_ context: CommandContext) async throws {
            try await device(context).send(data)
            try tellDone(context)
        }
    }
}
