import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

/// Certificates that other projects made, in both forms.
@Suite("certificate vectors", .vectors, .enabled(if: Vectors.available))
struct CertificateVectorTests {
    struct File: Decodable {
        struct Entry: Decodable {
            var name: String
            var tlv: String
            var der: String?
            var publicKey: String?
            var privateKey: String?
            var subjectKeyId: String?
            var authorityKeyId: String?
        }
        var vectors: [Entry]
    }

    /// Some time within the validity of all of them: 2026-08-01.
    static let now: UInt32 = 838_857_600

    static func entries() throws -> [String: File.Entry] {
        let file = try Vectors.load("certificates.json", as: File.self)
        return Dictionary(uniqueKeysWithValues: file.vectors.map { ($0.name, $0) })
    }

    static func certificate(_ name: String) throws -> MatterCertificate {
        let entry = try #require(try entries()[name])
        return try MatterCertificate(tlv: hex(entry.tlv))
    }

    @Test(
        "every pair converts both ways octet by octet",
        arguments: try Vectors.cases("certificates.json", atLeast: 12) { (file: File) in
            file.vectors.filter { $0.der != nil }
        })
    func pairs(entry: File.Entry) throws {
        let der = hex(try #require(entry.der))
        let fromTLV = try MatterCertificate(tlv: hex(entry.tlv))
        #expect(try fromTLV.der() == der)
        let fromDER = try MatterCertificate(der: der)
        #expect(fromDER.tlv == hex(entry.tlv))
        #expect(fromDER == fromTLV)
        #expect(fromDER.tbs == fromTLV.tbs)
        #expect(fromTLV.publicKey.x963 == entry.publicKey.map(hex))
        #expect(fromTLV.subjectKeyIdentifier == entry.subjectKeyId.map(hex))
        #expect(fromTLV.authorityKeyIdentifier == entry.authorityKeyId.map(hex))
        let key = try P256PrivateKey(scalar: SecretBytes(hex(try #require(entry.privateKey))))
        #expect(key.publicKey == fromTLV.publicKey)
        if let identifier = fromTLV.subjectKeyIdentifier { #expect(identifier == fromTLV.publicKey.keyIdentifier) }
    }

    @Test("the damaged copy of a node certificate is refused")
    func damaged() throws {
        #expect(throws: CredentialsError.self) { _ = try Self.certificate("Node01_01_Err01") }
    }

    @Test("kinds and ids are read from the subject")
    func kinds() throws {
        #expect(try Self.certificate("Root01").kind == .root)
        #expect(try Self.certificate("Root01").rcacID == 0xCACA_CACA_0000_0001)
        #expect(try Self.certificate("ICA01").kind == .intermediate)
        #expect(try Self.certificate("ICA01").icacID == 0xCACA_CACA_0000_0003)
        #expect(try Self.certificate("PDCID01").kind == .networkIdentity)
        let node = try Self.certificate("Node02_08")
        #expect(try node.kind == .node)
        #expect(node.nodeID == NodeID(0xDEDE_DEDE_0002_0008))
        #expect(node.fabricID == FabricID(0xFAB0_0000_0000_001D))
        #expect(node.cats.map(\.rawValue) == [0xABCF_00A0, 0xABCD_0020, 0xABCE_0100])
    }

    @Test("network identities are signed with their own key")
    func networkIdentity() throws {
        let identity = try Self.certificate("PDCID01")
        #expect(identity.isSigned(by: identity.publicKey))
    }

    @Test(
        "chains that hold are accepted, for either side and with every kind of time",
        arguments: [
            ("Node01_01", "ICA01", "Root01"), ("Node02_02", "ICA02", "Root02"), ("Node02_04", "ICA02", "Root02"),
            ("Node02_06", "ICA02", "Root02"), ("Node02_08", "ICA02", "Root02"),
        ])
    func valid(node: String, intermediate: String, root: String) throws {
        let chain = OperationalChain(
            noc: try Self.certificate(node), icac: try Self.certificate(intermediate),
            root: try Self.certificate(root))
        for role in [nil, PeerRole.server, .client] {
            for time in [ValidationTime.now(Self.now), .lastKnownGood(0), .none] {
                let identity = try chain.validate(at: time, requiring: role)
                #expect(identity.nodeID == chain.noc.nodeID)
                #expect(identity.fabricID == chain.noc.fabricID)
                #expect(identity.cats == chain.noc.cats)
                #expect(identity.publicKey == chain.noc.publicKey)
            }
        }
        try OperationalChain.validate(root: chain.root, at: .now(Self.now))
    }

    @Test("a critical unknown extension is refused")
    func critical() throws {
        let chain = OperationalChain(
            noc: try Self.certificate("Node02_07"), icac: try Self.certificate("ICA02"),
            root: try Self.certificate("Root02"))
        let error = #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .none) }
        #expect(error?.code == .criticalExtension)
        #expect(error?.certificate == .node)
    }

    @Test("a root with the right names but another key is refused")
    func otherRoot() throws {
        let chain = OperationalChain(
            noc: try Self.certificate("Node02_02"), icac: try Self.certificate("ICA02"),
            root: try Self.certificate("Root03"))
        let error = #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .none) }
        #expect(error?.certificate == .intermediate)
        #expect(error?.code == .wrongKeyIdentifier)
        try OperationalChain.validate(root: chain.root, at: .now(.max))
    }

    @Test("chains of different fabrics do not mix")
    func mixed() throws {
        let chain = OperationalChain(
            noc: try Self.certificate("Node01_01"), icac: try Self.certificate("ICA02"),
            root: try Self.certificate("Root02"))
        #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .none) }
    }

    @Test("a chain without its intermediate certificate is refused")
    func missingIntermediate() throws {
        let chain = OperationalChain(
            noc: try Self.certificate("Node01_01"), icac: nil, root: try Self.certificate("Root01"))
        let error = #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .none) }
        #expect(error?.code == .issuerMismatch)
        #expect(error?.certificate == .node)
    }

    @Test("dates count only when the time is known")
    func dates() throws {
        let chain = OperationalChain(
            noc: try Self.certificate("Node01_01"), icac: try Self.certificate("ICA01"),
            root: try Self.certificate("Root01"))
        let (first, last) = (chain.noc.notBefore, chain.noc.notAfter)
        _ = try chain.validate(at: .now(first))
        _ = try chain.validate(at: .now(last))
        #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .now(first - 1)) }
        let error = #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .now(last + 1)) }
        #expect(error?.code == .expired)
        _ = try chain.validate(at: .lastKnownGood(first - 1))
        _ = try chain.validate(at: .lastKnownGood(last + 1))
        #expect(chain.expired(at: last + 1) == [.node, .intermediate, .root])
        #expect(chain.expired(at: last) == [])
        #expect(chain.latestNotBefore == first)
    }
}

/// Certificates that must be refused, each by the operations that must refuse it.
@Suite("invalid certificate vectors", .vectors, .enabled(if: Vectors.available))
struct InvalidCertificateVectorTests {
    struct File: Decodable {
        struct Entry: Decodable {
            var name: String
            var form: String
            var data: String
            var mustFail: [String]
        }
        var vectors: [Entry]
    }

    /// The meaning of each named operation here.
    static func run(_ operation: String, _ bytes: [UInt8]) throws {
        switch operation {
        case "X509ToChip": _ = try MatterCertificate(der: bytes)
        case "ChipToX509": _ = try MatterCertificate(tlv: bytes).der()
        case "ChipCertLoad": _ = try MatterCertificate(tlv: bytes)
        case "ValidateChipRCAC": try OperationalChain.validate(root: MatterCertificate(tlv: bytes))
        case "GetCertType": _ = try MatterCertificate(tlv: bytes).kind
        default: Issue.record("unknown operation \(operation)")
        }
    }

    @Test(
        "every operation that must refuse does",
        arguments: try Vectors.cases("certificates-invalid.json", atLeast: 68) { (file: File) in file.vectors })
    func refused(entry: File.Entry) throws {
        #expect(!entry.mustFail.isEmpty)
        for operation in entry.mustFail {
            #expect(throws: CredentialsError.self, "\(entry.name) \(operation)") {
                try Self.run(operation, hex(entry.data))
            }
        }
    }

    private static let codes: [String: CredentialsError.Code] = [
        "ICAC_Ext_AKID_Missing_Cert_CHIP": .wrongType,
        "RCAC_Ext_Basic_CA_Wrong_Cert_CHIP": .wrongBasicConstraints,
        "RCAC_Ext_KeyUsage_KeyCertSign_Wrong_Cert_CHIP": .wrongKeyUsage,
        "RCAC_Signature_Wrong_Cert_CHIP": .invalidSignature,
        "RCAC_Subject_FabricId_Twice_Cert_CHIP": .invalidFabricID,
        "RCAC_Subject_MatterId_Twice_Cert_CHIP": .wrongType,
        "NOC_Subject_CAT_Twice_Cert_CHIP": .invalidCAT,
        "RCAC_Sig_Algo_ECDSA_With_SHA1_Cert_CHIP": .unsupportedAlgorithm,
        "RCAC_Subject_FabricId_Invalid_Cert_CHIP": .invalidFabricID,
        "RCAC_Subject_CAT_Invalid_Cert_CHIP": .invalidCAT,
        "NOC_Subject_NodeId_Invalid_Cert_CHIP": .invalidNodeID,
        "NOC_Validity_Wrong_Cert_CHIP": .invalidValidity,
        "NOC_Oversized_Cert_CHIP": .tooLarge,
    ]

    @Test(
        "what only a later check must refuse still decodes, so that the error names the rule",
        arguments: try Vectors.cases("certificates-invalid.json", atLeast: 13) { (file: File) in
            file.vectors.filter { codes[$0.name] != nil }
        })
    func decodable(entry: File.Entry) throws {
        let error = #expect(throws: CredentialsError.self) { try Self.run("ValidateChipRCAC", hex(entry.data)) }
        #expect(error?.code == Self.codes[entry.name], "\(String(describing: error))")
    }
}

/// Certificates of a commercial ecosystem, recorded in a real commissioning.
@Suite("recorded certificates", .vectors, .enabled(if: Vectors.available))
struct RecordedCertificateTests {
    struct Handshakes: Decodable {
        struct Handshake: Decodable {
            struct Fabric: Decodable {
                var rootCertTlv: String
                var rootPublicKey: String
                var fabricId: UInt64
                var ipkEpochKey: String
                var compressedFabricId: String
                var operationalIpk: String
                var responderNocTlv: String
            }
            struct Encrypted: Decodable {
                var noc: String
                var icac: String?
            }
            var fabric: Fabric
            var initiatorNodeId: UInt64
            var responderNodeId: UInt64
            var tbe2: Encrypted
            var tbe3: Encrypted
        }
        var handshakes: [Handshake]
    }

    struct Messages: Decodable {
        struct Message: Decodable {
            var payload: String?
        }
        var messages: [Message]
    }

    /// A structure that begins with a serial number; attestation elements begin with longer strings.
    static func looksLikeCertificate(_ octets: [UInt8]) -> Bool {
        octets.starts(with: [0x15, 0x30, 0x01]) && octets.count > 4
            && TBSCertificate.serialNumberCounts.contains(Int(octets[3]))
    }

    /// All octet strings in an element that look like a TLV certificate.
    static func certificates(in value: TLVValue) -> [[UInt8]] {
        switch value {
        case .octets(let octets): looksLikeCertificate(octets) ? [octets] : []
        case .structure(let members), .array(let members), .list(let members):
            members.flatMap { certificates(in: $0.value) }
        default: []
        }
    }

    @Test(
        "the certificates of a CASE handshake hold, convert and prove the node ids",
        arguments: try Vectors.cases("case-transcripts.json") { (file: Handshakes) in file.handshakes })
    func handshake(handshake: Handshakes.Handshake) throws {
        let root = try MatterCertificate(tlv: hex(handshake.fabric.rootCertTlv))
        try OperationalChain.validate(root: root, at: .now(CertificateVectorTests.now))
        for (noc, nodeID, role) in [
            (handshake.tbe2.noc, handshake.responderNodeId, PeerRole.server),
            (handshake.tbe3.noc, handshake.initiatorNodeId, .client),
            (handshake.fabric.responderNocTlv, handshake.responderNodeId, .server),
        ] {
            let chain = try OperationalChain(noc: hex(noc), icac: nil, root: root)
            let identity = try chain.validate(at: .now(CertificateVectorTests.now), requiring: role)
            #expect(identity.nodeID == NodeID(nodeID))
            #expect(identity.fabricID == FabricID(handshake.fabric.fabricId))
            #expect(try MatterCertificate(der: chain.noc.der()).tlv == hex(noc))
        }
        let fabric = try FabricIdentity(
            rootPublicKey: root.publicKey, fabricID: FabricID(handshake.fabric.fabricId))
        #expect(fabric.compressedFabricID.octets == hex(handshake.fabric.compressedFabricId))
        let ipk = try fabric.operationalIPK(epochKey: SecretBytes(hex(handshake.fabric.ipkEpochKey)))
        #expect(ipk.copyBytes() == hex(handshake.fabric.operationalIpk))
    }

    @Test("certificates in recorded messages decode and convert both ways")
    func messages() throws {
        var seen: Set<[UInt8]> = []
        for message in try Vectors.load("session-messages.json", as: Messages.self).messages {
            guard let payload = message.payload.map(hex),
                let element = try? TLVElement(decoding: payload, allowTrailing: true)
            else { continue }
            for tlv in Self.certificates(in: element.value) {
                let certificate = try MatterCertificate(tlv: tlv)
                #expect(certificate.tlv == tlv)
                #expect(try MatterCertificate(der: certificate.der()).tlv == tlv)
                seen.insert(tlv)
            }
        }
        // Two fabrics: a root and a node certificate each.
        #expect(seen.count == 4)
        let all = try seen.map { try MatterCertificate(tlv: $0) }
        for noc in try all.filter({ try $0.kind == .node }) {
            let root = try #require(try all.first { try $0.kind == .root && $0.subject == noc.issuer })
            _ = try OperationalChain(noc: noc, icac: nil, root: root).validate(at: .none, requiring: .server)
        }
    }
}
