import ArgumentParser
import MatterController

/// Where the PIN code of a lock comes from; never an argument, which other users of this machine can see.
struct PINOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The PIN code: @FILE, or @- for stdin.", valueName: "@FILE"), completion: .kind(.contents))
    var pin: String?

    /// As of a line without it.
    static var none: PINOptions {
        var options = PINOptions()
        options.pin = nil
        return options
    }

    func validate() throws {
        guard let pin, !pin.hasPrefix("@") || pin.count < 2 else { return }
        throw ValidationError("--pin takes @FILE, or @- for stdin: other users can see the arguments of a command")
    }

    func code() throws -> String? { try pin.map { try InputFile.firstLine(String($0.dropFirst())) } }
}

/// A command to a lock.
protocol LockCommand: EverydayCommand {
    var code: PINOptions { get }
    var action: LockVerb.Action { get }
}

extension LockCommand {
    func checkCode() throws {
        try everyday.check(nodes, options)
        guard code.pin == nil || !everyday.dryRun else {
            throw ValidationError("--dry-run would show the PIN code: leave --pin out")
        }
    }

    func validate() throws { try checkCode() }

    func verb() throws -> any DeviceVerb { LockVerb(action, pin: try code.code()) }

    /// A lock that wants a PIN code says so before anything is sent; for one lock, a person can then type it.
    func run(_ context: CommandContext) async throws {
        do {
            try await carryOut(try verb(), context)
        } catch let error as ControllerError where error.code == .pinNeeded && context.console.canAsk {
            let pin = try Prompt.line(
                "PIN code of \(target?.text ?? "the lock")", isSecret: true, hint: "use --pin @FILE")
            try await carryOut(LockVerb(action, pin: pin), context)
        }
    }
}

struct Lock: LockCommand, SwitchCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock", abstract: "Lock a door.", discussion: "Example: matterctl lock lock door")

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var code: PINOptions
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var action: LockVerb.Action { .lock }

    mutating func leaveOutOptions() { code = .none }
}

struct Unlock: LockCommand, SwitchCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Unlock a door.",
        discussion: """
            A lock that wants a PIN code gets it from a file, from stdin, or asks on a terminal.

            Example: matterctl unlock door --pin @pin.txt --relock-after 30s
            """)

    @Argument(help: EverydayOptions.nodesHelp, completion: .kind(.nodeOrGroup)) var nodes: [NodeArgument] = []
    @OptionGroup var code: PINOptions
    @Option(help: ArgumentHelp("Lock again after this time.", valueName: "DURATION")) var relockAfter: TimeSpan?
    @OptionGroup var everyday: EverydayOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    mutating func leaveOutOptions() {
        code = .none
        relockAfter = nil
    }

    func validate() throws {
        try checkCode()
        try relockAfter?.requireSome("--relock-after")
        if let relockAfter, relockAfter.duration > .seconds(UInt16.max) {
            throw ValidationError("--relock-after is at most 65535 s")
        }
    }

    /// A part of a second is a whole one: 0 might mean never.
    var action: LockVerb.Action {
        .unlock(
            relockAfter: relockAfter.map { UInt16(clamping: Int64(($0.duration / .seconds(1)).rounded(.up))) })
    }
}
