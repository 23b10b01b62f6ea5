import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("operational chain")
struct OperationalChainTests {
    typealias Contents = TestAuthority.Contents
    /// The change of a test to a certificate, and the refusal it expects.
    struct Rule: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var role: CertificateRole
        var code: CredentialsError.Code
        var change: @Sendable (inout Contents) -> Void

        init(
            _ description: String, _ role: CertificateRole, _ code: CredentialsError.Code,
            _ change: @escaping @Sendable (inout Contents) -> Void
        ) {
            testDescription = description
            self.role = role
            self.code = code
            self.change = change
        }
    }

    static func chain(_ role: CertificateRole, _ change: (inout Contents) -> Void) throws -> OperationalChain {
        let authority = try TestAuthority()
        return switch role {
        case .root: try authority.chain(root: change)
        case .intermediate: try authority.chain(intermediate: change)
        case .node: try authority.chain(node: change)
        }
    }

    @Test("a chain that keeps every rule is accepted")
    func valid() throws {
        let chain = try TestAuthority().chain()
        let identity = try chain.validate(at: .now(TestAuthority.now), requiring: .client)
        #expect(identity.nodeID == NodeID(5))
        #expect(identity.fabricID == TestAuthority.fabricID)
        try OperationalChain.validate(root: chain.root, at: .now(TestAuthority.now))
    }

    @Test("the root may sign node certificates itself")
    func twoTiers() throws {
        let authority = try TestAuthority()
        var node = authority.node
        node.issuer = authority.root.subject
        node.extensions.replace(with: .authorityKeyIdentifier(authority.rootKey.publicKey.keyIdentifier))
        let root = try authority.root.signed(with: authority.rootKey)
        let noc = try node.signed(with: authority.rootKey)
        _ = try OperationalChain.validate(noc: noc, icac: nil, root: root, at: .now(TestAuthority.now))
        // An empty string in place of an intermediate certificate is none.
        _ = try OperationalChain(noc: noc.tlv, icac: [], root: root).validate(at: .none)
    }

    /// A change that keeps every rule.
    struct Freedom: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var role: CertificateRole
        var change: @Sendable (inout Contents) -> Void

        init(_ description: String, _ role: CertificateRole, _ change: @escaping @Sendable (inout Contents) -> Void) {
            testDescription = description
            self.role = role
            self.change = change
        }
    }

    static let freedoms: [Freedom] = [
        Freedom("a root with path length 1", .root) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: true, pathLength: 1)))
        },
        Freedom("a root without end of validity", .root) { $0.notAfter = 0 },
        Freedom("a root that may also sign data", .root) {
            $0.extensions.replace(with: .keyUsage([.digitalSignature, .keyCertSign, .crlSign]))
        },
        Freedom("an intermediate without path length", .intermediate) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: true)))
        },
        Freedom("a node with purposes in the other order", .node) {
            $0.extensions.replace(with: .extendedKeyUsage([.serverAuth, .clientAuth]))
        },
        Freedom("a node with three tags among its ids", .node) {
            $0.subject = [
                .cat(CASEAuthenticatedTag(0x0003_0001)), .nodeID(NodeID(5)), .cat(CASEAuthenticatedTag(0x0001_0001)),
                .fabricID(TestAuthority.fabricID), .cat(CASEAuthenticatedTag(0x0002_0001)),
            ]
        },
        Freedom("a node with a common name", .node) {
            $0.subject.append(DistinguishedNameAttribute(.commonName, "kitchen"))
        },
        Freedom("a node without end of validity", .node) { $0.notAfter = 0 },
        Freedom("a node with an unknown extension", .node) {
            $0.extensions.append(.future(sampleExtension(critical: false)))
        },
        Freedom("a node with extensions in another order", .node) { $0.extensions.reverse() },
    ]

    @Test("what the profiles allow is accepted", arguments: freedoms)
    func allowed(freedom: Freedom) throws {
        _ = try Self.chain(freedom.role, freedom.change).validate(at: .now(TestAuthority.now), requiring: .server)
    }

    @Test("authorities need not name the fabric")
    func withoutFabric() throws {
        let chain = try TestAuthority().chain(
            root: {
                $0.subject = [TestAuthority.identifier(.rcacID, 1)]
                $0.issuer = $0.subject
            },
            intermediate: {
                $0.subject = [TestAuthority.identifier(.icacID, 2)]
                $0.issuer = [TestAuthority.identifier(.rcacID, 1)]
            },
            node: { $0.issuer = [TestAuthority.identifier(.icacID, 2)] })
        #expect(try chain.validate(at: .now(TestAuthority.now)).fabricID == TestAuthority.fabricID)
    }

    static let refused: [Rule] = [
        Rule("a node that is a root by its subject", .node, .wrongType) {
            $0.subject = [TestAuthority.identifier(.rcacID, 9)]
        },
        Rule("a node that is an intermediate by its subject", .node, .wrongType) {
            $0.subject = [TestAuthority.identifier(.icacID, 9), .fabricID(TestAuthority.fabricID)]
        },
        Rule("a node with two identities", .node, .wrongType) {
            $0.subject.append(TestAuthority.identifier(.icacID, 9))
        },
        Rule("a node with two node ids", .node, .wrongType) { $0.subject.append(.nodeID(NodeID(6))) },
        Rule("a node without any identity", .node, .wrongType) {
            $0.subject = [.fabricID(TestAuthority.fabricID), DistinguishedNameAttribute(.commonName, "x")]
        },
        Rule("a network identity", .node, .wrongType) { $0.subject = [DistinguishedNameAttribute(.commonName, "*")] },
        Rule("a firmware signer", .node, .wrongType) {
            $0.subject = [TestAuthority.identifier(.firmwareSigningID, 9)]
        },
        Rule("a node without fabric id", .node, .invalidFabricID) { $0.subject = [.nodeID(NodeID(5))] },
        Rule("a node with two fabric ids", .node, .invalidFabricID) {
            $0.subject.append(.fabricID(TestAuthority.fabricID))
        },
        Rule("a node with four tags", .node, .invalidCAT) {
            $0.subject =
                [.nodeID(NodeID(5))] + (1...4).map { .cat(CASEAuthenticatedTag(identifier: $0, version: 1)) }
        },
        Rule("a node with two versions of a tag", .node, .invalidCAT) {
            $0.subject += [.cat(CASEAuthenticatedTag(0x0001_0001)), .cat(CASEAuthenticatedTag(0x0001_0002))]
        },
        Rule("a node that is an authority", .node, .wrongBasicConstraints) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: true)))
        },
        Rule("a node without basic constraints", .node, .wrongBasicConstraints) {
            $0.extensions.remove(like: .basicConstraints(BasicConstraints(isCA: false)))
        },
        Rule("a node that may sign certificates", .node, .wrongKeyUsage) {
            $0.extensions.replace(with: .keyUsage([.digitalSignature, .keyCertSign]))
        },
        Rule("a node that may not sign", .node, .wrongKeyUsage) {
            $0.extensions.replace(with: .keyUsage(.keyAgreement))
        },
        Rule("a node without key usage", .node, .wrongKeyUsage) { $0.extensions.remove(like: .keyUsage([])) },
        Rule("a node that is no client", .node, .wrongKeyPurpose) {
            $0.extensions.replace(with: .extendedKeyUsage([.serverAuth]))
        },
        Rule("a node that is no server", .node, .wrongKeyPurpose) {
            $0.extensions.replace(with: .extendedKeyUsage([.clientAuth]))
        },
        Rule("a node without purposes", .node, .wrongKeyPurpose) { $0.extensions.remove(like: .extendedKeyUsage([])) },
        Rule("a node with a further purpose", .node, .wrongKeyPurpose) {
            $0.extensions.replace(with: .extendedKeyUsage([.serverAuth, .clientAuth, .codeSigning]))
        },
        Rule("a node without subject key identifier", .node, .wrongKeyIdentifier) {
            $0.extensions.remove(like: .subjectKeyIdentifier([]))
        },
        Rule("a node without authority key identifier", .node, .wrongKeyIdentifier) {
            $0.extensions.remove(like: .authorityKeyIdentifier([]))
        },
        Rule("a node with another authority key identifier", .node, .wrongKeyIdentifier) {
            $0.extensions.replace(with: .authorityKeyIdentifier([UInt8](repeating: 1, count: 20)))
        },
        Rule("a node with a critical unknown extension", .node, .criticalExtension) {
            $0.extensions.append(.future(sampleExtension(critical: true)))
        },
        Rule("a node of another issuer", .node, .issuerMismatch) {
            $0.issuer = [TestAuthority.identifier(.icacID, 3), .fabricID(TestAuthority.fabricID)]
        },
        Rule("a node whose issuer name has another order", .node, .issuerMismatch) { $0.issuer.reverse() },
        Rule("a node of another fabric", .intermediate, .fabricMismatch) {
            $0.subject = [TestAuthority.identifier(.icacID, 2), .fabricID(FabricID(7))]
        },
        Rule("a root of another fabric", .root, .fabricMismatch) {
            $0.subject = [TestAuthority.identifier(.rcacID, 1), .fabricID(FabricID(7))]
        },
        Rule("a node that is not valid yet", .node, .notYetValid) { $0.notBefore = TestAuthority.now + 1 },
        Rule("a node that is no longer valid", .node, .expired) { $0.notAfter = TestAuthority.now - 1 },
        Rule("an expired intermediate", .intermediate, .expired) { $0.notAfter = TestAuthority.now - 1 },
        Rule("an expired root", .root, .expired) { $0.notAfter = TestAuthority.now - 1 },
        Rule("an intermediate that is no authority", .intermediate, .wrongBasicConstraints) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: false)))
        },
        Rule("an intermediate with path length 1", .intermediate, .wrongBasicConstraints) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: true, pathLength: 1)))
        },
        Rule("an intermediate that may not sign certificates", .intermediate, .wrongKeyUsage) {
            $0.extensions.replace(with: .keyUsage([.crlSign]))
        },
        Rule("an intermediate that may not sign revocation lists", .intermediate, .wrongKeyUsage) {
            $0.extensions.replace(with: .keyUsage([.keyCertSign]))
        },
        Rule("an intermediate with purposes", .intermediate, .wrongKeyPurpose) {
            $0.extensions.append(.extendedKeyUsage([.serverAuth]))
        },
        Rule("an intermediate with a tag", .intermediate, .invalidCAT) {
            $0.subject.append(.cat(CASEAuthenticatedTag(0x0001_0001)))
        },
        Rule("an intermediate that is a root by its subject", .intermediate, .wrongType) {
            $0.subject = [TestAuthority.identifier(.rcacID, 2)]
        },
        Rule("an intermediate with a critical unknown extension", .intermediate, .criticalExtension) {
            $0.extensions.append(.future(sampleExtension(critical: true)))
        },
        Rule("a root with path length 2", .root, .wrongBasicConstraints) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: true, pathLength: 2)))
        },
        Rule("a root with path length 0 above an intermediate", .root, .pathTooLong) {
            $0.extensions.replace(with: .basicConstraints(BasicConstraints(isCA: true, pathLength: 0)))
        },
        Rule("a root that is no authority", .root, .wrongBasicConstraints) {
            $0.extensions.remove(like: .basicConstraints(BasicConstraints(isCA: true)))
        },
        Rule("a root whose key identifiers differ", .root, .wrongKeyIdentifier) {
            $0.extensions.replace(with: .authorityKeyIdentifier([UInt8](repeating: 1, count: 20)))
        },
    ]

    @Test("each broken rule is named, with the certificate that broke it", arguments: refused)
    func broken(rule: Rule) throws {
        let chain = try Self.chain(rule.role, rule.change)
        let error = #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .now(TestAuthority.now)) }
        #expect(error?.code == rule.code)
        #expect(error?.certificate == rule.role)
        #expect(error?.description.hasPrefix("\(rule.role): ") == true)
    }

    @Test("a signature of another key is refused")
    func signatures() throws {
        let authority = try TestAuthority()
        let other = try TestAuthority(seed: 2)
        let good = try authority.chain()
        let forgedNode = OperationalChain(
            noc: try authority.node.signed(with: other.intermediateKey), icac: good.icac, root: good.root)
        let node = #expect(throws: CredentialsError.self) { _ = try forgedNode.validate(at: .none) }
        #expect(node?.code == .invalidSignature && node?.certificate == .node)
        let forgedIntermediate = OperationalChain(
            noc: good.noc, icac: try authority.intermediate.signed(with: other.rootKey), root: good.root)
        let intermediate = #expect(throws: CredentialsError.self) { _ = try forgedIntermediate.validate(at: .none) }
        #expect(intermediate?.code == .invalidSignature && intermediate?.certificate == .intermediate)
        let forgedRoot = try authority.root.signed(with: other.rootKey)
        let root = #expect(throws: CredentialsError.self) { try OperationalChain.validate(root: forgedRoot) }
        #expect(root?.code == .invalidSignature && root?.certificate == .root)
    }

    @Test("a missing key purpose of the wanted side is named")
    func purpose() throws {
        let chain = try TestAuthority().chain(node: { $0.extensions.replace(with: .extendedKeyUsage([.clientAuth])) })
        let error = #expect(throws: CredentialsError.self) { _ = try chain.validate(at: .none, requiring: .server) }
        #expect(error?.code == .wrongKeyPurpose)
        #expect(error?.reason.contains("serverAuth") == true)
    }

    @Test("a root that is to be trusted must be its own issuer and sign itself")
    func roots() throws {
        let authority = try TestAuthority()
        var other = authority.root
        other.issuer = authority.intermediate.subject
        let foreign = try other.signed(with: authority.rootKey)
        let error = #expect(throws: CredentialsError.self) { try OperationalChain.validate(root: foreign) }
        #expect(error?.code == .issuerMismatch)
        let intermediate = try authority.intermediate.signed(with: authority.rootKey)
        #expect(throws: CredentialsError.self) { try OperationalChain.validate(root: intermediate) }
        var late = authority.root
        late.notBefore = TestAuthority.now + 10
        let future = try late.signed(with: authority.rootKey)
        try OperationalChain.validate(root: future)
        #expect(throws: CredentialsError.self) {
            try OperationalChain.validate(root: future, at: .now(TestAuthority.now))
        }
    }

    @Test("a certificate that does not decode is named")
    func undecodable() throws {
        let good = try TestAuthority().chain()
        let node = #expect(throws: CredentialsError.self) {
            _ = try OperationalChain(noc: [0x15], icac: nil, root: good.root)
        }
        #expect(node?.certificate == .node)
        let intermediate = #expect(throws: CredentialsError.self) {
            _ = try OperationalChain(noc: good.noc.tlv, icac: [0x15], root: good.root)
        }
        #expect(intermediate?.certificate == .intermediate)
    }

    @Test("a node is meant by its id and by its tags in this version or an older one")
    func subjects() throws {
        let chain = try TestAuthority().chain(node: { $0.subject.append(.cat(CASEAuthenticatedTag(0x0042_0003))) })
        let identity = try chain.identity
        #expect(identity.matches(subject: NodeID(5)))
        #expect(!identity.matches(subject: NodeID(6)))
        #expect(identity.matches(subject: .tagged(CASEAuthenticatedTag(0x0042_0002))))
        #expect(!identity.matches(subject: .tagged(CASEAuthenticatedTag(0x0042_0004))))
        #expect(!identity.matches(subject: .group(5)))
    }

    /// A subject alternative name with one DNS name.
    static func sampleExtension(critical: Bool) -> FutureExtension {
        let der = critical ? hex("30120603551d110101ff04083006820474657374") : hex("300f0603551d1104083006820474657374")
        do { return try FutureExtension(der: der) } catch { preconditionFailure("\(error)") }
    }
}
