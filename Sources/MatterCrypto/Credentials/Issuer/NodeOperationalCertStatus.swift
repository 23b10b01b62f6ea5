/// The status of a NOCResponse to AddNOC, UpdateNOC, UpdateFabricLabel and RemoveFabric
/// (Matter core specification, 11.18.4.4).
package enum NodeOperationalCertStatus: UInt8, Sendable, CaseIterable {
    case ok = 0
    case invalidPublicKey = 1
    case invalidNodeOpId = 2
    case invalidNOC = 3
    case missingCsr = 4
    case tableFull = 5
    case invalidAdminSubject = 6
    case fabricConflict = 9
    case labelConflict = 10
    case invalidFabricIndex = 11

    /// The device's status for a rejected certificate.
    package init(refusing error: CredentialsError) {
        switch error.code {
        case .invalidNodeID, .unusableNodeID: self = .invalidNodeOpId
        case .invalidPublicKey, .keyMismatch: self = .invalidPublicKey
        default: self = .invalidNOC
        }
    }

    /// The name in the specification.
    package var name: String {
        switch self {
        case .ok: "OK"
        case .invalidPublicKey: "InvalidPublicKey"
        case .invalidNodeOpId: "InvalidNodeOpId"
        case .invalidNOC: "InvalidNOC"
        case .missingCsr: "MissingCsr"
        case .tableFull: "TableFull"
        case .invalidAdminSubject: "InvalidAdminSubject"
        case .fabricConflict: "FabricConflict"
        case .labelConflict: "LabelConflict"
        case .invalidFabricIndex: "InvalidFabricIndex"
        }
    }

    /// A sentence for a person.
    package var reason: String {
        switch self {
        case .ok: "the device accepted the certificate"
        case .invalidPublicKey: "the device says the certificate is for another key than the one it asked for"
        case .invalidNodeOpId: "the device says the node id cannot be used"
        case .invalidNOC:
            "the device says the certificate chain is invalid; if its clock is wrong, the dates may look wrong to it"
        case .missingCsr: "the device says it was not asked for a certificate signing request before"
        case .tableFull: "the device belongs to as many fabrics as it can"
        case .invalidAdminSubject: "the device says the administrator is neither a node id nor a tag"
        case .fabricConflict: "the device belongs to this fabric already"
        case .labelConflict: "another fabric on the device has the same label"
        case .invalidFabricIndex: "the device knows no such fabric"
        }
    }
}
