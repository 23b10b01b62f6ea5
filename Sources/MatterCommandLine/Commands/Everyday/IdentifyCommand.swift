import ArgumentParser
import MatterController

/// The command; the cluster of that name is in the data model.
struct IdentifyCommand: NodesCommand {
    static let plainName = "identify"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Let a device show which one it is: it blinks, or beeps.",
        discussion: "Example: matterctl identify kitchen --for 30s")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @Option(name: .line(.span), help: ArgumentHelp("How long (default: 10s); 0 ends it.", valueName: "DURATION"))
    var span: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    private var duration: Duration { span?.duration ?? .seconds(10) }

    func validate() throws {
        try everyday.check(nodes, options)
        guard duration <= .seconds(UInt16.max) else { throw ValidationError("--for is at most 65535 s") }
    }

    /// A part of a second is a whole one, because 0 would end it.
    func verb() -> any DeviceVerb {
        Verb.identify(seconds: UInt16(clamping: Int64((duration / .seconds(1)).rounded(.up))))
    }
}
