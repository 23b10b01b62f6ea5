import ArgumentParser
import MatterController
import MatterDataModel

struct FanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fan", abstract: "Fans.", discussion: "Example: matterctl fan desk 30%",
        subcommands: [FanSpeed.self, FanModeCommand.self, FanAirflow.self], defaultSubcommand: FanSpeed.self)
}

/// The modes that fans can be told; On and Smart are no longer to be used (4.4.5.1).
enum FanModeArgument: String, ExpressibleByArgument, CaseIterable {
    case off, low, medium, high, auto

    var mode: FanControl.FanMode {
        switch self {
        case .off: .off
        case .low: .low
        case .medium: .medium
        case .high: .high
        case .auto: .auto
        }
    }
}

struct FanSpeed: DeviceCommand {
    /// A mode, or `0%` to `100%`.
    struct Speed: ExpressibleByArgument {
        let verb: FanVerb

        init?(argument: String) {
            if let mode = FanModeArgument(argument: argument) {
                verb = .mode(mode.mode)
            } else if let steps = QuantityText.parse(argument, as: .percent, bare: "%"),
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

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "0%–100%, off, low, medium, high or auto.") var speed: Speed
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { speed.verb }
}

struct FanModeCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Set the mode.", discussion: "Example: matterctl fan mode desk auto")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The mode.") var mode: FanModeArgument
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { FanVerb.mode(mode.mode) }
}

struct FanAirflow: DeviceCommand {
    enum Direction: String, ExpressibleByArgument, CaseIterable {
        case forward, reverse
    }

    static let configuration = CommandConfiguration(
        commandName: "airflow", abstract: "Set the direction of the air.",
        discussion: "Example: matterctl fan airflow desk reverse")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The direction.") var direction: Direction
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { FanVerb.airflow(direction == .forward ? .forward : .reverse) }
}
