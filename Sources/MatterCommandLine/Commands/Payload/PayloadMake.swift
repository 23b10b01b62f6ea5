import ArgumentParser
import MatterController

extension PayloadCommand {
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
                throw CommandLineError(.usageFlow, "unknown commissioning flow \(flow)")
            }
            var payload = SetupPayload(
                vendorID: vendorId?.value, productID: productId?.value, commissioningFlow: flow,
                discoveryCapabilities: try capabilities(), discriminator: try SetupDiscriminator(long: discriminator),
                passcode: try SetupPasscode(passcode))
            payload.extensionData.serialNumber = serial.map { .text($0) }
            try console.result {
                Field("qrCode", try payload.qrCode(), label: "")
                Field("manualCode", try payload.manualCode(), label: "", text: try payload.formattedManualCode())
            }
        }

        private func capabilities() throws -> SetupPayload.DiscoveryCapabilities {
            var set: SetupPayload.DiscoveryCapabilities = []
            for name in capability {
                let known = SetupPayload.DiscoveryCapabilities.named
                func key(_ text: String) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
                guard let found = known.first(where: { key($0.name) == key(name) }) else {
                    throw CommandLineError(
                        .usageCapability, "'\(name)' is not a way to find a device",
                        hint: "one of: \(known.map(\.name).joined(separator: ", "))")
                }
                set.insert(found.capability)
            }
            return set
        }
    }
}
