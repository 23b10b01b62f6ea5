package import MatterBase
package import MatterCrypto
package import MatterModel

/// A command of the cluster Network Commissioning (Matter core specification 11.9.7).
package enum NetworkCommissioningCommand: Equatable, Sendable {
    /// - Parameter ssid: only this network, also if it is hidden; `nil` for all.
    case scan(ssid: [UInt8]?)
    case addWiFi(ssid: [UInt8], credentials: SecretBytes)
    case addThread(dataset: SecretBytes)
    case remove([UInt8])
    case connect([UInt8])
    case reorder([UInt8], index: UInt8)

    /// Its name in the specification.
    package var name: String {
        switch self {
        case .scan: "ScanNetworks"
        case .addWiFi: "AddOrUpdateWiFiNetwork"
        case .addThread: "AddOrUpdateThreadNetwork"
        case .remove: "RemoveNetwork"
        case .connect: "ConnectNetwork"
        case .reorder: "ReorderNetwork"
        }
    }

    /// The command as it goes to an endpoint.
    ///
    /// - Parameter breadcrumb: what a device stores if it succeeds; `nil` to leave that out.
    package func command(to endpoint: EndpointID, breadcrumb: UInt64? = nil) -> Command {
        let (id, fields, tag) = encoding
        return Command(
            endpoint: endpoint, cluster: NetworkCommissioning.id, command: id,
            fields: .structure(fields + (breadcrumb.map { [TLVElement(tag, .uint($0))] } ?? [])))
    }

    /// The fields, and the tag of the breadcrumb.
    private var encoding: (CommandID, [TLVElement], UInt8) {
        typealias ID = NetworkCommissioning.Command
        switch self {
        case .scan(let ssid): return (ID.scanNetworks, ssid.map { [TLVElement(0, .octets($0))] } ?? [], 1)
        case .addWiFi(let ssid, let credentials):
            return (
                ID.addOrUpdateWiFiNetwork,
                [TLVElement(0, .octets(ssid)), TLVElement(1, .octets(credentials.copyBytes()))], 2
            )
        case .addThread(let dataset):
            return (ID.addOrUpdateThreadNetwork, [TLVElement(0, .octets(dataset.copyBytes()))], 1)
        case .remove(let id): return (ID.removeNetwork, [TLVElement(0, .octets(id))], 1)
        case .connect(let id): return (ID.connectNetwork, [TLVElement(0, .octets(id))], 1)
        case .reorder(let id, let index):
            return (ID.reorderNetwork, [TLVElement(0, .octets(id)), TLVElement(1, .uint(UInt64(index)))], 2)
        }
    }
}

/// A device's answer to a command of Network Commissioning (NetworkConfigResponse, ConnectNetworkResponse).
package struct NetworkAnswer: Equatable, Sendable {
    package typealias Status = NetworkCommissioning.NetworkCommissioningStatus

    /// The longest text that the specification allows.
    private static let longestText = 512

    /// NetworkingStatus as it came, also if the specification does not know it.
    package let code: UInt8
    /// DebugText; from the device: escape it before it reaches a terminal.
    package var text: String = ""
    /// ErrorValue: the number that the device's driver gives the cause; `nil` where there is none.
    var errorValue: Int32? = nil

    package var status: Status? { Status(rawValue: code) }

    package var isSuccess: Bool { status == .success }

    /// True if the same may succeed a moment later.
    var mayPass: Bool {
        switch status {
        case .networkNotFound, .otherConnectionFailure, .ipv6Failed, .ipBindFailed, .unknownError: true
        default: false
        }
    }
}

extension NetworkAnswer {
    package init(_ fields: TLVFields, to command: NetworkCommissioningCommand) throws(TLVError) {
        code = try fields.unsigned(0)
        text = String((try fields.optionalString(1) ?? "").prefix(Self.longestText))
        if case .connect = command { errorValue = fields[2].flatMap { Int32(tlv: $0) } } else { errorValue = nil }
    }
}
