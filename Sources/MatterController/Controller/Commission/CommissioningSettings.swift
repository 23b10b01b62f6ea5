import MatterNetwork

/// A network that a device is to join, with what it needs for that.
public enum NetworkAccess: Sendable {
    /// A Wi-Fi network; the password is empty for an open one.
    case wifi(_ name: String, password: String)
    /// A Thread network, by its active operational dataset: hexadecimal digits, or Base64.
    case thread(dataset: String)
    /// A network that is kept.
    case kept(NetworkCredential)

    /// The credential, checked.
    ///
    /// - Throws: ``NetworkCredentialError`` for a name, a password or a dataset that breaks the rules.
    public var credential: NetworkCredential {
        get throws {
            switch self {
            case .wifi(let name, let password):
                .wifi(try WiFiCredential(ssid: Array(name.utf8), password: SecretBytes(Array(password.utf8))))
            case .thread(let dataset): .thread(try ThreadDataset(parsing: dataset))
            case .kept(let credential): credential
            }
        }
    }
}

/// The facts about a device whose attestation is in order but for its authority, which is not known.
public struct UnknownAuthority: Sendable, Hashable {
    /// The name of the authority, as the device's certificates have it: escape it before it reaches a terminal.
    public let authority: String?
    /// The vendor's number, as the certificates have it.
    public let vendorID: UInt16?
    /// The product's number, as the certificates have it.
    public let productID: UInt16?

    init(_ report: AttestationReport) {
        authority = report.soughtName.map { "\($0)" }
        vendorID = report.reported?.vendorID?.rawValue
        productID = report.reported?.productID
    }
}

/// How a device is commissioned.
public struct CommissioningSettings: Sendable {
    /// A name for the node.
    public var name: String?
    /// The room that it is in.
    public var room: String?
    /// The id for the node; chosen by the fabric's issuer by default.
    public var nodeID: UInt64?
    /// Where the device is, such as `lamp.lan:5540`; it is looked for by default.
    public var address: String?
    /// The only way to look for it; by default what its code says.
    public var way: DiscoveryWay?
    /// The networks of which the device is to join one, the best first; those that are stored by default.
    public var networks: [NetworkAccess] = []
    /// The country in which the device is used (ISO 3166-1, two letters); `XX` if it is not known.
    public var country = "XX"
    /// Which devices are accepted; by default those that prove their origin.
    public var trust = TrustPolicy()
    /// Asked about a device that is in order but for its authority; without an answer such a device is refused.
    public var decide: (@Sendable (UnknownAuthority) async throws -> Bool)?
    /// The manufacturer's terms that are accepted; a device that asks for others is refused.
    public var terms: AcceptedTerms?
    /// Who issues the certificate; by default the fabric's own issuer.
    public var issuer = IssuerChoice.ofFabric
    /// The time for all of it.
    public var time = Duration.seconds(120)

    /// The usual way.
    public init(name: String? = nil, room: String? = nil) {
        self.name = name
        self.room = room
    }
}

/// The events of a commissioning while it goes on.
public enum CommissioningUpdate: Sendable {
    /// A stage begins.
    case began(CommissioningStage)
    /// A stage is over, after this time.
    case ended(CommissioningStage, Duration)
    /// A stage has failed, after this time; the error follows.
    case failed(CommissioningStage, Duration)
    /// Something worth knowing, such as what is being waited for.
    case note(String)
    /// Something is wrong that stops nothing.
    case warning(String)
    /// The device is a node of the fabric.
    case commissioned(Node)

    init(_ progress: CommissioningProgress) {
        switch progress {
        case .began(let stage): self = .began(stage)
        case .ended(let stage, let time): self = .ended(stage, time)
        case .failed(let stage, let time): self = .failed(stage, time)
        case .note(let text): self = .note(text)
        case .warning(let text, _): self = .warning(text)
        }
    }
}

/// The plan for a device that is commissioned.
public struct CommissioningForecast: Sendable {
    /// The vendor's number.
    public let vendorID: UInt16?
    /// The product's number.
    public let productID: UInt16?
    /// The verdict on its attestation: `trusted`, `test`, `untrusted` and others, as `matterctl attest` prints them.
    public let attestation: String?
    /// The network that it would join; `nil` if it stays where it is.
    public let network: String?
    /// The names of the commands that it would get, in their order.
    public let commands: [String]

    init(_ rehearsal: CommissioningRehearsal) {
        vendorID = rehearsal.information.vendorID
        productID = rehearsal.information.productID
        attestation = rehearsal.attestation?.report.verdict.rawValue
        network = rehearsal.network?.credential.name
        commands = rehearsal.commands
    }
}

/// Something that a commissioning needs before there is a device.
public struct CommissioningCheck: Sendable {
    /// Its name: `fabric`, `name`, `clock`, `issuer`, `trust`, `network`, `discovery` or `bluetooth`.
    public let id: String
    /// The findings; empty where there is nothing to say.
    public let note: String
    /// The fault; `nil` if nothing is.
    public let failure: MatterError?
    /// False for what only some devices need.
    public let isNeeded: Bool

    init(_ readiness: Readiness) {
        id = readiness.check.rawValue
        note = readiness.note
        failure = readiness.failure.map { MatterError($0) }
        isNeeded = readiness.isNeeded
    }
}
