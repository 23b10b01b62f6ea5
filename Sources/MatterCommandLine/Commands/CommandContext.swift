public import ArgumentParser
import Glibc
import HouseServer
public import Logging
public import MatterController

/// The context of a running command.
public struct CommandContext: Sendable {
    /// The controller of the server that carries out the run under way; `nil` for a process of its own.
    @TaskLocal static var served: Controller?
    /// Where warnings about that run go: to its shell, and not to the log of the server.
    @TaskLocal static var servedConsole: Console?
    /// The shares of that server.
    @TaskLocal static var servedShares: HouseShares?

    /// The controller.
    public private(set) var controller: Controller
    /// Where results and messages go.
    public let console: Console
    /// Where the log goes.
    public let logger: Logger
    let budget: Budget
    let progress: ProgressStyle
    /// Tells a person whom the command waits for.
    let waits: WaitLine?
    /// The time of the command.
    let timeout: Duration

    /// The end of the budget, for commands that are not about one node.
    public var deadline: Instant { budget.deadline }

    /// - Parameters:
    ///   - processing: how long a device may take to do what it is told; `nil` for the usual.
    ///   - bluetooth: the adapters with which devices may be looked for; `nil` for a command without Bluetooth.
    ///   - onlyReads: whether the command gives up on a silent node before its time is up.
    /// - Throws: ``TransportError`` about an address, and what is wrong with the other options.
    init(
        _ options: NetworkOptions, defaultTimeout: Duration = Budget.standard, processing: Duration? = nil,
        bluetooth: AdapterChoice? = nil, onlyReads: Bool = false
    ) async throws {
        guard onlyReads || options.patience == nil else {
            throw CommandLineError(
                .usage, "--patience is for commands that only read", hint: "use --timeout")
        }
        logger = try options.state.output.logger()
        console = options.state.output.console
        progress = options.progress
        timeout = options.timeout?.duration ?? defaultTimeout
        // A node that sleeps is waited for before its own time begins.
        let sleep = options.wait ? (try? options.state.controller().sleepers.longestSleep()) ?? .zero : .zero
        budget = Budget(options.timeout?.duration, usual: defaultTimeout + sleep)
        var addresses: [PeerAddress] = []
        if let text = options.address { addresses = try await PeerAddress.lookup(text, deadline: budget.deadline) }
        var settings = Controller.Options(
            state: try options.state.state(), fabric: options.state.fabricName, addresses: addresses, logger: logger,
            unixTime: Terminal.current.unixTime)
        settings.runtime = RuntimeDirectory(environment: Environment.all)
        settings.isFresh = options.fresh
        settings.trace = try TraceSetup.trace(options, console)
        settings.keepsSessions = !options.noKeep
        if options.progress == .json {
            settings.sessionProgress = { node, rung, time in
                Terminal.current.message(ProgressPrinter.json(node, rung, time).serialized())
            }
        }
        settings.waits = WaitLine(options.progress, isJSON: console.isJSON, on: console.terminal)
        waits = settings.waits as? WaitLine
        if let processing { settings.processing = processing }
        if let bluetooth { settings.bluetooth = { BlueZCentral(bluetooth) } }
        settings.patience = options.timeout?.duration
        if onlyReads {
            settings.silence =
                options.patience.map { .given($0.duration) } ?? (options.timeout == nil ? .usual : .wholeTime)
        }
        settings.waitsForCheckIn = options.wait
        settings.checkInPatience = options.timeout?.duration
        settings.discoveryPatience = Self.discoveryPatience(timeout)
        settings.services = VendorModule.all.map(\.service)
        settings.warn = { [console] text, hint in console.warning(text, hint) }
        if let limits = CommandPolicy.limits { settings.admits = { try limits.check($0) } }
        // The sessions of a server are there already.
        controller = Self.served ?? Controller(settings)
    }
}

extension CommandContext {
    /// Warns the shell whose command is carried out.
    ///
    /// - Parameter warn: takes what concerns no command of a shell.
    static func warning(otherwise warn: @escaping Controller.Warn) -> Controller.Warn {
        { text, hint in
            if let servedConsole { servedConsole.warning(text, hint) } else { warn(text, hint) }
        }
    }

    /// How long D-Bus and Avahi may be silent: their fault is to be known before a search, which may take half of the
    /// time, ends and says that nothing was found.
    static func discoveryPatience(_ timeout: Duration) -> Duration { min(AvahiDiscovery.standardPatience, timeout / 3) }

    /// Runs something on a fabric that the command itself found, and closes its sessions.
    ///
    /// - Parameter processing: how long a device may take to do what it is told; `nil` for what the command says.
    public func onFabric<Result>(
        _ name: String, processing: Duration? = nil, _ body: (CommandContext) async throws -> Result
    ) async throws -> Result {
        var context = self
        var settings = controller.options
        settings.fabric = name
        if let processing { settings.processing = processing }
        context.controller = Controller(settings)
        do {
            let result = try await body(context)
            await context.controller.close()
            return result
        } catch {
            await context.controller.close()
            throw error
        }
    }

    /// The end of the budget for a node; see ``Budget/deadline(for:work:)``.
    public func deadline(for node: NodeRecord, work: Duration? = nil) -> Instant {
        budget.deadline(for: node, work: work)
    }
}

/// A command that talks to devices: it gets a context, and whatever happens its sessions are closed.
public protocol NetworkCommand: AsyncParsableCommand {
    var options: NetworkOptions { get }
    /// The subject of the command, for messages.
    var target: NodeTarget? { get }

