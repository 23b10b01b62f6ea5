@testable import MatterCrypto

/// Certificates and what goes with them.
extension Seeds {
    static let vendorID = VendorID(0xFFF1)
    static let productID: UInt16 = 0x8001
    static let nonce = [UInt8](1...32)
    static let challenge = [UInt8](50..<66)

    private static let fabricResult = Result {
        try LocalFabric.create(
            nodeID: NodeID(1), cats: [CASEAuthenticatedTag(0x0001_0001)], withIntermediate: true,
            validity: .tenYears(from: now), random: Dice(3))
    }

    private static let device = Result {
        try DevelopmentAttestation.make(
            vendorID: vendorID, productID: productID, deviceTypeID: 256, now: now, random: Dice(4))
    }

    static let verifier = Result {
        AttestationVerifier(
            trust: TrustStore(files: [TrustFile(path: "root.der", contents: try device.get().paa.certificate.der)]))
    }

    static func certificates() throws -> [MatterCertificate] {
        let chain = try fabricResult.get().credentials.chain
        return [chain.root, chain.noc] + (chain.icac.map { [$0] } ?? [])
    }

    static func x509() throws -> [[UInt8]] {
        let device = try device.get()
        return try certificates().map { try $0.der() }
            + [device.credentials.dac, device.credentials.pai, device.paa.certificate.der]
    }

    static func requests() throws -> [[UInt8]] {
        let request = try CertificateSigningRequest(key: P256PrivateKey.generate(Dice(5)))
        return [request.der, try NOCSRElements(csr: request, nonce: nonce).encoded]
    }

    static func pem() throws -> [[UInt8]] {
        let request = try CertificateSigningRequest(key: P256PrivateKey.generate(Dice(5)))
        return [Array(try certificates()[0].pem().utf8), Array(request.pem.utf8)]
    }

    static func declarations() throws -> [[UInt8]] {
        let cms = try device.get().credentials.certificationDeclaration
        return [cms, try CertificationDeclaration(cms: cms).content]
    }

    static func attestationElements() throws -> [[UInt8]] {
        [try device.get().credentials.respond(nonce: nonce, attestationChallenge: challenge).elements]
    }

    static func evidence() throws -> [[UInt8]] {
        let credentials = try device.get().credentials
        let response = try credentials.respond(nonce: nonce, attestationChallenge: challenge)
        return [Pieces.joined([credentials.dac, credentials.pai, response.elements, response.signature])]
    }
}
