import ArgumentParser
import MatterController

/// `0`–`254` or `0%`–`100%`.
struct LevelValue: ExpressibleByArgument {
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

    @Argument(
        help: ArgumentHelp(
            "The nodes, with /EP for an endpoint, or group:GROUP; and last the level: 0–254 or 0%–100%.",
            valueName: "node-or-value"))
    var words: [String]
    @Option(help: ArgumentHelp("How long the change takes.", valueName: "DURATION")) var transition: TimeSpan?
    @Flag(name: .long, help: "Change only the level; never switch the light on or off.") var noOnOff = false
    @Option(help: ArgumentHelp("OptionsMask, a bitmap (with --no-on-off).", valueName: "N")) var optionsMask: UInt8 = 0
    @Option(help: ArgumentHelp("OptionsOverride, a bitmap (with --no-on-off).", valueName: "N")) var optionsOverride:
        UInt8 = 0
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// The last word.
    private var value: LevelValue? { words.last.flatMap { LevelValue(argument: $0) } }

    var nodes: [NodeArgument] { words.dropLast().compactMap { NodeArgument(argument: $0) } }

    func validate() throws {
        guard words.count > 1 || everyday.selection.isGiven else {
            throw ValidationError("Missing expected argument '<value>' (0–254 or 0%–100%)")
        }
        for word in words.dropLast() where NodeArgument(argument: word) == nil {
            throw ValidationError(
                "The value '\(word)' is invalid for '<node>' (node id or name, with /EP for an endpoint)")
        }
        guard value != nil else {
            throw ValidationError("The value '\(words.last ?? "")' is invalid for '<value>' (0–254 or 0%–100%)")
        }
        try everyday.check(nodes, options)
        if !noOnOff, optionsMask != 0 || optionsOverride != 0 {
            throw ValidationError("--options-mask and --options-override need --no-on-off")
        }
        if let transition, transition.duration > .seconds(6553) {
            throw ValidationError("a transition takes at most 6553 s")
        }
    }

    var verb: Verb {
        .level(
            value?.level ?? 0, transition: transition?.duration, switches: !noOnOff,
            options: (mask: optionsMask, override: optionsOverride))
    }
}
