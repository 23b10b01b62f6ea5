import ArgumentParser
import CProcess
import Glibc
import MatterController

/// The program from its arguments to its exit code.
public struct Program: Sendable {
    /// The time that a command may take beyond the time that the user gave it, to undo what it has begun, in seconds.
    private static let overtime = 30.0

    /// Without the name of the program.
    private let arguments: [String]
    private let isJSON: Bool

    private init(_ arguments: ArraySlice<String>) {
        let presentation = Presentation(arguments)
        Terminal.current.present(presentation)
        isJSON = presentation.isJSON
        let arguments = Array(arguments)
        // The question for the version is no command, whose words could stand in another order.
        self.arguments =
            Version.isAsked(by: arguments)
            ? arguments
            : TraceArguments.replaced(
                LeadingOptions.moved(OldSpellings.replaced(arguments), of: MatterCtl.self), of: MatterCtl.self)
    }

    /// Runs as this process, and ends it. The command line is understood on the thread that is there; others start with
    /// a command that needs them.
    ///
    /// - Parameters:
    ///   - arguments: all of them, from the name of the program on.
    ///   - modules: the vendors whose commands there are.
    ///   - simulate: the command that plays devices; `nil` for none.
    public static func run(
        _ arguments: [String], with modules: @autoclosure () -> [VendorModule],
        simulate: SimulateCommandChoice? = nil
    ) -> Never {
        CommandStart.note()
        // It holds keys.
        cprocess_seal()
        // Progress may have no reader any more; what is under way goes on.
        signal(SIGPIPE, SIG_IGN)
        guard !arguments.isEmpty else {
            exit(
                report(
                    CommandLineError(
                        .usageNoArguments, "this process was started without arguments, not even its name"),
                    isJSON: false))
        }
        let words = arguments.dropFirst()
        // The version is the same whatever the vendors add.
        if Version.isAsked(by: Array(words)), case .ended(let status) = Program(words).parsed() { exit(status) }
        Installation.$current.withValue(Installation(modules: modules(), simulate: simulate)) { run(words) }
    }

    private static func run(_ arguments: ArraySlice<String>) -> Never {
        let program = Program(arguments)
        let parsed = program.parsed()
        if case .ended(let status) = parsed { exit(status) }
        Interruption.arm(isJSON: program.isJSON)
        if let status = program.served(parsed) { exit(status) }
        do throws(CommandLineError) {
            try program.prepare(for: parsed)
        } catch {
            exit(report(error, isJSON: program.isJSON))
        }
        let work = Task { await program.perform(parsed) }
        Task { exit(await work.value) }
        Interruption.cancel(work, isJSON: program.isJSON)
        SocketLoop.serveProcess()
    }

    /// Runs a command line within a process that goes on, with the streams and the environment of a terminal.
    ///
    /// - Parameter arguments: without the name of the program.
    /// - Returns: the exit code.
    public static func run(
        _ arguments: [String], with modules: [VendorModule],
        simulate: SimulateCommandChoice? = nil,
        on terminal: Terminal
    ) async -> Int32 {
        await Installation.$current.withValue(Installation(modules: modules, simulate: simulate)) {
            await run(arguments, on: terminal)
        }
    }

    private static func run(_ arguments: [String], on terminal: Terminal) async -> Int32 {
        let now = WallClock.unixMilliseconds()
        return await Terminal.$current.withValue(terminal) {
            await CommandStart.$ofCall.withValue(CommandStart(made: now, taken: now)) {
                let program = Program(arguments[...])
                return await program.perform(program.parsed())
            }
        }
    }

    /// The command that a line is; `nil` for one that is none, or asks for a page, the version or candidates.
    static func command(of arguments: [String]) -> (any ParsableCommand)? {
        switch Program(arguments[...]).parsed() {
        case .command(let command): command
        case .plain(let command): command
        case .ended: nil
        }
    }

    private enum Parsed {
        case command(any ParsableCommand)
        /// A command that was read without the parser.
        case plain(any NetworkCommand)
        /// With an exit code, and everything said.
        case ended(Int32)
    }

