/// The stages of commissioning, in their order. Their names are part of the command-line contract (Matter core
/// specification, 5.5).
public enum CommissioningStage: String, CaseIterable, Sendable, Comparable {
    /// Looking for the device.
    case discover
    /// Setting up the session that the setup code protects.
    case pase
    /// Making the device forget everything if it is not completed in time.
    case armFailSafe = "arm-fail-safe"
    /// Asking what the device is and needs.
    case readInfo = "read-info"
    /// Asking for the proof of its origin, and judging it.
    case attestation
    /// Asking for its certificate signing request.
    case csr
    /// Having its operational certificate issued.
    case issueNOC = "issue-noc"
    /// Telling it the place, the time, and the terms.
    case configure
    /// Giving it the root certificate of the fabric.
    case trustedRoot = "trusted-root"
    /// Giving it its certificate: it is on the fabric, for now.
    case addNOC = "add-noc"
    /// Making it join a network.
    case network
    /// Looking for it on the network, as a node of the fabric.
    case operationalDiscovery = "operational-discovery"
    /// Setting up the first session with its certificate.
    case `case`
    /// Making everything permanent.
    case complete
    /// Reading what it is and keeping it.
    case post

    /// Whether a stage comes before another.
    public static func < (left: CommissioningStage, right: CommissioningStage) -> Bool {
        left.position < right.position
    }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
