import ArgumentParser
import MatterController

struct Discover: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "List the devices that can be commissioned.",
        discussion: """
            Ends when the network has nothing more to say. With --watch it goes on until stopped, or for the time of --for. \
            With --ble it also listens for new devices over Bluetooth, for ten seconds.

            Example: matterctl discover --watch --for 1m
            """)

    /// The look-out ends when everything that answers at once has done so, and then nothing new has come for this long.
    private static let quiet = Duration.seconds(2)

    @Flag(help: "Go on until stopped, one line per change.") var watch = false
    @Option(
        name: .customLong("for"), help: ArgumentHelp("With --watch: how long to go on.", valueName: "DURATION"))
    var span: TimeSpan?
    @Option(help: ArgumentHelp("Only devices with this long discriminator.", valueName: "D")) var discriminator: UInt16?
    @Option(help: ArgumentHelp("Only devices of this vendor id.", valueName: "V")) var vendor: NumberArgument<UInt16>?
    @Flag(help: "Also list the devices that advertise themselves over Bluetooth.") var ble = false
    @Option(
        help: ArgumentHelp(
            "With --ble: the adapter, such as hci1, its address, or 'all'; may be repeated.", valueName: "ADAPTER"))
    var bleAdapter: [String] = []
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// With `--watch`, `--timeout` bounds the set-up alone.
    var longestRun: Duration? { watch ? nil : options.timeout?.duration }

    func validate() throws {
        if let discriminator, discriminator > 4095 { throw ValidationError("a discriminator is 0–4095") }
        try span?.requireSome("--for")
        if span != nil, !watch { throw ValidationError("--for needs --watch; --timeout bounds the whole command") }
        if options.address != nil {
            throw ValidationError("--address has no meaning here: discover looks for addresses")
        }
        if !bleAdapter.isEmpty, !ble { throw ValidationError("--ble-adapter needs --ble") }
    }

    func run(_ context: CommandContext) async throws {
        let filter: CommissionableFilter =
            if let discriminator {
                .longDiscriminator(discriminator)
            } else if let vendor {
                .vendor(vendor.value)
            } else {
                .commissioningMode
            }
        let discovery = AvahiDiscovery(
            logger: context.logger, patience: CommandContext.discoveryPatience(context.timeout))
        let events = discovery.browseCommissionable(filter)
        if ble { return try await runWithBluetooth(events, context) }
        if watch {
            try await follow(Self.findings(events), until: span.map { .now + $0.duration }, context)
        } else {
            let (devices, isComplete) = try await collect(events, until: context.deadline)
            // Who interrupts it knows less of the network, and not that it is empty.
            try Task.checkCancellation()
            if devices.isEmpty { try discovery.checkNetwork() }
            show(devices, [], isComplete: isComplete, context)
        }
    }

    /// Everything that answers until the network falls quiet.
    ///
    /// - Returns: the devices, and whether the network did fall quiet in time.
    func collect(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>, until deadline: ContinuousClock.Instant
    ) async throws -> (devices: [CommissionableDevice], isComplete: Bool) {
        var found: [String: CommissionableDevice] = [:]
        let quietTime = QuietTime(quiet: Self.quiet)
        let isComplete = try await quietTime.follow(events, until: deadline) { event in
            switch event {
            case .found(let device): found[device.instance] = isWanted(device) ? device : nil
            case .lost(let instance): found[instance] = nil
            case .allForNow: break
            }
        }
        return (found.values.sorted { $0.instance < $1.instance }, isComplete)
    }

    func show(
        _ devices: [CommissionableDevice], _ bluetooth: [BluetoothDevice], isComplete: Bool, _ context: CommandContext
    ) {
        let names = LedgerNames(context.controller.options.state)
        context.console.result(devices.map { Report($0, names) } + bluetooth.map { Report($0, names) })
        for device in devices { note(device, names, context) }
        for device in bluetooth { note(device, names, context) }
        if !isComplete {
            let time = DurationText.format(context.timeout)
            context.console.message("not everything on this network has answered within \(time); see --timeout")
        } else if devices.isEmpty, bluetooth.isEmpty, !context.console.isJSON {
            context.console.message(
                "no device is open for commissioning on this network" + (ble ? " or over Bluetooth" : ""))
        }
    }

    private func note(_ device: CommissionableDevice, _ names: LedgerNames, _ context: CommandContext) {
        context.console.note(
            names.product(device.record.vendorID, device.record.productID), of: device.instance)
    }

    private func note(_ device: BluetoothDevice, _ names: LedgerNames, _ context: CommandContext) {
        let advertisement = device.advertisement
        context.console.note(names.product(advertisement.vendorID, advertisement.productID), of: device.address)
    }

    func follow(
        _ findings: AsyncThrowingStream<Finding, any Error>, until deadline: ContinuousClock.Instant?,
        _ context: CommandContext
    ) async throws {
        let names = LedgerNames(context.controller.options.state)
        for try await finding in Timed(findings, until: deadline).stream {
            switch finding {
            case .network(.found(let device)) where isWanted(device):
                context.console.event("found", Report(device, names))
                note(device, names, context)
            case .network(.lost(let instance)):
                context.console.event("lost", Report { Field("instance", instance, column: "") })
            case .bluetooth(let device) where isWanted(device):
                context.console.event("found", Report(device, names))
                note(device, names, context)
            case .network, .bluetooth: break
            }
        }
    }
}

