import ArgumentParser
import MatterController

struct ValveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "valve", abstract: "Valves of water and gas.",
        discussion: "Example: matterctl valve open garden --for 10m",
        subcommands: [ValveOpen.self, ValveClose.self, ValveStatus.self])
}

struct ValveOpen: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a valve.",
        discussion: "Example: matterctl valve open garden --for 10m --level 50%")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @Option(name: .customLong("for"), help: ArgumentHelp("Close by itself after this time.", valueName: "DURATION"))
    var span: TimeSpan?
    @Option(help: ArgumentHelp("How far, 1%–100%.", valueName: "LEVEL")) var level: ShareArgument?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try everyday.check(nodes, options)
        try span?.requireSome("--for")
        if let level, level.number < 100 || !level.number.isMultiple(of: 100) {
            throw ValidationError("--level is a whole percentage, 1%–100%")
        }
    }

    func verb() -> any DeviceVerb {
        ValveVerb.open(
            seconds: span.map { UInt32(clamping: Int64(($0.duration / .seconds(1)).rounded(.up))) },
            level: level.map { UInt8(clamping: $0.number / 100) })
    }
}

struct ValveClose: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Close a valve.", discussion: "Example: matterctl valve close garden")

    @Argument(help: EverydayOptions.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { ValveVerb.close }
}

struct ValveStatus: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of a valve.",
        discussion: "Example: matterctl valve status garden")
    static let kinds = Reading.valve
    static let lack = "is no valve"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
