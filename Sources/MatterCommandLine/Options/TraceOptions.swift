import ArgumentParser
import Glibc
import MatterController
import Synchronization

/// The traces that a command was asked for, and where they go.
public enum TraceSetup {
    static let variable = "MATTERCTL_KEYLOG"
    static let traceHelp = ArgumentHelp(
        "Show each message with its content on stderr, or write it to FILE; with .pcapng as a capture.",
        valueName: "FILE")
    static let traceToHelp = ArgumentHelp("The same as --trace FILE.", valueName: "FILE", visibility: .hidden)
    static let secretsHelp: ArgumentHelp =
        "Show PINs, passwords and keys in the trace; only on a terminal, or with --yes."

    /// - Returns: `nil` if nothing was asked for.
    static func trace(_ options: NetworkOptions, _ console: Console) throws -> MessageTrace? {
        try check(secrets: options.traceSecrets, isConfirmed: options.traceYes)
        var outputs = MessageTrace.Outputs()
        if let path = options.traceTo {
            let file = try PrivateFile(path, appends: false)
            if path.hasSuffix(".pcapng") {
                outputs.capture = { file.write($0) }
            } else {
                outputs.tell = { [isJSON = console.isJSON] in file.write(Array(line($0, isJSON).utf8)) }
            }
        } else if options.trace {
            outputs.tell = { [terminal = console.terminal, isJSON = console.isJSON] message in
                let object: JSONObject = ["trace": message.json]
                terminal.error((isJSON ? JSONValue.object(object).serialized() : message.text) + "\n")
            }
        }
        outputs.keyLog = try keyLog(console)
        guard outputs.tell != nil || outputs.capture != nil || outputs.keyLog != nil else { return nil }
        return MessageTrace(outputs, showsSecrets: options.traceSecrets)
    }

    /// The log of session keys that the environment asks for; `nil` if it does not.
    ///
    /// - Throws: ``CommandLineError`` `usage.file`.
    public static func keyLog(_ console: Console) throws -> (@Sendable (String) -> Void)? {
        guard let path = Environment.variable(variable) else { return nil }
        let file = try PrivateFile(path, appends: true)
        console.warning(
            "\(variable) is set: the session keys go to '\(TerminalText.escaped(path))', and open all messages",
            .step("trace.key-log"))
        return { file.write(Array("\($0)\n".utf8)) }
    }

    private static func line(_ message: TracedMessage, _ isJSON: Bool) -> String {
        (isJSON ? message.json.serialized() : message.text) + "\n"
    }

    /// Secrets are shown to a person who looks at them, or to a program that says so.
    ///
    /// - Parameter isConfirmed: whether `--yes` was said.
    static func check(secrets: Bool, isConfirmed: Bool) throws {
        guard secrets, !isConfirmed, !Terminal.current.isTerminal(.error) else { return }
        throw CommandLineError(
            .usageConfirmationNeeded, "--trace-secrets writes secrets to a file or a program",
            hint: .step("trace.secrets"))
    }
}

/// A file that only its owner can read, written as things happen.
final class PrivateFile: Sendable {
    private let descriptor: Int32
    private let path: String
    private let hasFailed = Mutex(false)
    private let terminal = Terminal.current

    /// - Throws: ``CommandLineError`` `usage.file`.
    init(_ path: String, appends: Bool) throws(CommandLineError) {
        self.path = path
        descriptor = try LogSetup.opened(path, appends: appends) { reason in
            CommandLineError(.usageFile, "cannot write '\(TerminalText.escaped(path))': \(reason)")
        }
    }

    deinit { close(descriptor) }

    /// A file that cannot be written any more is told once; the command goes on.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = String(cString: strerror(errno))
                let isFirst = hasFailed.withLock { failed in
                    defer { failed = true }
                    return !failed
                }
                if isFirst { terminal.message("warning: cannot write '\(TerminalText.escaped(path))': \(reason)") }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}

/// `--trace FILE` and `--yes` beside `--trace-secrets`, in a form that the parser knows for every command.
enum TraceArguments {
    private static let endings = [".pcapng", ".trace", ".txt", ".log", ".json", ".jsonl"]

    /// The arguments with the file of `--trace` in an option of its own, and `--yes` as an option of the trace where the
    /// command has none.
    static func replaced(_ arguments: [String], of root: any ParsableCommand.Type) -> [String] {
        guard arguments.contains(where: { $0 == "--trace" || $0.hasPrefix("--trace=") || $0 == "--trace-secrets" })
        else {
            return arguments
        }
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                result += [argument] + rest
                break
            }
            if argument.hasPrefix("--trace=") {
                result += ["--trace-to", String(argument.dropFirst("--trace=".count))]
            } else if argument == "--trace", let next = rest.first, isFile(next) {
                result += ["--trace-to", next]
                rest.removeFirst()
            } else {
                result.append(argument)
            }
        }
        guard result.contains("--trace-secrets"), let yes = result.firstIndex(of: "--yes") else { return result }
        let declaration = CommandDeclaration(of: command(result, root))
        guard declaration.option("--trace-yes") != nil else { return result }
        if declaration.option("--yes") != nil {
            result.append("--trace-yes")
        } else {
            result[yes] = "--trace-yes"
        }
        return result
    }

    /// A path or the name of a file; a bare word is a node.
    private static func isFile(_ word: String) -> Bool {
        endings.contains { word.hasSuffix($0) } || word.hasPrefix("/") || word.hasPrefix("./")
    }

    private static func command(
        _ arguments: [String], _ root: any ParsableCommand.Type
    ) -> any ParsableCommand.Type {
        var type = root
        for argument in arguments {
            guard let next = type.configuration.subcommands.first(where: { $0.answers(to: argument) }) else { break }
            type = next
        }
        return type
    }
}
