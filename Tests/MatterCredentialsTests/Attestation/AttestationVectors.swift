import Foundation
import TestSupport

@testable import MatterCrypto

/// Device credentials of the shared vectors, played as a device would.
struct AttestationVector: Decodable {
    let description: String
    let productID: UInt16
    let dac: String
    let pai: String
    let certificationDeclaration: String
    let privateKey: String
    let publicKey: String
    let firmwareInformation: String?

    enum CodingKeys: String, CodingKey {
        case description
        case productID = "basic_info_pid"
        case dac = "dac_cert"
        case pai = "pai_cert"
        case certificationDeclaration = "certification_declaration"
        case privateKey = "dac_private_key"
        case publicKey = "dac_public_key"
        case firmwareInformation = "firmware_information"
    }

    /// Requests of a commissioner to this device.
    func verify(
        trust: TrustStore, revocation: (any RevocationSource)? = nil,
        at time: ValidationTime = .now(AttestationVector.now)
    ) throws -> AttestationReport {
        let nonce = [UInt8](0..<32)
        let challenge = [UInt8](100..<116)
        let elements = try AttestationElements(
            certificationDeclaration: hex(certificationDeclaration), nonce: nonce,
            firmwareInformation: firmwareInformation.map { hex($0) })
        // Some keys are not of P-256, or not the certificate's: those devices cannot sign, and say something.
        var response = AttestationResponse(elements: elements.encoded, signature: [UInt8](repeating: 1, count: 64))
        if let key = try? P256PrivateKey(scalar: SecretBytes(hex(privateKey))) {
            response = try elements.signed(with: key, attestationChallenge: challenge)
        }
        let evidence = AttestationEvidence(
            dac: hex(dac), pai: hex(pai), response: response, nonce: nonce, attestationChallenge: challenge,
            vendorID: VendorID(0xFFF1), productID: productID)
        let check = revocation.map { RevocationCheck(sources: [$0]) }
        return AttestationVerifier(trust: trust, revocation: check).verify(evidence, at: time)
    }

    /// 2026-11-01T00:00:00Z.
    static let now: UInt32 = 846_806_400

    /// The development authorities from their certificates, without the development declaration key.
    static func authorities() throws -> TrustStore {
        TrustStore(files: try ["Chip-Test-PAA-FFF1-Cert.der", "Chip-Test-PAA-NoVID-Cert.der"].map(trustFile))
    }

    /// The same with the development declaration key.
    static func trust() throws -> TrustStore {
        var store = try authorities()
        for signer in WellKnownKeys.developmentDeclarationSigners { store.add(signer) }
        return store
    }

    static func trustFile(_ name: String) throws -> TrustFile {
        TrustFile(path: name, contents: Array(try Vectors.data("paa/test/\(name)")))
    }
}
