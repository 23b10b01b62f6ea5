import ArgumentParser
import MatterController

struct VacuumCommand: EverydayCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case start, stop, pause, resume, home, status
    }

    static let configuration = CommandConfiguration(
        commandName: "vacuum", abstract: "Vacuum cleaners: start, stop, pause, resume, drive home, or show the state.",
        discussion: "Example: matterctl vacuum start robot")

    @Argument(help: "What to do.") var action: Action
    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws { try everyday.check(nodes, options, shows: action == .status) }

    func verb() -> any DeviceVerb {
        switch action {
        case .start, .status: VacuumVerb.start
        case .stop: VacuumVerb.stop
        case .pause: VacuumVerb.pause
        case .resume: VacuumVerb.resume
        case .home: VacuumVerb.home
        }
    }

    func run(_ context: CommandContext) async throws {
        guard action == .status else { return try await carryOut(verb(), context) }
        try await ReadingRound(Reading.vacuum, lack: "is not a vacuum cleaner", nodes, everyday.selection).run(context)
    }
}