    private func parsed() -> Parsed {
        if let call = CompletionCall(arguments) {
            Terminal.current.result(call.lines.joined(separator: "\n"))
            return .ended(done())
        }
        if let script = CompletionScript.asked(by: arguments) {
            Terminal.current.result(script)
            return .ended(done())
        }
        if let version = Version.answer(to: arguments) {
            Terminal.current.result(version)
            return .ended(done())
        }
        if let command = PlainLine.command(arguments) { return .plain(command) }
        let escaped = NegativeNumbers.escaped(arguments, of: MatterCtl.self)
        if let command = NamedCommand.parsed(escaped, of: MatterCtl.self) { return .command(command) }
        if let unknown = CommandSpelling.unknownCommand(in: arguments, of: MatterCtl.self) {
            return .ended(Self.report(unknown, isJSON: isJSON))
        }
        do {
            return .command(try MatterCtl.parseAsRoot(escaped))
        } catch {
            return .ended(ended(by: error))
        }
    }

    /// Lets the server of the house carry out a command, where one runs.
    ///
    /// - Returns: the exit code; `nil` for a command that goes its own way.
    private func served(_ parsed: Parsed) -> Int32? {
        let command: any NetworkCommand
        switch parsed {
        case .plain(let plain): command = plain
        case .command(let parsed):
            guard let network = parsed as? any NetworkCommand else { return nil }
            command = network
        case .ended: return nil
        }
        // A command that is limited to nodes looks after that itself.
        guard command.isServed, let call = ServerCall(command, arguments), mayBeServed(command) else { return nil }
        guard let status = call.run() else { return nil }
        return status == ExitStatus.done.rawValue ? done() : status
    }

    private func mayBeServed(_ command: any NetworkCommand) -> Bool {
        do { return try CommandPolicy.check(command) == nil } catch { return false }
    }

    private func perform(_ parsed: Parsed) async -> Int32 {
        do {
            switch parsed {
            case .ended(let status): return status
            case .plain(var command):
                let limits = try CommandPolicy.check(command)
                try await CommandPolicy.$limits.withValue(limits) { try await command.run() }
            case .command(var command):
                let limits = try CommandPolicy.check(command)
                if var command = command as? any AsyncParsableCommand {
                    try await CommandPolicy.$limits.withValue(limits) { try await command.run() }
                } else {
                    try command.run()
                }
            }
            return done()
        } catch let failure as CommandFailure {
            return failure.report()
        } catch let error as CommandLineError where error.code == .policyRefused || error.code == .policyMalformed {
            return Self.report(error, isJSON: isJSON)
        } catch {
            return ended(by: error)
        }
    }

    /// Sees to it that the command ends, whatever this system lacks.
    private func prepare(for parsed: Parsed) throws(CommandLineError) {
        let network: (any NetworkCommand)?
        switch parsed {
        case .ended: return
        case .plain(let command):
            cprocess_take_memory_at_once()
            try SystemResources.check(for: .plain)
            network = command
        case .command(let command) where command is any SimulateCommand: return try SystemResources.check(for: .network)
        case .command(let command):
            network = command as? any NetworkCommand
            try SystemResources.check(for: command is any LocalCommand ? .local : .network)
        }
        SocketLoop.takeOver()
        guard let limit = network?.longestRun else { return }
        Interruption.limit(limit / .seconds(1) + Self.overtime, isJSON: isJSON)
    }

    private static func report(_ error: any Error, isJSON: Bool) -> Int32 {
        CommandFailure(error: error, target: nil, isJSON: isJSON).report()
    }

    /// Done, if the result got out.
    private func done() -> Int32 {
        do throws(CommandLineError) {
            try Terminal.current.checkResult()
            return ExitStatus.done.rawValue
        } catch {
            return Self.report(error, isJSON: isJSON)
        }
    }

    /// Help and version are results; everything else about the arguments is an error of usage.
    private func ended(by error: any Error) -> Int32 {
        guard MatterCtl.exitCode(for: error).isSuccess else {
            return Self.report(CommandLineError(parsing: error, arguments), isJSON: isJSON)
        }
        // The description of all commands is the parser's own.
        Terminal.current.result(HelpPage.asked(by: arguments) ?? MatterCtl.fullMessage(for: error))
        return done()
    }
}
