package import MatterBase

/// One attribute of one endpoint (Matter core specification, chapter 8).
public struct ConcreteAttributePath: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointID
    /// The cluster.
    public var cluster: ClusterID
    /// The attribute.
    public var attribute: AttributeID

    // memberwise: public
}

extension ConcreteAttributePath: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String { "\(endpoint)/\(cluster)/\(attribute)" }
}

/// Where in a list attribute a piece of data belongs (Matter core specification, chapter 8).
public enum ListIndex: Hashable, Sendable {
    /// Behind the last item (encoded as null).
    case append
    /// At a position; defined, but unused.
    case item(UInt16)
}

/// Attributes, with a wildcard for each part that is absent (AttributePathIB, Matter core specification 10.6.2).
public struct AttributePath: Hashable, Sendable {
    /// The id of the node; `nil` for the one that is asked.
    package var node: UInt64?
    /// The endpoint; `nil` for all.
    public var endpoint: EndpointID?
    /// The cluster; `nil` for all.
    public var cluster: ClusterID?
    /// The attribute; `nil` for all.
    public var attribute: AttributeID?
    var listIndex: ListIndex?
    /// The attributes that a wildcard leaves out.
    package var wildcardFlags: WildcardPathFlags?

    // memberwise: public, node = nil, endpoint = nil, cluster = nil, attribute = nil, listIndex = nil,
    //     wildcardFlags = nil

    /// The path of one attribute, or of a member of it that is a list.
    public init(_ path: ConcreteAttributePath, listIndex: ListIndex? = nil) {
        self.init(
            endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute, listIndex: listIndex)
    }

    /// The attribute meant, unless a part is a wildcard.
    public var concrete: ConcreteAttributePath? {
        guard let endpoint, let cluster, let attribute else { return nil }
        return ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
    }

    /// Whether it stands for several attributes.
    public var isWildcard: Bool { concrete == nil }

    /// True if the attribute named is one that every cluster has.
    package static func isGlobal(attribute: AttributeID) -> Bool { (0xF000...0xFFFE).contains(attribute) }

    /// True if a read or subscribe request may hold this path: a cluster wildcard goes with a global attribute or none.
    package var isReadable: Bool {
        guard cluster == nil, let attribute else { return listIndex == nil }
        return listIndex == nil && Self.isGlobal(attribute: attribute)
    }
}

/// The attributes that a wildcard path leaves out (Matter core specification 8.2.1.7).
public struct WildcardPathFlags: OptionSet, Hashable, Sendable {
    /// The number.
    public var rawValue: UInt32

    /// The value with a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let skipRootNode = WildcardPathFlags(rawValue: 1 << 0)
    package static let skipGlobalAttributes = WildcardPathFlags(rawValue: 1 << 1)
    package static let skipAttributeList = WildcardPathFlags(rawValue: 1 << 2)
    package static let skipCommandLists = WildcardPathFlags(rawValue: 1 << 4)
    package static let skipCustomElements = WildcardPathFlags(rawValue: 1 << 5)
    static let skipFixedAttributes = WildcardPathFlags(rawValue: 1 << 6)
    package static let skipChangesOmittedAttributes = WildcardPathFlags(rawValue: 1 << 7)
    package static let skipDiagnosticsClusters = WildcardPathFlags(rawValue: 1 << 8)
}

extension AttributePath: InformationBlock {
    package init(tlv: TLVValue) throws(TLVError) {
        let fields = try TLVFields(path: tlv, "AttributePathIB")
        guard try fields.optionalBool(0) != true else {
            // A compressed path read as a plain one would name other attributes than the sender meant.
            throw TLVError(.malformed, "AttributePathIB uses tag compression")
        }
        node = try fields.optionalUnsigned(1)
        endpoint = try fields.optionalID(2)
        cluster = try fields.optionalID(3)
        attribute = try fields.optionalID(4)
        if case .null = fields[5] {
            listIndex = .append
        } else {
            listIndex = try fields.optionalUnsigned(5).map { .item($0) }
        }
        wildcardFlags = try fields.optionalUnsigned(6).map(WildcardPathFlags.init(rawValue:))
    }

    package var tlv: TLVValue {
        var members: [TLVElement?] = [
            .unsigned(1, node), .id(2, endpoint), .id(3, cluster), .id(4, attribute),
        ]
        switch listIndex {
        case .append: members.append(TLVElement(5, .null))
        case .item(let index): members.append(.unsigned(5, index))
        case nil: break
        }
        members.append(.unsigned(6, wildcardFlags?.rawValue))
        return .list(members.compactMap { $0 })
    }
}

extension AttributePath: CustomStringConvertible {
    /// The value as text, as messages and logs show it.
    public var description: String {
        func part(_ number: (some DataModelID)?) -> String { number.map { "\($0)" } ?? "*" }
        return "\(part(endpoint))/\(part(cluster))/\(part(attribute))"
    }
}
