import ArgumentParser
import TestSupport
import Testing

@testable import MatterCommandLine

/// The short ways past the parser read the same as the parser.
@Suite("command lines that are read the short way", .together)
struct PlainLineTests {
    /// Everything that a command was given.
    private static func contents(of command: any EverydayCommand) throws -> [String] {
        let (options, everyday) = (command.options, command.everyday)
        let (state, filter) = (options.state, everyday.selection.filter)
        return [
            "\(type(of: command))", "\((try? command.verb()).map { "\($0)" } ?? "shows")",
            "\(command.nodes.map { "\($0.node)/\($0.endpoint.map { "\($0)" } ?? "-")" })",
            "\(everyday.verify) \(everyday.dryRun) \(everyday.selection.all)",
            "\([filter.room, filter.deviceType, filter.cluster])",
            "\([state.home, state.fabric, state.output.logFile, options.address])",
            "\(state.output.json) \(state.output.verbose)",
            "\(options.timeout?.description ?? "-") \(options.progress)",
            "\(options.fresh) \(options.noKeep) \(options.wait)",
        ]
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
            ["lock", "door"], ["lock", "lock", "door", "--no-keep"], ["lock", "unlock", "door"], ["unlock", "door/2"],
            ["identify", "kitchen", "--json"], ["scene", "recall", "hall", "3"],
            ["scene", "recall", "hall", "Evening"],
            ["on", "a", "--home", "x", "--home", "y", "--json", "--json"], ["on", "", "--home", ""],
        ])
    func alike(arguments: [String]) throws {
        let parsed = try? MatterCtl.parseAsRoot(arguments)
        let plain = PlainLine.command(arguments)
        guard let parsed = parsed as? any EverydayCommand else {
            #expect(plain == nil)
            return
        }
        #expect(try Self.contents(of: #require(plain as? any EverydayCommand)) == Self.contents(of: parsed))
    }

    @Test(
        "the modes of devices, shown and changed, are read as the parser reads them",
        arguments: [
            ["mode", "robot"], ["mode", "robot", "Deep clean"], ["mode", "robot/2", "3", "--json"],
            ["mode", "a", "b", "quick", "--timeout", "5s"],
            ["mode", "robot", "--address", "[::1]:5540", "--home", "/x"],
        ])
    func modes(arguments: [String]) throws {
        func contents(_ command: Any?) throws -> [String] {
            let mode = try #require(command as? ModeCommand)
            let (options, everyday) = (mode.options, mode.everyday)
            return mode.words + [
                "\(everyday.verify) \(everyday.dryRun) \(everyday.selection.all) \(everyday.selection.filter)",
                "\([options.state.home, options.state.fabric, options.address]) \(options.state.output.json)",
                "\(options.timeout?.description ?? "-") \(mode.onlyReads) \(mode.target.map { "\($0)" } ?? "-")",
            ]
        }
        #expect(try contents(PlainLine.command(arguments)) == contents(MatterCtl.parseAsRoot(arguments)))
    }

    @Test(
        "every other line is left to the parser",
        arguments: [
            [], ["toggle"], ["toggle", "--all"], ["toggle", "kitchen", "--verify"], ["toggle", "a/b"],
            ["toggle", "/1"],
            ["on", "kitchen", "--home"], ["on", "kitchen", "--timeout", "0"], ["on", "kitchen", "--timeout", "x"],
            ["on", "kitchen", "-v"], ["on", "kitchen", "--home=x"], ["on", "kitchen", "--home", "-x"],
            ["on", "--help"],
            ["on", "--", "kitchen"], ["on", "a", "b", "--address", "[::1]:1"], ["read", "kitchen", "1/on-off/on-off"],
            ["level", "kitchen"], ["level", "kitchen", "bright"], ["level", "kitchen", "50%", "--transition", "2s"],
            ["thermostat", "hall", "21x"], ["fan", "speed", "desk"], ["fan", "desk", "30%", "--room", "Hall"],
            ["fan", "--watch"],
            ["valve", "open"], ["lock"], ["lock", "door", "--pin", "@x"], ["lock", "show", "door"], ["lock", "help"],
            ["lock", "config", "door"], ["unlock", "door", "--relock-after", "30s"], ["identify", "a", "--for", "3s"],
            ["scene"], ["scene", "ls", "hall"], ["scene", "recall"], ["scene", "recall", "hall", "3", "--group", "x"],
            ["help", "on"], ["on", "-5"], ["node", "ls"], ["mode"], ["mode", "--all"], ["mode", "/1", "quick"],
            ["mode", "robot", "quick", "--verify"],
        ] as [[String]])
    func others(arguments: [String]) {
        #expect(PlainLine.command(arguments) == nil)
    }

    @Test(
        "the usual verb of a command need not be named: the command is found on the same short way",
        arguments: [
            ("thermostat hall 21", "thermostat set hall 21"), ("cover bedroom 40%", "cover position bedroom 40%"),
            ("color desk red", "color temperature desk red"), ("fan desk/2 30%", "fan speed desk/2 30%"),
            ("lock front", "lock lock front"),
        ])
    func usual(short: String, long: String) throws {
        func parsed(_ line: String) throws -> any EverydayCommand {
            let words = line.split(separator: " ").map(String.init)
            return try #require(NamedCommand.parsed(words, of: MatterCtl.self) as? any EverydayCommand, "\(line)")
        }
        let (first, second) = (try parsed(short), try parsed(long))
        #expect(Swift.type(of: first) == Swift.type(of: second))
        #expect(first.nodes.map(\.node) == second.nodes.map(\.node) && !first.nodes.isEmpty)
        #expect(first.nodes.map(\.endpoint) == second.nodes.map(\.endpoint))
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
