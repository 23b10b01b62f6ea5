import ArgumentParser
import MatterController

struct NetScan: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Show the networks that a node sees, the strongest first.",
        discussion: """
            The node searches with its own radio. That may take most of a minute, and interrupt its connection.

            Example: matterctl net scan kitchen
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Option(help: ArgumentHelp("Only Wi-Fi networks of this name, also hidden ones.", valueName: "NAME"))
    var ssid: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var isServed: Bool { true }

    func validate() throws {
        if let ssid, !(1...32).contains(ssid.utf8.count) { throw ValidationError("--ssid is 1 to 32 bytes long") }
    }

    func run(_ context: CommandContext) async throws {
        let networks = try await context.controller.administration.scanNetworks(
            of: try context.controller.nodes.record(of: node.node), endpoint: node.endpoint,
            ssid: ssid.map { Array($0.utf8) }, title: NodeTarget(node.node).text, budget: context.budget)
        guard !networks.isEmpty || context.console.isJSON else {
            return context.console.message("the node sees no network")
        }
        context.console.result(networks.map(Report.init))
    }
}

extension Report {
    fileprivate init(_ network: SeenNetwork) {
        switch network {
        case .wifi(let ssid, let bssid, let security, let band, let channel, let rssi):
            let security = WiFiWords.security(security)
            self.init {
                Field("ssid", NetworkName.text(ssid), column: "NETWORK")
                Field("rssi", rssi.map { JSONValue.int(Int64($0)) }, column: "SIGNAL", text: rssi.map { "\($0) dBm" })
                Field("channel", channel, column: "CHANNEL")
                Field("band", band.flatMap(WiFiWords.band), column: "BAND")
                Field("security", security, column: "SECURITY", text: security.joined(separator: ", "))
                Field(
                    "bssid", NetworkAddress.text(bssid, as: .hardwareAddress), column: "ADDRESS")
            }
        case .thread(let name, let panID, let extendedPANID, let channel, let version, let rssi, let quality):
            self.init {
                Field("networkName", name, column: "NETWORK")
                Field("rssi", rssi.map { JSONValue.int(Int64($0)) }, column: "SIGNAL", text: rssi.map { "\($0) dBm" })
                Field("channel", channel, column: "CHANNEL")
                Field("panId", Hex.number(panID, digits: 4, uppercase: true), column: "PAN ID")
                Field(
                    "extendedPanId", Hex.number(extendedPANID, digits: 16, uppercase: true), column: "EXTENDED PAN ID")
                Field("threadVersion", version)
                Field("lqi", quality, column: "QUALITY")
            }
        }
    }
}

/// The words of the numbers in the results of a search (Matter core specification 11.9.5.1, 11.9.5.2).
enum WiFiWords {
    /// WiFiSecurityBitmap of a network without a password.
    static let open: UInt8 = 1
    private static let securities = ["open", "WEP", "WPA", "WPA2", "WPA3"]

    static func security(_ bitmap: UInt8) -> [String] {
        securities.enumerated().filter { bitmap & 1 << $0.offset != 0 }.map(\.element)
    }

    static func band(_ number: UInt8) -> String? {
        switch NetworkCommissioning.WiFiBand(rawValue: number) {
        case ._2g4: "2.4 GHz"
        case ._3g65: "3.65 GHz"
        case ._5g: "5 GHz"
        case ._6g: "6 GHz"
        case ._60g: "60 GHz"
        case ._1g: "below 1 GHz"
        default: nil
        }
    }
}
