import ArgumentParser
import MatterDataModel
import MatterInteraction
import MatterTLV

struct Off: EverydayCommand {
    /// EffectIdentifierEnum of the OnOff cluster (1.5.5.3).
    enum Effect: String, ExpressibleByArgument, CaseIterable {
        case delayedAllOff = "delayed-all-off"
        case dyingLight = "dying-light"

        var number: UInt64 { self == .delayedAllOff ? 0 : 1 }
    }

    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Switch off.", discussion: "Example: matterctl off kitchen --effect dying-light")
    static let cluster = (id: OnOff.id, name: "OnOff")
    static let attribute = OnOff.Attribute.onOff

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Option(help: ArgumentHelp("How to go off: delayed-all-off or dying-light.", valueName: "EFFECT")) var effect:
        Effect?
    @Option(help: ArgumentHelp("With --effect: its variant.", valueName: "N")) var variant: UInt8?
    @Flag(help: "Read the state back and print it.") var verify = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        guard effect != nil || variant == nil else { throw ValidationError("--variant needs --effect") }
    }

    func command(endpoint: EndpointID) -> Command {
        guard let effect else {
            return Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.off)
        }
        let fields = TLVValue.structure([
            TLVElement(0, .uint(effect.number)), TLVElement(1, .uint(UInt64(variant ?? 0))),
        ])
        return Command(endpoint: endpoint, cluster: OnOff.id, command: OnOff.Command.offWithEffect, fields: fields)
    }
}
