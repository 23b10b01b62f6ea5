import ArgumentParser
import MatterController

struct LevelValue: ExpressibleByArgument, TrailingValue {
    static let forms = "0–254 or 0%–100%"
    static let offers = ["0%", "25%", "50%", "75%", "100%"]

    var level: UInt8

    init?(argument: String) {
        guard let level = LevelText.parse(argument) else { return nil }
        self.level = level
    }
}

/// A level, or a step up or down from the one that the light has.
enum LevelChange: ExpressibleByArgument, TrailingValue {
    case to(UInt8)
    /// Positive is up; never 0.
    case by(Int)

    static let forms = LevelValue.forms + ", or a step: +10%, -10%"
    static let offers = LevelValue.offers + ["+10%", "-10%"]

    init?(argument: String) {
        switch argument.first {
        case "+", "-":
            guard let size = LevelValue(argument: String(argument.dropFirst()))?.level, size > 0 else { return nil }
            self = .by(argument.hasPrefix("-") ? -Int(size) : Int(size))
        default:
            guard let level = LevelValue(argument: argument)?.level else { return nil }
            self = .to(level)
        }
    }
}

struct Level: NodesAndValueCommand {
    static let plainName = "level"
    static let configuration = CommandConfiguration(
        commandName: plainName, abstract: "Dim to a level.",
        discussion: """
            VALUE is 0–254 or 0%–100%. A light that is off comes on, and 0 switches it off, unless --no-on-off is given.
            With a sign it is a step from the present level: +10%, -10%, +25. The device stops at its ends.

            Example: matterctl level kitchen 50% --transition 2s
            """)

    @OptionGroup var words: NodesAndValue<LevelChange>
    @Option(name: .line(.transition), help: ArgumentHelp("How long the change takes.", valueName: "DURATION"))
    var transition: TimeSpan?
    @Flag(name: .line(.noOnOff), help: "Change only the level; never switch the light on or off.") var noOnOff = false
    @Option(name: .line(.optionsMask), help: ArgumentHelp("OptionsMask, a bitmap (with --no-on-off).", valueName: "N"))
    var optionsMask: UInt8?
    @Option(
        name: .line(.optionsOverride),
        help: ArgumentHelp("OptionsOverride, a bitmap (with --no-on-off).", valueName: "N"))
    var optionsOverride: UInt8?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func validate() throws {
        try everyday.check(nodes, options)
        if !noOnOff, (optionsMask ?? 0) != 0 || (optionsOverride ?? 0) != 0 {
            throw ValidationError("--options-mask and --options-override need --no-on-off")
        }
        if let transition, transition.duration > .seconds(6553) {
            throw ValidationError("a transition takes at most 6553 s")
        }
    }

    func verb() throws -> any DeviceVerb {
        let options = (
            mask: LevelControl.Options(rawValue: optionsMask ?? 0),
            override: LevelControl.Options(rawValue: optionsOverride ?? 0)
        )
        return switch try words.value() {
        case .to(let level): Verb.level(level, transition: transition?.duration, switches: !noOnOff, options: options)
        case .by(let step): Verb.levelStep(step, transition: transition?.duration, switches: !noOnOff, options: options)
        }
    }
}
