import ArgumentParser
import MatterController

struct FanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan", abstract: "Fans.", discussion: "Example: matterctl fan desk 30%",
        subcommands: [FanSpeed.self, FanModeCommand.self, FanAirflow.self], defaultSubcommand: FanSpeed.self)
}

/// The modes that fans can be told; On and Smart are no longer to be used (4.4.5.1).
struct FanModeArgument: EnumerationArgument {
    static let offered: [FanControl.FanMode] = [.off, .low, .medium, .high, .auto]

    let value: FanControl.FanMode

    init(_ value: FanControl.FanMode) { self.value = value }
}

struct FanSpeed: EverydayCommand {
    /// A mode, or `0%` to `100%`.
    struct Speed: ExpressibleByArgument, TrailingValue {
        static let forms = "0%–100%, off, low, medium, high or auto"
        static let offers = FanModeArgument.offers + ["25%", "50%", "75%", "100%"]

        let verb: FanVerb

        init?(argument: String) {
            if let mode = FanModeArgument(argument: argument) {
                verb = .mode(mode.value)
            } else if !argument.hasPrefix("+"), let steps = QuantityText.parse(argument, as: .percent, bare: "%"),
                let percent = UInt8(exactly: steps),
                percent <= 100
            {
                verb = .percent(percent)
            } else {
                return nil
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "speed", abstract: "Set the speed: in percent, or off, low, medium, high, auto.",
        discussion: "Example: matterctl fan speed desk 30%")

    @OptionGroup var words: NodesAndValue<Speed>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { try words.value().verb }
}

struct FanModeCommand: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Set the mode.", discussion: "Example: matterctl fan mode desk auto")

    @OptionGroup var words: NodesAndValue<FanModeArgument>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { FanVerb.mode(try words.value().value) }
}

struct FanAirflow: EverydayCommand {
    struct Direction: EnumerationArgument {
        static let offered: [FanControl.AirflowDirection] = [.forward, .reverse]

        let value: FanControl.AirflowDirection

        init(_ value: FanControl.AirflowDirection) { self.value = value }
    }

    static let configuration = CommandConfiguration(
        commandName: "airflow", abstract: "Set the direction of the air.",
        discussion: "Example: matterctl fan airflow desk reverse")

    @OptionGroup var words: NodesAndValue<Direction>
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { FanVerb.airflow(try words.value().value) }
}
