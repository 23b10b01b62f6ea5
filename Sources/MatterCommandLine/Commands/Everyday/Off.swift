import ArgumentParser
import MatterController

struct Off: NodesCommand {
    /// EffectIdentifierEnum of the OnOff cluster (1.5.5.3).
    enum Effect: String, ExpressibleByArgument, CaseIterable {
        case delayedAllOff = "delayed-all-off"
        case dyingLight = "dying-light"

        var effect: OnOff.EffectIdentifier { self == .delayedAllOff ? .delayedAllOff : .dyingLight }
    }

    static let plainName = "off"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Switch off.",
        discussion: """
            Of several nodes, each gets a line that says what came of it, and the failure of one does not keep the others \
            from it.

            Example: matterctl off --room Hall
            """)

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.endpointOrGroup)) var nodes: [NodeArgument] = []
    @Option(
        name: .line(.effect), help: ArgumentHelp("How to go off: delayed-all-off or dying-light.", valueName: "EFFECT"))
    var effect: Effect?
    @Option(name: .line(.variant), help: ArgumentHelp("With --effect: its variant.", valueName: "N")) var variant:
        UInt8?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        try everyday.check(nodes, options)
        guard effect != nil || variant == nil else { throw ValidationError("--variant needs --effect") }
    }

    func verb() -> any DeviceVerb { effect.map { Verb.off($0.effect, variant: variant ?? 0) } ?? Verb.off }
}
