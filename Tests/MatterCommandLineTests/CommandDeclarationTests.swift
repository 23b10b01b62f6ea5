import MatterController
import TestSupport
import Testing

@testable import ArgumentParser
@testable import MatterCommandLine

/// The declarations of commands, and their readers.
@Suite("Declaration of a command", .together) struct CommandDeclarationTests {
    /// Every command that does something, with its words.
    private static let all: [(words: String, type: any ParsableCommand.Type)] = {
        var found: [(String, any ParsableCommand.Type)] = []
        func add(_ type: any ParsableCommand.Type, _ words: String) {
            if type.configuration.subcommands.isEmpty { found.append((words, type)) }
            for child in type.configuration.subcommands { add(child, words + " " + child._commandName) }
        }
        add(MatterCtl.self, "matterctl")
        return found
    }()

    private struct Sample: ParsableCommand {
        enum Way: String, ExpressibleByArgument, CaseIterable { case air, sea }

        @Argument(completion: .kind(.nodesAndValue(["low", "very high"]))) var words: [String]
        @Option(name: [.short, .long], completion: .kind(.path(.write))) var path: [String] = []
        @Option var way: Way?
        @Flag(name: [.short, .customLong("loud")]) var loud = false
        @Option(help: .hidden) var secret: String?
    }

    @Test("names, kinds, values, repetition and what is hidden are as declared; nothing is read from a page")
    func sample() throws {
        let declaration = CommandDeclaration(of: Sample.self)
        let words = try #require(declaration.argument(0))
        #expect(words.kind == .nodesAndValue(["low", "very high"]) && declaration.argument(7) == words)
        let path = try #require(declaration.option("-p"))
        #expect(
            path.names == ["-p", "--path"] && path.kind == .path(.write) && path.isRepeating && path.value == "path")
        let way = try #require(declaration.option("--way"))
        #expect(way.values == ["air", "sea"] && !way.isRepeating && way.kind == nil)
        #expect(declaration.option("--secret")?.isShown == false)
        #expect(declaration.flags.isSuperset(of: ["-l", "--loud", "--help"]))
        #expect(!declaration.flags.contains("--path") && !declaration.flags.contains("--secret"))
    }

    private struct Faulty: ParsableCommand {
        @Flag var loud = false
        @Option(name: .customLong("loud")) var volume: Int?
    }

    // The parser asks this itself only where DEBUG is defined, and then with every command line.
    @Test("the parser finds no fault with the declaration of any command")
    func soundness() {
        for (words, type) in Self.all {
            #expect(throws: Never.self, "\(words)") { try type._validate(parent: nil) }
        }
        #expect(throws: (any Error).self) { try Faulty._validate(parent: nil) }
    }

    @Test("a kind is the same after its way through the parser")
    func kinds() {
        let kinds: [ParameterKind] = [
            .node, .nodeOrGroup, .endpoint, .endpointOrGroup, .deviceWords, .nodesAndValue([]),
            .nodesAndValue(["a", "b c"]),
            .nodeOrPath,
            .path(.event),
            .settings,
            .condition, .fields, .accessEntry, .room, .deviceType, .cluster, .group, .fabric, .profile, .file, .folder,
            .contents, .simulatedTypes, .simulatedFault, .duration, .number,
        ]
        for kind in kinds { #expect(ParameterKind(text: kind.text) == kind) }
        #expect(ParameterKind(text: "ls -l") == nil)
    }

    @Test("every parameter for a node, a file, a room and so on says so, in all commands")
    func declared() {
        let named: [String: ParameterKind] = [
            "node": .node, "nodes": .node, "ROOM": .room, "TYPE": .deviceType, "CLUSTER": .cluster, "FILE": .file,
            "DIR": .folder, "@FILE": .contents,
        ]
        var seen = 0
        for (words, type) in Self.all {
            let declaration = CommandDeclaration(of: type)
            for parameter in declaration.arguments + declaration.options {
                guard let value = parameter.value, let wanted = named[value] else { continue }
                // The cloud has nodes of its own, by other ids.
                if words.hasPrefix("matterctl cloud"), value == "node" { continue }
                seen += 1
                let isNode = wanted == .node && [.nodeOrGroup, .endpoint, .endpointOrGroup].contains(parameter.kind)
                #expect(
                    parameter.kind == wanted || isNode,
                    "\(words) \(parameter.names) \(value): \(String(describing: parameter.kind))")
            }
        }
        #expect(seen > 400)
    }

    @Test("a verb with a command of its own has one, with the words that the declaration of its kind says")
    func ownCommands() {
        for kind in DeviceKind.all.map({ $0.kind }) {
            let verbs = kind.verbs.filter { $0.ownWords != nil }
            let commands = MatterCtl.ownCommands(of: kind)
            #expect(commands.map { $0._commandName } == verbs.map(\.name), "\(kind.name)")
            for (command, verb) in zip(commands, verbs) {
                let words = CommandDeclaration(of: command).arguments.map { argument in
                    argument.isRepeating ? "NODE..." : (argument.value ?? "").uppercased()
                }
                #expect(words.joined(separator: " ") == verb.ownWords, "\(kind.name) \(verb.name)")
            }
        }
    }

    @Test("a list that a parameter allows is known, and nothing else is offered there")
    func closedLists() {
        for (words, type) in Self.all {
            let declaration = CommandDeclaration(of: type)
            for parameter in declaration.arguments + declaration.options where !parameter.values.isEmpty {
                #expect(parameter.kind == nil, "\(words) \(parameter.names)")
            }
        }
    }
}
