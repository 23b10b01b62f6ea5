import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("certification declaration")
struct CertificationDeclarationTests {
    static func sample() throws -> CertificationDeclaration {
        let device = try TestDevice()
        return try CertificationDeclaration(content: device.elements.encoded(), signedWith: device.declarationKey)
    }

    @Test("what was signed is decoded, and its signature is the key's")
    func roundTrip() throws {
        let device = try TestDevice()
        let content = device.elements.encoded()
        let made = try CertificationDeclaration(content: content, signedWith: device.declarationKey)
        let read = try CertificationDeclaration(cms: made.cms)
        #expect(read == made)
        #expect(read.content == content)
        #expect(read.signerKeyIdentifier == device.declarationKey.publicKey.keyIdentifier)
        #expect(read.isSigned(by: device.declarationKey.publicKey))
        #expect(!read.isSigned(by: device.dacKey.publicKey))
    }

    /// One damage each: another identifier or number where only one is right.
    @Test(
        "anything but the one form is refused",
        arguments: [
            ("06092a864886f70d010702", "06092a864886f70d010703"), ("020103310d", "020101310d"),
            ("310d300b0609608648016503040201", "310d300b0609608648016503040202"),
            ("06092a864886f70d010701", "06092a864886f70d010702"), ("0201038014", "0201018014"),
            ("0201038014", "0201038114"), ("0201038014", "0201030414"),
            ("300a06082a8648ce3d040302", "300a06082a8648ce3d040303"),
        ])
    func forms(old: String, new: String) throws {
        let cms = try AttestationCertificateTests.replacing(old, by: new, in: Self.sample().cms)
        let error = #expect(throws: AttestationError.self) { try CertificationDeclaration(cms: cms) }
        #expect(error?.code == .malformedDeclaration)
    }

    @Test("bytes behind the declaration are counted and ignored, however long its length is written")
    func trailingBytes() throws {
        let made = try Self.sample()
        for trailing in [[0], [0x30], [UInt8](repeating: 0xFF, count: 20)] as [[UInt8]] {
            let read = try CertificationDeclaration(cms: made.cms + trailing)
            #expect(read.trailingCount == trailing.count)
            #expect(read.cms == made.cms)
            #expect(read.content == made.content)
        }
        #expect(made.trailingCount == 0)
        #expect(throws: AttestationError.self) { try CertificationDeclaration(cms: made.cms.dropLast()) }
    }

    @Test("a device whose declaration has bytes behind it passes, and the report says so")
    func trailingReport() throws {
        var device = try TestDevice()
        let plain = try device.verify()
        #expect(plain.verdict == .trusted)
        #expect(!plain.notes.contains { $0.contains("behind the declaration") })
        device.alterDeclaration = { $0.append(0) }
        let report = try device.verify()
        #expect(report.verdict == .trusted)
        #expect(report.notes.contains { $0.hasPrefix("bytes behind the declaration: 1;") })
    }

