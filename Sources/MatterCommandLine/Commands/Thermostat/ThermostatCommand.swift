import ArgumentParser
import MatterController

struct ThermostatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thermostat", abstract: "Heating and cooling.",
        discussion: "Example: matterctl thermostat hall 21",
        subcommands: [
            ThermostatShow.self, ThermostatSet.self, ThermostatHeat.self, ThermostatCool.self, ThermostatMode.self,
        ], defaultSubcommand: ThermostatSet.self)
}

struct ThermostatSet: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the temperature of what the thermostat does: heat or cool.",
        discussion: "Example: matterctl thermostat set hall 21.5C")

    @OptionGroup var words: NodesAndValue<TemperatureArgument>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { ThermostatVerb.set(try words.value().number) }
}

struct ThermostatHeat: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "heat", abstract: "Set the temperature to heat to.",
        discussion: """
            The mode stays as it is; 'thermostat mode' changes it.

            Example: matterctl thermostat heat hall 21
            """)

    @OptionGroup var words: NodesAndValue<TemperatureArgument>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { ThermostatVerb.heat(try words.value().number) }
}

struct ThermostatCool: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "cool", abstract: "Set the temperature to cool to.",
        discussion: """
            The mode stays as it is; 'thermostat mode' changes it.

            Example: matterctl thermostat cool hall 25
            """)

    @OptionGroup var words: NodesAndValue<TemperatureArgument>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { ThermostatVerb.cool(try words.value().number) }
}

struct ThermostatMode: EverydayCommand {
    /// SystemModeEnum of the Thermostat cluster.
    struct Mode: EnumerationArgument {
        static let offered: [Thermostat.SystemMode] = [
            .off, .auto, .cool, .heat, .precooling, .dry, .sleep, .emergencyHeat, .fanOnly,
        ]

        let value: Thermostat.SystemMode

        init(_ value: Thermostat.SystemMode) { self.value = value }
    }

    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Set the mode.", discussion: "Example: matterctl thermostat mode hall heat")

    @OptionGroup var words: NodesAndValue<Mode>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { ThermostatVerb.mode(try words.value().value) }
}

struct ThermostatShow: ReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the temperatures and the mode of a thermostat.",
        discussion: "Example: matterctl thermostat show hall")
    static let kinds = Reading.thermostat
    static let lack = "is not a thermostat"

    @Argument(help: NodeSelection.nodesHelp) var nodes: [NodeArgument] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions
}
