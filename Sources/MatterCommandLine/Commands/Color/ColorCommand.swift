import ArgumentParser
import MatterController

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

struct ColorTemperature: EverydayCommand {
    /// In mireds: `2700K`, `2700`, `370mired`.
    struct Temperature: QuantityArgument {
        static let unit = ValueUnit.mireds
        static let bare = "K"
        static let forms = "2700K or 370mired"
        /// ColorTemperatureMireds of the specification (3.2.7.8).
        static let range: ClosedRange<UInt16> = 1...65279

        var number: UInt16
    }

    /// A colour temperature, or the name of a colour.
    struct Wanted: ExpressibleByArgument, TrailingValue {
        private static let names = NamedColor.allCases.map(\.rawValue)
        static let forms = "2700K, 370mired or a name: " + names.joined(separator: ", ")
        static let offers = names + ["2700K", "4000K", "6500K"]

        let color: ColorVerb.Color

        init?(argument: String) {
            if let name = NamedColor(rawValue: argument.lowercased()) {
                color = .named(name)
            } else if let temperature = Temperature(argument: argument) {
                color = .temperature(mireds: temperature.number)
            } else {
                return nil
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "temperature", abstract: "Set the colour temperature, or a colour by its name.",
        discussion: "Example: matterctl color temperature desk 2700K --transition 2s", aliases: ["name"])

    @OptionGroup var words: NodesAndValue<Wanted>
    @OptionGroup var color: ColorOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { color.verb(try words.value().color) }
}

struct ColorHue: EverydayCommand {
    /// `0` to `360`, also `120°`; and a saturation.
    struct Hue: TrailingValue {
        static let forms = "0–360, and the saturation 0%–100%"

        let degrees: Double
        let saturation: UInt8?

        private static func degrees(_ word: String) -> Double? {
            Double(word.hasSuffix("°") ? String(word.dropLast()) : word).flatMap { (0...360).contains($0) ? $0 : nil }
        }

        /// A saturation without `%` is taken where it cannot be a hue: behind one node and a hue.
        static func last(of words: [String]) -> (value: Hue, count: Int)? {
            guard let last = words.last else { return nil }
            if last.hasSuffix("%") || words.count == 3, let share = ShareArgument(argument: last),
                let hue = words.dropLast().last.flatMap(degrees)
            {
                return (Hue(degrees: hue, saturation: UInt8(clamping: (UInt32(share.number) * 254 + 5000) / 10000)), 2)
            }
            return degrees(last).map { (Hue(degrees: $0, saturation: nil), 1) }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "hue", abstract: "Set the hue, and the saturation if it is given.",
        discussion: """
            Hue is in degrees: 0 is red, 120 green, 240 blue.

            Example: matterctl color hue desk 240 80%
            """)

    @OptionGroup var words: NodesAndValue<Hue>
    @OptionGroup var color: ColorOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb {
        let hue = try words.value()
        return color.verb(.hue(hue.degrees, saturation: hue.saturation))
    }
}

struct ColorXY: EverydayCommand {
    /// Two numbers, `0` to `1`.
    struct Point: TrailingValue {
        static let forms = "x and y, each 0–1"

        let x: Double
        let y: Double

        static func last(of words: [String]) -> (value: Point, count: Int)? {
            let numbers = words.suffix(2).compactMap { Double($0) }.filter { (0...1).contains($0) }
            guard numbers.count == 2, let x = numbers.first, let y = numbers.last else { return nil }
            return (Point(x: x, y: y), 2)
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "xy", abstract: "Set the colour by its coordinates in CIE 1931.",
        discussion: "Example: matterctl color xy desk 0.31 0.33")

    @OptionGroup var words: NodesAndValue<Point>
    @OptionGroup var color: ColorOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb {
        let point = try words.value()
        return color.verb(.xy(point.x, point.y))
    }
}
