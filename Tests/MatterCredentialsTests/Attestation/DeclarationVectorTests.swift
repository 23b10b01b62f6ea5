import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("declaration and elements vectors", .vectors, .enabled(if: Vectors.available))
struct DeclarationVectorTests {
    struct Declarations: Decodable {
        struct Vector: Decodable {
            let name: String
            let cms: String?
            let content: String
            let keyId: String?
            let signature: String
            let fields: Fields?
            let mustFailDecode: Bool?
        }
        struct Fields: Decodable {
            let formatVersion: UInt16
            let vendorId: UInt16
            let productIds: [UInt16]
            let deviceTypeId: UInt32
            let certificateId: String
            let securityLevel: UInt8
            let securityInformation: UInt16
            let versionNumber: UInt16
            let certificationType: UInt8
            let dacOriginVendorId: UInt16?
            let dacOriginProductId: UInt16?
        }
        let vectors: [Vector]
    }

    @Test(
        "certification declarations",
        arguments: try Vectors.cases("certification-declaration.json", atLeast: 11) { (file: Declarations) in
            file.vectors
        })
    func declarations(vector: Declarations.Vector) throws {
        let store = TrustStore(allowTestDevices: true)
        if vector.mustFailDecode == true {
            #expect(throws: AttestationError.self, "\(vector.name)") {
                try CertificationElements(decoding: hex(vector.content))
            }
            return
        }
        let cms = hex(try #require(vector.cms))
        let declaration = try CertificationDeclaration(cms: cms)
        #expect(declaration.content == hex(vector.content))
        #expect(hexString(declaration.signerKeyIdentifier) == vector.keyId)
        let signers = store.declarationSigners(keyIdentifier: declaration.signerKeyIdentifier)
        #expect(signers.contains { declaration.isSigned(by: $0.publicKey) } == (vector.signature == "ok"))
        try check(declaration, try #require(vector.fields))
    }

    private func check(_ declaration: CertificationDeclaration, _ fields: Declarations.Fields) throws {
        let elements = try CertificationElements(decoding: declaration.content)
        #expect(elements.formatVersion == fields.formatVersion)
        #expect(elements.vendorID.rawValue == fields.vendorId)
        #expect(elements.productIDs == fields.productIds)
        #expect(elements.deviceTypeID == fields.deviceTypeId)
        #expect(elements.certificateID == fields.certificateId)
        #expect(elements.securityLevel == fields.securityLevel)
        #expect(elements.securityInformation == fields.securityInformation)
        #expect(elements.versionNumber == fields.versionNumber)
        #expect(elements.certificationType == fields.certificationType)
        #expect(elements.origin?.vendorID.rawValue == fields.dacOriginVendorId)
        #expect(elements.origin?.productID == fields.dacOriginProductId)
        #expect(try CertificationElements(decoding: elements.encoded()) == elements)
    }

    struct Elements: Decodable {
        struct Vector: Decodable {
            let name: String
            let elements: String
            let valid: Bool
        }
        let attestationElements: [Vector]
    }

    @Test(
        "attestation elements",
        arguments: try Vectors.cases("attestation-elements.json", atLeast: 7) { (file: Elements) in
            file.attestationElements
        })
    func elements(vector: Elements.Vector) throws {
        let bytes = hex(vector.elements)
        guard vector.valid else {
            #expect(throws: AttestationError.self, "\(vector.name)") { try AttestationElements(decoding: bytes) }
            return
        }
        let elements = try AttestationElements(decoding: bytes)
        #expect(elements.encoded == bytes)
        #expect(hexString(elements.nonce) == "e0421b91c6fdcdb40e2a4d2cf31db2b4e18b411b1d3ad4d12a9d90aa8e52fae2")
        #expect(elements.timestamp == 677_103_357)
        #expect((elements.firmwareInformation != nil) == vector.name.hasSuffix("WithFirmwareInfo"))
        let reserved = elements.vendorReserved.map(\.tag)
        if vector.name.hasSuffix("NoVendor") {
            #expect(reserved.isEmpty)
        } else {
            #expect(
                reserved == [
                    .fullyQualified(vendor: 0xFFF1, profile: 0x003E, tag: 1),
                    .fullyQualified(vendor: 0xFFF1, profile: 0x003E, tag: 3),
                ])
        }
    }
}
