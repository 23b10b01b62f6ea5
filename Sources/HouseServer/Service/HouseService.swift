import CProcess
import Glibc
public import Logging
public import MatterController

/// A server of one house: follows its nodes, and serves them to Home Assistant and others until it is stopped.
public struct HouseService: Sendable {
    /// How a house is served.
    public struct Settings: Sendable {
        /// The path of the Unix socket; `nil` for none.
        public var socket: String?
        /// Addresses in numbers with ports, where clients need tokens; port 0 for any.
        public var addresses: [(address: String, port: UInt16)] = []
        /// Names by which clients call this machine, beside the loopback names.
        public var hosts: Set<String> = []
        /// Origins of foreign pages that may connect.
        public var origins: Set<String> = []
        /// Whether a proxy that encrypts stands in front, so that other machines may come.
        public var isBehindProxy = false
        /// Whether there is a page for people.
        public var hasPage = false
        /// Whether `/metrics` names nodes, and tells what they measure.
        public var hasValues = false
        /// The version of the interface that clients are told: 11, or 13.
        public var schema = 11
        /// The text by which the server names itself.
        public var version = "matterctl"
        /// Which devices may be commissioned.
        public var trust = TrustPolicy()
        /// The way to the Alliance's ledger, which knows firmware; `nil` if it is not asked.
        public var ledger: LedgerConnection?
        /// The path of a folder with firmware images, which is only read; `nil` for none.
        public var firmware: String?
        /// Whether devices may be commissioned over Bluetooth.
        public var hasBluetooth = false
        /// The nodes that are served; all, if `nil`.
        public var includes: (@Sendable (NodeRecord) -> Bool)?
        /// The shares that have names; `nil` for none.
        public var shares: HouseShares?
        /// The variables of the service manager: LISTEN_FDS, NOTIFY_SOCKET and others.
        public var environment: [String: String] = [:]

        /// The usual way: nothing but what is set.
        public init() {}
    }

    /// The variables that a service manager sets.
    public static let variables = [
        "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "JOURNAL_STREAM",
    ]

    /// How long clients have to take what waits for them when the server ends.
    private static let farewell = Duration.milliseconds(500)
    private static let closing = Duration.milliseconds(700)

    private let controller: Controller
    private let settings: Settings
    private let logger: Logger
    private let runner: (any CommandRunner)?
    private let shell: (place: String, commands: any ShellCommands)?
    private let time: any TimeSource = SystemTime()

