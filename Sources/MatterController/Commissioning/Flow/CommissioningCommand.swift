import MatterBase
package import MatterCrypto
package import MatterModel

/// A command of the commissioning flow with its fields. All but those of networks go to the root endpoint.
package enum CommissioningCommand: Equatable, Sendable {
    /// Which certificate of the attestation chain is asked for.
    package enum ChainCertificate: UInt8, Sendable {
        case dac = 1
        case pai = 2
    }

    case armFailSafe(seconds: UInt16, breadcrumb: UInt64)
    case setRegulatoryConfig(location: UInt8, country: String, breadcrumb: UInt64)
    case setTCAcknowledgements(TermsAcknowledgement)
    case commissioningComplete
    case setUTCTime(microseconds: UInt64)
    case setTimeZone(TimeZoneRules)
    /// As many periods as the device has room for.
    case setDSTOffset([TimeZoneRules.Period])
    case certificateChain(ChainCertificate)
    case attestation(nonce: [UInt8])
    case csr(nonce: [UInt8])
    case addTrustedRoot([UInt8])
    case addNOC(noc: [UInt8], icac: [UInt8]?, ipk: SecretBytes, adminSubject: UInt64, adminVendor: UInt16)
    /// A node of the fabric that has the time.
    case setTrustedTimeSource(node: UInt64, endpoint: UInt16)
    /// An IPv6 address, or a name where the device looks names up.
    case setDefaultNTP(String)
    /// To the endpoint of a network interface, whose radio may take that many seconds.
    case network(NetworkCommissioningCommand, endpoint: EndpointID, breadcrumb: UInt64, seconds: UInt8)

    /// The command as it goes to the device.
    package var command: Command {
        if case .network(let command, let endpoint, let breadcrumb, _) = self {
            return command.command(to: endpoint, breadcrumb: breadcrumb)
        }
        let (cluster, number, fields) = encoding
        return Command(endpoint: 0, cluster: cluster, command: number, fields: .structure(fields))
    }

    /// Its name in the specification.
    package var name: String {
        switch self {
        case .armFailSafe: "ArmFailSafe"
        case .setRegulatoryConfig: "SetRegulatoryConfig"
        case .setTCAcknowledgements: "SetTCAcknowledgements"
        case .commissioningComplete: "CommissioningComplete"
        case .setUTCTime: "SetUTCTime"
        case .setTimeZone: "SetTimeZone"
        case .setDSTOffset: "SetDSTOffset"
        case .certificateChain(.dac): "CertificateChainRequest (DAC)"
        case .certificateChain(.pai): "CertificateChainRequest (PAI)"
        case .attestation: "AttestationRequest"
        case .csr: "CSRRequest"
        case .addTrustedRoot: "AddTrustedRootCertificate"
        case .addNOC: "AddNOC"
        case .setTrustedTimeSource: "SetTrustedTimeSource"
        case .setDefaultNTP: "SetDefaultNTP"
        case .network(let command, _, _, _): command.name
        }
    }

    /// Seconds since 1970 as microseconds since 2000.
    private static func microseconds(_ unix: Int64?) -> UInt64? {
        unix.map { UInt64(max(0, $0 - MatterEpoch.unixSeconds)) * 1_000_000 }
    }

    private var encoding: (cluster: ClusterID, command: CommandID, fields: [TLVElement]) {
        switch self {
        case .armFailSafe(let seconds, let breadcrumb):
            return (
                GeneralCommissioning.id, GeneralCommissioning.Command.armFailSafe,
                [.init(0, .uint(UInt64(seconds))), .init(1, .uint(breadcrumb))]
            )
        case .setRegulatoryConfig(let location, let country, let breadcrumb):
            return (
                GeneralCommissioning.id, GeneralCommissioning.Command.setRegulatoryConfig,
                [.init(0, .uint(UInt64(location))), .init(1, .string(country)), .init(2, .uint(breadcrumb))]
            )
        case .setTCAcknowledgements(let answer):
            return (
                GeneralCommissioning.id, GeneralCommissioning.Command.setTCAcknowledgements,
                [.init(0, .uint(UInt64(answer.version))), .init(1, .uint(UInt64(answer.response)))]
            )
        case .commissioningComplete:
            return (GeneralCommissioning.id, GeneralCommissioning.Command.commissioningComplete, [])
        case .setUTCTime(let microseconds):
            let granularity = TimeSynchronization.Granularity.secondsGranularity.tlv
            return (
                TimeSynchronization.id, TimeSynchronization.Command.setUTCTime,
                [.init(0, .uint(microseconds)), .init(1, granularity)]
            )
        case .setTimeZone(let rules):
            var zone: [TLVElement] = [.init(0, .int(Int64(rules.standardOffset))), .init(1, .uint(0))]
            if let name = rules.name { zone.append(.init(2, .string(name))) }
            return (
                TimeSynchronization.id, TimeSynchronization.Command.setTimeZone,
                [.init(0, .array([TLVElement(.anonymous, .structure(zone))]))]
            )
        case .setDSTOffset(let periods):
            let list = periods.map { period in
                TLVElement(
                    .anonymous,
                    .structure([
                        .init(0, .int(Int64(period.offset))), .init(1, .uint(Self.microseconds(period.starts) ?? 0)),
                        .init(2, Self.microseconds(period.ends).map { .uint($0) } ?? .null),
                    ]))
            }
            return (TimeSynchronization.id, TimeSynchronization.Command.setDSTOffset, [.init(0, .array(list))])
        case .certificateChain(let certificate):
            return (
                NodeOperationalCredentials.id, NodeOperationalCredentials.Command.certificateChainRequest,
                [.init(0, .uint(UInt64(certificate.rawValue)))]
            )
        case .attestation(let nonce):
            return (
                NodeOperationalCredentials.id, NodeOperationalCredentials.Command.attestationRequest,
                [.init(0, .octets(nonce))]
            )
        case .csr(let nonce):
            return (
                NodeOperationalCredentials.id, NodeOperationalCredentials.Command.csrRequest, [.init(0, .octets(nonce))]
            )
        case .addTrustedRoot(let root):
            return (
                NodeOperationalCredentials.id, NodeOperationalCredentials.Command.addTrustedRootCertificate,
                [.init(0, .octets(root))]
            )
        case .addNOC(let noc, let icac, let ipk, let subject, let vendor):
            var fields = [TLVElement(0, .octets(noc))]
            if let icac { fields.append(.init(1, .octets(icac))) }
            fields.append(.init(2, .octets(ipk.copyBytes())))
            fields.append(.init(3, .uint(subject)))
            fields.append(.init(4, .uint(UInt64(vendor))))
            return (NodeOperationalCredentials.id, NodeOperationalCredentials.Command.addNOC, fields)
        case .setTrustedTimeSource(let node, let endpoint):
            let source: TLVValue = .structure([.init(0, .uint(node)), .init(1, .uint(UInt64(endpoint)))])
            return (TimeSynchronization.id, TimeSynchronization.Command.setTrustedTimeSource, [.init(0, source)])
        case .setDefaultNTP(let server):
            return (TimeSynchronization.id, TimeSynchronization.Command.setDefaultNTP, [.init(0, .string(server))])
        case .network:
            return (NetworkCommissioning.id, NetworkCommissioning.Command.scanNetworks, [])
        }
    }
}
