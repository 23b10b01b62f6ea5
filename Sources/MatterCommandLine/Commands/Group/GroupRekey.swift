import ArgumentParser
import MatterController

extension GroupCommand {
    struct Rekey: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "rekey", abstract: "Exchange the key of a group on every member.",
            discussion: """
                A device that has left may have kept the key, and could still send to the group. Each member first gets the new \
                key beside the old one; then we and the members send with the new one; then the old one is taken away. Groups \
                that share the key get the new one too. It is a job: 'job resume' goes on with members that were off.

                Example: matterctl group rekey lights
                """)

        @Argument(help: "The group, by name or id.", completion: .kind(.group)) var group: String
        @Flag(help: "Look at every member, and change nothing.") var dryRun = false
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func run(_ context: CommandContext) async throws {
            let group = try context.controller.context.groups().find(group)
            let run = RotationRun(
                plan: .groupKey(group), known: [], context: context, time: options.timeout?.duration)
            if dryRun { try await run.rehearse() } else { try await run.perform() }
        }
    }
}
