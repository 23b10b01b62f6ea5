import ArgumentParser
import MatterController

struct ValveCommand: EverydayCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case open, close, status
    }

    static let configuration = CommandConfiguration(
        commandName: "valve", abstract: "Valves of water and gas: open, close, or show the state.",
        discussion: "Example: matterctl valve open garden --for 10m --level 50%")

    @Argument(help: "What to do.") var action: Action
    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("With open: close by itself after this time.", valueName: "DURATION"))
    var span: TimeSpan?
    @Option(help: ArgumentHelp("With open: how far, 1%–100%.", valueName: "LEVEL")) var level: ShareArgument?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try everyday.check(nodes, options, shows: action == .status)
        guard action == .open || span == nil && level == nil else {
            throw ValidationError("--for and --level are for 'open'")
        }
        try span?.requireSome("--for")
        if let level, level.number < 100 || !level.number.isMultiple(of: 100) {
            throw ValidationError("--level is a whole percentage, 1%–100%")
        }
    }

    func verb() -> any DeviceVerb {
        guard action == .open else { return ValveVerb.close }
        return ValveVerb.open(
            seconds: span.map { UInt32(clamping: Int64(($0.duration / .seconds(1)).rounded(.up))) },
            level: level.map { UInt8(clamping: $0.number / 100) })
    }

    func run(_ context: CommandContext) async throws {
        guard action == .status else { return try await carryOut(verb(), context) }
        try await ReadingRound(Reading.valve, lack: "is not a valve", nodes, everyday.selection).run(context)
    }
}
