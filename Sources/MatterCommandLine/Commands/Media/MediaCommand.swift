import ArgumentParser
import MatterController

struct MediaCommand: EverydayCommand {
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case play, pause, stop, next, previous, volume, status
    }

    static let configuration = CommandConfiguration(
        commandName: "media",
        abstract: "Players and speakers: play, pause, stop, skip, set the volume, or show the state.",
        discussion: "Example: matterctl media volume tv 30%")

    @Argument(help: "What to do.") var action: Action
    @Argument(
        help: ArgumentHelp(
            "The nodes, with /EP for an endpoint, or group:GROUP; for volume, last the value: \(LevelValue.forms).",
            valueName: "node-or-value"), completion: .kind(.nodesAndValue(LevelValue.offers)))
    var words: [String] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] {
        (action == .volume ? words.dropLast() : words[...]).compactMap { NodeArgument(argument: $0) }
    }

    private var volume: LevelValue? { words.last.flatMap { LevelValue(argument: $0) } }

    func validate() throws {
        guard action != .volume || volume != nil else {
            throw ValidationError("volume needs a value behind the nodes (\(LevelValue.forms))")
        }
        try everyday.check(nodes, options, shows: action == .status)
    }

    func verb() -> any DeviceVerb {
        switch action {
        case .volume: Verb.volume(volume?.level ?? 0)
        case .play, .status: MediaVerb.play
        case .pause: MediaVerb.pause
        case .stop: MediaVerb.stop
        case .next: MediaVerb.next
        case .previous: MediaVerb.previous
        }
    }

    func run(_ context: CommandContext) async throws {
        guard action == .status else { return try await carryOut(verb(), context) }
        try await ReadingRound(Reading.media, lack: "is not a media player", nodes, everyday.selection).run(context)
    }
}
