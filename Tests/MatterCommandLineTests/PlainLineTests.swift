import ArgumentParser
import TestSupport
import Testing

@testable import MatterCommandLine

/// What is read without the parser, or without its way from the root, is what the parser reads.
@Suite("command lines that are read the short way", .fewAtATime)
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
            ["valve", "open"], ["lock", "door"],
            ["help", "on"], ["on", "-5"], ["node", "ls"],
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
