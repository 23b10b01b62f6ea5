import MatterCrypto
import MatterModel

extension NodeOperationalCredentials.NodeOperationalCertStatus {
    /// The device's status for a certificate that it rejects (Matter core specification, 11.18.4.4).
    package init(refusing error: CredentialsError) {
        switch error.code {
        case .invalidNodeID, .unusableNodeID: self = .invalidNodeOpId
        case .invalidPublicKey, .keyMismatch: self = .invalidPublicKey
        default: self = .invalidNOC
        }
    }
}
