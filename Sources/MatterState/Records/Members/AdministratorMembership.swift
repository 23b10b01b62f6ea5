public import MatterCrypto

/// The membership of a fabric whose authority's key is on another machine.
public struct AdministratorMembership: Equatable, Sendable {
    /// The name that we have there.
    public let member: String
    /// The machine with the key; `nil` if it has no name.
    public let holderHost: String?
    /// The holder's own node, which signs what it sends.
    public let holderNode: NodeID
    /// The administrators' tag in our certificate.
    public let tag: CASEAuthenticatedTag

    // memberwise: package

    init(_ fields: RecordFields) throws(RecordError) {
        member = try fields.string("member")
        holderHost = try fields.optionalString("holderHost")
        holderNode = NodeID(try fields.integer("holderNode"))
        tag = CASEAuthenticatedTag(try fields.integer("tag"))
    }

    var json: JSONValue {
        var object: JSONObject = [
            "member": .string(member), "holderNode": .id(holderNode.rawValue), "tag": .uint(UInt64(tag.rawValue)),
        ]
        object["holderHost"] = holderHost.map { .string($0) }
        return .object(object)
    }

    /// The holder in messages.
    public var holder: String { "\(holderHost ?? "another machine") (node \(holderNode.rawValue))" }
}
