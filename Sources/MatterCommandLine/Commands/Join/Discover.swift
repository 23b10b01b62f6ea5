import ArgumentParser
import JSON
import MatterDataModel
import MatterDiscovery

struct Discover: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover", abstract: "List the devices that can be commissioned.",
        discussion: """
            Ends when the network has nothing more to say, or goes on with --watch.

            Example: matterctl discover --watch
            """)

    /// The look-out ends when everything that answers at once has done so, and then nothing new has come for this long.
    private static let quiet = Duration.seconds(2)

    @Flag(help: "Go on until stopped, one line per change.") var watch = false
    @Option(help: ArgumentHelp("Only devices with this long discriminator.", valueName: "D")) var discriminator: UInt16?
    @Option(help: ArgumentHelp("Only devices of this vendor id.", valueName: "V")) var vendor: NumberArgument<UInt16>?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func validate() throws {
        if let discriminator, discriminator > 4095 { throw ValidationError("a discriminator is 0–4095") }
        if options.address != nil {
            throw ValidationError("--address has no meaning here: discover looks for addresses")
        }
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
        let until = watch && options.timeout == nil ? nil : context.deadline
        if watch {
            try await follow(events, until: until, context)
        } else {
            let (devices, isComplete) = try await collect(events, until: context.deadline)
            // Who interrupts it knows less of the network, and not that it is empty.
            try Task.checkCancellation()
            if devices.isEmpty { try discovery.checkNetwork() }
            show(devices, isComplete: isComplete, context)
        }
    }

    /// Whether a device is also one of the vendor's: the network is asked for one thing at a time.
    private func isWanted(_ device: CommissionableDevice) -> Bool {
        guard let vendor, discriminator != nil else { return true }
        return device.record.vendorID == vendor.value
    }

    /// Everything that answers until the network falls quiet.
    ///
    /// - Returns: the devices, and whether the network did fall quiet in time.
    private func collect(
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

    private func show(_ devices: [CommissionableDevice], isComplete: Bool, _ context: CommandContext) {
        if context.console.isJSON {
            context.console.result(.array(devices.map { Self.json($0) }))
        } else {
            context.console.rows(
                ["INSTANCE", "DISCRIMINATOR", "VENDOR", "PRODUCT", "NAME", "ADDRESSES"], devices.map(Self.row))
        }
        if !isComplete {
            let time = DurationText.format(context.timeout)
            context.console.message("not everything on this network has answered within \(time); see --timeout")
        } else if devices.isEmpty, !context.console.isJSON {
            context.console.message("no device is open for commissioning on this network")
        }
    }

    private func follow(
        _ events: AsyncThrowingStream<CommissionableEvent, any Error>, until deadline: ContinuousClock.Instant?,
        _ context: CommandContext
    ) async throws {
        for try await event in Timed(events, until: deadline).stream {
            switch event {
            case .found(let device) where !isWanted(device): break
            case .found(let device):
                if context.console.isJSON {
                    var object: JSONObject = ["event": "found"]
                    for member in Self.json(device).objectValue?.members ?? [] { object[member.key] = member.value }
                    context.console.result(.object(object))
                } else {
                    context.console.result((["found"] + Self.row(device)).joined(separator: "\t"))
                }
            case .lost(let instance):
                if context.console.isJSON {
                    context.console.result(.object(["event": "lost", "instance": .string(instance)]))
                } else {
                    context.console.result("lost\t\(TerminalText.escaped(instance))")
                }
            case .allForNow:
                break
            }
        }
    }

    private static func row(_ device: CommissionableDevice) -> [String] {
        func text(_ number: (some BinaryInteger)?) -> String { number.map { "\($0)" } ?? "-" }
        return [
            TerminalText.escaped(device.instance), text(device.record.longDiscriminator),
            text(device.record.vendorID), text(device.record.productID),
            TerminalText.escaped(device.record.deviceName ?? "-"),
            device.addresses.map(\.description).joined(separator: " "),
        ]
    }

    private static func json(_ device: CommissionableDevice) -> JSONValue {
        let record = device.record
        var object: JSONObject = ["instance": .string(device.instance)]
        object["discriminator"] = record.longDiscriminator.map { .uint(UInt64($0)) }
        object["commissioningMode"] = .uint(UInt64(record.commissioningMode.rawValue))
        object["vendorId"] = record.vendorID.map { .uint(UInt64($0)) }
        object["productId"] = record.productID.map { .uint(UInt64($0)) }
        object["deviceType"] = record.deviceType.map { .uint(UInt64($0)) }
        object["name"] = record.deviceName.map { .string($0) }
        object["pairingHint"] = record.pairingHint.map { .uint(UInt64($0)) }
        object["pairingInstruction"] = record.pairingInstruction.map { .string($0) }
        object["host"] = .string(device.host)
        object["port"] = .uint(UInt64(device.port))
        object["addresses"] = .array(device.addresses.map { .string($0.description) })
        return .object(object)
    }
}
