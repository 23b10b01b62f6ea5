import ArgumentParser
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController

/// The short ways past the parser read the same as the parser.
@Suite("command lines that are read the short way", .together)
struct PlainLineTests {
    /// Everything that a command was given: all of its stored properties, with those of the groups of its options.
    private static func contents(of command: Any) -> [String] {
        var text = ""
        dump(command, to: &text)
        // How a group of options stands on pages is known to its declaration alone.
        return text.split(separator: "\n").map(String.init).filter { line in
            !["title:", "_visibility:"].contains { line.contains($0) }
        }
    }

    /// Values for the options that take one.
    private static func value(_ option: LineOption) -> [String] {
        switch option {
        case .home, .logFile, .traceTo: ["/x"]
        case .fabric, .room, .type, .cluster: ["hall"]
        case .color: ["never"]
        case .address: ["[::1]:5540"]
        case .timeout, .patience: ["1m30s"]
        case .progress: ["json"]
        case .span, .transition, .relockAfter, .lockout, .autoRelock: ["40s"]
        case .count, .optionsMask, .optionsOverride, .variant, .code, .wrongCodeLimit: ["3"]
        case .level: ["40%"]
        case .pin: ["@/x"]
        case .effect: ["dying-light"]
        case .group, .name, .user: ["Ada"]
        case .from: ["2026-12-01"]
        case .until: ["2026-12-24T18:00"]
        case .days: ["mon-fri"]
        case .hours: ["08:00-17:00"]
        case .mode: ["vacation"]
        case .pinForRemote: ["yes"]
        case .volume: ["low"]
        case .language: ["en"]
        default: []
        }
    }

    /// All commands that are read the short way.
    private static let commands: [any PlainCommand.Type] = {
        func plain(_ types: [any ParsableCommand.Type]) -> [any PlainCommand.Type] {
            types.flatMap { type in
                ((type as? any PlainCommand.Type).map { [$0] } ?? []) + plain(type.configuration.subcommands)
            }
        }
        return plain([MatterCtl.self])
    }()

