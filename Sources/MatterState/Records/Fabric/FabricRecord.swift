public import MatterCrypto

/// The record of a fabric, without keys.
public struct FabricRecord: Equatable, Sendable {
    /// Who issues the certificates of new nodes: the certificate authority here, or a service by its name.
    public struct Issuer: RawRepresentable, Hashable, Sendable {
        /// The name of the issuer.
        public let rawValue: String

        /// The issuer with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The certificate authority in the state directory.
        package static let local = Issuer(rawValue: "local")
        /// None: the fabric was imported without its authority's key.
        package static let none = Issuer(rawValue: "none")
    }

    /// How node ids are chosen, unless the user or an issuer does.
    public enum NodeIDs: String, Sendable {
        /// 1, 2, 3 and so on: this state directory knows every id that was given out.
        case sequential
        /// Numbers of 48 bits: there may be nodes of which this state directory knows nothing.
        case random
    }

    /// The name of the fabric.
    public var name: String
    /// The id of the fabric.
    public var fabricID: FabricID
    /// The id by which the nodes of the fabric are found (Matter core specification, 4.3.2.2).
    public var compressedFabricID: CompressedFabricID
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: VendorID
    /// Who issues its certificates.
    public var issuer: Issuer
    /// Our own node on the fabric.
    public var nodeID: NodeID
    /// Certificates in Matter TLV form.
    public var root: [UInt8]
    package var intermediate: [UInt8]?
    /// The certificate of the controller, in TLV.
    public var noc: [UInt8]
    /// Of our own NOC; differs from the authority's when the fabric was imported.
    public var nocIntermediate: [UInt8]?
    /// The next node id to give out, unless the user names one.
    var nextNodeID: UInt64 = 1
    /// How the ids of new nodes are chosen.
    public var nodeIDs = NodeIDs.sequential
    /// When the identity key was made, in seconds since 1970; `nil` if it is the first one.
    package var identityKeyMadeAt: Int64?
    /// The basis of sequential ``nodeIDs``; `nil` in records of release 0.1.0.
    package var origin: FabricOrigin?
    /// Where it is used; `nil` in records of earlier releases.
    package var place: FabricPlace?
    /// Where it was used before it came here; `nil` if it was not, or that was not noticed.
    public package(set) var provenance: FabricProvenance?
    /// Our membership, where the key of the authority is on another machine; `nil` if it was not joined by a request.
    public package(set) var membership: AdministratorMembership?
    /// Whether the key of the authority is here.
    public var hasAuthority: Bool { issuer == .local }

    package init(
        name: String, fabricID: FabricID, compressedFabricID: CompressedFabricID, vendorID: VendorID, issuer: Issuer,
        nodeID: NodeID, root: [UInt8], intermediate: [UInt8]?, noc: [UInt8], nocIntermediate: [UInt8]?
    ) {
        self.name = name
        self.fabricID = fabricID
        self.compressedFabricID = compressedFabricID
        self.vendorID = vendorID
        self.issuer = issuer
        self.nodeID = nodeID
        self.root = root
        self.intermediate = intermediate
        self.noc = noc
        self.nocIntermediate = nocIntermediate
    }

    /// The record that a fabric has when it is stored.
    ///
    /// - Parameter issuer: who issues for it, where that does not follow from the keys.
    package init(_ fabric: LocalFabric, name: String, vendorID: VendorID, issuer: Issuer? = nil) {
        self.init(
            name: name, fabricID: fabric.fabricID,
            compressedFabricID: fabric.credentials.fabric.compressedFabricID, vendorID: vendorID,
            issuer: issuer ?? (fabric.authority.canIssue ? .local : .none), nodeID: fabric.credentials.nodeID,
            root: fabric.authority.root.tlv, intermediate: fabric.authority.intermediate?.tlv,
            noc: fabric.credentials.noc.tlv, nocIntermediate: fabric.credentials.icac?.tlv)
    }

    package init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        name = try fields.string("name")
        fabricID = FabricID(try fields.integer("fabricId"))
        compressedFabricID = CompressedFabricID(try fields.integer("compressedFabricId"))
        vendorID = VendorID(try fields.integer("vendorId"))
        issuer = Issuer(rawValue: try fields.string("issuer"))
        nodeID = NodeID(try fields.integer("nodeId"))
        root = try fields.octets("root")
        intermediate = try fields.optionalOctets("intermediate")
        noc = try fields.octets("noc")
        nocIntermediate = try fields.optionalOctets("nocIntermediate")
        nextNodeID = try fields.integer("nextNodeId")
        let nodeIDs = try fields.optionalString("nodeIds") ?? NodeIDs.sequential.rawValue
        guard let known = NodeIDs(rawValue: nodeIDs) else {
            throw RecordError(.invalid, "'nodeIds' in \(file) is '\(nodeIDs)', which this version does not know")
        }
        self.nodeIDs = known
        identityKeyMadeAt = try fields.optionalInteger("identityKeyMadeAt").flatMap(UnixTime.plausible)
        origin = try fields.optionalObject("origin").map { (origin) throws(RecordError) in try FabricOrigin(origin) }
        place = try fields.optionalObject("place").map { (place) throws(RecordError) in try FabricPlace(place) }
        provenance = try fields.optionalObject("provenance").map { (value) throws(RecordError) in
            try FabricProvenance(value)
        }
        membership = try fields.optionalObject("membership").map { (value) throws(RecordError) in
            try AdministratorMembership(value)
        }
    }

    package func encoded() -> [UInt8] {
        var object: JSONObject = [
            "name": .string(name), "fabricId": .id(fabricID.rawValue),
            "compressedFabricId": .id(compressedFabricID.rawValue), "vendorId": .uint(UInt64(vendorID.rawValue)),
            "issuer": .string(issuer.rawValue), "nodeId": .id(nodeID.rawValue), "nextNodeId": .id(nextNodeID),
            "root": .string(Hex.encode(root)), "noc": .string(Hex.encode(noc)),
        ]
        object["intermediate"] = intermediate.map { .string(Hex.encode($0)) }
        if nodeIDs != .sequential { object["nodeIds"] = .string(nodeIDs.rawValue) }
        object["identityKeyMadeAt"] = identityKeyMadeAt.map { .int($0) }
        object["origin"] = origin?.json
        object["place"] = place?.json
        object["provenance"] = provenance?.json
        object["membership"] = membership?.json
        object["nocIntermediate"] = nocIntermediate.map { .string(Hex.encode($0)) }
        return JSONValue.object(object).utf8()
    }
}
