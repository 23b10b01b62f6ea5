public import MatterCrypto

/// The administrators of a fabric beside the holder of its authority's key, and how far the removal of one has come.
///
/// It is a value. ``MemberStore`` keeps it on the holder's machine.
public struct MemberRoster: Equatable, Sendable {
    /// An administrator with a key of its own.
    public struct Member: Equatable, Sendable {
        /// Its name here.
        public let name: String
        /// Its own node.
        public let nodeID: NodeID
        /// The machine that made the request; `nil` if it has no name.
        public let host: String?
        /// When it was added, in seconds since 1970.
        public let addedAt: Int64
        /// The version of the tag in its certificate: that of its first one, or the newest that it has confirmed.
        public internal(set) var version: UInt16
        /// Its request for a certificate.
        package let csr: CertificateSigningRequest
        /// Answers are encrypted for it.
        package let recipient: AgeRecipient

        package init(_ name: String, _ request: JoinRequest, nodeID: NodeID, version: UInt16, at now: Int64) {
            self.name = name
            self.nodeID = nodeID
            self.version = version
            host = request.host
            addedAt = now
            csr = request.csr
            recipient = request.recipient
        }
    }

    /// Something that was found on a node when a member was removed.
    public struct Finding: Hashable, Sendable {
        /// The part of the node that it was found in.
        public enum Kind: String, Sendable, CaseIterable {
            /// Entries that named the member by its node id: removed.
            case entry
            /// An entry that admits every certificate of the fabric, also that of the member: listed.
            case everyone
            /// A commissioning window that our fabric had open: closed.
            case window
            /// A commissioning window of another fabric: listed.
            case otherWindow = "other-window"
            /// A registration for check-ins of the device with the member: removed.
            case checkIn = "check-in"
            /// Another fabric: listed, since the member may have let it in.
            case fabric
            /// A part of the node that could not be searched: listed.
            case unsearched
        }

        /// The node.
        public let node: NodeID
        /// The part of the node.
        public let kind: Kind
        /// The find, in words for people. It may quote a device: escape it before it reaches a terminal.
        public let text: String

        // memberwise: package

        /// Whether it is gone: what is not has to be looked at by a person.
        public var isRemoved: Bool { kind == .entry || kind == .window || kind == .checkIn }
    }

    /// The removal of a member that has begun.
    public struct Removal: Equatable, Sendable {
        /// The member.
        public let name: String
        /// Its own node.
        public let nodeID: NodeID
        /// The version of the tag that the others get, and that entries demand at the end.
        public let version: UInt16
        /// When it began, in seconds since 1970.
        package let beganAt: Int64
        /// Members who are not waited for.
        package internal(set) var leftBehind: [String] = []
        /// Whether the entries of nodes are being raised: from then on new ones demand the new version.
        public internal(set) var raises = false
        /// The number of the job that raises them.
        public internal(set) var job: UInt64?
        /// The finds on nodes.
        public internal(set) var findings: [Finding] = []
    }

    /// A member who was removed.
    public struct Former: Equatable, Sendable {
        /// Its name.
        public let name: String
        /// Its own node, whose id is not given out again.
        public let nodeID: NodeID
        /// When, in seconds since 1970.
        package let removedAt: Int64
        /// The finds on nodes.
        public let findings: [Finding]
    }

    /// The tag that admits administrators, in the version that entries of nodes have.
    public internal(set) var tag: CASEAuthenticatedTag
    /// By name.
    public internal(set) var members: [Member] = []
    /// The removal that has begun; `nil` if none has.
    public internal(set) var removal: Removal?
    /// Those who were removed.
    public internal(set) var former: [Former] = []

    package init(tag: CASEAuthenticatedTag) { self.tag = tag }

    /// A member by its name.
    public func member(_ name: String) -> Member? { members.first { $0.name == name } }

    /// Whether a subject of access control is the administrators' tag, in any version.
    public func isTag(_ subject: NodeID) -> Bool {
        CASEAuthenticatedTag(subject: subject)?.identifier == tag.identifier
    }

    // MARK: Versions

    /// The tag in certificates that are issued now.
    package var issuedTag: CASEAuthenticatedTag { tag.with(version: removal?.version ?? tag.version) }

    /// The tag in entries that are made now. While members get their new certificates, the old version still counts.
    package var entryTag: CASEAuthenticatedTag {
        guard let removal, removal.raises else { return tag }
        return tag.with(version: removal.version)
    }

    /// Those who stay, and have not confirmed the certificates that the removal needs.
    public var waitedFor: [Member] {
        guard let removal else { return [] }
        return members.filter { member in
            member.name != removal.name && !removal.leftBehind.contains(member.name)
                && member.version < removal.version
        }
    }

    /// Whether a member has to import another certificate before nodes admit him.
    public func isBehind(_ member: Member) -> Bool {
        member.name != removal?.name && member.version < entryTag.version
    }

    // MARK: Steps

    package mutating func add(_ member: Member) {
        members.removeAll { $0.name == member.name }
        members.append(member)
        members.sort { $0.name < $1.name }
    }

    /// Notes that a member has a certificate. An old receipt takes nothing back.
    package mutating func confirm(_ name: String, version: UInt16) {
        guard let place = members.firstIndex(where: { $0.name == name }) else { return }
        members[place].version = max(members[place].version, version)
        if version >= issuedTag.version { removal?.leftBehind.removeAll { $0 == name } }
    }

    /// Begins a removal, or goes on with it.
    package mutating func beginRemoval(of member: Member, leavingBehind names: [String], at now: Int64) {
        if removal == nil {
            removal = Removal(name: member.name, nodeID: member.nodeID, version: tag.version + 1, beganAt: now)
        }
        for name in names where removal?.leftBehind.contains(name) == false { removal?.leftBehind.append(name) }
    }

    /// From here on, entries are raised.
    package mutating func raise() { removal?.raises = true }

    package mutating func raise(by job: UInt64) { removal?.job = job }

    package mutating func note(_ findings: [Finding]) {
        for finding in findings where removal?.findings.contains(finding) == false {
            removal?.findings.append(finding)
        }
    }

    /// All nodes have the new version: the member is out.
    package mutating func endRemoval(at now: Int64) {
        guard let removal else { return }
        tag = tag.with(version: removal.version)
        members.removeAll { $0.name == removal.name }
        former.append(
            Former(name: removal.name, nodeID: removal.nodeID, removedAt: now, findings: removal.findings))
        self.removal = nil
    }
}

extension CASEAuthenticatedTag {
    fileprivate func with(version: UInt16) -> CASEAuthenticatedTag {
        CASEAuthenticatedTag(identifier: identifier, version: version)
    }
}