    @Test("the options of all commands are those of one list, for the parser and for the short way")
    func declared() {
        #expect(Self.commands.count == 29)
        for line in Self.lines { #expect(!line.names.isEmpty, "\(line.words) is not read the short way") }
        var used: Set<LineOption> = []
        for type in Self.commands {
            for parameter in CommandDeclaration(of: type).options
            where !parameter.names.contains("--help") && !parameter.names.contains("--version") {
                let option = LineOption.allCases.first { parameter.names == $0.names }
                #expect(option != nil, "\(type) \(parameter.names)")
                guard let option else { continue }
                used.insert(option)
                #expect((parameter.value != nil) == option.takesValue, "\(type) \(option)")
                for name in option.names { #expect(LineOption(word: name) == option) }
            }
        }
        #expect(used == Set(LineOption.allCases))
        let known = Set(LineOption.common.flatMap(\.names) + ["-h", "--help"])
        for type in [Toggle.self, On.self] as [any ParsableCommand.Type] {
            let names = Set(CommandDeclaration(of: type).options.flatMap(\.names)).subtracting(["--version"])
            #expect(names == known, "\(names.symmetricDifference(known))")
        }
    }

    /// Lines for options that are those of few commands.
    private static let lines: [(words: [String], names: Set<String>)] = [
        ["level", "kitchen", "50%"], ["level", "kitchen", "50%", "--no-on-off"], ["off", "kitchen"],
        ["off", "kitchen", "--effect", "dying-light"], ["identify", "kitchen"], ["unlock", "door"],
        ["door-lock", "add-code", "door"], ["door-lock", "remove-code", "door", "Ada"],
        ["door-lock", "config", "door"],
        ["door-lock", "restrict", "door", "Ada", "--from", "2026-12-01", "--until", "2026-12-24"],
        ["door-lock", "restrict", "door", "Ada", "--days", "all", "--hours", "01:00-02:00"],
        ["scene", "store", "hall", "Evening"], ["energy", "meter", "--watch"], ["color", "warm", "desk"],
        ["door-lock", "unlock", "door"],
    ].map { words in
        let type = PlainLine.command(words).map { Swift.type(of: $0) }
        return (words, Set(type.map { CommandDeclaration(of: $0).options.flatMap(\.names) } ?? []))
    }

    @Test(
        "each option is read as the parser reads it: given, and left out in a line with another one",
        arguments: LineOption.allCases)
    func option(_ option: LineOption) throws {
        let lines =
            LineOption.common.contains(option)
            ? [["toggle", "kitchen"], ["fan", "desk", "30%"], ["door-lock", "unlock", "door"]]
            : Self.lines.filter { $0.names.contains("--" + option.rawValue) }.map(\.words)
        #expect(!lines.isEmpty)
        for words in lines {
            for name in option.names {
                let line = words + [name] + Self.value(option)
                let parsed = Result { try MatterCtl.parseAsRoot(line) }
                let plain = PlainLine.command(line)
                switch parsed {
                case .success(let parsed):
                    #expect(try Self.contents(of: #require(plain, "\(line)")) == Self.contents(of: parsed), "\(line)")
                case .failure: #expect(plain == nil, "\(line)")
                }
            }
        }
    }

    @Test(
        "a line of words and common options is read as the parser reads it",
        arguments: [
            ["on", "kitchen"], ["off", "kitchen/2"], ["toggle", "1", "0x2/3", "hall*"],
            ["toggle", "kitchen", "--json"], ["toggle", "kitchen", "--no-keep"],
            ["on", "--fresh", "kitchen", "--no-keep"],
            ["toggle", "--json", "kitchen"], ["on", "two words", "--home", "/tmp/x", "--fabric", "home"],
            ["off", "5", "--address", "[::1]:5540", "--timeout", "1m30s"], ["on", "group:hall"], ["toggle", "ä/1"],
            ["level", "kitchen", "50%"], ["level", "kitchen", "+10%", "--json"], ["thermostat", "hall", "21"],
            ["thermostat", "set", "hall", "21.5C", "--no-keep"], ["thermostat", "hall"], ["fan", "desk/2", "30%"],
            ["fan"],
            ["cover", "open", "bed*"], ["color", "hue", "desk", "240", "80%"], ["valve", "status", "garden", "--json"],
            ["vacuum", "start", "robot"], ["media", "volume", "tv", "30%"], ["motion", "hall", "--timeout", "5s"],
            ["lock", "door"], ["door-lock", "lock", "door", "--no-keep"], ["door-lock", "unlock", "door"],
            ["unlock", "door/2"],
            ["door-lock"], ["lock", "a", "b"], ["door-lock", "door", "--watch"], ["door-lock", "show", "door"],
            ["door-lock", "codes", "door"], ["door-lock", "add-code", "door", "--json"],
            ["door-lock", "remove-code", "door", "Ada"], ["door-lock", "unrestrict", "door/2", "Ada", "--json"],
            ["door-lock", "config", "door"], ["door-lock", "config", "door", "--all"],
            ["identify", "kitchen", "--json"], ["scene", "recall", "hall", "3"],
            ["scene", "recall", "hall", "Evening"], ["scene"], ["scene", "ls", "hall"],
            ["scene", "store", "hall", "3"],
            ["scene", "store", "hall", "Evening", "--json"], ["scene", "remove", "a", "b", "3", "--dry-run"],
            ["scene", "show"],
            ["mode"], ["mode", "robot"], ["mode", "robot", "Deep clean"], ["mode", "robot/2", "3", "--json"],
            ["mode", "set", "a", "b", "quick", "--timeout", "5s"], ["mode", "--all"], ["mode", "show", "a", "b"],
            ["mode", "robot", "--address", "[::1]:5540", "--home", "/x"], ["mode", "robot", "quick", "--verify"],
            ["toggle", "--all"], ["toggle", "kitchen", "--verify"], ["on", "kitchen", "-v", "-v"],
            ["fan", "desk", "30%", "--room", "Hall"], ["off", "--room", "Hall", "--type", "fan", "--dry-run"],
            ["level", "kitchen", "50%", "--transition", "2s", "--no-on-off", "--options-mask", "1"],
            ["off", "kitchen", "--effect", "delayed-all-off", "--variant", "1"], ["identify", "a", "--for", "0s"],
            ["fan", "--watch", "--for", "1m", "--count", "3"], ["energy", "meter", "--watch", "--csv"],
            ["lock", "door", "--pin", "@x"], ["door-lock", "unlock", "door", "--relock-after", "30s", "--pin", "@x"],
            ["unlock", "door", "--relock-after", "30s", "--pin", "@x"],
            ["scene", "recall", "hall", "3", "--group", "x"],
            ["door-lock", "restrict", "door", "Ada", "--days", "mon-fri", "--hours", "08:00-17:00", "--json"],
            ["door-lock", "config", "door", "--volume", "low", "--volume", "high"], ["mode", "robot", "--watch"],
            ["on", "a", "--home", "x", "--home", "y", "--json", "--json"], ["on", "", "--home", ""],
        ])
    func alike(arguments: [String]) throws {
        let parsed = try? MatterCtl.parseAsRoot(arguments)
        let plain = PlainLine.command(arguments)
        guard let parsed else {
            #expect(plain == nil)
            return
        }
        #expect(try Self.contents(of: #require(plain)) == Self.contents(of: parsed))
    }

    @Test("what is read is there: a value, a flag and a number of them")
    func read() throws {
        let line = ["fan", "desk", "30%", "--room", "Hall", "-v", "--verbose", "--verify", "--timeout", "5s"]
        let fan = try #require(PlainLine.command(line) as? KindCommand<FanKind>)
        #expect(fan.words == ["desk", "30%"] && fan.selection.filter.room == "Hall" && !fan.selection.all)
        #expect(fan.options.state.verbose == 2 && fan.particular.verify && fan.options.timeout?.duration == .seconds(5))
    }

    @Test(
        "every other line is left to the parser",
        arguments: [
            [], ["toggle"], ["toggle", "a/b"],
            ["toggle", "/1"],
            ["on", "kitchen", "--home"], ["on", "kitchen", "--timeout", "0"], ["on", "kitchen", "--timeout", "x"],
            ["on", "kitchen", "-vv"], ["on", "kitchen", "--color", "red"], ["on", "kitchen", "--home=x"],
            ["on", "kitchen", "--home", "-x"],
            ["on", "--help"],
            ["on", "--", "kitchen"], ["on", "a", "b", "--address", "[::1]:1"], ["read", "kitchen", "1/on-off/on-off"],
            ["level", "kitchen"], ["level", "kitchen", "bright"], ["level", "kitchen", "50%", "--transition", "x"],
            ["level", "kitchen", "50%", "--options-mask", "1"], ["level", "kitchen", "50%", "--transition", "2h"],
            ["thermostat", "hall", "21x"], ["fan", "speed", "desk"], ["fan", "desk", "30%", "--watch"],
            ["valve", "open"], ["lock"], ["lock", "door", "--relock-after", "30s"],
            ["lock", "door", "--pin", "12345678"], ["door-lock", "lock"],
            ["door-lock", "restrict", "door", "Ada"], ["door-lock", "restrict", "door", "Ada", "--from", "2026-12-01"],
            ["door-lock", "unrestrict", "door"], ["door-lock", "add-code", "door", "--pin", "12345678"],
            ["door-lock", "codes", "door", "--all"], ["door-lock", "codes", "door", "--volume", "low"],
            ["unlock", "door", "--relock-after", "0"], ["identify", "a", "--for", "20h"],
            ["toggle", "kitchen", "--for", "3s"], ["off", "kitchen", "--variant", "1"],
            ["scene", "recall"], ["scene", "recall", "hall", "3", "--name", "x"],
            ["help", "on"], ["on", "-5"], ["node", "ls"], ["mode", "/1", "quick"], ["mode", "set", "robot"],
        ] as [[String]])
    func others(arguments: [String]) {
        #expect(PlainLine.command(arguments) == nil)
    }

    @Test(
        "the usual verb of a command need not be named: the command is found on the same short way",
        arguments: [
            ("thermostat hall 21", "thermostat set hall 21"), ("cover bedroom 40%", "cover position bedroom 40%"),
            ("color desk red", "color temperature desk red"), ("fan desk/2 30%", "fan speed desk/2 30%"),
            ("mode robot Quick", "mode set robot Quick"),
        ])
    func usual(short: String, long: String) throws {
        func parsed(_ line: String) throws -> any KindLineCommand {
            let words = line.split(separator: " ").map(String.init)
            return try #require(NamedCommand.parsed(words, of: MatterCtl.self) as? any KindLineCommand, "\(line)")
        }
        let (first, second) = (try parsed(short), try parsed(long))
        #expect(Swift.type(of: first) == Swift.type(of: second))
        #expect(first.words == Array(second.words.dropFirst()))
        func line(_ command: any KindLineCommand) -> KindLine {
            KindLine(command.words, of: Swift.type(of: command).kind, choosesNodes: false)
        }
        #expect(line(first).verb?.name == line(second).verb?.name && line(first).verb != nil)
        #expect(line(first).nodes == line(second).nodes && line(first).valueWords == line(second).valueWords)
    }

    @Test("a command that is named in full is found, with its arguments, however deep it lies")
    func named() throws {
        for (words, type) in UsageTests.commands {
            // Whatever else it needs, it is not taken for another one.
            let command = inProgram { NamedCommand.parsed(words, of: MatterCtl.self) }
            if let command { #expect(Swift.type(of: command) == type, "\(words)") }
        }
        let show = try #require(
            NamedCommand.parsed(["node", "show", "5", "--json"], of: MatterCtl.self) as? NodeCommand.Show)
        #expect(show.state.output.json)
        for words in [
            [], ["node"], ["nod", "ls"], ["node", "ls", "--help"], ["node", "ls", "--version"], ["help", "node", "ls"],
            ["--json", "node", "ls"], ["node", "ls", "--no-such-option"], ["node", "show"],
        ] as [[String]] {
            #expect(NamedCommand.parsed(words, of: MatterCtl.self) == nil, "\(words)")
        }
    }
}
