package import MatterCrypto
package import MatterModel

/// A command of the commissioning flow with its fields. All but those of networks go to the root endpoint.
package enum CommissioningCommand: Equatable, Sendable {
    case armFailSafe(seconds: UInt16, breadcrumb: UInt64)
    case setRegulatoryConfig(location: UInt8, country: String, breadcrumb: UInt64)
    case setTCAcknowledgements(TermsAcknowledgement)
    case commissioningComplete
    case setUTCTime(microseconds: UInt64)
    case setTimeZone(TimeZoneRules)
    /// As many periods as the device has room for.
    case setDSTOffset([TimeZoneRules.Period])
    case certificateChain(NodeOperationalCredentials.CertificateChainType)
    case attestation(nonce: [UInt8])
    case csr(nonce: [UInt8])
    /// For another certificate on a fabric that the device is on.
    case csrForUpdate(nonce: [UInt8])
    case updateNOC(noc: [UInt8], icac: [UInt8]?)
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
        return payload.map { Command($0, at: 0) } ?? Command(NetworkCommissioning.ScanNetworks(), at: 0)
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
        case .certificateChain(let type): "CertificateChainRequest (\(type == .dacCertificate ? "DAC" : "PAI"))"
        case .attestation: "AttestationRequest"
        case .csr, .csrForUpdate: "CSRRequest"
        case .updateNOC: "UpdateNOC"
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

    /// The command with its fields; `nil` for one of a network.
    private var payload: (any ClusterCommand)? {
        switch self {
        case .armFailSafe(let seconds, let breadcrumb):
            return GeneralCommissioning.ArmFailSafe(expiryLengthSeconds: seconds, breadcrumb: breadcrumb)
        case .setRegulatoryConfig(let location, let country, let breadcrumb):
            return GeneralCommissioning.SetRegulatoryConfig(
                newRegulatoryConfig: GeneralCommissioning.RegulatoryLocationType(rawValue: location),
                countryCode: country, breadcrumb: breadcrumb)
        case .setTCAcknowledgements(let answer):
            return GeneralCommissioning.SetTCAcknowledgements(
                tcVersion: answer.version, tcUserResponse: answer.response)
        case .commissioningComplete:
            return GeneralCommissioning.CommissioningComplete()
        case .setUTCTime(let microseconds):
            return TimeSynchronization.SetUTCTime(utcTime: microseconds, granularity: .secondsGranularity)
        case .setTimeZone(let rules):
            let zone = TimeSynchronization.TimeZone(
                offset: Int32(clamping: rules.standardOffset), validAt: 0, name: rules.name)
            return TimeSynchronization.SetTimeZone(timeZone: [zone])
        case .setDSTOffset(let periods):
            return TimeSynchronization.SetDSTOffset(
                dstOffset: periods.map { period in
                    TimeSynchronization.DSTOffset(
                        offset: Int32(clamping: period.offset), validStarting: Self.microseconds(period.starts) ?? 0,
                        validUntil: Self.microseconds(period.ends))
                })
        case .certificateChain(let certificate):
            return NodeOperationalCredentials.CertificateChainRequest(certificateType: certificate)
        case .attestation(let nonce):
            return NodeOperationalCredentials.AttestationRequest(attestationNonce: nonce)
        case .csr(let nonce):
            return NodeOperationalCredentials.CSRRequest(csrNonce: nonce)
        case .csrForUpdate(let nonce):
            return NodeOperationalCredentials.CSRRequest(csrNonce: nonce, isForUpdateNOC: true)
        case .updateNOC(let noc, let icac):
            return NodeOperationalCredentials.UpdateNOC(nocValue: noc, icacValue: icac)
        case .addTrustedRoot(let root):
            return NodeOperationalCredentials.AddTrustedRootCertificate(rootCACertificate: root)
        case .addNOC(let noc, let icac, let ipk, let subject, let vendor):
            return NodeOperationalCredentials.AddNOC(
                nocValue: noc, icacValue: icac, ipkValue: ipk.copyBytes(), caseAdminSubject: subject,
                adminVendorId: vendor)
        case .setTrustedTimeSource(let node, let endpoint):
            return TimeSynchronization.SetTrustedTimeSource(
                trustedTimeSource: TimeSynchronization.FabricScopedTrustedTimeSource(
                    nodeID: node, endpoint: EndpointID(endpoint)))
        case .setDefaultNTP(let server):
            return TimeSynchronization.SetDefaultNTP(defaultNTP: server)
        case .network:
            return nil
        }
    }
}