    /// A server over a controller, which stays its user's to close.
    ///
    /// - Parameters:
    ///   - runner: runs commands of the command line; `nil` for none.
    ///   - shell: carries out commands of this user's shells, which come in at a Unix socket; `nil` for none.
    public init(
        _ controller: Controller, _ settings: Settings, runner: (any CommandRunner)? = nil,
        shell: (place: String, commands: any ShellCommands)? = nil, logger: Logger
    ) {
        self.shell = shell
        self.controller = controller
        self.settings = settings
        self.runner = runner
        self.logger = logger
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter ready: told where the server listens, once it does.
    /// - Throws: ``ServerError`` if it cannot listen; if the fabric cannot be used.
    public func run(ready: @Sendable ([String]) -> Void) async throws {
        let manager = ServiceManager(environment: settings.environment)
        cprocess_watch_hangup()
        var part = House.Settings(includes: settings.includes)
        if let shares = settings.shares { part.share = { shares.name(of: $0) } }
        let house = House(controller, settings: part, time: time, logger: logger)
        if let shares = settings.shares {
            await house.begin(resting: shares.resting)
            await shares.attach(house)
        }
        let firmware = HouseFirmware(
            FirmwareLibrary(controller.options.state, userFolder: settings.firmware), time: time, logger: logger)
        firmware.prepare()
        let commands = InterfaceCommands(
            house: house, settings: interface, logger: logger, catalogue: .standard, shares: settings.shares,
            firmware: firmware)
        await house.setInfo { await commands.serverInfo() }
        await house.setMap { await commands.drawMap() }
        controller.context.use(HouseMemory(house: house))
        let reception = HouseReception(
            house: house, commands: commands, runner: runner, hasPage: settings.hasPage, hasValues: settings.hasValues,
            logger: logger)
        let gatekeeper = Gatekeeper(try TokenStore(controller.context), logger: logger)
        let listener = Listener(listening, gatekeeper: gatekeeper, reception: reception, logger: logger)
        try await listener.start()
        let post = shell.map { ShellPost($0.commands, logger: logger) }
        do {
            try await house.start()
            if let shell { try await post?.start(at: shell.place) }
        } catch {
            await post?.stop()
            await listener.stop(within: .zero)
            throw error
        }
        let callbacks = time.start { [controller] in
            for await callback in controller.cameras.callbacks { await house.tell(callback) }
        }
        defer { callbacks.cancel() }
        ready(listener.addresses)
        manager.tell("READY=1", "MAINPID=\(getpid())", await status(of: house))
        await serve(house, manager)
        manager.tell("STOPPING=1", "STATUS=Stopping")
        await house.announceEnd()
        let end = time.now + Self.farewell
        while time.now < end, await !house.isDrained { await pause(.milliseconds(10)) }
        await post?.stop()
        await house.close()
        await listener.stop(within: Self.closing)
    }

    private var listening: ListenerSettings {
        var places = ActivationSockets.descriptors(environment: settings.environment).map {
            ListenerSettings.Place.descriptor($0)
        }
        if places.isEmpty {
            if let socket = settings.socket { places.append(.unix(path: socket)) }
            places += settings.addresses.map { .tcp(address: $0.address, port: $0.port) }
        }
        var listening = ListenerSettings(places: places)
        listening.hosts = settings.hosts
        listening.origins = settings.origins
        listening.isBehindProxy = settings.isBehindProxy
        listening.servesPage = settings.hasPage
        if settings.hasPage { listening.openPaths = Set(["/", "/page.js", "/page.css"]) }
        return listening
    }

    private var interface: InterfaceCommands.Settings {
        var interface = InterfaceCommands.Settings()
        interface.schema = settings.schema
        interface.version = settings.version
        interface.trust = settings.trust
        interface.hasBluetooth = settings.hasBluetooth
        interface.ledger = settings.ledger
        return interface
    }

    /// Tells the service manager that all is well, while it is, until the task is cancelled.
    private func serve(_ house: House, _ manager: ServiceManager) async {
        let step = min(manager.watchdog.map { $0 / 2 } ?? .seconds(10), .seconds(10))
        var told = ""
        while !Task.isCancelled {
            let end = time.now + step
            while time.now < end {
                do { try await time.sleep(for: min(.seconds(1), end - time.now)) } catch { return }
                if cprocess_hangup_came() { await reload(house, manager) }
            }
            // The answer shows that the house goes on.
            let status = await status(of: house)
            if manager.watchdog != nil { manager.tell("WATCHDOG=1") }
            if status != told { manager.tell(status) }
            told = status
        }
    }

    private func reload(_ house: House, _ manager: ServiceManager) async {
        logger.notice("SIGHUP: reading the records again")
        manager.tell("RELOADING=1", "MONOTONIC_USEC=\(ServiceManager.monotonic())")
        do { try await house.takeRecords() } catch { logger.warning("\(error)") }
        manager.tell("READY=1", await status(of: house))
    }

    private func status(of house: House) async -> String {
        let nodes = await house.board.nodes.values
        let clients = await house.counts.clients
        return "STATUS=\(nodes.count { $0.isAvailable }) of \(nodes.count) nodes followed, \(clients) clients"
    }

    /// A pause that a cancelled task has, too.
    private func pause(_ duration: Duration) async {
        await time.start { [time] in try? await time.sleep(for: duration) }.value
    }
}
