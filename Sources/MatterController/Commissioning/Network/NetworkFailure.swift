package import MatterModel

/// The end of an attempt to have a device join a network, as the device reports it (Matter core specification 11.9.5.6).
public struct NetworkFailure: Equatable, Sendable {
    package let command: NetworkCommissioningCommand
    package let kind: NetworkKind
    /// The network, for people.
    package let network: String
    /// The device's answer.
    public let answer: NetworkAnswer
    /// The country that the device was told, for a channel that is not allowed there.
    package var country: String?
    /// The bands of the device's radio; empty if it does not say.
    var bands: [NetworkCommissioning.WiFiBand]

    package init(
        _ command: NetworkCommissioningCommand, kind: NetworkKind, network: String, answer: NetworkAnswer,
        country: String? = nil,
        bands: [NetworkCommissioning.WiFiBand] = []
    ) {
        self.command = command
        self.kind = kind
        self.network = network
        self.answer = answer
        self.country = country
        self.bands = bands
    }

    /// The failure, with what the device adds to it.
    public var sentence: String {
        var details: [String] = []
        if !answer.text.isEmpty { details.append("the device says '\(TerminalText.escaped(answer.text))'") }
        if let number = answer.errorValue { details.append("error value \(number)") }
        return "the device could not \(verb) \(kind.rawValue) '\(network)': \(cause)"
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }

    private var verb: String {
        switch command {
        case .scan: "search for"
        case .addWiFi, .addThread: "store"
        case .remove: "remove"
        case .reorder: "reorder"
        case .connect: "join"
        }
    }

    private var isWiFi: Bool { kind == .wifi }

    private var cause: String {
        switch answer.status {
        case .success: "it reports success"
        case .outOfRange: "a value is out of range"
        case .boundsExceeded: "its table of networks is full"
        case .networkIDNotFound: "it has not stored this network"
        case .duplicateNetworkID: "it has stored this network twice"
        case .networkNotFound:
            isWiFi
                ? "it does not see this network" + (isNarrow ? "; its radio has 2.4 GHz only" : "")
                : "this network is not in its range, or is on another channel or PAN id"
        case .regulatoryError: "its channel is not allowed in the country \(country ?? "that the device was told")"
        case .authFailure: isWiFi ? "wrong password" : "wrong network key"
        case .unsupportedSecurity: "it does not support the security of this network"
        case .otherConnectionFailure: "the network did not admit it"
        case .ipv6Failed: "it joined, and got no IPv6 address"
        case .ipBindFailed: "it joined, and got no usable address"
        case .unknownError: "it does not know why"
        default: "NetworkingStatus \(answer.code)"
        }
    }

    private var isNarrow: Bool { bands == [._2g4] }

    /// The next step.
    package var hint: Hint? {
        switch answer.status {
        case .authFailure where isWiFi: .step("network.password")
        case .authFailure: "take the active dataset from the border router again: ot-ctl dataset active -x"
        case .networkNotFound where isWiFi: .step("network.not-seen")
        case .networkNotFound: .step("network.thread-not-seen")
        case .regulatoryError: .step("network.country")
        case .unsupportedSecurity: "let the access point offer WPA2 too, or name another network"
        case .ipv6Failed: "switch IPv6 on at the router and the access point, then try again"
        case .ipBindFailed: "see whether the router gives out addresses (DHCP, router advertisements), then try again"
        case .boundsExceeded: .step("network.full")
        case .otherConnectionFailure, .unknownError: "move the device nearer to the access point, then try again"
        default: nil
        }
    }

    /// True if other credentials may do on the same device.
    var maySucceedOtherwise: Bool {
        switch answer.status {
        case .networkNotFound, .authFailure, .unsupportedSecurity, .otherConnectionFailure, .ipv6Failed,
            .ipBindFailed, .unknownError, .regulatoryError:
            true
        default: false
        }
    }

    package var facts: [Fact] {
        [
            Fact("network", network), Fact("networkingStatus", answer.status.map { "\($0)" }),
            Fact("networkingStatusCode", answer.code), Fact("errorValue", answer.errorValue),
            Fact("debugText", answer.text.isEmpty ? nil : answer.text),
        ].compactMap { $0 }
    }
}
