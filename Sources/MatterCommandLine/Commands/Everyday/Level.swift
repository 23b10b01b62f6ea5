import ArgumentParser
import MatterController

struct LevelValue: ExpressibleByArgument, TrailingValue {
    static let forms = "0–254 or 0%–100%"

    var level: UInt8

    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else { return nil }
            let level = UInt8((percent * 254 / 100).rounded())
            self.level = percent > 0 ? max(1, level) : 0
        } else {
            guard let level = UInt8(argument), level <= 254 else { return nil }
            self.level = level
        }
    }
}

struct Level: EverydayCommand {
    static let configuration = CommandConfiguration(
        commandName: "level", abstract: "Dim to a level.",
        discussion: """
            VALUE is 0–254 or 0%–100%. A light that is off comes on, and 0 switches it off, unless --no-on-off is given.

            Example: matterctl level kitchen 50% --transition 2s
            """)

    @OptionGroup var words: NodesAndValue<LevelValue>
    @Option(help: ArgumentHelp("How long the change takes.", valueName: "DURATION")) var transition: TimeSpan?
    @Flag(name: .long, help: "Change only the level; never switch the light on or off.") var noOnOff = false
    @Option(help: ArgumentHelp("OptionsMask, a bitmap (with --no-on-off).", valueName: "N")) var optionsMask: UInt8 = 0
    @Option(help: ArgumentHelp("OptionsOverride, a bitmap (with --no-on-off).", valueName: "N")) var optionsOverride:
        UInt8 = 0
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var nodes: [NodeArgument] { words.nodes }

    func validate() throws {
        try everyday.check(nodes, options)
        if !noOnOff, optionsMask != 0 || optionsOverride != 0 {
            throw ValidationError("--options-mask and --options-override need --no-on-off")
        }
        if let transition, transition.duration > .seconds(6553) {
            throw ValidationError("a transition takes at most 6553 s")
        }
    }

    func verb() throws -> any DeviceVerb {
        Verb.level(
            try words.value().level, transition: transition?.duration, switches: !noOnOff,
            options: (mask: optionsMask, override: optionsOverride))
    }
}