    @Test("certificates, attributes, further signers and a cut message are refused")
    func additions() throws {
        #expect(throws: AttestationError.self) { try CertificationDeclaration(cms: []) }
        #expect(throws: AttestationError.self) {
            try CertificationDeclaration(cms: [UInt8](repeating: 0x30, count: 901))
        }
        let key = try TestDevice().declarationKey
        let signature = try ECDSASignature.rawToDER(key.sign([1]))
        func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
            let body = parts.flatMap { $0 }
            let long: [UInt8] = [0x82, UInt8(body.count >> 8), UInt8(body.count & 0xFF)]
            let length: [UInt8] = body.count < 0x80 ? [UInt8(body.count)] : body.count < 0x100 ? [0x81, long[2]] : long
            return [tag] + length + body
        }
        let version: [UInt8] = [2, 1, 3]
        let sha256 = hex("300b0609608648016503040201")
        let sha256WithNull = hex("300d06096086480165030402010500")
        let ecdsa = hex("300a06082a8648ce3d040302")
        let signer = [version, der(0x80, [UInt8](repeating: 7, count: 20)), sha256, ecdsa, der(0x04, signature)]
        let content = der(0x30, hex("06092a864886f70d010701"), der(0xA0, der(0x04, [1])))
        func message(
            digests: [UInt8]? = nil, content: [UInt8] = content, extra: [UInt8] = [], signers: [[UInt8]],
            after: [UInt8] = []
        ) -> [UInt8] {
            let set = der(0x31, signers.flatMap { $0 })
            let signed = der(0x30, version, digests ?? der(0x31, sha256), content, extra, set, after)
            return der(0x30, hex("06092a864886f70d010702"), der(0xA0, signed))
        }
        func infos(_ members: [[UInt8]]) -> [UInt8] { der(0x30, members.flatMap { $0 }) }
        #expect(throws: Never.self) { try CertificationDeclaration(cms: message(signers: [infos(signer)])) }
        #expect(throws: Never.self) {
            try CertificationDeclaration(cms: message(digests: der(0x31, sha256WithNull), signers: [infos(signer)]))
        }
        let wrong: [[UInt8]] = [
            message(signers: []), message(signers: [infos(signer), infos(signer)]),
            message(extra: der(0xA0, der(0x30, [])), signers: [infos(signer)]),
            message(signers: [infos(signer)], after: der(0xA1, [])),
            message(signers: [infos(signer + [der(0xA1, [])])]),
            message(signers: [infos(signer.dropLast() + [der(0x04, [0x30, 0x00])])]),
            message(signers: [infos([version, der(0x80, [7])] + signer[2...])]),
            message(digests: der(0x31, sha256, sha256), signers: [infos(signer)]),
            message(digests: der(0x31), signers: [infos(signer)]),
            message(content: der(0x30, hex("06092a864886f70d010701")), signers: [infos(signer)]),
        ]
        for cms in wrong {
            #expect(throws: AttestationError.self, "\(hexString(cms))") { try CertificationDeclaration(cms: cms) }
        }
    }

    @Test("content with every field survives")
    func content() throws {
        var elements = try TestDevice().elements
        elements.origin = .init(vendorID: VendorID(1), productID: 2)
        elements.authorizedAuthorities = [[UInt8](repeating: 1, count: 20), [UInt8](repeating: 2, count: 20)]
        elements.securityLevel = 255
        elements.deviceTypeID = .max
        #expect(try CertificationElements(decoding: elements.encoded()) == elements)
    }

    /// The members of valid content, for a test to change.
    static func members() throws -> [TLVElement] {
        var elements = try TestDevice().elements
        elements.origin = .init(vendorID: VendorID(1), productID: 2)
        elements.authorizedAuthorities = [[UInt8](repeating: 1, count: 20)]
        guard case .structure(let members) = try TLVElement(decoding: elements.encoded()).value else { return [] }
        return members
    }

    static func decode(_ members: [TLVElement]) throws -> CertificationElements {
        try CertificationElements(decoding: TLVElement(.anonymous, .structure(members)).encoded())
    }

    @Test("every field but those of origin and authorities must be there, in order")
    func missingFields() throws {
        let members = try Self.members()
        #expect(members.count == 12)
        for index in 0..<10 {
            var fewer = members
            fewer.remove(at: index)
            #expect(throws: AttestationError.self, "\(index)") { try Self.decode(fewer) }
        }
        #expect(throws: AttestationError.self) {
            try Self.decode(members.filter { $0.tag != .context(10) })
        }
        #expect(throws: Never.self) { try Self.decode(members.filter { $0.tag != .context(11) }) }
        #expect(throws: Never.self) {
            try Self.decode(members.filter { ![.context(9), .context(10)].contains($0.tag) })
        }
        #expect(throws: AttestationError.self) { try Self.decode(members.reversed()) }
        let later = TLVElement(.context(12), .null)
        #expect(throws: Never.self) { try Self.decode(members + [later]) }
        #expect(throws: AttestationError.self) { try Self.decode([later] + members) }
    }

    @Test("values out of range are refused")
    func ranges() throws {
        let wrong: [(Int, TLVValue)] = [
            (0, .uint(65536)), (1, .uint(65536)), (1, .string("x")), (2, .array([])), (2, .uint(1)),
            (2, .array([TLVElement(.anonymous, .uint(65536))])),
            (2, .array((0...100).map { TLVElement(.anonymous, .uint($0)) })), (3, .uint(1 << 32)),
            (4, .string(String(repeating: "x", count: 18))), (4, .string(String(repeating: "x", count: 20))),
            (4, .octets([UInt8](repeating: 0x41, count: 19))), (5, .uint(256)), (6, .uint(65536)), (7, .uint(65536)),
            (8, .uint(256)), (9, .uint(65536)), (10, .uint(65536)), (11, .array([])),
            (11, .array([TLVElement(.anonymous, .octets([1]))])),
            (11, .array((0...10).map { TLVElement(.anonymous, .octets([UInt8](repeating: $0, count: 20))) })),
        ]
        for (index, value) in wrong {
            var members = try Self.members()
            members[index].value = value
            let error = #expect(throws: AttestationError.self, "\(index) \(value)") { try Self.decode(members) }
            #expect(error?.code == .malformedDeclarationContent)
        }
        #expect(throws: AttestationError.self) { try CertificationElements(decoding: []) }
        let trailing = TLVElement(.anonymous, .structure(try Self.members())).encoded() + [0]
        #expect(throws: AttestationError.self) { try CertificationElements(decoding: trailing) }
    }
}

