package import MatterNetwork

/// A node that may have our certificate although its commissioning has not ended: durable before AddNOC is sent.
public struct PendingNode: Equatable, Sendable {
    /// The id of the node on its fabric.
    public var nodeID: NodeID
    /// The name; `nil` if it has none.
    public var name: String?
    /// The room; `nil` if none is known.
    public var room: String?
    /// The issuer's receipt, for confirming or abandoning the node.
    package var receipt: NOCReceipt
    package var noc: [UInt8]
    package var addresses: [PeerAddress]
    package var fingerprint: SetupFingerprint
    /// From the setup code, as far as it had one; many test devices have the same passcode.
    package var discriminator: SetupDiscriminator?
    /// When the device has forgotten everything unless it was told otherwise, seconds since 1970.
    package var failSafeEnds: Int64
    /// The id of the vendor (Matter core specification, 2.5.2).
    public var vendorID: UInt16?
    /// The id that the vendor gave the product (Matter core specification, 2.5.3).
    public var productID: UInt16?

    // memberwise: package

    package init(decoding contents: [UInt8], _ file: String) throws(RecordError) {
        let fields = try RecordFields(contents, file)
        nodeID = NodeID(try fields.integer("nodeId"))
        name = try fields.optionalString("name")
        room = try fields.optionalString("room")
        receipt = NOCReceipt(rawValue: try fields.string("receipt"))
        noc = try fields.octets("noc")
        addresses = try fields.array("addresses").compactMap { value in
            value.stringValue.flatMap { try? PeerAddress(parsing: $0) }
        }
        fingerprint =
            if let code = try fields.optionalOctets("code") {
                .keyed(code)
            } else {
                .salted(salt: try fields.octets("fingerprintSalt"), digest: try fields.octets("fingerprint"))
            }
        discriminator = try Self.discriminator(fields, file)
        failSafeEnds = try fields.time("failSafeEnds")
        vendorID = try fields.optionalInteger("vendorId")
        productID = try fields.optionalInteger("productId")
    }

    private static func discriminator(_ fields: RecordFields, _ file: String) throws(RecordError) -> SetupDiscriminator?
    {
        do {
            if let long: UInt16 = try fields.optionalInteger("discriminator") {
                return try SetupDiscriminator(long: long)
            }
            return try fields.optionalInteger("shortDiscriminator").map { number throws in
                try SetupDiscriminator(short: number)
            }
        } catch let error as RecordError {
            throw error
        } catch {
            throw RecordError(.invalid, "the discriminator in \(file): \(error)")
        }
    }

    /// True if the node may be the device that a setup code belongs to.
    ///
    /// - Parameter secret: the fabric's, for ``SetupFingerprint``.
    package func matches(_ code: SetupCode, secret: SecretBytes?) -> Bool {
        mayHave(code.discriminator) && fingerprint.matches(code.passcode, secret: secret)
    }

    /// True if its discriminator, as far as it is known, is the one that was asked for.
    func mayHave(_ asked: SetupDiscriminator?) -> Bool {
        guard let asked, let discriminator else { return true }
        return discriminator.mayBe(asked)
    }

    package func encoded() -> [UInt8] {
        var object: JSONObject = [
            "nodeId": .id(nodeID.rawValue), "receipt": .string(receipt.rawValue), "noc": .string(Hex.encode(noc)),
            "addresses": .array(addresses.map { .string($0.description) }),
            "failSafeEnds": .int(failSafeEnds),
        ]
        switch fingerprint {
        case .keyed(let code):
            object["code"] = .string(Hex.encode(code))
        case .salted(let salt, let digest):
            object["fingerprintSalt"] = .string(Hex.encode(salt))
            object["fingerprint"] = .string(Hex.encode(digest))
        }
        if let long = discriminator?.long {
            object["discriminator"] = .uint(UInt64(long))
        } else {
            object["shortDiscriminator"] = discriminator.map { .uint(UInt64($0.short)) }
        }
        object["name"] = name.map { .string($0) }
        object["room"] = room.map { .string($0) }
        object["vendorId"] = vendorID.map { .uint(UInt64($0)) }
        object["productId"] = productID.map { .uint(UInt64($0)) }
        return JSONValue.object(object).utf8()
    }
}
