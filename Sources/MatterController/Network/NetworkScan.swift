package import MatterDataModel
import MatterErrors
import MatterInteraction
package import MatterRecords
import MatterTLV

/// A network that a node sees (Matter core specification 11.9.5.7, 11.9.5.8).
package enum SeenNetwork: Sendable {
    /// - Parameters:
    ///   - security: WiFiSecurityBitmap.
    ///   - rssi: in dBm.
    case wifi(ssid: [UInt8], bssid: [UInt8], security: UInt8, band: UInt8?, channel: UInt16, rssi: Int8?)
    /// - Parameters:
    ///   - rssi: in dBm.
    ///   - quality: the link quality indicator, 0 to 255.
    case thread(
        name: String, panID: UInt16, extendedPANID: UInt64, channel: UInt16, version: UInt8?, rssi: Int8?,
        quality: UInt8?)

    package var rssi: Int8? {
        switch self {
        case .wifi(_, _, _, _, _, let rssi): rssi
        case .thread(_, _, _, _, _, let rssi, _): rssi
        }
    }

    fileprivate init(wifi value: TLVValue) throws(TLVError) {
        let fields = try TLVFields(value, "WiFiInterfaceScanResultStruct")
        self = .wifi(
            ssid: try fields.octets(1), bssid: try fields.optionalOctets(2) ?? [], security: try fields.unsigned(0),
            band: fields[4].flatMap { UInt8(tlv: $0) }, channel: try fields.unsigned(3),
            rssi: fields[5].flatMap { Int8(tlv: $0) })
    }

    fileprivate init(thread value: TLVValue) throws(TLVError) {
        let fields = try TLVFields(value, "ThreadInterfaceScanResultStruct")
        self = .thread(
            name: try fields.string(2), panID: try fields.unsigned(0), extendedPANID: try fields.unsigned(1),
            channel: try fields.unsigned(3), version: fields[4].flatMap { UInt8(tlv: $0) },
            rssi: fields[6].flatMap { Int8(tlv: $0) }, quality: fields[7].flatMap { UInt8(tlv: $0) })
    }
}

extension Controller {
    /// Lets a node search for networks, the strongest first.
    ///
    /// - Parameters:
    ///   - named: the endpoint that searches; the only one that can by default.
    ///   - ssid: only Wi-Fi networks of this name, also hidden ones.
    ///   - title: the node in messages.
    /// - Throws: ``ControllerError`` `unsupportedCluster` for a node without a radio, `networkRefused` if the search failed.
    package func scanNetworks(
        of node: NodeRecord, endpoint named: EndpointID?, ssid: [UInt8]?, title: String, budget: Budget
    ) async throws -> [SeenNetwork] {
        let state = try await networkState(of: node, title: title, budget: budget)
        let radios = state.commissioning.filter { $0.kind == .wifi || $0.kind == .thread }
        let chosen = named == nil ? radios : radios.filter { $0.endpoint == named }
        guard let radio = chosen.first else {
            let isWired = state.commissioning.contains { $0.kind == .ethernet }
            throw ControllerError(
                .unsupportedCluster,
                named.map { "endpoint \($0) of \(title) has no radio that can search" }
                    ?? (isWired
                        ? "\(title) is on Ethernet, and has no radio that can search"
                        : "\(title) has no radio that can search"),
                hint: .step("net.status", node.label))
        }
        guard chosen.count == 1 else {
            throw ControllerError(
                .ambiguousEndpoint,
                "several endpoints of \(title) can search: "
                    + chosen.map(\.endpoint.description).joined(separator: ", "),
                hint: "name one, as in \(node.label)/\(radio.endpoint)")
        }
        let command = Command(
            endpoint: radio.endpoint, cluster: NetworkCommissioning.id,
            command: NetworkCommissioning.Command.scanNetworks,
            fields: .structure(ssid.map { [TLVElement(0, .octets($0))] } ?? []))
        let usual = Catalogue.standard.expectedWork(ofCommand: command.path.command, inCluster: command.path.cluster)
        let work = [budget.given, usual, radio.scanPatience].compactMap { $0 }.max()
        let result = try await link(to: node).invoke(
            command, NodeLink.Repeatability(of: command, in: .standard), work: work,
            deadline: budget.deadline(for: node, work: work))
        // What the response itself says of the search has better words below.
        if case .status = result.outcome { try Outcome.check(result, of: title) }
        return try Self.networks(in: result, of: title)
    }

    private static func networks(in result: CommandResult, of title: String) throws -> [SeenNetwork] {
        guard case .response(_, let value) = result.outcome,
            let fields = value.flatMap({ try? TLVFields($0, "ScanNetworksResponse") }),
            let code: UInt8 = try? fields.unsigned(0)
        else {
            throw ControllerError(.networkRefused, "\(title) answered the search with what is no list of networks")
        }
        let wifi = (try? fields.array(2)) ?? []
        let thread = (try? fields.array(3)) ?? []
        let networks =
            wifi.compactMap { try? SeenNetwork(wifi: $0) } + thread.compactMap { try? SeenNetwork(thread: $0) }
        let status = NetworkState.Status(rawValue: code)
        // No network is a result too.
        guard status == .success || status == .networkNotFound else {
            let said = (try? fields.optionalString(1)).flatMap { $0.isEmpty ? nil : " (\($0))" } ?? ""
            throw ControllerError(
                .networkRefused,
                "\(title) could not search: \(status?.words ?? "NetworkingStatus \(code)")\(said)")
        }
        return networks.sorted { ($0.rssi ?? .min) > ($1.rssi ?? .min) }
    }
}
