public import ArgumentParser
import MatterController

extension CommissioningWay: @retroactive ExpressibleByArgument {}

/// Where a device that is open for commissioning is looked for.
struct WayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where to look for the device: ip (the network) or ble (Bluetooth); by default as its code says.",
            valueName: "WAY"))
    var via: CommissioningWay?
    @Option(
        help: ArgumentHelp("The Bluetooth adapter, such as hci1, its address, or 'all'.", valueName: "ADAPTER"))
    var bleAdapter: String?

    var isGiven: Bool { via != nil || bleAdapter != nil }

    /// Empty for those of this machine that are switched on.
    var adapters: [String] { bleAdapter.map { [$0] } ?? [] }

    func validate() throws {
        if bleAdapter != nil, via == .ip { throw ValidationError("--ble-adapter has no meaning with --via ip") }
    }

    /// - Throws: `ValidationError` if the options name an address on the network for a device on Bluetooth.
    func check(_ options: NetworkOptions) throws {
        guard via == .ble, options.address != nil else { return }
        throw ValidationError("--address is an address on the network: leave it or --via ble out")
    }
}
