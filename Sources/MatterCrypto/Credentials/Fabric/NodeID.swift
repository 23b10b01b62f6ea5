/// A 64-bit node identifier (Matter core specification, 2.5.5).
public struct NodeID: MatterIdentifier {
    /// The number.
    public let rawValue: UInt64

    /// The value with a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No node.
    package static let unspecified = NodeID(0)
    /// The ids that a node operational certificate may carry.
    static let operationalRange: ClosedRange<NodeID> = NodeID(1)...NodeID(0xFFFF_FFEF_FFFF_FFFF)

    /// The meaning of an id, by its range.
    package enum Kind: Hashable, Sendable {
        case unspecified
        /// One node of a fabric.
        case operational
        /// The peer of a PASE session, by the id of its passcode.
        case pakeKey(UInt16)
        /// Every node whose certificate carries a tag: a subject of access control.
        case caseAuthenticatedTag(CASEAuthenticatedTag)
        /// A name that one node gives to another before it has an id.
        case temporaryLocal(UInt32)
        /// All nodes of a group.
        case group(UInt16)
        case reserved
    }

    package var kind: Kind {
        if rawValue == 0 { return .unspecified }
        if isOperational { return .operational }
        let low = UInt32(truncatingIfNeeded: rawValue)
        switch rawValue >> 32 {
        case 0xFFFF_FFFB where low <= 0xFFFF: return .pakeKey(UInt16(truncatingIfNeeded: low))
        case 0xFFFF_FFFD: return .caseAuthenticatedTag(CASEAuthenticatedTag(low))
        case 0xFFFF_FFFE: return .temporaryLocal(low)
        case 0xFFFF_FFFF where low >= 0xFFFF_0000: return .group(UInt16(truncatingIfNeeded: low))
        default: return .reserved
        }
    }

    /// True if the id can name one node of a fabric.
    public var isOperational: Bool { Self.operationalRange.contains(self) }

    /// The id for all nodes of a group.
    package static func group(_ group: UInt16) -> NodeID { NodeID(0xFFFF_FFFF_FFFF_0000 | UInt64(group)) }

    /// The id for the peer of a PASE session.
    static func pakeKey(_ passcodeID: UInt16) -> NodeID { NodeID(0xFFFF_FFFB_0000_0000 | UInt64(passcodeID)) }

    /// The id for all nodes whose certificate carries a tag.
    package static func tagged(_ tag: CASEAuthenticatedTag) -> NodeID {
        NodeID(0xFFFF_FFFD_0000_0000 | UInt64(tag.rawValue))
    }
}

extension NodeID: JSONConvertible {
    /// The number as JSON: a string if other readers of JSON could not hold it.
    public var json: JSONValue { .id(rawValue) }
}
