import TestSupport

@testable import MatterCrypto

/// A device of our own making with a chain that a test may break in one place.
struct TestDevice {
    static let now: UInt32 = 838_857_600
    static let vendorID = VendorID(0x1234)
    static let productID: UInt16 = 0x8001
    static let random = SeededRandom(7)

    let paaKey: P256PrivateKey
    let paiKey: P256PrivateKey
    let dacKey: P256PrivateKey
    let declarationKey: P256PrivateKey

    var paa: AttestationCertificateTemplate
    var pai: AttestationCertificateTemplate
    var dac: AttestationCertificateTemplate
    var elements: CertificationElements

    /// The keys that really sign, where a test wants others.
    var paiSigner: P256PrivateKey
    var dacSigner: P256PrivateKey
    var declarationSigner: P256PrivateKey
    var responseSigner: P256PrivateKey

    var nonce = [UInt8](1...32)
    /// The nonce that the device answers with; the asked one if `nil`.
    var answeredNonce: [UInt8]?
    var challenge = [UInt8](50..<66)
    var vendorID = vendorID
    var productID = productID

    /// Changes to what goes over the air, after signing.
    var alter: @Sendable (inout AttestationEvidence) -> Void = { _ in }
    /// Changes to the elements, before signing.
    var alterDeclaration: @Sendable (inout [UInt8]) -> Void = { _ in }

    init() throws {
        let keys = try (0..<4).map { _ in try P256PrivateKey.generate(Self.random) }
        (paaKey, paiKey, dacKey, declarationKey) = (keys[0], keys[1], keys[2], keys[3])
        (paiSigner, dacSigner, responseSigner, declarationSigner) = (keys[0], keys[1], keys[2], keys[3])
        let validity = CertificateValidity(notBefore: Self.now - 86_400, notAfter: Self.now + 86_400)
        let root = AttestationName(commonName: "Root", vendorID: Self.vendorID)
        let intermediate = AttestationName(commonName: "Intermediate", vendorID: Self.vendorID)
        paa = try AttestationCertificateTemplate(
            .paa, subject: root, publicKey: paaKey.publicKey, issuer: root, issuerKey: paaKey.publicKey,
            validity: validity, random: Self.random)
        pai = try AttestationCertificateTemplate(
            .pai, subject: intermediate, publicKey: paiKey.publicKey, issuer: root, issuerKey: paaKey.publicKey,
            validity: validity, random: Self.random)
        dac = try AttestationCertificateTemplate(
            .dac,
            subject: AttestationName(commonName: "Device", vendorID: Self.vendorID, productID: Self.productID),
            publicKey: dacKey.publicKey, issuer: intermediate, issuerKey: paiKey.publicKey, validity: validity,
            random: Self.random)
        elements = CertificationElements(
            vendorID: Self.vendorID, productIDs: [0x8000, Self.productID], deviceTypeID: 0x0101,
            certificateID: "CSA00000SWC00000-01", certificationType: .official)
    }

    /// Trusts the root and the declaration key of this device.
    func trust() throws -> TrustStore {
        var store = TrustStore(files: [TrustFile(path: "root.der", contents: try paa.signed(with: paaKey))])
        store.add(
            DeclarationSigner(
                keyIdentifier: declarationKey.publicKey.keyIdentifier, publicKey: declarationKey.publicKey,
                subject: AttestationName(commonName: "Declarations"), origin: .directory(file: "signer.der")))
        return store
    }

    func evidence() throws -> AttestationEvidence {
        var declaration = try CertificationDeclaration(
            content: elements.encoded(), signedWith: declarationSigner,
            keyIdentifier: declarationKey.publicKey.keyIdentifier
        ).cms
        alterDeclaration(&declaration)
        let response = try AttestationElements(
            certificationDeclaration: declaration, nonce: answeredNonce ?? nonce
        ).signed(with: responseSigner, attestationChallenge: challenge)
        var evidence = AttestationEvidence(
            dac: try dac.signed(with: dacSigner), pai: try pai.signed(with: paiSigner), response: response,
            nonce: nonce, attestationChallenge: challenge, vendorID: vendorID, productID: productID)
        alter(&evidence)
        return evidence
    }

    func verify(
        trust: TrustStore? = nil, revocation: (any RevocationSource)? = nil,
        at time: ValidationTime = .now(TestDevice.now)
    ) throws -> AttestationReport {
        let check = revocation.map { RevocationCheck(sources: [$0]) }
        return AttestationVerifier(trust: try trust ?? self.trust(), revocation: check)
            .verify(try evidence(), at: time)
    }
}
