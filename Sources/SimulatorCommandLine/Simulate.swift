import ArgumentParser
import Dispatch
import Glibc
import Logging
package import MatterCommandLine
import MatterSimulator

/// How a virtual device makes itself known.
enum SimulatedDiscovery: String, ExpressibleByArgument, CaseIterable {
    case avahi, none
}

extension NodeConfiguration.Network: ExpressibleByArgument {}

/// A generic type has no stored properties of its own.
private let helpPage = CommandConfiguration(
    commandName: "simulate", abstract: "Turn this machine into virtual Matter devices.",
    discussion: """
        Device types: \(SimulatedType.all.map(\.name).joined(separator: ", ")). Several types, separated by commas, \
        share one node on endpoints 1, 2, …

        While it runs, lines on stdin are things that happen to the device: `1 on-off toggle` (endpoint, cluster, \
        what), `window` (its button: opens a commissioning window), `reboot`, `0 network-commissioning vanish SSID` \
        (also `appear SSID`, `password SSID PASSWORD`). With --count, a line begins with the node: \
        `#7 1 on-off toggle`.

        Faults, separated by commas: \(FaultPlan.words.map { "\($0.word) – \($0.meaning)" }.joined(separator: "; ")).

        The device attests itself with an authority of its own, which --paa-out writes for controllers to trust, and \
        a certification declaration signed with the published test key, as devices in development do.

        Example: matterctl simulate dimmable-light --paa-out paa/light.der
        """)

/// The command `simulate`.
package enum Simulation {
    /// The command, with the options of vendors.
    package static func command(for vendors: [any VendorDeviceOptions.Type]) -> any SimulateCommand.Type {
        func command<Vendor: VendorDeviceOptions>(_: Vendor.Type) -> any SimulateCommand.Type { Simulate<Vendor>.self }
        return command(vendors.paired)
    }
}

struct Simulate<Vendor: VendorDeviceOptions>: SimulateCommand {
    static var configuration: CommandConfiguration { helpPage }
    static var deviceTypes: [String] { SimulatedType.all.map(\.name) }
    static var faults: [(word: String, help: String)] {
        FaultPlan.words.map { word, meaning in
            (word.firstIndex(of: ":").map { String(word[...$0]) } ?? word, meaning)
        }
    }

    @Argument(help: "What to be: a device type, or several separated by commas.", completion: .kind(.simulatedTypes))
    var types: String

