package import MatterBase
package import MatterController
package import MatterCrypto
package import MatterModel

/// A device that is being commissioned: what it says of itself and how it answers, without a network.
package struct FakeDevice: Sendable {
    package static let vendorID: UInt16 = 0xFFF1
    package static let productID: UInt16 = 0x8001
    /// Made once; keys take their time.
    private static let sample = Result {
        try DevelopmentAttestation.make(
            vendorID: VendorID(vendorID), productID: productID, deviceTypeID: 0x100, now: TestFabric.now)
    }

    package var attestation: DeviceAttestationCredentials
    /// The operational key that the certificate is asked for.
    package let key: P256PrivateKey
    /// The challenge of the PASE session.
    package var challenge = [UInt8](repeating: 0x5A, count: 16)
    /// TimeSynchronization FeatureMap; `nil` where there is no such cluster.
    package var timeFeatures: UInt64?
    package var needsDSTOffset = false
    /// By cluster and attribute of endpoint 0.
    package var attributes: [ConcreteAttributePath: TLVValue]
    /// How it answers the commands of its networks.
    package var networks: @Sendable (NetworkCommissioningCommand, EndpointID) -> CommandResult.Outcome = {
        command, _ in networkAnswer(command, 0)
    }
    /// Answers of this device that are not as they should be, by the name of the command.
    package var oddities: [String: CommandResult.Outcome] = [:]

    package init() throws {
        attestation = try Self.sample.get().credentials
        key = try P256PrivateKey.generate(SystemRandom())
        attributes = [
            Self.general(0): .uint(0),
            Self.general(1): .structure([TLVElement(0, .uint(60)), TLVElement(1, .uint(900))]),
            Self.general(3): .uint(2),
            Self.basic(2): .uint(UInt64(Self.vendorID)), Self.basic(4): .uint(UInt64(Self.productID)),
            Self.credentials(1): .array([]), Self.credentials(2): .uint(5), Self.credentials(3): .uint(0),
        ]
    }

    package static func general(_ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(
            endpoint: 0, cluster: GeneralCommissioning.id, attribute: attribute)
    }

    package static func basic(_ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: 0, cluster: BasicInformation.id, attribute: attribute)
    }

    package static func credentials(_ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(
            endpoint: 0, cluster: NodeOperationalCredentials.id, attribute: attribute)
    }

    package static let timeFeatureMap = ConcreteAttributePath(
        endpoint: 0, cluster: TimeSynchronization.id, attribute: GlobalAttribute.featureMap)

    package static let dstListSize = ConcreteAttributePath(
        endpoint: 0, cluster: TimeSynchronization.id, attribute: 0x0B)

    /// The attributes of a device that wants its manufacturer's terms accepted.
    package static func terms(minimum: UInt16, isRequired: Bool = true) -> [ConcreteAttributePath: TLVValue] {
        [
            general(GlobalAttribute.featureMap): .uint(1),
            general(GeneralCommissioning.Attribute.tcMinRequiredVersion): .uint(UInt64(minimum)),
            general(GeneralCommissioning.Attribute.tcAcknowledgementsRequired): .bool(isRequired),
        ]
    }

    // MARK: Reading

    package func value(_ path: ConcreteAttributePath) -> TLVValue? {
        path == Self.timeFeatureMap ? timeFeatures.map { .uint($0) } : attributes[path]
    }

    package func read(_ paths: [AttributePath]) -> ReadResult {
        ReadResult(
            attributes: paths.flatMap(concrete).map { path in
                AttributeReport(
                    path: path, dataVersion: 1,
                    outcome: value(path).map { .value($0) } ?? .failure(StatusIB(.unsupportedAttribute)))
            })
    }

    /// The meaning of a path; a wildcard, what there is.
    package func concrete(_ path: AttributePath) -> [ConcreteAttributePath] {
        if let concrete = path.concrete { return [concrete] }
        return attributes.keys.filter {
            (path.endpoint ?? $0.endpoint, path.cluster ?? $0.cluster, path.attribute ?? $0.attribute)
                == ($0.endpoint, $0.cluster, $0.attribute)
        }
    }

    /// The attributes of a network interface.
    package static func interface(
        _ features: UInt64, endpoint: EndpointID = 0, networks: [(id: [UInt8], isConnected: Bool)] = [],
        _ more: [AttributeID: TLVValue] = [:]
    ) -> [ConcreteAttributePath: TLVValue] {
        typealias Attribute = NetworkCommissioning.Attribute
        var values: [AttributeID: TLVValue] = [
            GlobalAttribute.featureMap: .uint(features), Attribute.maxNetworks: .uint(1),
            Attribute.scanMaxTimeSeconds: .uint(10), Attribute.connectMaxTimeSeconds: .uint(20),
            Attribute.interfaceEnabled: .bool(true),
            Attribute.networks: .array(
                of: networks.map {
                    .structure([TLVElement(0, .octets($0.id)), TLVElement(1, .bool($0.isConnected))])
                }),
        ]
        values.merge(more) { $1 }
        return Dictionary(
            uniqueKeysWithValues: values.map {
                (ConcreteAttributePath(endpoint: endpoint, cluster: NetworkCommissioning.id, attribute: $0), $1)
            })
    }

    /// An answer to a command of a network.
    package static func networkAnswer(
        _ command: NetworkCommissioningCommand, _ status: UInt64, text: String = "", error: Int64? = nil,
        seen: [TLVValue] = []
    ) -> CommandResult.Outcome {
        var fields = [TLVElement(0, .uint(status)), TLVElement(1, .string(text))]
        switch command {
        case .scan:
            fields.append(TLVElement(2, .array(of: seen)))
            return .response(command: 1, fields: .structure(fields))
        case .connect:
            fields.append(TLVElement(2, error.map { .int($0) } ?? .null))
            return .response(command: 7, fields: .structure(fields))
        default:
            return .response(command: 5, fields: .structure(fields))
        }
    }

    // MARK: Commands

    package func answer(_ command: CommissioningCommand) throws -> CommandResult {
        let path = command.command.path
        if let oddity = oddities[command.name] { return CommandResult(path: path, outcome: oddity) }
        return CommandResult(path: path, outcome: try outcome(command))
    }

    private func outcome(_ command: CommissioningCommand) throws -> CommandResult.Outcome {
        let good: [TLVElement] = [TLVElement(0, .uint(0)), TLVElement(1, .string(""))]
        switch command {
        case .armFailSafe: return .response(command: 1, fields: .structure(good))
        case .setRegulatoryConfig: return .response(command: 3, fields: .structure(good))
        case .setTCAcknowledgements: return .response(command: 7, fields: .structure([TLVElement(0, .uint(0))]))
        case .commissioningComplete: return .response(command: 5, fields: .structure(good))
        case .setUTCTime, .setDSTOffset, .addTrustedRoot, .setTrustedTimeSource, .setDefaultNTP:
            return .status(StatusIB(.success))
        case .network(let command, let endpoint, _, _):
            return networks(command, endpoint)
        case .setTimeZone: return .response(command: 3, fields: .structure([TLVElement(0, .bool(needsDSTOffset))]))
        case .certificateChain(let kind):
            let certificate = attestation.certificate(type: kind.rawValue) ?? []
            return .response(command: 3, fields: .structure([TLVElement(0, .octets(certificate))]))
        case .attestation(let nonce):
            let response = try attestation.respond(nonce: nonce, attestationChallenge: challenge)
            return Self.signed(command: 1, response.elements, response.signature)
        case .csr(let nonce), .csrForUpdate(let nonce):
            return try csr(nonce: nonce)
        case .addNOC, .updateNOC:
            return .response(command: 8, fields: .structure([TLVElement(0, .uint(0)), TLVElement(1, .uint(1))]))
        }
    }

    /// An answer to CSRRequest, in which each part may be another one's.
    package func csr(
        nonce: [UInt8], key: P256PrivateKey? = nil, signer: P256PrivateKey? = nil, challenge: [UInt8]? = nil
    ) throws -> CommandResult.Outcome {
        let elements = try NOCSRElements(csr: try CertificateSigningRequest(key: key ?? self.key), nonce: nonce)
        let signature = try elements.sign(
            with: signer ?? attestation.key, attestationChallenge: challenge ?? self.challenge)
        return Self.signed(command: 5, elements.encoded, signature)
    }

    package static func signed(command: CommandID, _ elements: [UInt8], _ signature: [UInt8]) -> CommandResult.Outcome {
        .response(
            command: command,
            fields: .structure([TLVElement(0, .octets(elements)), TLVElement(1, .octets(signature))]))
    }
}

extension CommissioningCommand: CustomStringConvertible {
    package var description: String { name }
}
