import ArgumentParser
import JSON
import MatterDataModel
import MatterSession
import MatterSetupPayload

struct PayloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payload", abstract: "Read and make setup codes.",
        discussion: "Example: matterctl payload parse MT:Y.K9042C00KA0648G00", subcommands: [Parse.self, Make.self])

    struct Parse: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "parse", abstract: "Show what is in a QR payload or manual pairing code.",
            discussion: "Prints the passcode.\n\nExample: matterctl payload parse 3497-011-2332")

        @Argument(help: "MT:… or a manual pairing code; - for stdin.") var payload: String
        @OptionGroup(title: HelpPage.common) var output: OutputOptions

        func execute() async throws {
            let text = payload == "-" ? try StandardInput.line() ?? "" : payload
            let payloads = try SetupPayload.parse(text)
            if output.json {
                let objects = payloads.map { PayloadReport($0).json }
                output.console.result(objects.count == 1 ? objects[0] : .array(objects))
                return
            }
            for (index, payload) in payloads.enumerated() {
                if index > 0 { output.console.result("") }
                for line in PayloadReport(payload).lines { output.console.result(line) }
            }
        }
    }

    struct Make: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "make", abstract: "Make the QR payload and the manual pairing code for a device.",
            discussion: "Example: matterctl payload make --passcode 20202021 --discriminator 3840")

        @Option(help: ArgumentHelp("The setup passcode.", valueName: "P")) var passcode: UInt32
        @Option(help: ArgumentHelp("The long discriminator, 0–4095.", valueName: "D")) var discriminator: UInt16
        @Option(name: .long, help: ArgumentHelp("The vendor id.", valueName: "V")) var vendorId: NumberArgument<UInt16>?
        @Option(name: .long, help: ArgumentHelp("The product id.", valueName: "P")) var productId:
            NumberArgument<UInt16>?
        @Option(help: ArgumentHelp("The commissioning flow: 0 standard, 1 user intent, 2 custom.", valueName: "N"))
        var flow: UInt8 = 0
        @Option(
            help: ArgumentHelp(
                "How the device can be found: on-network, ble, soft-ap, …; may be repeated.", valueName: "WAY"))
        var capability: [String] = ["on-network"]
        @Option(help: ArgumentHelp("A serial number to put into the QR payload.", valueName: "TEXT")) var serial:
            String?
        @OptionGroup(title: HelpPage.common) var output: OutputOptions

        func execute() async throws {
            guard let flow = SetupPayload.CommissioningFlow(rawValue: flow) else {
                throw CommandLineError("usage.flow", "unknown commissioning flow \(flow)")
            }
            var payload = SetupPayload(
                vendorID: vendorId?.value, productID: productId?.value, commissioningFlow: flow,
                discoveryCapabilities: try capabilities(), discriminator: try SetupDiscriminator(long: discriminator),
                passcode: try SetupPasscode(passcode))
            payload.extensionData.serialNumber = serial.map { .text($0) }
            let qrCode = try payload.qrCode()
            let manual = try payload.manualCode()
            if output.json {
                output.console.result(.object(["qrCode": .string(qrCode), "manualCode": .string(manual)]))
            } else {
                output.console.result(qrCode)
                output.console.result(try payload.formattedManualCode())
            }
        }

        private func capabilities() throws -> SetupPayload.DiscoveryCapabilities {
            var set: SetupPayload.DiscoveryCapabilities = []
            for name in capability {
                let known = SetupPayload.DiscoveryCapabilities.named
                func key(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
                guard let found = known.first(where: { key($0.name) == key(name) }) else {
                    throw CommandLineError(
                        "usage.capability", "'\(name)' is no way to find a device",
                        hint: "one of: \(known.map(\.name).joined(separator: ", "))")
                }
                set.insert(found.capability)
            }
            return set
        }
    }
}

/// What is printed of a payload: the command's purpose is to show the passcode.
struct PayloadReport {
    private let payload: SetupPayload

    init(_ payload: SetupPayload) { self.payload = payload }

    private var members: [(key: String, label: String, value: JSONValue)] {
        var members: [(String, String, JSONValue)] = []
        func add(_ key: String, _ label: String, _ value: JSONValue?) {
            if let value { members.append((key, label, value)) }
        }
        add("vendorId", "vendor id", payload.vendorID.map { .uint(UInt64($0)) })
        add("productId", "product id", payload.productID.map { .uint(UInt64($0)) })
        add("flow", "flow", .string(payload.commissioningFlow.label))
        add("capabilities", "capabilities", payload.discoveryCapabilities.map { .array($0.names.map { .string($0) }) })
        add("discriminator", "discriminator", payload.discriminator.long.map { .uint(UInt64($0)) })
        add("shortDiscriminator", "short discriminator", .uint(UInt64(payload.discriminator.short)))
        add("passcode", "passcode", .uint(UInt64(payload.passcode.value)))
        let more = payload.extensionData
        switch more.serialNumber {
        case .text(let text): add("serialNumber", "serial number", .string(text))
        case .number(let number): add("serialNumber", "serial number", .uint(UInt64(number)))
        case nil: break
        }
        add("pbkdf2Iterations", "PBKDF2 iterations", more.pbkdf2Iterations.map { .uint(UInt64($0)) })
        add("pbkdf2Salt", "PBKDF2 salt", more.pbkdf2Salt.map { .string("hex:\(Hex.encode($0, uppercase: true))") })
        add("numberOfDevices", "devices", more.numberOfDevices.map { .uint(UInt64($0)) })
        add("commissioningTimeout", "timeout", more.commissioningTimeout.map { .uint(UInt64($0)) })
        return members
    }

    /// What the vendor added, by tag.
    private var vendorElements: [(tag: String, value: JSONValue)] {
        payload.extensionData.vendorElements.map { element in
            switch element.value {
            case .text(let text): (String(element.tag), .string(text))
            case .number(let number): (String(element.tag), .id(signed: number))
            }
        }
    }

    var json: JSONValue {
        var object = JSONObject()
        for member in members { object[member.key] = member.value }
        var vendor = JSONObject()
        for element in vendorElements { vendor[element.tag] = element.value }
        if !vendor.isEmpty { object["vendorElements"] = .object(vendor) }
        return .object(object)
    }

    var lines: [String] {
        members.map { "\($0.label)\t\(TerminalText.text($0.value))" }
            + vendorElements.map { "vendor element \($0.tag)\t\(TerminalText.text($0.value))" }
    }
}

extension SetupPayload.CommissioningFlow {
    fileprivate var label: String {
        switch self {
        case .standard: "standard"
        case .userIntent: "user-intent"
        case .custom: "custom"
        }
    }
}
