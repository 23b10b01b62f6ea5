package import MatterCrypto

/// A commissioning that is to be completed on another machine, with what that machine needs: the fabric, our own identity on
/// it, and the node. It is a secret.
public struct Handover: Sendable {
    private static let version: Int64 = 1

    package var fabricName: String
    package var vendorID: VendorID
    package var chain: OperationalChain
    /// The private key of our own certificate.
    package var key: P256PrivateKey
    /// The identity protection key as it was handed out.
    package var ipk: SecretBytes
    package var passcode: SetupPasscode
    package var node: PendingNode

    package init(fabric: FabricRecord, credentials: OperationalCredentials, passcode: SetupPasscode, node: PendingNode)
    {
        fabricName = fabric.name
        vendorID = fabric.vendorID
        chain = OperationalChain(noc: credentials.noc, icac: credentials.icac, root: credentials.root)
        key = credentials.key
        ipk = credentials.ipkEpochKey
        self.passcode = passcode
        self.node = node
    }

    /// - Parameter file: its name in errors.
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public init(decoding contents: [UInt8], _ file: String) throws {
        let fields = try RecordFields(contents, file)
        guard try fields.integer("handover") == Self.version else {
            throw RecordError(.invalid, "\(file) is not a handover of this version")
        }
        fabricName = try fields.string("fabric")
        vendorID = VendorID(try fields.integer("vendorId"))
        chain = OperationalChain(
            noc: try MatterCertificate(tlv: try fields.octets("noc")),
            icac: try fields.optionalOctets("icac").map { try MatterCertificate(tlv: $0) },
            root: try MatterCertificate(tlv: try fields.octets("root")))
        key = try P256PrivateKey(scalar: SecretBytes(try fields.octets("key")))
        ipk = SecretBytes(try fields.octets("ipk"))
        passcode = try SetupPasscode(try fields.integer("passcode"))
        node = try PendingNode(decoding: Array(try fields.string("node").utf8), file)
    }

    /// The part that is kept, in a form that ``Handover`` reads again.
    public func encoded() -> [UInt8] {
        var object: JSONObject = [
            "handover": .int(Self.version), "fabric": .string(fabricName),
            "vendorId": .uint(UInt64(vendorID.rawValue)), "root": .string(Hex.encode(chain.root.tlv)),
            "noc": .string(Hex.encode(chain.noc.tlv)), "key": .string(Hex.encode(key.scalar.copyBytes())),
            "ipk": .string(Hex.encode(ipk.copyBytes())), "passcode": .uint(UInt64(passcode.value)),
            "node": .string(String(decoding: node.encoded(), as: UTF8.self)),
        ]
        object["icac"] = chain.icac.map { .string(Hex.encode($0.tlv)) }
        return JSONValue.object(object).utf8()
    }
}
