import JSON
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterState

/// The documents that travel between a member and the holder of the authority's key.
@Suite("Documents of members") struct MemberDocumentTests {
    private static let now: Int64 = 1_790_000_000
    private static let time = ValidationTime(unix: now)
    private static let validity = CertificateValidity.unlimited(from: MatterEpoch.seconds(unix: now) ?? 0)

    /// A machine that asks, with its keys.
    private struct Guest {
        let key: P256PrivateKey
        let identity: AgeIdentity
        let request: JoinRequest

        init() throws {
            key = try P256PrivateKey.generate()
            identity = try AgeIdentity.generate(SystemRandom())
            request = try JoinRequest(key: key, recipient: identity.recipient, made: now, host: "den")
        }
    }

    private static func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? MemberError)?.id ?? "\(error)"
        }
    }

    private static func replacing(_ member: String, _ value: JSONValue, in octets: [UInt8]) throws -> [UInt8] {
        var object = try #require(try JSONValue(parsing: octets).objectValue)
        object[member] = value
        return JSONValue.object(object).utf8()
    }

    @Test("a request is read as it was written, has no secret in it, and two have different fingerprints")
    func request() throws {
        let (guest, other) = (try Guest(), try Guest())
        let octets = guest.request.encoded()
        #expect(try JoinRequest(decoding: octets) == guest.request)
        let text = String(decoding: octets, as: UTF8.self).lowercased()
        #expect(!text.contains(Hex.encode(guest.key.scalar.copyBytes()).lowercased()))
        #expect(!text.contains(Hex.encode(guest.identity.scalar.copyBytes()).lowercased()))
        let print = guest.request.fingerprint
        #expect(print.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4] && print != other.request.fingerprint)
    }

    @Test("a request in which anything was exchanged is refused, and so is one of a later version")
    func altered() throws {
        let (guest, other) = (try Guest(), try Guest())
        let octets = guest.request.encoded()
        let changes: [(String, JSONValue, String)] = [
            ("recipient", .string("\(other.identity.recipient)"), "member.invalid-request"),
            ("csr", .string(other.request.csr.pem), "member.invalid-request"),
            ("made", .string("2026-01-01T00:00:00Z"), "member.invalid-request"),
            ("host", .string("lake"), "member.invalid-request"),
            ("format", .string("matterctl-export"), "member.invalid-request"),
            ("version", .int(2), "member.newer-version"),
        ]
        for (member, value, code) in changes {
            let changed = try Self.replacing(member, value, in: octets)
            #expect(Self.code { _ = try JoinRequest(decoding: changed) } == code, "\(member)")
        }
        for octets in [[], Array("{".utf8), Array(guest.request.csr.pem.utf8)] {
            #expect(Self.code { _ = try JoinRequest(decoding: octets) } == "member.invalid-request")
        }
    }

    /// The holder's fabric, and the record that a guest gets.
    private struct House {
        let local: LocalFabric
        let tag = CASEAuthenticatedTag(identifier: 0x1234, version: 3)

        init() throws { local = try LocalFabric.create(nodeID: NodeID(1), validity: validity) }

        func record(for csr: CertificateSigningRequest) throws -> FabricRecord {
            let issued = try local.issuer(adminVendorID: VendorID(0xFFF1), validity: { validity })
                .issue(csr, nodeID: NodeID(77), cats: [tag])
            var record = FabricRecord(
                name: "home", fabricID: local.fabricID,
                compressedFabricID: local.credentials.fabric.compressedFabricID, vendorID: VendorID(0xFFF1),
                issuer: .none, nodeID: NodeID(77), root: local.authority.root.tlv, intermediate: nil,
                noc: issued.noc.tlv, nocIntermediate: nil)
            record.membership = AdministratorMembership(
                member: "anna", holderHost: "den", holderNode: NodeID(1), tag: tag)
            return record
        }

        func answer(to guest: Guest, signedBy signer: OperationalCredentials? = nil) throws -> [UInt8] {
            let ipk = ExportedFile(name: "keys/ipk", contents: local.credentials.ipkEpochKey.copyBytes())
            return try MemberAnswer.seal(
                try record(for: guest.request.csr), [ipk], made: now, for: guest.request.recipient,
                signedBy: signer ?? local.credentials, random: SystemRandom())
        }
    }

    @Test("an answer is opened by the one who asked, has a whole fabric but the authority's key, and shows no secret")
    func answer() throws {
        let (house, guest, other) = (try House(), try Guest(), try Guest())
        let octets = try house.answer(to: guest)
        #expect(MemberAnswer.isAnswer(octets) && !MemberAnswer.isAnswer(guest.request.encoded()))
        let ipk = house.local.credentials.ipkEpochKey.copyBytes()
        #expect(!String(decoding: octets, as: UTF8.self).contains(Hex.encode(ipk)))
        let identities = [("other", other.identity), ("guest", guest.identity)]
        let (answer, key) = try MemberAnswer.open(octets, with: identities, at: Self.time)
        #expect(key == "guest")
        let fabric = try answer.fabric(key: guest.key, identity: guest.identity)
        #expect(fabric.record.membership?.tag == house.tag && !fabric.hasAuthorityKey)
        #expect(fabric.record.nodeID == NodeID(77) && fabric.record.issuer == .none)
        #expect(
            Self.code { _ = try MemberAnswer.open(octets, with: [("other", other.identity)], at: Self.time) }
                == "member.other-request")
        // The certificate is for the key of the request.
        let mismatch = Self.code { _ = try answer.fabric(key: other.key, identity: guest.identity) }
        #expect(mismatch == "member.invalid-answer")
        for damaged in [Array(octets.prefix(octets.count / 2)), try Self.replacing("sealed", "AAAA", in: octets)] {
            let code = Self.code { _ = try MemberAnswer.open(damaged, with: identities, at: Self.time) }
            #expect(code == "member.invalid-answer")
        }
    }

    @Test("an answer that another node of the fabric has signed is refused: a lamp has a certificate, too")
    func signer() throws {
        let (house, guest) = (try House(), try Guest())
        let issuer = try house.local.issuer(adminVendorID: VendorID(0xFFF1), validity: { Self.validity })
        let lamp = try issuer.issueOwnCredentials(key: try P256PrivateKey.generate(), nodeID: NodeID(5))
        let octets = try house.answer(to: guest, signedBy: lamp)
        let code = Self.code { _ = try MemberAnswer.open(octets, with: [(0, guest.identity)], at: Self.time) }
        #expect(code == "member.invalid-answer")
    }

    @Test("a receipt says which certificate its signer has; one without the key, or of another fabric, is refused")
    func receipt() throws {
        let (house, elsewhere, guest) = (try House(), try House(), try Guest())
        let record = try house.record(for: guest.request.csr)
        let chain = try OperationalChain(noc: record.noc, icac: nil, root: house.local.authority.root)
        let credentials = try OperationalCredentials(
            chain: chain, key: guest.key, ipkEpochKey: house.local.credentials.ipkEpochKey)
        let octets = try MemberReceipt.make(credentials)
        let root = house.local.authority.root
        let receipt = try MemberReceipt(decoding: octets, root: root, at: Self.time)
        #expect(receipt.identity.nodeID == NodeID(77) && receipt.identity.cats == [house.tag])
        #expect(
            Self.code {
                _ = try MemberReceipt(decoding: octets, root: elsewhere.local.authority.root, at: Self.time)
            } == "member.invalid-receipt")
        // The certificate of the holder, with the signature of the guest.
        let noc = JSONValue.string(Hex.encode(house.local.credentials.noc.tlv))
        let other = try Self.replacing("noc", noc, in: octets)
        #expect(
            Self.code { _ = try MemberReceipt(decoding: other, root: root, at: Self.time) }
                == "member.invalid-receipt")
    }
}
