import MatterModel

/// A network that a node sees (Matter core specification 11.9.5.7, 11.9.5.8).
public enum SeenNetwork: Sendable, Equatable {
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

    private init(wifi network: PartialStructure<NetworkCommissioning.WiFiInterfaceScanResult>) throws(TLVError) {
        typealias Field = NetworkCommissioning.WiFiInterfaceScanResult.Field
        self = .wifi(
            ssid: try network.required(Field.ssid), bssid: try network.optional(Field.bssid) ?? [],
            security: try network.required(Field.security).rawValue, band: network[Field.wiFiBand]?.rawValue,
            channel: try network.required(Field.channel), rssi: network[Field.rssi])
    }

    private init(thread network: PartialStructure<NetworkCommissioning.ThreadInterfaceScanResult>) throws(TLVError) {
        typealias Field = NetworkCommissioning.ThreadInterfaceScanResult.Field
        self = .thread(
            name: try network.required(Field.networkName), panID: try network.required(Field.panId),
            extendedPANID: try network.required(Field.extendedPanId), channel: try network.required(Field.channel),
            version: network[Field.version], rssi: network[Field.rssi], quality: network[Field.lqi])
    }

    /// The networks of a ScanNetworksResponse, the strongest first. What is garbled is left out.
    package static func all(in answer: PartialStructure<NetworkCommissioning.ScanNetworksResponse>) -> [SeenNetwork] {
        typealias Field = NetworkCommissioning.ScanNetworksResponse.Field
        let networks =
            answer.partialMembers(Field.wiFiScanResults).compactMap { try? SeenNetwork(wifi: $0) }
            + answer.partialMembers(Field.threadScanResults).compactMap { try? SeenNetwork(thread: $0) }
        return networks.sorted { ($0.rssi ?? .min) > ($1.rssi ?? .min) }
    }

    /// The id of the network in commands: an SSID, or an extended PAN id.
    public var id: [UInt8] {
        switch self {
        case .wifi(let ssid, _, _, _, _, _): ssid
        case .thread(_, _, let extendedPANID, _, _, _, _):
            (0..<8).map { UInt8(truncatingIfNeeded: extendedPANID >> (56 - 8 * $0)) }
        }
    }

    /// The name of the network for people.
    public var name: String {
        switch self {
        case .wifi(let ssid, _, _, _, _, _): NetworkName.text(ssid)
        case .thread(let name, _, _, _, _, _, _): NetworkName.text(Array(name.utf8))
        }
    }

    /// Each network once, by its strongest sender, in this order: a mesh has many.
    package static func merged(_ seen: [SeenNetwork]) -> [SeenNetwork] {
        var known: Set<[UInt8]> = []
        return seen.filter { known.insert($0.id).inserted }
    }
}

/// The id of a network as people know it: the text of an SSID, otherwise `hex:…`.
public enum NetworkName {
    /// The id of a network as text: as it is if that is possible, otherwise in hexadecimal digits.
    public static func text(_ id: [UInt8]) -> String {
        guard let text = String(validating: id, as: UTF8.self), !text.isEmpty, TerminalText.escaped(text) == text else {
            return "hex:" + Hex.encode(id, uppercase: true)
        }
        return text
    }
}
