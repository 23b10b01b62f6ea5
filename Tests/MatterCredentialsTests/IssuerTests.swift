import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("local certificate authority")
struct LocalCertificateAuthorityTests {
    static let now: UInt32 = 838_857_600

    static func fabric(
        seed: UInt64 = 1, withIntermediate: Bool = false, cats: [CASEAuthenticatedTag] = [],
        validity: CertificateValidity = .unlimited(from: now)
    ) throws -> LocalFabric {
        try LocalFabric.create(
            fabricID: FabricID(0xFAB), nodeID: NodeID(1), cats: cats, withIntermediate: withIntermediate,
            validity: validity, random: SeededRandom(seed))
    }

    static func issuer(
        _ fabric: LocalFabric, seed: UInt64 = 7, validity: CertificateValidity = .unlimited(from: now)
    ) throws -> LocalCertificateAuthority {
        try fabric.issuer(adminVendorID: VendorID(0xFFF1), random: SeededRandom(seed), validity: { validity })
    }

    @Test("an issued certificate holds for the device's key, fabric and node id", arguments: [false, true])
    func issue(withIntermediate: Bool) async throws {
        let fabric = try Self.fabric(withIntermediate: withIntermediate)
        let issuer: any NOCIssuer = try Self.issuer(fabric)
        let parameters = try #require(try await issuer.prepare())
        #expect(parameters.rootCertificate == fabric.authority.root)
        #expect(parameters.ipk == fabric.credentials.ipkEpochKey)
        #expect(parameters.caseAdminSubject == NodeID(1))
        #expect(parameters.adminVendorID == VendorID(0xFFF1))
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        let issued = try await issuer.issue(csr, context: NOCIssueContext(requestedNodeID: NodeID(5)))
        let identity = try issued.validate(
            csr: csr, root: parameters.rootCertificate, fabricID: FabricID(0xFAB), requestedNodeID: NodeID(5),
            at: .now(Self.now))
        #expect(identity.nodeID == NodeID(5) && issued.nodeID == NodeID(5))
        #expect(identity.cats == [])
        #expect((issued.icac != nil) == withIntermediate)
        #expect(issued.receipt.rawValue.count == 16)
        try await issuer.confirm(issued.receipt, node: issued.nodeID)
        await issuer.abandon(issued.receipt)
    }

    @Test("without a wish the node id is random and operational, and serial numbers differ")
    func random() throws {
        let issuer = try Self.issuer(Self.fabric())
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        let all = try (0..<20).map { _ in try issuer.issue(csr) }
        #expect(Set(all.map(\.nodeID)).count == 20)
        #expect(all.allSatisfy { $0.nodeID.isOperational })
        #expect(Set(all.map(\.noc.serialNumber)).count == 20)
        #expect(all.allSatisfy { $0.noc.serialNumber.count == 8 && (0x40...0x7F).contains($0.noc.serialNumber[0]) })
    }

    @Test("a node id that no node can have is refused", arguments: [0, 0xFFFF_FFF0_0000_0000, UInt64.max])
    func unusable(id: UInt64) throws {
        let issuer = try Self.issuer(Self.fabric())
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        let error = #expect(throws: CredentialsError.self) { _ = try issuer.issue(csr, nodeID: NodeID(id)) }
        #expect(error?.code == .unusableNodeID)
    }

    @Test("certificates follow the reference order: extensions, names, tags ascending, an hour back, no end")
    func profile() throws {
        let tags = [3, 1, 2].map { CASEAuthenticatedTag(identifier: $0, version: 1) }
        let noc = try Self.fabric(withIntermediate: true, cats: tags).credentials.noc
        // The longest that can be issued: three tags, an intermediate certificate, no end.
        #expect(try noc.der().count <= MatterCertificate.maximumDERCount)
        #expect(noc.notBefore == Self.now - 3600)
        #expect(noc.notAfter == 0)
        #expect(noc.cats == tags.sorted())
        #expect(
            noc.subject.attributes.prefix(2) == [.nodeID(NodeID(1)), .fabricID(FabricID(0xFAB))])
        guard case .structure(let members) = try TLVElement(decoding: noc.tlv).value,
            case .list(let extensions) = members[9].value
        else { return #expect(Bool(false), "the certificate has another shape") }
        #expect(extensions.map(\.tag) == (1...5).map { .context($0) })
        #expect(extensions[2].value == .array([2, 1].map { TLVElement(.anonymous, .uint($0)) }))
    }

    @Test("validity has bounds at both ends of Matter time")
    func validity() {
        #expect(CertificateValidity.unlimited(from: 10) == CertificateValidity(notBefore: 1, notAfter: 0))
        #expect(CertificateValidity.unlimited(from: 3601).notBefore == 1)
        let decade = CertificateValidity.tenYears(from: Self.now)
        #expect(MatterEpoch.text(decade.notAfter) == "2036-07-31T00:00:00Z")
        #expect(CertificateValidity.tenYears(from: .max).notAfter == .max)
    }

