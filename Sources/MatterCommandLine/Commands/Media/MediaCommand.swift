import ArgumentParser
import MatterController

struct MediaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "media", abstract: "Players of video and music.", discussion: "Example: matterctl media pause tv",
        subcommands: [
            MediaPlay.self, MediaPause.self, MediaStop.self, MediaNext.self, MediaPrevious.self, MediaVolume.self,
            MediaStatus.self,
        ])
}

struct MediaPlay: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Play, or go on after a pause.", discussion: "Example: matterctl media play tv")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { MediaVerb.play }
}

struct MediaPause: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause.", discussion: "Example: matterctl media pause tv")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { MediaVerb.pause }
}

struct MediaStop: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop.", discussion: "Example: matterctl media stop tv")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { MediaVerb.stop }
}

struct MediaNext: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "next", abstract: "Play the next title.", discussion: "Example: matterctl media next tv")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { MediaVerb.next }
}

struct MediaPrevious: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "previous", abstract: "Play the title before.", discussion: "Example: matterctl media previous tv")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { MediaVerb.previous }
}

struct MediaVolume: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "volume", abstract: "Set the volume of a speaker; 'off' and 'on' mute it.",
        discussion: "Example: matterctl media volume tv 30%")

    @OptionGroup var words: NodesAndValue<LevelValue>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { Verb.volume(try words.value().level) }
}

struct MediaStatus: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what a player does.", discussion: "Example: matterctl media status tv")
    static let kinds = Reading.media
    static let lack = "plays nothing"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
