/// A CASE authenticated tag (CAT): a group of nodes, named in their certificates, that access control can grant
/// privileges to (Matter core specification, 6.6.2.1.2).
public struct CASEAuthenticatedTag: MatterIdentifier {
    /// Identifier in the upper, version in the lower 16 bits.
    public let rawValue: UInt32

    /// The value with a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    package init(identifier: UInt16, version: UInt16) {
        self.init(UInt32(identifier) << 16 | UInt32(version))
    }

    /// The tag of an access control subject or CaseAdminSubject.
    public init?(subject: NodeID) {
        guard case .caseAuthenticatedTag(let tag) = subject.kind, tag.isValid else { return nil }
        self = tag
    }

    /// How many tags one certificate may carry.
    package static let maximumCount = 3
    /// The identifier of joint fabric administrators.
    static let administratorIdentifier: UInt16 = 0xFFFF
    /// The identifier of joint fabric anchors.
    static let anchorIdentifier: UInt16 = 0xFFFE

    package var identifier: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 16) }
    package var version: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// True if the version is at least 1.
    public var isValid: Bool { version != 0 }
    /// The tag as a subject of access control.
    public var subject: NodeID { .tagged(self) }

    /// True if a node that carries this tag is meant by an access control entry for `subject`: the same identifier in
    /// this version or an older one.
    package func satisfies(_ subject: CASEAuthenticatedTag) -> Bool {
        isValid && subject.isValid && identifier == subject.identifier && version >= subject.version
    }

    /// Refuses a set of tags that no certificate may carry.
    static func check(_ tags: [CASEAuthenticatedTag]) throws(CredentialsError) {
        guard tags.count <= maximumCount else {
            throw CredentialsError(
                .invalidCAT, "\(tags.count) CASE authenticated tags, at most \(maximumCount) allowed")
        }
        if let tag = tags.first(where: { !$0.isValid }) {
            throw CredentialsError(.invalidCAT, "the CASE authenticated tag \(tag) has version 0")
        }
        guard Set(tags.map(\.identifier)).count == tags.count else {
            throw CredentialsError(.invalidCAT, "two CASE authenticated tags with one identifier")
        }
    }
}
