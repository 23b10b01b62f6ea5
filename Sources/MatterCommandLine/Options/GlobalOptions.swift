public import ArgumentParser
public import Logging
import MatterController

/// Options of every command that reads or writes the state directory.
public struct StateOptions: ParsableArguments, Sendable {
    @Option(
        name: .line(.home), help: ArgumentHelp("The state directory (env MATTERCTL_HOME).", valueName: "DIR"),
        completion: .kind(.folder))
    var home: String?

    @Option(
        name: .line(.fabric),
        help: ArgumentHelp("The fabric to work with (env MATTERCTL_FABRIC).", valueName: "NAME"),
        completion: .kind(.fabric))
    var fabric: String?

    // Those of `OutputOptions`, not as a group of their own: in debug builds ArgumentParser checks a group five times for
    // each group around it, which made the parsing of a command in tests take 0.3 s.
    @Flag(name: .line(.json), help: OutputOptions.jsonHelp) var json = false
    @Flag(name: .line(.wide), help: Presentation.wideHelp) var wide = false
    @Option(name: .line(.color), help: Presentation.colorHelp) var color = ColorChoice.usual
    @Flag(name: .line(.verbose), help: OutputOptions.verboseHelp) var verbose: Int
    @Option(name: .line(.logFile), help: OutputOptions.logFileHelp, completion: .kind(.file)) var logFile: String?

    /// Options that the parser fills.
    public init() {}

    /// The message, and its form.
    public var output: OutputOptions {
        var options = OutputOptions()
        (options.json, options.verbose, options.logFile) = (json, verbose, logFile)
        return options
    }

    /// The state directory.
    public func state() throws -> StateDirectory {
        let environment = Environment.all
        return Terminal.current.stateDirectory(
            try home ?? StateDirectory.defaultPath(environment: environment),
            witness: StateDirectory.witnessPath(environment: environment),
            origin: home == nil ? StateDirectory.pathVariable(environment: environment) : "--home")
    }

    /// A controller of the fabric, for commands that do not talk to devices.
    func controller() throws -> Controller {
        var settings = Controller.Options(state: try state(), fabric: fabricName, logger: try output.logger())
        settings.services = VendorModule.all.map(\.service)
        settings.runtime = RuntimeDirectory(environment: Environment.all)
        settings.warn = { [console = output.console] text, hint in console.warning(text, hint) }
        return Controller(settings)
    }

    /// The fabric that was named; `nil` if none was.
    public var fabricName: String? { fabric ?? Environment.variable("MATTERCTL_FABRIC") }
}

/// Options of every command.
public struct OutputOptions: ParsableArguments, Sendable {
    static let jsonHelp: ArgumentHelp = "Results as JSON on stdout, errors as JSON on stderr."
    static let verboseHelp: ArgumentHelp = "Log progress to stderr; -vv logs every datagram."
    static let logFileHelp = ArgumentHelp("Write the log to this file instead of stderr.", valueName: "FILE")

    /// Whether results are JSON.
    @Flag(name: .line(.json), help: jsonHelp) public var json = false
    @Flag(name: .line(.wide), help: Presentation.wideHelp) var wide = false
    @Option(name: .line(.color), help: Presentation.colorHelp) var color = ColorChoice.usual
    /// How much is logged.
    @Flag(name: .line(.verbose), help: verboseHelp) public var verbose: Int
    @Option(name: .line(.logFile), help: logFileHelp, completion: .kind(.file)) var logFile: String?

    /// Options that the parser fills.
    public init() {}

    /// Where results and messages go.
    public var console: Console { Console(isJSON: json) }

    /// Where the log goes.
    public func logger() throws -> Logger {
        try LogSetup.logger(verbosity: verbose, file: logFile)
    }
}

private let timeoutHelp = ArgumentHelp(
    "Time for the whole command: 500ms, 10s, 1m30s, 2min, 1h.", valueName: "DURATION")

private let patienceHelp = ArgumentHelp(
    "Reading: how long a node may say nothing (default: 10s, or as long as it sleeps).", valueName: "DURATION")

/// Options of every command that talks to a device.
public struct NetworkOptions: ParsableArguments, Sendable {
    /// Where everything is kept.
    @OptionGroup public var state: StateOptions

    /// Options that the parser fills.
    public init() {}

    @Option(
        name: .line(.address),
        help: ArgumentHelp(
            "Talk to this host or address, without discovery: lamp.lan:5540, [fe80::1%eth0]:5540.",
            valueName: "HOST[:PORT]"))
    var address: String?

    /// The time for the command; `nil` for the usual one.
    @Option(name: .line(.timeout), help: timeoutHelp) public var timeout: TimeSpan?

    @Option(name: .line(.patience), help: patienceHelp) var patience: TimeSpan?

    @Flag(name: .line(.fresh), help: "Set up a new session instead of going on with the kept one.")
    var fresh = false

    @Flag(name: .line(.noKeep), help: "Close the session at the end instead of keeping it for the next command.")
    var noKeep = false

    @Flag(name: .line(.direct), help: "Go past the server of the house, if one runs.") var direct = false

    @Flag(name: .line(.trace), help: TraceSetup.traceHelp) var trace = false
    @Option(name: .line(.traceTo), help: TraceSetup.traceToHelp, completion: .kind(.file)) var traceTo: String?
    @Flag(name: .line(.traceSecrets), help: TraceSetup.secretsHelp) var traceSecrets = false
    @Flag(name: .line(.traceYes), help: ArgumentHelp("The --yes of --trace-secrets.", visibility: .hidden))
    var traceYes = false

    @Option(
        name: .line(.progress),
        help: ArgumentHelp("Progress on stderr: auto, plain, json or none.", valueName: "STYLE")
    )
    var progress = ProgressStyle.usual

    @Flag(name: .line(.wait), help: "Wait for the next check-in of a node that sleeps for long times.")
    var wait = false

    /// Refuses options that contradict each other.
    public func validate() throws {
        try timeout?.requireSome()
        try patience?.requireSome()
    }

    /// For `--dry-run`, which works without a network: a host name would be looked up.
    func requireOffline() throws {
        if address != nil { throw ValidationError("--dry-run sends nothing: leave --address out") }
        if wait { throw ValidationError("--dry-run sends nothing: leave --wait out") }
    }
}
