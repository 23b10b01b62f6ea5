/// The stages of commissioning, in their order. Their names are part of the command-line contract.
package enum CommissioningStage: String, CaseIterable, Sendable, Comparable {
    case discover
    case pase
    case armFailSafe = "arm-fail-safe"
    case readInfo = "read-info"
    case attestation
    case csr
    case issueNOC = "issue-noc"
    case configure
    case trustedRoot = "trusted-root"
    case addNOC = "add-noc"
    case network
    case operationalDiscovery = "operational-discovery"
    case `case`
    case complete
    case post

    package static func < (left: CommissioningStage, right: CommissioningStage) -> Bool {
        left.position < right.position
    }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
