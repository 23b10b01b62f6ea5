import ArgumentParser
import CProcess
import Glibc
import MatterDataModel
import MatterTransport

/// The root of the command line.
struct MatterCtl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matterctl",
        abstract: "Commission and control Matter devices from the shell.",
        discussion: """
            Example: matterctl commission MT:Y.K9042C00KA0648G00 --name kitchen && matterctl toggle kitchen
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "Join and leave", subcommands: [Commission.self, Discover.self, NodeCommand.self, Ping.self]),
            CommandGroup(name: "Everyday control", subcommands: [On.self, Off.self, Toggle.self, Level.self]),
            CommandGroup(
                name: "Any cluster", subcommands: [Read.self, Write.self, Invoke.self, Clusters.self]),
            CommandGroup(name: "Administration", subcommands: [FabricCommand.self, AccessCommand.self]),
            CommandGroup(name: "Cloud", subcommands: [CloudCommand.self, RainMakerCommand.self]),
            CommandGroup(name: "Offline tools", subcommands: [PayloadCommand.self, TLVCommand.self]),
            CommandGroup(name: "Test bench", subcommands: [Simulate.self, BenchCommand.self]),
        ])
}

/// The program from its arguments to its exit code.
package enum Program {
    /// What a command may take beyond the time that the user gave it, to undo what it has begun, in seconds.
    private static let overtime = 30.0

    /// The command line is understood on the thread that is there; others start with a command that needs them.
    ///
    /// - Parameter arguments: all of them, from the name of the program on.
    package static func run(_ arguments: [String]) -> Never {
        // It holds keys.
        cprocess_seal()
        // Nobody may be listening to progress any more; what is under way goes on.
        signal(SIGPIPE, SIG_IGN)
        let isJSON = arguments.contains("--json")
        guard !arguments.isEmpty else {
            exit(
                CommandFailure(
                    UsageError("usage.no-arguments", "this process was started without arguments, not even its name"),
                    target: nil, isJSON: isJSON
                ).report())
        }
        let arguments = LeadingOptions.moved(Array(arguments.dropFirst()), of: MatterCtl.self)
        if let unknown = CommandSpelling.unknownCommand(in: arguments, of: MatterCtl.self) {
            exit(CommandFailure(unknown, target: nil, isJSON: isJSON).report())
        }
        let command: any ParsableCommand
        do {
            command = try MatterCtl.parseAsRoot(NegativeNumbers.escaped(arguments))
        } catch {
            exit(parseFailure(error, arguments, isJSON: isJSON))
        }
        let interruption = Interruption(isJSON: isJSON)
        do throws(UsageError) {
            try prepare(for: command)
        } catch {
            exit(CommandFailure(error, target: nil, isJSON: isJSON).report())
        }
        let work = Task {
            do {
                var command = command
                if var command = command as? any AsyncParsableCommand {
                    try await command.run()
                } else {
                    try command.run()
                }
                return outcome(isJSON: isJSON)
            } catch let failure as CommandFailure {
                return failure.report()
            } catch {
                return parseFailure(error, arguments, isJSON: isJSON)
            }
        }
        Task { exit(await work.value) }
        interruption.serve(work)
    }

    /// Sees to it that the command ends, whatever this system lacks.
    private static func prepare(for command: any ParsableCommand) throws(UsageError) {
        let isLocal = command is any LocalCommand && !(command is Simulate)
        try Shortage.check(forNetwork: !isLocal)
        guard !(command is Simulate) else { return }
        // One command has one socket.
        TransportThreads.limitToOne()
        guard let limit = (command as? any NetworkCommand)?.options.timeout?.duration else { return }
        cprocess_limit(UInt32((limit / .seconds(1) + overtime).rounded(.up)))
    }

    /// Done, if the result got out.
    private static func outcome(isJSON: Bool) -> Int32 {
        do throws(UsageError) {
            try Console.checkResult()
            return ExitStatus.done.rawValue
        } catch {
            return CommandFailure(error, target: nil, isJSON: isJSON).report()
        }
    }

    /// What the parser prints as a result, as this program has it.
    private static func page(_ text: String, _ arguments: [String]) -> String {
        let isScript = arguments.contains { $0.hasPrefix("--generate-completion-script") }
        return isScript ? CompletionScript.withAliases(text) : HelpPage.arranged(text)
    }

    /// Help and version are results; everything else about the arguments is an error of usage.
    private static func parseFailure(_ error: any Error, _ arguments: [String], isJSON: Bool) -> Int32 {
        let code = MatterCtl.exitCode(for: error)
        if code.isSuccess {
            Console(isJSON: isJSON).result(page(MatterCtl.fullMessage(for: error), arguments))
            return outcome(isJSON: isJSON)
        }
        return CommandFailure(UsageError(parsing: error, arguments), target: nil, isJSON: isJSON).report()
    }
}
