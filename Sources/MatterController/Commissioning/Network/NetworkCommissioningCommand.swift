package import MatterCrypto
public import MatterModel

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
        switch self {
        case .scan(let ssid):
            Command(
                NetworkCommissioning.ScanNetworks(ssid: ssid.map { .some($0) }, breadcrumb: breadcrumb), at: endpoint)
        case .addWiFi(let ssid, let credentials):
            Command(
                NetworkCommissioning.AddOrUpdateWiFiNetwork(
                    ssid: ssid, credentials: credentials.copyBytes(), breadcrumb: breadcrumb), at: endpoint)
        case .addThread(let dataset):
            Command(
                NetworkCommissioning.AddOrUpdateThreadNetwork(
                    operationalDataset: dataset.copyBytes(), breadcrumb: breadcrumb), at: endpoint)
        case .remove(let id):
            Command(NetworkCommissioning.RemoveNetwork(networkID: id, breadcrumb: breadcrumb), at: endpoint)
        case .connect(let id):
            Command(NetworkCommissioning.ConnectNetwork(networkID: id, breadcrumb: breadcrumb), at: endpoint)
        case .reorder(let id, let index):
            Command(
                NetworkCommissioning.ReorderNetwork(networkID: id, networkIndex: index, breadcrumb: breadcrumb),
                at: endpoint)
        }
    }
}

/// A device's answer to a command of Network Commissioning (NetworkConfigResponse, ConnectNetworkResponse) (Matter
/// core specification, 11.9).
public struct NetworkAnswer: Equatable, Sendable {
    /// The status of a command of Network Commissioning (Matter core specification, 11.9.5.3).
    public typealias Status = NetworkCommissioning.NetworkCommissioningStatus

    /// The longest text that the specification allows.
    private static let longestText = 512

    /// NetworkingStatus as it came, also if the specification does not know it.
    package let code: UInt8
    /// DebugText; from the device: escape it before it reaches a terminal.
    package var text: String = ""
    /// ErrorValue: the number that the device's driver gives the cause; `nil` where there is none.
    var errorValue: Int32? = nil

    /// The status, if this revision of the specification has it; `nil` otherwise.
    public var status: Status? { Status(known: code) }

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
    /// An answer as a device sent it.
    ///
    /// - Parameters:
    ///   - answer: a ConnectNetworkResponse, or a NetworkConfigResponse, which begins in the same way.
    ///   - command: what was asked.
    package init(
        _ answer: PartialStructure<NetworkCommissioning.ConnectNetworkResponse>,
        to command: NetworkCommissioningCommand,
        in name: String
    ) throws(TLVError) {
        typealias Field = NetworkCommissioning.ConnectNetworkResponse.Field
        code = try answer.required(Field.networkingStatus, in: name).rawValue
        text = String((try answer.optional(Field.debugText, in: name) ?? "").prefix(Self.longestText))
        if case .connect = command { errorValue = answer[Field.errorValue] }
    }
}
