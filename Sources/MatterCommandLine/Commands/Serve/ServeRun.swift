import ArgumentParser
import Glibc
import HouseServer
import Logging
import MatterController

/// Serves the house; the usual one of the commands of `serve`.
struct ServeRun: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Follow all nodes and serve them, until stopped.",
        discussion: """
            Speaks the interface of Home Assistant's Matter server. By default it listens on a Unix socket for this user only; \
            --listen adds a TCP port, whose clients need a token (matterctl serve token add).

            Example: matterctl serve run --listen 127.0.0.1:5580
            """)

    @Option(help: ArgumentHelp("The Unix socket; 'none' for none.", valueName: "PATH"), completion: .kind(.file))
    var socket: String?
    @Option(
        help: ArgumentHelp(
            "Also listen on this address and port, for clients with a token; may be repeated.",
            valueName: "ADDRESS:PORT"))
    var listen: [String] = []
    @Option(help: ArgumentHelp("A name by which clients call this machine; may be repeated.", valueName: "NAME"))
    var host: [String] = []
    @Option(help: ArgumentHelp("A foreign page that may connect, such as https://house.example.", valueName: "ORIGIN"))
    var origin: [String] = []
    @Flag(help: "A proxy that encrypts stands in front: --listen may name addresses that other machines reach.")
    var behindProxy = false
    @Flag(help: "Serve a page for people.") var web = false
    @Flag(help: "Metrics also tell names, batteries and sensors.") var metricsValues = false
    @Option(help: ArgumentHelp("The version of the interface: 11 or 13.", valueName: "N")) var schema = 11
    @Option(
        help: ArgumentHelp(
            "Serve these only: a node, room:NAME or type:TYPE, after the name of a share: north=room:Hall; may be repeated.",
            valueName: "[NAME=]NODES"))
    var only: [String] = []
    @Option(
        help: ArgumentHelp(
            "Wait with this share until it is taken here ('serve take'); may be repeated.",
            valueName: "NAME"))
    var standBy: [String] = []
    @Option(
        help: ArgumentHelp(
            "The server of the host that has the share otherwise: a URL, or @FILE with it; may be repeated.",
            valueName: "[NAME=]URL"))
    var peer: [String] = []
    @Option(
        help: ArgumentHelp(
            "What to do when the attestation of a new device fails: enforce, warn or skip.", valueName: "MODE"))
    var attestation: AttestationArgument = .enforce
    @OptionGroup var trust: TrustOptions
    @Option(
        help: ArgumentHelp(
            "A folder with firmware images (*.ota), which nodes may be given; it is only read.", valueName: "DIR"),
        completion: .kind(.folder))
    var firmware: String?
    @Flag(help: "Also commission devices over Bluetooth.") var ble = false
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// It goes on until it is stopped.
    var longestRun: Duration? { nil }
    var bluetoothAdapters: [String]? { ble ? [] : nil }

    func validate() throws {
        guard schema == 11 || schema == 13 else { throw ValidationError("--schema is 11 or 13") }
        guard attestation != .ask else {
            throw ValidationError("a server has no one to ask: --attestation is enforce, warn or skip")
        }
        guard options.address == nil else { throw ValidationError("--address is for one node") }
        _ = try listen.map { try Self.place($0) }
        if let firmware {
            var facts = stat()
            guard stat(firmware, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
                throw ValidationError("--firmware names a folder, and there is none at \(firmware)")
            }
        }
        _ = try ServeShare(only: only, standBy: standBy, peers: peer)
    }

    /// `127.0.0.1:5580`, `[::1]:5580`.
    private static func place(_ text: String) throws -> (address: String, port: UInt16) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw ValidationError("--listen is ADDRESS:PORT, for example 127.0.0.1:5580")
        }
        var address = String(text[..<colon])
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        if address == "localhost" { address = "127.0.0.1" }
        guard !address.isEmpty else { throw ValidationError("--listen is ADDRESS:PORT, for example 127.0.0.1:5580") }
        return (address, port)
    }

    func run(_ context: CommandContext) async throws {
        // A client may commission the first device.
        try await context.controller.context.fabricOrNew()
        var environment: [String: String] = [:]
        for name in HouseService.variables { environment[name] = Environment.variable(name) }
        var settings = HouseService.Settings()
        settings.environment = environment
        settings.socket = try place(context)
        settings.addresses = try listen.map { try Self.place($0) }
        settings.hosts = Set(host)
        settings.origins = Set(origin)
        settings.isBehindProxy = behindProxy
        settings.hasPage = web
        settings.hasValues = metricsValues
        settings.schema = schema
        settings.version = Version.text
        settings.trust = trust.policy(attestation.enforcement)
        settings.hasBluetooth = ble
        settings.firmware = firmware
        settings.ledger = try LedgerConnection(output: options.state.output)
        let share = try ServeShare(only: only, standBy: standBy, peers: peer)
        settings.includes = try share.filter(context.controller)
        let named = try share.shares(context.controller)
        let logger = logger(environment, context)
        var house = context.controller.options
        // Commands go over the sessions of the subscriptions.
        house.sessions = .long
        house.keepsSessions = false
        house.warn = CommandContext.warning(otherwise: house.warn)
        let controller = Controller(house)
        do {
            let shares = try HouseShares(
                controller.context, named, authorities: Environment.variable("MATTERCTL_CA_FILE"), logger: logger)
            settings.shares = shares
            let shell = try self.shell(controller, shares, context)
            let service = HouseService(
                controller, settings, runner: ServedCommands(options.state, Terminal.current), shell: shell,
                logger: logger)
            try await service.run { [console = context.console] addresses in
                for address in addresses { console.message("listening on \(address)") }
            }
            await controller.close()
        } catch {
            await controller.close()
            throw error
        }
    }

    /// The place for commands of this user's shells; `nil` where there is none for its socket.
    private func shell(_ controller: Controller, _ shares: HouseShares, _ context: CommandContext) throws -> (
        place: String, commands: any ShellCommands
    )? {
        let state = controller.options.state
        guard let identity = ServerCall.identity(of: state.path) else { return nil }
        let commands = HouseShell(controller, shares, state: identity, fabric: try controller.context.fabric().name)
        do {
            let place = try SocketFolder(state, environment: Environment.all).place(of: ServerCall.name(of: identity))
            return (place.path, commands)
        } catch {
            context.console.warning("shell commands do not go through this server: \(error)")
            return nil
        }
    }

    /// The journal, where stderr is one; otherwise what the options say, with what an administrator should know.
    private func logger(_ environment: [String: String], _ context: CommandContext) -> Logger {
        let level: Logger.Level = options.state.verbose > 0 ? .debug : .info
        if options.state.logFile == nil, let journal = JournalLog(level: level, environment: environment) {
            return Logger(label: "matterctl") { _ in journal }
        }
        return context.logger
    }

    private func place(_ context: CommandContext) throws -> String? {
        if socket == "none" { return nil }
        if let socket { return socket }
        let fabric = try context.controller.context.fabric()
        let name = "serve-\(Hex.number(fabric.compressedFabricID.rawValue, digits: 16)).sock"
        let place = try SocketFolder(context.controller.options.state, environment: Environment.all).place(of: name)
        if let warning = place.warning { context.console.warning(warning) }
        return place.path
    }
}