@Suite("attestation elements")
struct AttestationElementsTests {
    static func encode(_ members: [TLVElement]) -> [UInt8] {
        TLVElement(.anonymous, .structure(members)).encoded()
    }

    static let members = [
        TLVElement(.context(1), .octets([1, 2])), TLVElement(.context(2), .octets([UInt8](repeating: 3, count: 32))),
        TLVElement(.context(3), .uint(5)), TLVElement(.context(4), .octets([6])),
    ]
    static let reserved = TLVElement(.fullyQualified(vendor: 0xFFF1, profile: 0x3E, tag: 1), .octets([7]))

    @Test("what was made is decoded")
    func roundTrip() throws {
        let made = try AttestationElements(
            certificationDeclaration: [1, 2], nonce: [UInt8](repeating: 3, count: 32), timestamp: 5,
            firmwareInformation: [6], vendorReserved: [Self.reserved])
        #expect(made.encoded == Self.encode(Self.members + [Self.reserved]))
        #expect(made.certificationDeclaration == [1, 2])
        #expect(made.timestamp == 5)
        #expect(made.firmwareInformation == [6])
        #expect(made.vendorReserved == [Self.reserved])
        #expect(throws: AttestationError.self) {
            try AttestationElements(certificationDeclaration: [], nonce: [UInt8](repeating: 3, count: 31))
        }
        #expect(throws: AttestationError.self) {
            try AttestationElements(
                certificationDeclaration: [UInt8](repeating: 0, count: 900), nonce: [UInt8](repeating: 3, count: 32))
        }
    }

    @Test("unknown members are passed over where they belong")
    func unknown() throws {
        let later = TLVElement(.context(200), .null)
        #expect(throws: Never.self) {
            try AttestationElements(decoding: Self.encode(Self.members + [later, Self.reserved]))
        }
        #expect(throws: Never.self) {
            try AttestationElements(decoding: Self.encode(Array(Self.members.prefix(3)) + [later]))
        }
        let first = Self.members[0]
        for wrong in [
            [later] + Self.members, Self.members + [Self.reserved, later], [Self.reserved] + Self.members,
            Self.members + [TLVElement(.context(0), .null)], Self.members + [first],
        ] {
            #expect(throws: AttestationError.self) { try AttestationElements(decoding: Self.encode(wrong)) }
        }
    }

    @Test("each of the first three members must be there and of its type")
    func required() throws {
        for index in 0..<3 {
            var fewer = Self.members
            fewer.remove(at: index)
            #expect(throws: AttestationError.self) { try AttestationElements(decoding: Self.encode(fewer)) }
        }
        for index in 0..<4 {
            var other = Self.members
            other[index].value = .bool(true)
            let error = #expect(throws: AttestationError.self) {
                try AttestationElements(decoding: Self.encode(other))
            }
            #expect(error?.code == .malformedElements)
        }
        #expect(throws: AttestationError.self) {
            try AttestationElements(decoding: Self.encode(Self.members) + [0])
        }
    }

    @Test("the signature covers elements and challenge")
    func signature() throws {
        let key = try P256PrivateKey.generate(SeededRandom(3))
        let elements = try AttestationElements(decoding: Self.encode(Self.members))
        let challenge = [UInt8](0..<16)
        let response = try elements.signed(with: key, attestationChallenge: challenge)
        #expect(response.elements == elements.encoded)
        #expect(response.signature.count == AttestationResponse.signatureCount)
        #expect(response.isSigned(by: key.publicKey, attestationChallenge: challenge))
        #expect(!response.isSigned(by: key.publicKey, attestationChallenge: [UInt8](1..<17)))
        #expect(key.publicKey.isValidSignature(response.signature, for: elements.encoded + challenge))
    }
}
