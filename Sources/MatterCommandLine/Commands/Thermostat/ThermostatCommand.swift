import ArgumentParser
import MatterController
import MatterDataModel

struct ThermostatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thermostat", abstract: "Heating and cooling.",
        discussion: "Example: matterctl thermostat set hall 21",
        subcommands: [
            ThermostatShow.self, ThermostatSet.self, ThermostatHeat.self, ThermostatCool.self, ThermostatMode.self,
        ])
}

struct ThermostatSet: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the temperature of what the thermostat does: heat or cool.",
        discussion: "Example: matterctl thermostat set hall 21.5C")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "21, 21.5C or 70F.") var temperature: TemperatureArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { ThermostatVerb.set(temperature.number) }
}

struct ThermostatHeat: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "heat", abstract: "Set the temperature to heat to.",
        discussion: """
            The mode stays as it is; 'thermostat mode' changes it.

            Example: matterctl thermostat heat hall 21
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "21, 21.5C or 70F.") var temperature: TemperatureArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { ThermostatVerb.heat(temperature.number) }
}

struct ThermostatCool: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "cool", abstract: "Set the temperature to cool to.",
        discussion: """
            The mode stays as it is; 'thermostat mode' changes it.

            Example: matterctl thermostat cool hall 25
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "25, 25.5C or 77F.") var temperature: TemperatureArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { ThermostatVerb.cool(temperature.number) }
}

struct ThermostatMode: DeviceCommand {
    /// SystemModeEnum of the Thermostat cluster.
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case off, auto, cool, heat, precooling, dry, sleep
        case emergencyHeat = "emergency-heat"
        case fanOnly = "fan-only"

        var mode: Thermostat.SystemMode {
            switch self {
            case .off: .off
            case .auto: .auto
            case .cool: .cool
            case .heat: .heat
            case .precooling: .precooling
            case .dry: .dry
            case .sleep: .sleep
            case .emergencyHeat: .emergencyHeat
            case .fanOnly: .fanOnly
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Set the mode.", discussion: "Example: matterctl thermostat mode hall heat")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The mode.") var mode: Mode
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { ThermostatVerb.mode(mode.mode) }
}

struct ThermostatShow: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the temperatures and the mode of a thermostat.",
        discussion: "Example: matterctl thermostat show hall")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        try await ReadingOutput(context, node).print(Reading.thermostat, lack: "is no thermostat")
    }
}
