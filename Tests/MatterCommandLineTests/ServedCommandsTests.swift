import ArgumentParser
import Foundation
import HouseServer
import MatterController
import Synchronization
import TestSupport
import Testing

@testable import MatterCommandLine

/// The commands that go through the server of the house, and those that do not.
@Suite("Served commands", .together) struct ServedCommandsTests {
    /// Lines in place of those in `EveryCommandTests` that do not parse.
    private static let lines = [
        "discover": "", "serve run": "", "icd listen": "", "rainmaker access refresh": "",
    ]
    private static let watched = "the kinds of devices"

    /// A line for each command that talks to devices, without options that change where it runs.
    private static func bases() -> [String: [String]] {
        var bases: [String: [String]] = [:]
        for (command, type) in UsageTests.commands.map({ ($0.words.joined(separator: " "), $0.type) })
        where type is any NetworkCommand.Type {
            let arguments = lines[command] ?? EveryCommandTests.runs.first { $0.command == command }?.arguments ?? ""
            bases[command] = (command + " " + arguments).split(separator: " ").map(String.init)
        }
        return bases
    }

    /// Whether a line would be handed to a server; `nil` for one that is no command.
    private static func isServed(_ line: [String]) -> Bool? {
        guard let command = inProgram({ Program.command(of: line) }) as? any NetworkCommand else { return nil }
        return ServerCall(command, line) != nil
    }

