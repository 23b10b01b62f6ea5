import Foundation
import JSON
import RainMakerCommandLine
import SimulatorCommandLine
import Synchronization
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController
@testable import MatterNetwork

/// The outcome of a command line that ran in this process.
struct CommandRun: CustomStringConvertible {
    let status: Int32
    let stdout: String
    let stderr: String

    /// A result printed with `--json` has the form that docs/schemas describes.
    init(_ words: [String], _ status: Int32, _ output: Output) {
        self.status = status
        stdout = output.stdout
        stderr = output.stderr
        ReportSchemas.check(words, stdout: stdout, stderr: stderr)
    }

    /// The lines of stderr.
    var messages: [String] { stderr.split(separator: "\n").map(String.init) }

    var description: String { "\(status)\n\(stdout)\(stderr)" }

    /// The result.
    func json() throws -> JSONValue { try JSONValue(parsing: stdout) }

    /// The members of the error object, which is the last line of stderr.
    func error() throws -> JSONObject {
        let line = try #require(messages.last)
        return try #require(try JSONValue(parsing: line)["error"]?.objectValue, "\(self)")
    }
}

/// Looks at the commands that the program has.
func inProgram<Output>(_ work: () throws -> Output) rethrows -> Output {
    let installation = Installation(modules: [.rainMaker], simulate: Shell.simulate)
    return try Installation.$current.withValue(installation, operation: work)
}

extension JSONObject {
    func text(_ key: String) -> String? { self[key]?.stringValue }
}

/// A home for commands: a state directory of its own, and an environment that no other test sees.
final class Shell: Sendable {
    let home: String
    private let folder: URL
    private let environment: [String: String]
    private let terminals: Set<Terminal.Stream>
    private let now: Int64?
    fileprivate static let simulate = SimulateCommandChoice { Simulation.command(for: [RainMakerDeviceOptions.self]) }

    /// - Parameters:
    ///   - environment: variables beside those that say where the state is.
    ///   - terminals: the streams at which a person sits.
    ///   - now: what the wall clock says, in seconds since 1970; `nil` for the time of this machine.
    init(
        _ environment: [String: String] = [:], terminals: Set<Terminal.Stream> = [], now: Int64? = nil
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("matterctl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        home = folder.appendingPathComponent("home").path
        // Without colours, unless a test wants them: it says `NO_COLOR` with an empty value.
        self.environment = ["MATTERCTL_HOME": home, "HOME": folder.path, "NO_COLOR": "1"].merging(environment) { $1 }
        self.terminals = terminals
        self.now = now
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A path in a folder that goes with the shell.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// A file in that folder.
    func file(_ name: String, _ contents: String) throws -> String {
        try Data(contents.utf8).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    /// - Parameter input: what there is on stdin.
    func run(_ words: [String], input: String = "") async throws -> CommandRun {
        let output = Output()
        let status = await Program.run(
            words, with: [.rainMaker], simulate: Self.simulate, on: try terminal(input, output))
        return CommandRun(words, status, output)
    }

    /// Starts a command that runs until it is stopped.
    ///
    /// - Parameter isTyped: whether lines are typed at it while it runs.
    func start(_ words: String, isTyped: Bool = false) throws -> Background {
        let output = Output()
        let typing = isTyped ? Pipe() : nil
        let terminal = try typing.map { self.terminal($0.fileHandleForReading, output) } ?? terminal("", output)
        let words = words.split(separator: " ").map(String.init)
        return Background(
            words, output, typing,
            Task { await Program.run(words, with: [.rainMaker], simulate: Self.simulate, on: terminal) }
        )
    }

    private func terminal(_ input: String, _ output: Output) throws -> Terminal {
        terminal(
            try FileHandle(forReadingFrom: URL(fileURLWithPath: self.file("stdin-\(UUID().uuidString)", input))), output
        )
    }

    private func terminal(_ file: FileHandle, _ output: Output) -> Terminal {
        Terminal(
            input: file.fileDescriptor, environment: { [environment] in environment[$0] },
            isTerminal: { [terminals] in terminals.contains($0) },
            unixTime: { [now] in now ?? WallClock.unixTime() },
            write: {
                // It stays open as long as the terminal is there.
                withExtendedLifetime(file) {}
                return output.write($0, $1)
            })
    }

    /// - Parameter words: separated by blanks.
    func run(_ words: String, input: String = "") async throws -> CommandRun {
        try await run(words.split(separator: " ").map(String.init), input: input)
    }

    /// Runs what has to succeed.
    @discardableResult
    func succeed(_ words: String, input: String = "") async throws -> CommandRun {
        let run = try await run(words, input: input)
        try #require(run.status == 0, "\(words): \(run)")
        return run
    }
}

final class Output: Sendable {
    private let texts = Mutex<[Terminal.Stream: String]>([:])

    var stdout: String { texts.withLock { $0[.output] ?? "" } }
    var stderr: String { texts.withLock { $0[.error] ?? "" } }

    func write(_ text: String, _ stream: Terminal.Stream) -> Int32 {
        texts.withLock { $0[stream, default: ""] += text }
        return 0
    }
}

/// A command under way.
final class Background: Sendable {
    private let words: [String]
    private let output: Output
    private let typing: Pipe?
    private let task: Task<Int32, Never>

    init(_ words: [String], _ output: Output, _ typing: Pipe?, _ task: Task<Int32, Never>) {
        self.words = words
        self.output = output
        self.typing = typing
        self.task = task
    }

    deinit {
        task.cancel()
        try? typing?.fileHandleForWriting.close()
    }

    /// Whether its result has a text by now.
    func hasSaid(_ text: String) -> Bool { output.stdout.contains(text) }

    /// Types a line at it.
    func type(_ line: String) { typing?.fileHandleForWriting.write(Data("\(line)\n".utf8)) }

    /// Types a line at a device, and waits until it has been carried out: lines are, one after the other, and the device
    /// complains of the one that follows.
    func carryOut(_ line: String) async throws {
        let mark = "no-such-thing-\(UUID().uuidString)"
        type(line)
        type(mark)
        try await awaitEvent("'\(line)' to be carried out: \(output.stderr)") { output.stderr.contains(mark) }
    }

    /// The rest of the first line of the result that begins with a word, once it is there.
    func line(_ word: String) async throws -> String {
        var found: Substring?
        try await awaitEvent("a line '\(word) …' in: \(output.stdout)\(output.stderr)") {
            found = output.stdout.split(separator: "\n").first { $0.hasPrefix(word + " ") }
            return found != nil
        }
        return String((found ?? "").dropFirst(word.count + 1))
    }

    /// Waits until the result is as wanted.
    func text(_ isWanted: (String) -> Bool) async throws -> Bool {
        try await awaitEvent("the result to be as wanted: \(output.stdout)\(output.stderr)") { isWanted(output.stdout) }
        return true
    }

    /// Waits until it has ended by itself.
    func end() async -> CommandRun {
        CommandRun(words, await task.value, output)
    }

    /// Interrupts it.
    func stop() async -> CommandRun {
        task.cancel()
        return CommandRun(words, await task.value, output)
    }
}