extension Console {
    /// One line of a run that goes on.
    fileprivate func event(_ name: String, _ report: Report) {
        let event = Report {
            Field("change", name, column: "CHANGE")
            report
        }
        result(isJSON ? event.json.serialized() : event.row.joined(separator: "\t"))
    }
}

extension Report {
    fileprivate init(_ device: CommissionableDevice, _ names: LedgerNames) {
        let record = device.record
        let addresses = device.addresses.map(\.description)
        let entry = names.product(record.vendorID, record.productID)
        self.init {
            Field("instance", device.instance, column: "INSTANCE")
            Field("discriminator", record.longDiscriminator, column: "DISCRIMINATOR")
            Field("commissioningMode", record.commissioningMode.rawValue)
            Field(
                "vendorId", record.vendorID, column: "VENDOR",
                text: record.vendorID.flatMap { names.vendor($0)?.name ?? "\($0)" })
            Field(
                "productId", record.productID, column: "PRODUCT",
                text: record.productID.map { entry?.model.name ?? "\($0)" })
            Field("deviceType", record.deviceType)
            Field("name", record.deviceName, column: "NAME")
            Field("pairingHint", record.pairingHint)
            Field("pairingInstruction", record.pairingInstruction)
            Field("host", device.host)
            Field("port", device.port)
            Field("addresses", addresses, column: "ADDRESSES", text: addresses.joined(separator: " "))
            Field("ledger", entry?.report.json)
        }
    }
}

extension Report {
    /// A device over Bluetooth, in the same columns.
    fileprivate init(_ device: BluetoothDevice, _ names: LedgerNames) {
        let advertisement = device.advertisement
        let (vendor, product) = (advertisement.vendorID, advertisement.productID)
        let entry = names.product(vendor, product)
        let place = "\(device.address) on \(device.adapter)" + (device.rssi.map { ", \($0) dBm" } ?? "")
        self.init {
            Field(column: "INSTANCE", nil)
            Field("address", device.address)
            Field("adapter", device.adapter)
            Field("rssi", device.rssi)
            Field("discriminator", advertisement.longDiscriminator, column: "DISCRIMINATOR")
            Field("vendorId", vendor, column: "VENDOR", text: vendor.flatMap { names.vendor($0)?.name ?? "\($0)" })
            Field("productId", product, column: "PRODUCT", text: product.map { entry?.model.name ?? "\($0)" })
            Field(column: "NAME", nil)
            Field(column: "ADDRESSES", [place])
            Field("ledger", entry?.report.json)
        }
    }
}