    /// The commands in a part of the page: `node ls --status` as `node ls` and `--status`.
    private static func named(_ text: String, _ commands: some Collection<String>) -> [(command: String, rest: String)]
    {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }.filter { !$0.hasPrefix("-") }.map { span in
            let command = commands.filter { span == $0 || span.hasPrefix($0 + " ") }.max { $0.count < $1.count }
            return (command ?? span, String(span.dropFirst((command ?? span).count)))
        }
    }

    @Test("serve.md says of every command that talks to devices whether it goes through the server, and it does")
    func page() throws {
        let text = try DocumentsTests.page("commands/serve")
        let section = try #require(
            text.components(separatedBy: "## Shell commands beside it\n").last?.components(separatedBy: "\n## ")[0])
        let parts = section.components(separatedBy: "\n| command | why |\n")
        #expect(parts.count == 2)
        let served = try #require(parts[0].components(separatedBy: "Output and exit codes").first)
        let own = parts[1].split(separator: "\n").dropFirst().map { line in
            line.split(separator: "|").first.map(String.init) ?? ""
        }.joined()
        let bases = Self.bases()
        #expect(bases.count > 90)
        var told: (served: Set<String>, own: Set<String>) = ([], [])
        if served.contains(Self.watched) { told.served.formUnion(DeviceKind.all.map { $0.kind.name }) }
        for (part, isServed) in [(served, true), (own, false)] {
            for (command, rest) in Self.named(part, bases.keys) {
                guard var line = bases[command] else {
                    Issue.record("'\(command)' does not talk to devices")
                    continue
                }
                line += rest.split(separator: " ").map(String.init).filter { !line.contains($0) }
                #expect(Self.isServed(line) == isServed, "\(line)")
                if isServed { told.served.insert(command) } else { told.own.insert(command) }
            }
        }
        for (command, line) in bases.sorted(by: { $0.key < $1.key }) {
            let isServed = Self.isServed(line)
            #expect(isServed != nil, "\(line) is no command")
            #expect(
                (isServed == true ? told.served : told.own).contains(command),
                "'\(command)' is \(isServed == true ? "" : "not ")served: serve.md does not say so")
        }
    }

    @Test("what only the shell's own process can do goes past the server, for each command that is served otherwise")
    func past() throws {
        var count = 0
        for (command, line) in Self.bases() where Self.isServed(line) == true {
            guard let type = UsageTests.commands.first(where: { $0.words.joined(separator: " ") == command })?.type,
                command != "serve take", command != "serve shares"
            else { continue }
            for option in ["--direct", "--fresh", "--no-keep", "--trace", "--wait", "-v", "--log-file=x", "--home=x"] {
                #expect(Self.isServed(line + [option]) == false, "\(line) \(option)")
            }
            // A file that is named is that of the shell's folder.
            for option in CommandDeclaration(of: type).options where option.kind == .file || option.kind == .folder {
                guard let name = option.names.last else { continue }
                for words in [[name, "x"], ["\(name)=x"]] {
                    if let isServed = Self.isServed(line + words) { #expect(!isServed, "\(line) \(words)") }
                }
                count += 1
            }
            // So is what a person would be asked.
            if line.contains("--yes") { #expect(Self.isServed(line.filter { $0 != "--yes" }) == false, "\(line)") }
        }
        #expect(count > 50)
        for line in [
            "write lamp 1/8/on-level @level", "invoke lamp 1/6/2 --json-fields fields", "write lamp 1/8/on-level -",
            "read lamp 1/6/0 --cluster-defs=own.json", "write lamp 1/8/on-level 5% --dry-run", "acl set lamp []",
            "read lamp 1/6/0 --code 34970112332",
        ] {
            let words = line.split(separator: " ").map(String.init)
            if let isServed = Self.isServed(words) { #expect(!isServed, "\(line)") }
        }
    }

    @Test("numbers that mean what was shown go with the time at which their process began")
    func start() throws {
        for (line, depends) in [
            ("acl revoke lamp entry:2", true), ("acl revoke lamp 5", false), ("acl grant lamp 5", false),
            ("toggle lamp", false),
        ] {
            let command = inProgram { Program.command(of: line.split(separator: " ").map(String.init)) }
            #expect((command as? any NetworkCommand)?.dependsOnStart == depends, "\(line)")
        }
    }

    /// The text that a command of a shell has printed.
    private final class Printed: Sendable {
        private let texts = Mutex((result: "", errors: ""))
        var result: String { texts.withLock(\.result) }
        var errors: String { texts.withLock(\.errors) }

        func print(_ isError: Bool, _ text: [UInt8]) {
            texts.withLock {
                if isError {
                    $0.errors += String(decoding: text, as: UTF8.self)
                } else {
                    $0.result += String(decoding: text, as: UTF8.self)
                }
            }
        }
    }

    @Test(
        "a command that would ask a person is given back by the server; one without a terminal ends as it always does")
    func question() async throws {
        let shell = try Shell()
        try await shell.succeed("fabric create home")
        let logger = try LogSetup.logger(verbosity: 0, file: nil)
        let controller = Controller(Controller.Options(state: StateDirectory(path: shell.home), logger: logger))
        let house = HouseShell(
            controller, try HouseShares(controller.context, [], logger: logger), state: "", fabric: "home")
        func run(_ terminals: Set<String>) async -> (Int32?, Printed) {
            let printed = Printed()
            let status = await house.run(
                ShellCall(
                    arguments: ["fabric", "remove", "home"], environment: ["MATTERCTL_HOME": shell.home],
                    terminals: terminals), isUnheard: { false }, print: { printed.print($0, $1) })
            return (status, printed)
        }
        let (asked, nothing) = await run(["input", "output", "error"])
        #expect(asked == nil && nothing.result.isEmpty && nothing.errors.isEmpty, "\(nothing.errors)")
        let (refused, said) = await run(["output"])
        #expect(refused == 64 && said.errors.contains("confirmation needed"), "\(said.errors)")
        #expect(try await shell.run("fabric ls").stdout.contains("home"))
        await controller.close()
    }

    @Test("a warning about a command of a shell is the shell's, and any other one is the server's")
    func warnings() throws {
        let own = Mutex<[String]>([])
        let shells = Printed()
        let warn = CommandContext.warning { text, _ in own.withLock { $0.append(text) } }
        warn("of the house", nil)
        let terminal = Terminal(
            input: -1, environment: { _ in nil }, isTerminal: { _ in false },
            write: { text, stream in
                shells.print(stream == .error, Array(text.utf8))
                return 0
            })
        CommandContext.$servedConsole.withValue(Console(isJSON: false, terminal: terminal)) {
            warn("of the command", nil)
        }
        #expect(own.withLock(\.self) == ["of the house"])
        #expect(shells.errors == "warning: of the command\n" && shells.result.isEmpty)
    }
}
