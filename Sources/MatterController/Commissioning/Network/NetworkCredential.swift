public import MatterCrypto

/// The data that a device needs to join a network (Matter core specification, 11.9).
public enum NetworkCredential: Sendable, Equatable {
    /// For a Wi-Fi network.
    case wifi(WiFiCredential)
    /// For a Thread network.
    case thread(ThreadDataset)

    /// The kind of network that it is for.
    public var kind: NetworkKind {
        switch self {
        case .wifi: .wifi
        case .thread: .thread
        }
    }

    /// The id of the network in commands: the SSID, or the extended PAN id.
    package var id: [UInt8] {
        switch self {
        case .wifi(let wifi): wifi.ssid
        case .thread(let dataset): dataset.extendedPANID
        }
    }

    /// The name of the network for people.
    public var name: String {
        switch self {
        case .wifi(let wifi): NetworkName.text(wifi.ssid)
        case .thread(let dataset):
            dataset.networkName.map { NetworkName.text(Array($0.utf8)) }
                ?? Hex.encode(dataset.extendedPANID, uppercase: true)
        }
    }

    /// The command that tells a device of it.
    package var adding: NetworkCommissioningCommand {
        switch self {
        case .wifi(let wifi): .addWiFi(ssid: wifi.ssid, credentials: wifi.password)
        case .thread(let dataset): .addThread(dataset: dataset.encoded)
        }
    }
}

/// A Wi-Fi network and its password (AddOrUpdateWiFiNetwork, Matter core specification 11.9.7.3).
public struct WiFiCredential: Sendable, Equatable {
    /// 1 to 32 bytes, which need not be text.
    public let ssid: [UInt8]
    /// Empty for an open network.
    package let password: SecretBytes

    /// - Throws: ``NetworkCredentialError`` for lengths that no Wi-Fi network has; the device is not asked for that.
    public init(ssid: [UInt8], password: SecretBytes) throws(NetworkCredentialError) {
        guard (1...32).contains(ssid.count) else {
            throw NetworkCredentialError(
                .invalidSSID, "the name of a Wi-Fi network is 1 to 32 bytes long, not \(ssid.count)")
        }
        guard Self.isPossible(password) else {
            throw NetworkCredentialError(
                .invalidPassword,
                "a Wi-Fi password is 8 to 63 bytes long (or 64 hexadecimal digits, or 5, 10, 13 or 26 with WEP), not "
                    + "\(password.count)", hint: "check the file: its first line is the password")
        }
        self.ssid = ssid
        self.password = password
    }

    /// Nothing, a WEP key (5 or 13 bytes, or twice as many digits), a passphrase, or a key of 64 digits.
    private static func isPossible(_ password: SecretBytes) -> Bool {
        let isHex = password.withUnsafeBytes { bytes in
            bytes.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
        return switch password.count {
        case 0, 5, 8...63: true
        case 64: isHex
        default: false
        }
    }
}

/// Why the credentials of a network cannot be right (Matter core specification 11.9.7). It never contains a password.
public struct NetworkCredentialError: CodedError, Equatable {
    /// The ways in which this can fail.
    public enum Code: String, ErrorCode {
        /// A name of a length that no Wi-Fi network has.
        case invalidSSID = "wifi.invalid-ssid"
        /// A password of a length that no Wi-Fi network has.
        case invalidPassword = "wifi.invalid-password"

        /// The kind of failure, from which the exit code follows.
        public var kind: FailureKind { .invalidInput }
    }

    /// The failure, as a name that programs can compare.
    public var code: Code
    /// The event, in words for people.
    public var reason: String
    /// The next step; `nil` if that is not known.
    public var hint: Hint?

    package init(_ code: Code, _ reason: String, hint: Hint? = nil) {
        self.code = code
        self.reason = reason
        self.hint = hint
    }
}
