import Synchronization
import TestSupport

@testable import MatterCrypto

/// The same octets on every run.
final class SeededRandom: RandomSource {
    private let generator: Mutex<SeededGenerator>

    init(_ seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) } }
    }
}

/// Builds chains that break one rule at a time.
struct TestAuthority {
    static let fabricID = FabricID(0x1122_3344_5566_7788)
    static let now: UInt32 = 838_857_600

    let rootKey: P256PrivateKey
    let intermediateKey: P256PrivateKey
    let nodeKey: P256PrivateKey

    init(seed: UInt64 = 1) throws {
        let random = SeededRandom(seed)
        rootKey = try .generate(random)
        intermediateKey = try .generate(random)
        nodeKey = try .generate(random)
    }

    /// Contents that a test may change before they are signed.
    struct Contents {
        var serialNumber: [UInt8] = [1]
        var issuer: [DistinguishedNameAttribute]
        var notBefore: UInt32 = now - 3600
        var notAfter: UInt32 = now + 3600
        var subject: [DistinguishedNameAttribute]
        var publicKey: P256PublicKey
        var extensions: [CertificateExtension]

        func signed(with key: P256PrivateKey) throws -> MatterCertificate {
            let tbs = try TBSCertificate(
                serialNumber: serialNumber, issuer: DistinguishedName(issuer), notBefore: notBefore,
                notAfter: notAfter, subject: DistinguishedName(subject), publicKey: publicKey, extensions: extensions)
            return try MatterCertificate(tbs, signature: key.sign(tbs.der()))
        }
    }

    static func identifier(_ type: DistinguishedNameAttributeType, _ number: UInt64) -> DistinguishedNameAttribute {
        DistinguishedNameAttribute(type, .identifier(number))
    }

    var root: Contents {
        let name = [Self.identifier(.rcacID, 1), .fabricID(Self.fabricID)]
        return Contents(
            issuer: name, subject: name, publicKey: rootKey.publicKey,
            extensions: authorityExtensions(rootKey, under: rootKey, pathLength: nil))
    }

    var intermediate: Contents {
        Contents(
            issuer: root.subject, subject: [Self.identifier(.icacID, 2), .fabricID(Self.fabricID)],
            publicKey: intermediateKey.publicKey,
            extensions: authorityExtensions(intermediateKey, under: rootKey, pathLength: 0))
    }

    /// A node certificate under the intermediate one.
    var node: Contents {
        Contents(
            issuer: intermediate.subject, subject: [.nodeID(NodeID(5)), .fabricID(Self.fabricID)],
            publicKey: nodeKey.publicKey,
            extensions: [
                .basicConstraints(BasicConstraints(isCA: false)), .keyUsage(.digitalSignature),
                .extendedKeyUsage([.clientAuth, .serverAuth]),
                .subjectKeyIdentifier(nodeKey.publicKey.keyIdentifier),
                .authorityKeyIdentifier(intermediateKey.publicKey.keyIdentifier),
            ])
    }

    func chain(
        root changeRoot: (inout Contents) -> Void = { _ in },
        intermediate changeIntermediate: (inout Contents) -> Void = { _ in },
        node changeNode: (inout Contents) -> Void = { _ in }
    ) throws -> OperationalChain {
        var (root, intermediate, node) = (root, intermediate, node)
        changeRoot(&root)
        changeIntermediate(&intermediate)
        changeNode(&node)
        return OperationalChain(
            noc: try node.signed(with: intermediateKey), icac: try intermediate.signed(with: rootKey),
            root: try root.signed(with: rootKey))
    }

    private func authorityExtensions(
        _ key: P256PrivateKey, under issuer: P256PrivateKey, pathLength: UInt8?
    ) -> [CertificateExtension] {
        [
            .basicConstraints(BasicConstraints(isCA: true, pathLength: pathLength)),
            .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier(key.publicKey.keyIdentifier),
            .authorityKeyIdentifier(issuer.publicKey.keyIdentifier),
        ]
    }
}

extension [CertificateExtension] {
    /// Puts an extension in the place of the one of its kind, at the end if there is none.
    mutating func replace(with new: CertificateExtension) {
        if let index = firstIndex(where: { $0.sameKind(as: new) }) { self[index] = new } else { append(new) }
    }

    mutating func remove(like old: CertificateExtension) {
        removeAll { $0.sameKind(as: old) }
    }
}

extension CertificateExtension {
    func sameKind(as other: CertificateExtension) -> Bool {
        switch (self, other) {
        case (.basicConstraints, .basicConstraints), (.keyUsage, .keyUsage), (.extendedKeyUsage, .extendedKeyUsage),
            (.subjectKeyIdentifier, .subjectKeyIdentifier), (.authorityKeyIdentifier, .authorityKeyIdentifier):
            true
        default: false
        }
    }
}