    static var defaultTimeout: Duration { get }
    /// How long a device may take to do what it is told; `nil` for the usual.
    static var processing: Duration? { get }
    /// The end of all that the command may do, if the user gave it a time.
    var longestRun: Duration? { get }
    /// The Bluetooth adapters that were named; `nil` for a command without Bluetooth.
    var bluetoothAdapters: [String]? { get }
    /// Whether it only reads, and so gives up early on a node that says nothing.
    var onlyReads: Bool { get }
    /// Whether the server of the house may carry it out, where one runs: it needs no more than sessions with nodes.
    var isServed: Bool { get }
    /// Whether only the server of the house can carry it out. It is asked of every command, and a look for a protocol that a
    /// command has not would cost a million instructions.
    var isOfServer: Bool { get }
    /// Whether it goes on until it is stopped, or until something happens.
    var goesOn: Bool { get }
    /// Whether its words mean what was shown before its process began.
    var dependsOnStart: Bool { get }

    /// The arguments for the server, which has not the shell's files.
    func handedOver(_ arguments: [String]) throws -> [String]
    func run(_ context: CommandContext) async throws
}

extension NetworkCommand {
    /// The node that failures name; `nil` if there is none.
    public var target: NodeTarget? { nil }
    /// The time for the command unless another is given.
    public static var defaultTimeout: Duration { Budget.standard }
    /// The time that a device may take for it.
    public static var processing: Duration? { nil }
    /// The longest run; `nil` if it goes on until stopped.
    public var longestRun: Duration? { options.timeout?.duration }
    /// The adapters that were named.
    public var bluetoothAdapters: [String]? { nil }
    /// False: what changes something has its whole time.
    public var onlyReads: Bool { false }
    /// False: most commands have a process of their own.
    public var isServed: Bool { false }
    /// False: a command needs no server.
    public var isOfServer: Bool { false }
    /// False: most commands end by themselves.
    public var goesOn: Bool { false }
    /// False: most words mean the same at any time.
    public var dependsOnStart: Bool { false }

    /// Those of the shell.
    public func handedOver(_ arguments: [String]) throws -> [String] { arguments }

    /// Ends what the command has begun; the sessions of a server go on.
    private func close(_ context: CommandContext) async {
        if CommandContext.served == nil { await context.controller.close() }
    }

    /// Runs it in a context of its own.
    public func run() async throws {
        let context: CommandContext
        do {
            context = try await CommandContext(
                options, defaultTimeout: Self.defaultTimeout, processing: Self.processing,
                bluetooth: bluetoothAdapters.map { AdapterChoice($0) }, onlyReads: onlyReads)
        } catch {
            throw CommandFailure(error: error, target: target, isJSON: options.state.output.json)
        }
        do {
            if CommandContext.served == nil {
                await context.controller.context.settle()
                try await run(context)
            } else {
                try await CommandContext.$servedConsole.withValue(context.console) { try await run(context) }
            }
            await close(context)
        } catch {
            let accessHint = context.controller.issuers.accessHint().map(Hints.text)
            await close(context)
            throw CommandFailure(
                error: error, target: target, isJSON: options.state.output.json, accessHint: accessHint,
                isAddressGiven: options.address != nil, timeout: options.timeout?.duration)
        }
    }
}

/// A command about one node.
public protocol NodeSubject: NetworkCommand {
    var node: NodeArgument { get }
}

extension NodeSubject {
    /// The node that failures name; `nil` if there is none.
    public var target: NodeTarget? { GroupTarget(node) == nil ? NodeTarget(node.node) : nil }

    /// Tells programs that the command has done its work; people see no more than that nothing failed.
    public func tellDone(_ context: CommandContext) throws {
        guard context.console.isJSON else { return }
        context.console.object(Report(try context.controller.nodes.record(of: node.node), result: "done"))
    }
}

/// A command that works on the state directory or on its arguments alone.
public protocol LocalCommand: AsyncParsableCommand {
    var output: OutputOptions { get }
    func execute() async throws
}

extension LocalCommand {
    /// Where results and messages go.
    public var console: Console { output.console }

    /// Runs it, and reports what fails.
    public func run() async throws {
        do {
            try await execute()
        } catch {
            throw CommandFailure(error: error, target: nil, isJSON: output.json)
        }
    }
}

/// A command that works on the state directory.
protocol StateCommand: LocalCommand {
    var state: StateOptions { get }
}

extension StateCommand {
    var output: OutputOptions { state.output }

    /// Runs it, and reports what fails; a fabric that was used elsewhere before is told of first.
    public func run() async throws {
        do {
            await (try? state.controller())?.context.settle()
            try await execute()
        } catch {
            throw CommandFailure(error: error, target: nil, isJSON: output.json)
        }
    }
}

/// An error on its way out of a command, with the form in which it is wanted.
struct CommandFailure: Error {
    let error: any Error
    let target: NodeTarget?
    let isJSON: Bool
    /// Advice if a device refuses access.
    var accessHint: String?
    /// Whether the user said where the device is, so that another one may be there.
    var isAddressGiven = false
    /// The time that the user gave the command.
    var timeout: Duration?

    /// Tells the user and returns the exit code.
    func report() -> Int32 {
        // Some results are complete although they mean failure; they have been printed.
        if let silent = error as? SilentFailure { return silent.status.rawValue }
        var report = ErrorReport(error, target: target, isAddressGiven: isAddressGiven)
        if report.hint == nil, report.deviceStatus == .unsupportedAccess {
            report.hint =
                accessHint ?? "our node lacks the privilege for this in the access control list of the device"
        }
        if let timeout { report.noteShort(timeout) }
        if report.status == .done {
            // An end that was asked for is no error.
            Terminal.current.message(report.message)
        } else {
            Terminal.current.message(isJSON ? report.json : report.text)
        }
        return report.status.rawValue
    }
}

/// A failure that needs no words beyond what was printed.
struct SilentFailure: Error {
    let status: ExitStatus
}