    @Test("certificates survive TLV to DER to TLV", arguments: 1...20)
    func roundTrip(seed: UInt64) throws {
        let decade = CertificateValidity.tenYears(from: UInt32(seed) * 100_000_000)
        let fabric = try Self.fabric(
            seed: seed, withIntermediate: true, cats: [CASEAuthenticatedTag(0x0001_0001)],
            validity: seed.isMultiple(of: 2) ? decade : .unlimited(from: Self.now))
        for certificate in [fabric.credentials.noc, fabric.credentials.root, try #require(fabric.credentials.icac)] {
            let again = try MatterCertificate(tlv: certificate.tlv)
            #expect(try MatterCertificate(der: again.der()) == certificate)
            #expect(try certificate.der().count <= 600)
        }
        try fabric.credentials.validate(at: .none)
    }

    @Test("an authority is restored from its parts")
    func restore() throws {
        let fabric = try Self.fabric(withIntermediate: true)
        let kept = fabric.authority
        let restored = try CertificateAuthorityMaterial(
            fabricID: kept.fabricID, root: MatterCertificate(tlv: kept.root.tlv),
            rootKey: SecretBytes(try #require(kept.rootKey).copyBytes()),
            intermediate: MatterCertificate(tlv: try #require(kept.intermediate).tlv),
            intermediateKey: SecretBytes(try #require(kept.intermediateKey).copyBytes()))
        #expect(restored == kept)
        let credentials = try OperationalCredentials(
            chain: fabric.credentials.chain,
            key: P256PrivateKey(scalar: SecretBytes(fabric.credentials.key.scalar.copyBytes())),
            ipkEpochKey: fabric.credentials.ipkEpochKey)
        let again = try Self.issuer(LocalFabric(authority: restored, credentials: credentials))
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        _ = try again.issue(csr).validate(
            csr: csr, root: kept.root, fabricID: kept.fabricID, at: .now(Self.now))
    }

    @Test("without the authority's key nothing is issued, and the error says why")
    func noKey() async throws {
        let fabric = try Self.fabric()
        let imported = try LocalFabric(
            importing: fabric.credentials.chain, keys: [fabric.credentials.key],
            ipk: fabric.credentials.ipkEpochKey, at: .now(Self.now))
        #expect(!imported.authority.canIssue && fabric.authority.canIssue)
        let issuer = try Self.issuer(imported)
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        await #expect(throws: CredentialsError.self) { _ = try await issuer.prepare() }
        let error = #expect(throws: CredentialsError.self) { _ = try issuer.issue(csr) }
        #expect(error?.code == .noSigningKey)
        #expect(error?.reason.contains("private key") == true)
    }

    @Test("without the intermediate's key the root issues node certificates itself")
    func rootOnly() throws {
        let fabric = try Self.fabric(withIntermediate: true)
        let kept = fabric.authority
        let material = try CertificateAuthorityMaterial(
            fabricID: kept.fabricID, root: kept.root, rootKey: kept.rootKey, intermediate: kept.intermediate)
        let issuer = try Self.issuer(LocalFabric(authority: material, credentials: fabric.credentials))
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        let issued = try issuer.issue(csr)
        #expect(issued.icac == nil)
        _ = try issued.validate(csr: csr, root: kept.root, fabricID: kept.fabricID, at: .now(Self.now))
    }

    @Test("a key of another authority is refused when it is used")
    func wrongKey() throws {
        let fabric = try Self.fabric()
        let material = try CertificateAuthorityMaterial(
            fabricID: fabric.fabricID, root: fabric.authority.root, rootKey: Self.fabric(seed: 2).authority.rootKey)
        let issuer = try Self.issuer(LocalFabric(authority: material, credentials: fabric.credentials))
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        let error = #expect(throws: CredentialsError.self) { _ = try issuer.issue(csr) }
        #expect(error?.code == .keyMismatch && error?.certificate == .root)
    }

    @Test("parts of different fabrics do not make an authority")
    func mixedParts() throws {
        let fabric = try Self.fabric(withIntermediate: true)
        let other = try Self.fabric(seed: 2, withIntermediate: true)
        #expect(throws: CredentialsError.self) {
            _ = try CertificateAuthorityMaterial(
                fabricID: FabricID(7), root: fabric.authority.root, rootKey: nil)
        }
        #expect(throws: CredentialsError.self) {
            _ = try CertificateAuthorityMaterial(
                fabricID: fabric.fabricID, root: fabric.authority.root, rootKey: nil,
                intermediate: other.authority.intermediate)
        }
        #expect(throws: CredentialsError.self) {
            _ = try CertificateAuthorityMaterial(
                fabricID: fabric.fabricID, root: fabric.credentials.noc, rootKey: nil)
        }
        #expect(throws: CredentialsError.self) {
            _ = try OperationalCredentials(
                chain: fabric.credentials.chain, key: other.credentials.key, ipkEpochKey: SecretBytes([]))
        }
        let error = #expect(throws: CredentialsError.self) {
            _ = try LocalCertificateAuthority(
                material: fabric.authority, parameters: Self.issuer(other).parameters,
                validity: { .unlimited(from: Self.now) })
        }
        #expect(error?.code == .rootMismatch)
    }

    @Test("an import takes keys in any order and refuses what does not fit")
    func importing() throws {
        let fabric = try Self.fabric(withIntermediate: true)
        let chain = fabric.credentials.chain
        let rootKey = try P256PrivateKey(scalar: #require(fabric.authority.rootKey))
        let intermediateKey = try P256PrivateKey(scalar: #require(fabric.authority.intermediateKey))
        let ipk = fabric.credentials.ipkEpochKey
        let imported = try LocalFabric(
            importing: chain, keys: [rootKey, fabric.credentials.key, intermediateKey], ipk: ipk, at: .now(Self.now))
        #expect(imported.authority == fabric.authority)
        #expect(imported.credentials.nodeID == NodeID(1))
        func code(_ keys: [P256PrivateKey], ipk: SecretBytes = ipk) -> CredentialsError.Code? {
            do throws(CredentialsError) {
                _ = try LocalFabric(importing: chain, keys: keys, ipk: ipk, at: .now(Self.now))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code([rootKey]) == .keyMismatch)
        #expect(code([]) == .keyMismatch)
        #expect(try code([fabric.credentials.key, TestAuthority().nodeKey]) == .keyMismatch)
        #expect(code([fabric.credentials.key], ipk: SecretBytes([1])) == .invalidMaterial)
        let expired = Self.now - 7200
        #expect(throws: CredentialsError.self) {
            _ = try LocalFabric(importing: chain, keys: [fabric.credentials.key], ipk: ipk, at: .now(expired))
        }
    }

    @Test("administrators must be nodes or tags, and vendors real")
    func parameters() throws {
        let root = try Self.fabric().authority.root
        func make(_ subject: NodeID, _ vendor: UInt16, _ ipk: Int = 16) -> Bool {
            (try? FabricParameters(
                rootCertificate: root, ipk: SecretBytes([UInt8](repeating: 1, count: ipk)),
                caseAdminSubject: subject, adminVendorID: VendorID(vendor))) != nil
        }
        #expect(make(NodeID(1), 0xFFF1))
        #expect(make(.tagged(CASEAuthenticatedTag(0x01A2_0001)), 0x131B))
        #expect(!make(.tagged(CASEAuthenticatedTag(0x01A2_0000)), 0x131B))
        #expect(!make(.unspecified, 0xFFF1))
        #expect(!make(.group(1), 0xFFF1))
        #expect(!make(NodeID(1), 0))
        #expect(!make(NodeID(1), 0xFFF5))
        #expect(!make(NodeID(1), 0xFFF1, 15))
    }

    @Test("what another issuer gives is checked before a device sees it")
    func checked() throws {
        let fabric = try Self.fabric()
        let csr = try CertificateSigningRequest(key: TestAuthority().nodeKey)
        let issued = try Self.issuer(fabric).issue(csr, nodeID: NodeID(5))
        func code(
            _ one: IssuedNOC, csr: CertificateSigningRequest = csr, fabricID: FabricID = FabricID(0xFAB),
            root: MatterCertificate = fabric.authority.root, requested: NodeID? = nil
        ) -> CredentialsError.Code? {
            do throws(CredentialsError) {
                _ = try one.validate(
                    csr: csr, root: root, fabricID: fabricID, requestedNodeID: requested, at: .now(Self.now))
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(issued) == nil)
        #expect(code(issued, requested: NodeID(5)) == nil)
        #expect(code(issued, requested: NodeID(6)) == .nodeMismatch)
        #expect(code(issued, fabricID: FabricID(7)) == .fabricMismatch)
        #expect(try code(issued, csr: CertificateSigningRequest(key: TestAuthority().rootKey)) == .keyMismatch)
        #expect(try code(issued, root: Self.fabric(seed: 2).authority.root) == .issuerMismatch)
        let lying = IssuedNOC(noc: issued.noc, icac: nil, nodeID: NodeID(6), receipt: issued.receipt)
        #expect(code(lying) == .nodeMismatch)
    }

    @Test("an issuer needs to provide nothing but issuing")
    func defaults() async throws {
        struct Minimal: NOCIssuer {
            func issue(_ csr: CertificateSigningRequest, context: NOCIssueContext) async throws -> IssuedNOC {
                throw CredentialsError(.noSigningKey, "not today")
            }
        }
        let issuer: any NOCIssuer = Minimal()
        #expect(try await issuer.prepare() == nil)
        try await issuer.confirm(NOCReceipt(rawValue: "r"), node: NodeID(1))
        await issuer.abandon(NOCReceipt(rawValue: "r"))
    }

    @Test("secrets do not print")
    func redaction() throws {
        let fabric = try Self.fabric()
        let scalar = try #require(fabric.authority.rootKey).copyBytes()
        var text = ""
        dump(fabric, to: &text)
        for secret in [scalar, fabric.credentials.key.scalar.copyBytes(), fabric.credentials.ipkEpochKey.copyBytes()] {
            #expect(!text.contains(hexString(secret)))
            #expect(!text.contains("\(secret)"))
        }
        #expect(!"\(fabric)".contains("\(scalar)"))
    }
}
