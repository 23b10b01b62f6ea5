import ArgumentParser
import MatterController
import MatterDataModel

struct ColorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "color", abstract: "The colour of lights.", discussion: "Example: matterctl color desk 2700K",
        subcommands: [ColorSet.self, ColorTemperature.self, ColorName.self, ColorHue.self, ColorXY.self],
        defaultSubcommand: ColorSet.self)
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

extension NamedColor: ExpressibleByArgument, TrailingValue {}

struct ColorSet: EverydayCommand {
    /// A colour temperature, or the name of a colour.
    enum Wanted: ExpressibleByArgument, TrailingValue {
        static let forms = "2700K, 370mired or a name such as red"

        case temperature(UInt16)
        case name(NamedColor)

        init?(argument: String) {
            if let name = NamedColor(rawValue: argument.lowercased()) {
                self = .name(name)
            } else if let temperature = ColorTemperature.Temperature(argument: argument) {
                self = .temperature(temperature.number)
            } else {
                return nil
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the colour temperature, or a colour by its name.",
        discussion: "Example: matterctl color desk red")

    @OptionGroup var words: NodesAndValue<Wanted>
    @OptionGroup var color: ColorOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb {
        switch try words.value() {
        case .temperature(let mireds): color.verb(.temperature(mireds: mireds))
        case .name(let name): color.verb(.named(name))
        }
    }
}

struct ColorName: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "name", abstract: "Set a colour by its name.",
        discussion: "Example: matterctl color name desk turquoise")

    @OptionGroup var words: NodesAndValue<NamedColor>
    @OptionGroup var color: ColorOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { color.verb(.named(try words.value())) }
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

    static let configuration = CommandConfiguration(
        commandName: "temperature", abstract: "Set the colour temperature.",
        discussion: "Example: matterctl color temperature desk 2700K --transition 2s")

    @OptionGroup var words: NodesAndValue<Temperature>
    @OptionGroup var color: ColorOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func verb() throws -> any DeviceVerb { color.verb(.temperature(mireds: try words.value().number)) }
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