    @Option(help: ArgumentHelp("The UDP port; with --count, of the first node.", valueName: "PORT")) var port: UInt16 =
        UDPAddress.defaultPort
    @Option(help: ArgumentHelp("The setup passcode.", valueName: "P")) var passcode: UInt32 = 20_202_021
    @Option(help: ArgumentHelp("The discriminator, 0–4095; with --count, of the first node.", valueName: "D"))
    var discriminator: UInt16 = 3840
    @Option(
        help: ArgumentHelp("Where its state is kept (default: in the state directory).", valueName: "DIR"),
        completion: .kind(.folder))
    var state: String?
    @Option(
        help: ArgumentHelp(
            "How many nodes to be: node i has port P+i and discriminator (D+i) mod 4096.", valueName: "N")) var count =
        1
    @Option(
        help: ArgumentHelp(
            "How many sessions each fabric may have; the one used least recently gives way.", valueName: "N"))
    var sessions = 3
    @Option(help: ArgumentHelp("How many CASE handshakes go on at a time; others are answered BUSY.", valueName: "N"))
    var handshakes = 16
    @Option(help: ArgumentHelp("How many fabrics it may be on.", valueName: "N")) var fabrics = 16
    @Option(name: .long, help: ArgumentHelp("The vendor id.", valueName: "V")) var vendorId = NumberArgument<UInt16>(
        0xFFF1)
    @Option(name: .long, help: ArgumentHelp("The product id; 0x8001, or that of --attestation.", valueName: "P"))
    var productId: NumberArgument<UInt16>?
    @Option(help: ArgumentHelp("The name of the product.", valueName: "NAME")) var name: String?
    @Option(help: ArgumentHelp("The serial number.", valueName: "TEXT")) var serial = "SIM-0001"
    @Option(help: ArgumentHelp("How to be found: avahi or none.", valueName: "HOW")) var mdns: SimulatedDiscovery =
        .avahi
    @Option(help: ArgumentHelp("The network interface to play: ethernet, wifi or thread.", valueName: "KIND"))
    var network: NodeConfiguration.Network = .ethernet
    @OptionGroup var joining: SimulatedNetworkOptions
    @OptionGroup var mesh: SimulatedMeshOptions
    @Flag(help: "Also be found and commissioned over Bluetooth.") var ble = false
    @Option(
        help: ArgumentHelp("With --ble: the adapter, such as hci0, or its address.", valueName: "ADAPTER"))
    var bleAdapter: String?
    @Option(
        help: ArgumentHelp(
            "Sleep for this long at a time, and check in after it, once a client has registered.",
            valueName: "DURATION")) var icd: TimeSpan?
    @Flag(help: "Take software updates from providers that are announced to it (OTA requestor).") var updates = false
    @Flag(help: "Have the signalling of a camera (WebRTC Transport Provider), without pictures.") var webrtc = false
    @Option(
        help: ArgumentHelp("Faults to play; see below. May be repeated.", valueName: "SPEC"),
        completion: .kind(.simulatedFault))
    var fault: [String] = []
    @Option(
        help: ArgumentHelp(
            "Have a cluster with this value, EP/CLUSTER/ATTRIBUTE=VALUE; may be repeated.", valueName: "PATH=VALUE"),
        completion: .kind(.condition))
    var value: [String] = []
    @Option(
        name: .long, help: ArgumentHelp("Write the attestation authority (PAA), DER, to this file.", valueName: "FILE"),
        completion: .kind(.file))
    var paaOut: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Write the device attestation certificate (DAC), DER, to this file.", valueName: "FILE"),
        completion: .kind(.file))
    var dacOut: String?
    @Option(
        help: ArgumentHelp("Other attestation credentials: certificates, declaration and key.", valueName: "FILE|DIR"),
        completion: .kind(.file))
    var attestation: String?
    @Option(
        help: ArgumentHelp(
            "Want terms accepted: the oldest version, and a bit for each required text.", valueName: "VERSION:MASK"))
    var terms: TermsAcknowledgement?
    @OptionGroup var vendor: Vendor
    @Option(
        name: .long, help: ArgumentHelp("The state directory (env MATTERCTL_HOME).", valueName: "DIR"),
        completion: .kind(.folder))
    var home: String?
    @Option(help: ArgumentHelp("Time to get ready, such as 10s.", valueName: "DURATION")) var timeout: TimeSpan?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long to run; until stopped if left out.", valueName: "DURATION"))
    var span: TimeSpan?
    @OptionGroup(title: HelpPage.common) var output: OutputOptions

    func validate() throws {
        try timeout?.requireSome()
        try span?.requireSome("--for")
        try joining.check(network)
        try mesh.check(network, count: count)
        if let icd, !(.seconds(1) ... .seconds(64_800)).contains(icd.duration) {
            throw ValidationError("--icd is 1 second to 18 hours")
        }
        if bleAdapter != nil, !ble { throw ValidationError("--ble-adapter needs --ble") }
        if ble, count != 1 { throw ValidationError("--ble is for one node: an adapter is one device at a time") }
    }

    func execute() async throws {
        let kinds = try types.split(separator: ",").map { try SimulatedType.named(String($0)) }
        guard let first = kinds.first else { throw CommandLineError(.usageType, "no device type is given") }
        try vendor.check(count: count)
        if let path = try plans(kinds).placeless {
            throw CommandLineError(.usageValue, "\(path) has no place: the endpoint is missing, or has the cluster")
        }
        guard (1...4096).contains(count), Int(port) + count - 1 <= Int(UInt16.max) else {
            throw CommandLineError(
                .usageCount,
                "--count \(count) is not possible from port \(port) on: at least 1, and ports up to 65535")
        }
        guard (1...Int(UInt16.max)).contains(sessions), (1...Int(UInt16.max)).contains(handshakes) else {
            throw CommandLineError(.usageSessions, "a device has 1 to 65535 sessions and handshakes")
        }
        guard (1...254).contains(fabrics) else {
            throw CommandLineError(.usageCount, "a device is on 1 to 254 fabrics")
        }
        let directory = StateDirectory(path: try statePath())
        guard let lock = try directory.tryLock("simulate") else {
            throw SimulatorError(
                .stateInUse, "another process plays the device in \(directory.path)")
        }
        let places = try mesh.places()
        var configuration = try configuration(first, directory)
        configuration.faults = try FaultPlan(parsing: fault.joined(separator: ","))
        let standard = AvahiDiscovery.standardPatience
        let patience = min(timeout?.duration ?? standard, standard)
        let avahi = mdns == .avahi ? AvahiDiscovery(logger: try output.logger(), patience: patience) : nil
        if let avahi { await warn(of: avahi) }
        let bluetooth = ble ? BlueZPeripheral(AdapterChoice(bleAdapter.map { [$0] } ?? [])) : nil
        try await bluetooth?.prepare()
        var devices: [SimulatedDevice] = []
        do {
            for number in 0..<count {
                let device = try await start(
                    number, configuration, kinds, directory, avahi, bluetooth,
                    at: places.indices.contains(number) ? places[number] : nil)
                devices.append(device)
            }
        } catch {
            for device in devices { await device.stop() }
            throw error
        }
        listen(to: devices)
        await withTaskGroup { group in
            for device in devices { group.addTask { await device.run() } }
            if let span {
                group.addTask { try? await Task.sleep(for: span.duration) }
                await group.next()
                group.cancelAll()
            }
            await group.waitForAll()
        }
        for device in devices { await device.stop() }
        // Held until now, so that no other process plays this device.
        _ = consume lock
    }

    /// A device that cannot be found is told apart from one that can before it says that it is ready.
    private func warn(of avahi: AvahiDiscovery) async {
        do throws(DiscoveryError) {
            try await avahi.check()
        } catch {
            output.console.message(
                "warning: this device cannot be found, only be reached with --address: \(error.reason)")
            if let hint = Hints.text(for: error) {
                output.console.message("hint: \(hint); or start without: --mdns none")
            }
        }
    }

    private func statePath() throws -> String {
        if let state { return state }
        let home = try home ?? StateDirectory.defaultPath(environment: Environment.all)
        return "\(home)/simulate/\(port)"
    }

    /// The endpoints, with the values that were given.
    ///
    /// - Returns: also the path of a value that has no place.
    private func plans(
        _ kinds: [SimulatedType], _ options: DeviceOptions = DeviceOptions()
    ) throws -> (endpoints: [EndpointPlan], placeless: ElementPath?) {
        let values = try value.map { word throws in
            guard let pair = try AttributeSetting.pairs([word]).first else { throw ValidationError("missing value") }
            let setting = try AttributeSetting(pair, with: ValueParser { _ in .steps })
            return (setting.path, setting.parsed.value)
        }
        var endpoints = SimulatedType.plans(kinds, options: options)
        if webrtc { endpoints.addCamera() }
        let placeless = endpoints.add(values)
        return (endpoints, placeless)
    }

    private static var standardProduct: UInt16 { 0x8001 }

    /// The product id that was asked for, otherwise that of the test case that is played.
    private func product() throws -> UInt16 {
        if let productId { return productId.value }
        return try attestation.flatMap { try files($0).reported?.productID } ?? Self.standardProduct
    }

    private func files(_ path: String) throws(SimulatorError) -> AttestationFiles {
        do { return try AttestationFiles(reading: path) } catch {
            throw SimulatorError(.invalidAttestation, error.reason)
        }
    }

    private func configuration(_ kind: SimulatedType, _ directory: StateDirectory) throws -> NodeConfiguration {
        let now = MatterEpoch.seconds(unix: WallClock.unixTime()) ?? 0
        let credentials: DeviceAttestationCredentials
        if let attestation {
            guard paaOut == nil else {
                throw CommandLineError(
                    .usagePaaOut, "--paa-out writes our own authority, which --attestation replaces")
            }
            credentials = try files(attestation).credentials(attestation)
        } else {
            let made = try DeviceAttestation.credentials(
                vendorID: vendorId.value, productID: try product(), deviceType: kind.deviceType, state: directory,
                now: now)
            credentials = made.credentials
            if let paaOut { try OutputFile.write(made.authority, to: paaOut) }
        }
        if let dacOut { try OutputFile.write(credentials.dac, to: dacOut) }
        let salt = try SystemRandom().bytes(32)
        let pbkdf = PBKDFParameters(iterations: 1000, salt: salt)
        _ = try SetupPasscode(passcode)
        _ = try SetupDiscriminator(long: discriminator)
        var configuration = NodeConfiguration(
            vendorID: vendorId.value, productID: try product(), productName: name ?? kind.title,
            serialNumber: serial, uniqueID: "", discriminator: discriminator,
            verifier: try SPAKE2PlusVerifierData(passcode: passcode, salt: salt, iterations: pbkdf.iterations),
            pbkdf: pbkdf, network: network, attestation: credentials, primaryDeviceType: kind.deviceType)
        guard configuration.productName.utf8.count <= 32, serial.utf8.count <= 32 else {
            throw CommandLineError(.usageName, "a product name or serial number has at most 32 bytes")
        }
        configuration.vendorName = "matterctl"
        try joining.apply(to: &configuration, hasBluetooth: ble)
        configuration.limits.sessionsPerFabric = sessions
        configuration.limits.handshakes = handshakes
        configuration.limits.fabrics = fabrics
        configuration.sleep = icd.map { SleepHabits(idle: UInt32($0.duration.components.seconds)) }
        configuration.updates = updates ? UpdateBehaviour() : nil
        configuration.terms = terms.map { DemandedTerms(minimumVersion: $0.version, required: $0.response) }
        return configuration
    }

    /// The defaults for device types of vendors.
    private var deviceOptions: DeviceOptions {
        var options = DeviceOptions()
        vendor.apply(to: &options)
        return options
    }

    private func start(
        _ number: Int, _ shared: NodeConfiguration, _ kinds: [SimulatedType], _ directory: StateDirectory,
        _ avahi: AvahiDiscovery?, _ bluetooth: BlueZPeripheral?, at place: MeshPlace?
    ) async throws -> SimulatedDevice {
        var configuration = shared
        let identity = try DeviceIdentity.load(directory, node: number)
        configuration.uniqueID = identity.uniqueID
        configuration.hardwareAddress = identity.hardwareAddress
        if let place { configuration.move(to: place) }
        vendor.apply(to: &configuration)
        configuration.discriminator = UInt16((Int(discriminator) + number) % 4096)
        let printer = SimulationPrinter(console: output.console, node: number, isOneOfMany: count > 1)
        let logger = try output.logger()
        let trace: @Sendable (String) -> Void = { logger.trace("\($0)") }
        let options = deviceOptions
        var surroundings = SimulatedDevice.Surroundings(
            port: port == 0 ? 0 : port + UInt16(number), advertiser: avahi, discovery: avahi,
            store: DeviceStore(directory, node: number), bluetooth: bluetooth, report: { printer.print($0) },
            trace: output.verbose > 1 ? trace : nil)
        if let keyLog = try TraceSetup.keyLog(output.console) {
            var outputs = MessageTrace.Outputs()
            outputs.keyLog = keyLog
            surroundings.observer = MessageTrace(outputs)
        }
        let device = try SimulatedDevice(
            configuration, surroundings: surroundings,
            endpoints: { (try? plans(kinds, options))?.endpoints ?? [] })
        let port = try await device.start()
        printer.ready(
            port: port,
            SetupPayload(
                vendorID: vendorId.value, productID: configuration.productID,
                discoveryCapabilities: ble ? [.onNetwork, .ble] : .onNetwork,
                discriminator: try SetupDiscriminator(long: configuration.discriminator),
                passcode: try SetupPasscode(passcode)))
        return device
    }

    /// Hands lines on stdin to the devices.
    private func listen(to devices: [SimulatedDevice]) {
        let console = output.console
        guard Terminal.current === Terminal.process else {
            // Another terminal can be read without a thread.
            Task {
                while let line = try await StandardInput.awaitedLine() { await Self.hand(line, to: devices, console) }
            }
            return
        }
        // A job in the background would be stopped for reading from its terminal.
        guard isatty(STDIN_FILENO) == 0 || tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        let (lines, source) = AsyncStream.makeStream(of: String.self)
        DispatchQueue.global().async {
            while let line = readLine() { source.yield(line) }
            source.finish()
        }
        // One after the other, so that they happen in the order in which they were typed.
        Task { for await line in lines { await Self.hand(line, to: devices, console) } }
    }

    private static func hand(_ line: String, to devices: [SimulatedDevice], _ console: Console) async {
        var words = line[...]
        var number = 0
        if words.hasPrefix("#") {
            let head = words.dropFirst().prefix { $0 != " " }
            guard let given = Int(head) else {
                return console.message("#\(TerminalText.escaped(String(head))) is not a node")
            }
            number = given
            words = words.dropFirst(head.count + 1).drop { $0 == " " }
        }
        guard !words.isEmpty else { return }
        guard devices.indices.contains(number) else { return console.message("there is no node #\(number)") }
        guard await !devices[number].input(String(words)) else { return }
        console.message("unrecognised input: '\(TerminalText.escaped(String(words)))'")
    }
}
