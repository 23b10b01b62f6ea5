import MatterCrypto
import MatterModel

/// The allowed forms of an entry (Matter core specification, 9.10.5.6).
extension AccessControlEntry {
    /// Why no node may accept the entry; `nil` if it is valid.
    package var fault: String? {
        guard self.privilege.isKnown else { return "\(self.privilege) is not a privilege" }
        switch self.authMode {
        case .case:
            if let subject = subjects.first(where: { !Self.isCertified($0) }) {
                return "\(subject.rawValue) is neither a node id nor a tag"
            }
        case .group:
            guard self.privilege != .administer else { return "a group may not administer" }
            if let subject = subjects.first(where: { !(1...UInt64(UInt16.max)).contains($0.rawValue) }) {
                return "\(subject.rawValue) is not a group id"
            }
        default:
            return "the authentication mode has to be CASE or Group"
        }
        return targets.lazy.compactMap(\.fault).first
    }

    private static func isCertified(_ subject: NodeID) -> Bool {
        switch subject.kind {
        case .operational: true
        case .caseAuthenticatedTag(let tag): tag.isValid
        default: false
        }
    }
}

extension AccessControl.AccessControlTarget {
    fileprivate var fault: String? {
        if self == Self() { return "a target has to name an endpoint, a cluster or a device type" }
        if endpoint != nil && deviceType != nil { return "a target cannot name both an endpoint and a device type" }
        if endpoint == EndpointID(0xFFFF) { return "65535 is not an endpoint" }
        return nil
    }

    /// True if everything that another target means is among what this means.
    func covers(_ other: Self) -> Bool {
        (cluster == nil || cluster == other.cluster) && (endpoint == nil || endpoint == other.endpoint)
            && (deviceType == nil || deviceType == other.deviceType)
    }
}
