package import MatterInteraction
import MatterTLV

/// A command of the commissioning flow with its fields. All go to the root endpoint.
package enum CommissioningCommand: Hashable, Sendable {
    /// Which certificate of the attestation chain is asked for.
    package enum ChainCertificate: UInt8, Sendable {
        case dac = 1
        case pai = 2
    }

    case armFailSafe(seconds: UInt16, breadcrumb: UInt64)
    case setRegulatoryConfig(location: UInt8, country: String, breadcrumb: UInt64)
    case commissioningComplete
    case setUTCTime(microseconds: UInt64)
    case setTimeZone(offsetSeconds: Int32)
    case setDSTOffset
    case certificateChain(ChainCertificate)
    case attestation(nonce: [UInt8])
    case csr(nonce: [UInt8])
    case addTrustedRoot([UInt8])
    case addNOC(noc: [UInt8], icac: [UInt8]?, ipk: [UInt8], adminSubject: UInt64, adminVendor: UInt16)

    /// The command as it goes to the device.
    package var command: Command {
        let (cluster, number, fields) = encoding
        return Command(endpoint: 0, cluster: cluster, command: number, fields: .structure(fields))
    }

    /// Its name in the specification.
    package var name: String {
        switch self {
        case .armFailSafe: "ArmFailSafe"
        case .setRegulatoryConfig: "SetRegulatoryConfig"
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
        }
    }

    private var encoding: (cluster: UInt32, command: UInt32, fields: [TLVElement]) {
        let general = CommissioningCluster.generalCommissioning
        let credentials = CommissioningCluster.operationalCredentials
        let time = CommissioningCluster.timeSynchronization
        switch self {
        case .armFailSafe(let seconds, let breadcrumb):
            return (general, 0x00, [.init(0, .uint(UInt64(seconds))), .init(1, .uint(breadcrumb))])
        case .setRegulatoryConfig(let location, let country, let breadcrumb):
            return (
                general, 0x02,
                [.init(0, .uint(UInt64(location))), .init(1, .string(country)), .init(2, .uint(breadcrumb))]
            )
        case .commissioningComplete:
            return (general, 0x04, [])
        case .setUTCTime(let microseconds):
            let seconds: UInt64 = 2  // GranularityEnum: SecondsGranularity
            return (time, 0x00, [.init(0, .uint(microseconds)), .init(1, .uint(seconds))])
        case .setTimeZone(let offset):
            let zone: [TLVElement] = [.init(0, .int(Int64(offset))), .init(1, .uint(0))]
            return (time, 0x02, [.init(0, .array([TLVElement(.anonymous, .structure(zone))]))])
        case .setDSTOffset:
            // The zone's offset has daylight saving time in it already.
            let none: [TLVElement] = [.init(0, .int(0)), .init(1, .uint(0)), .init(2, .null)]
            return (time, 0x04, [.init(0, .array([TLVElement(.anonymous, .structure(none))]))])
        case .certificateChain(let certificate):
            return (credentials, 0x02, [.init(0, .uint(UInt64(certificate.rawValue)))])
        case .attestation(let nonce):
            return (credentials, 0x00, [.init(0, .octets(nonce))])
        case .csr(let nonce):
            return (credentials, 0x04, [.init(0, .octets(nonce))])
        case .addTrustedRoot(let root):
            return (credentials, 0x0B, [.init(0, .octets(root))])
        case .addNOC(let noc, let icac, let ipk, let subject, let vendor):
            var fields = [TLVElement(0, .octets(noc))]
            if let icac { fields.append(.init(1, .octets(icac))) }
            fields.append(.init(2, .octets(ipk)))
            fields.append(.init(3, .uint(subject)))
            fields.append(.init(4, .uint(UInt64(vendor))))
            return (credentials, 0x06, fields)
        }
    }
}
