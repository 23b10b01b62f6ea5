import ArgumentParser
import MatterController
import MatterDataModel

struct ColorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "color", abstract: "The colour of lights.", discussion: "Example: matterctl color desk 2700K",
        subcommands: [ColorTemperature.self, ColorHue.self, ColorXY.self], defaultSubcommand: ColorTemperature.self)
}

struct ColorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How long the change takes.", valueName: "DURATION")) var transition: TimeSpan?

    func validate() throws {
        if let transition, transition.duration > .seconds(6553) {
            throw ValidationError("a transition takes at most 6553 s")
        }
    }

    func verb(_ color: ColorVerb.Color) -> any DeviceVerb {
        ColorVerb(color, transition: transition?.duration ?? .zero)
    }
}

struct ColorTemperature: DeviceCommand {
    /// In mireds: `2700K`, `2700`, `370mired`.
    struct Temperature: QuantityArgument {
        static let unit = ValueUnit.mireds
        static let bare = "K"
        /// ColorTemperatureMireds of the specification (3.2.7.8).
        static let range: ClosedRange<UInt16> = 1...65279

        var number: UInt16
    }

    static let configuration = CommandConfiguration(
        commandName: "temperature", abstract: "Set the colour temperature.",
        discussion: "Example: matterctl color temperature desk 2700K --transition 2s")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "2700K or 370mired.") var temperature: Temperature
    @OptionGroup var color: ColorOptions
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { color.verb(.temperature(mireds: temperature.number)) }
}

struct ColorHue: DeviceCommand {
    /// `0` to `360`, also `120°`.
    struct Degrees: ExpressibleByArgument {
        let value: Double

        init?(argument: String) {
            guard let value = Double(argument.hasSuffix("°") ? String(argument.dropLast()) : argument),
                (0...360).contains(value)
            else { return nil }
            self.value = value
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "hue", abstract: "Set the hue, and the saturation if it is given.",
        discussion: """
            Hue is in degrees: 0 is red, 120 green, 240 blue.

            Example: matterctl color hue desk 240 80%
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "0–360.") var hue: Degrees
    @Argument(help: "0%–100%; by default as it is.") var saturation: ShareArgument?
    @OptionGroup var color: ColorOptions
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb {
        color.verb(
            .hue(hue.value, saturation: saturation.map { UInt8(clamping: (UInt32($0.number) * 254 + 5000) / 10000) }))
    }
}

struct ColorXY: DeviceCommand {
    /// `0` to `1`.
    struct Coordinate: ExpressibleByArgument {
        let value: Double

        init?(argument: String) {
            guard let value = Double(argument), (0...1).contains(value) else { return nil }
            self.value = value
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "xy", abstract: "Set the colour by its coordinates in CIE 1931.",
        discussion: "Example: matterctl color xy desk 0.31 0.33")

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "0–1.") var x: Coordinate
    @Argument(help: "0–1.") var y: Coordinate
    @OptionGroup var color: ColorOptions
    @OptionGroup var device: DeviceVerbOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func verb() -> any DeviceVerb { color.verb(.xy(x.value, y.value)) }
}
