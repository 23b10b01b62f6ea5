import Foundation
import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("attestation certificate")
struct AttestationCertificateTests {
    /// Replaces the one place where `old` stands in a certificate; the signature is not checked while decoding.
    static func replacing(_ old: String, by new: String, in der: [UInt8]) throws -> [UInt8] {
        let text = hexString(der)
        #expect(text.ranges(of: old).count == 1)
        #expect(old.count == new.count)
        return hex(text.replacing(old, with: new))
    }

    @Test("what was made is decoded")
    func roundTrip() throws {
        let device = try TestDevice()
        let der = try device.dac.signed(with: device.paiKey)
        let certificate = try AttestationCertificate(der: der)
        #expect(certificate.der == der)
        #expect(certificate.serialNumber == device.dac.serialNumber)
        #expect(certificate.issuer == device.pai.subject)
        #expect(certificate.subject == device.dac.subject)
        #expect(certificate.publicKey == device.dacKey.publicKey)
        #expect(certificate.extensions == device.dac.extensions)
        #expect(certificate.basicConstraints == BasicConstraints(isCA: false))
        #expect(certificate.keyUsage == .digitalSignature)
        #expect(certificate.subjectKeyIdentifier == device.dacKey.publicKey.keyIdentifier)
        #expect(certificate.authorityKeyIdentifier == device.paiKey.publicKey.keyIdentifier)
        #expect(certificate.isSigned(by: device.paiKey.publicKey))
        #expect(!certificate.isSigned(by: device.dacKey.publicKey))
        #expect(throws: Never.self) { try certificate.checkProfile(as: .dac) }
        #expect(throws: CredentialsError.self) { try certificate.checkProfile(as: .pai) }
    }

    @Test("dates are read in both forms, and the last second of 9999 means no end")
    func dates() throws {
        var device = try TestDevice()
        device.dac.validity = CertificateValidity(notBefore: 1, notAfter: MatterEpoch.none)
        let certificate = try AttestationCertificate(der: try device.dac.signed(with: device.paiKey))
        #expect(certificate.validity.notBefore == 946_684_801)
        #expect(certificate.validity.notAfter == 253_402_300_799)
        #expect(certificate.validity.description == "2000-01-01T00:00:01Z to 9999-12-31T23:59:59Z")
        #expect(certificate.validity.contains(946_684_801) && !certificate.validity.contains(946_684_800))
    }

    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18

    @Test(
        "dates of all centuries",
        arguments: [
            (generalizedTime, "20240229120000Z", "2024-02-29T12:00:00Z"),
            (utcTime, "600101000000Z", "1960-01-01T00:00:00Z"), (utcTime, "491231235959Z", "2049-12-31T23:59:59Z"),
            (generalizedTime, "20500101000000Z", "2050-01-01T00:00:00Z"),
            (generalizedTime, "21000228000000Z", "2100-02-28T00:00:00Z"),
            (generalizedTime, "00000101000000Z", "0000-01-01T00:00:00Z"),
            (generalizedTime, "19700101000000Z", "1970-01-01T00:00:00Z"),
        ])
    func allDates(tag: UInt8, encoding: String, text: String) throws {
        let certificate = try Self.certificate(notAfter: tag, encoding)
        #expect(certificate.validity.description.hasSuffix(" to \(text)"))
    }

    @Test(
        "malformed dates are refused",
        arguments: [
            (generalizedTime, "20230229120000Z"), (utcTime, "241301000000Z"), (utcTime, "240101240000Z"),
            (utcTime, "240101006000Z"), (utcTime, "240101000060Z"), (utcTime, "240100000000Z"),
            (utcTime, "2401010000Z"),
            (utcTime, "240101000000+"), (utcTime, "240101000000"), (generalizedTime, "20240101000000"),
            (generalizedTime, "2024010100000Z"), (utcTime, "-40101000000Z"), (utcTime, ""), (utcTime, "Z"),
            (0x16, "240101000000Z"),
        ])
    func wrongDates(tag: UInt8, encoding: String) throws {
        let error = #expect(throws: CredentialsError.self) { try Self.certificate(notAfter: tag, encoding) }
        #expect(error?.reason == "not after is not a time of X.509")
    }

    /// A certificate with another encoding of its end.
    static func certificate(notAfter tag: UInt8, _ encoding: String) throws -> AttestationCertificate {
        var device = try TestDevice()
        device.dac.validity = CertificateValidity(notBefore: 1, notAfter: MatterEpoch.none)
        let der = hexString(try device.dac.signed(with: device.paiKey))
        let start = "170d" + hexString("000101000001Z".utf8)
        let end = "180f" + hexString("99991231235959Z".utf8)
        let other = hexString([tag, UInt8(encoding.utf8.count)]) + hexString(encoding.utf8)
        let validity = try #require(der.firstRange(of: "3020" + start + end))
        let length = hexString([UInt8((start.count + other.count) / 2)])
        var octets = hex(der.replacingCharacters(in: validity, with: "30" + length + start + other))
        let growth = (other.count - end.count) / 2
        for header in [0, 4] {
            let length = Int(octets[header + 2]) << 8 + Int(octets[header + 3]) + growth
            octets[header + 2] = UInt8(length >> 8)
            octets[header + 3] = UInt8(length & 0xFF)
        }
        return try AttestationCertificate(der: octets)
    }

    @Test("other versions, algorithms and curves are refused")
    func algorithms() throws {
        let device = try TestDevice()
        let der = try device.dac.signed(with: device.paiKey)
        let cases: [(String, String, CredentialsError.Code)] = [
            ("a003020102", "a003020101", .malformed),
            ("06082a8648ce3d030107", "06082a8648ce3d030106", .unsupportedAlgorithm),
            ("06072a8648ce3d0201", "06072a8648ce3d0202", .unsupportedAlgorithm),
            ("03420004", "03420005", .invalidPublicKey), ("03420004", "03420104", .malformed),
        ]
        for (old, new, code) in cases {
            let damaged = try Self.replacing(old, by: new, in: der)
            let error = #expect(throws: CredentialsError.self) { try AttestationCertificate(der: damaged) }
            #expect(error?.code == code, "\(old)")
        }
        let sha1 = hex(hexString(der).replacing("06082a8648ce3d040302", with: "06082a8648ce3d040301"))
        let error = #expect(throws: CredentialsError.self) { try AttestationCertificate(der: sha1) }
        #expect(error?.code == .unsupportedAlgorithm)
    }

    @Test("a certificate of more than 600 octets is refused")
    func size() throws {
        var device = try TestDevice()
        let filler = 601 - (try device.dac.signed(with: device.paiKey)).count
        device.dac.extensions.append(
            AttestationExtension(
                objectIdentifier: [0x2A, 0x03], isCritical: false, value: [UInt8](repeating: 0, count: filler)))
        let error = #expect(throws: CredentialsError.self) {
            try AttestationCertificate(der: try device.dac.signed(with: device.paiKey))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("factories' variants of constraints and usage are understood")
    func variants() throws {
        func certificate(_ identifier: String, _ value: String) throws -> AttestationCertificate {
            var device = try TestDevice()
            device.dac.extensions = [
                AttestationExtension(objectIdentifier: hex(identifier), isCritical: true, value: hex(value))
            ]
            return try AttestationCertificate(der: try device.dac.signed(with: device.paiKey))
        }
        // FALSE written out, trailing zero bits written out.
        #expect(try certificate("551d13", "3003010100").basicConstraints == BasicConstraints(isCA: false))
        #expect(try certificate("551d0f", "03020080").keyUsage == .digitalSignature)
        #expect(try certificate("551d0f", "0303078080").keyUsage == [.digitalSignature, .decipherOnly])
        #expect(try certificate("551d0f", "030100").keyUsage == [])
        #expect(try certificate("551d13", "30060101ff020100").basicConstraints?.pathLength == 0)
        for (identifier, value) in [
            ("551d13", "3003010101"), ("551d13", "30060101ff0201ff"), ("551d13", "30070101ff02020100"),
            ("551d13", "0500"), ("551d13", "30060101ff020101 00"), ("551d0f", "0302 0881"), ("551d0f", "03020781"),
            ("551d0f", "0300"), ("551d0f", "030101"), ("551d0f", "030400808080"), ("551d0e", "3000"),
            ("551d23", "3000 00"), ("551d23", "3003 810100 00"), ("551d23", "0400"),
        ] {
            #expect(throws: CredentialsError.self, "\(identifier) \(value)") { try certificate(identifier, value) }
        }
        #expect(try certificate("551d23", "3000").authorityKeyIdentifier == nil)
    }

    @Test("NULL parameters of the signature algorithm are understood, as some roots have them")
    func nullParameters() throws {
        let device = try TestDevice()
        var text = hexString(try device.dac.signed(with: device.paiKey))
        let plain = "300a06082a8648ce3d040302"
        #expect(text.ranges(of: plain).count == 2)
        text = text.replacing(plain, with: "300c06082a8648ce3d0403020500")
        var octets = hex(text)
        for (header, growth) in [(0, 4), (4, 2)] {
            let length = Int(octets[header + 2]) << 8 + Int(octets[header + 3]) + growth
            octets[header + 2] = UInt8(length >> 8)
            octets[header + 3] = UInt8(length & 0xFF)
        }
        #expect(throws: Never.self) { try AttestationCertificate(der: octets) }
        let wrong = hex(hexString(octets).replacing("0403020500", with: "0403020400"))
        #expect(throws: CredentialsError.self) { try AttestationCertificate(der: wrong) }
    }
}

@Suite("vendor and product")
struct VendorAndProductTests {
    static func names(_ commonName: String, vendorID: UInt16? = nil, productID: UInt16? = nil) throws
        -> VendorAndProduct
    {
        try VendorAndProduct(
            subject: AttestationName(
                commonName: commonName, vendorID: vendorID.map { VendorID($0) }, productID: productID))
    }

    static func both(_ vendorID: UInt16?, _ productID: UInt16?) -> VendorAndProduct {
        VendorAndProduct(vendorID: vendorID.map { VendorID($0) }, productID: productID)
    }

    @Test(
        "the common name speaks where there are no attributes",
        arguments: [
            ("ACME Matter Devel DAC 5CDA9899 Mvid:FFF1 Mpid:00B1", 0xFFF1, 0x00B1),
            ("ACME Mpid:00B1,Mvid:FFF1", 0xFFF1, 0x00B1), ("Mpid:00B1Mvid:FFF1", 0xFFF1, 0x00B1),
            ("Mvid:Mvid:FFF1", 0xFFF1, nil), ("Mvid:fff1Mvid:12AB", 0x12AB, nil), ("Mvid:FFF12", 0xFFF1, nil),
            ("mvid:FFF1", nil, nil), ("Mvid FFF1", nil, nil), ("Mpid:0000", nil, 0),
            (String(repeating: "x", count: 55) + "Mvid:FFF1", 0xFFF1, nil),
            (String(repeating: "x", count: 64) + "Mvid:FFF1", nil, nil),
        ] as [(String, UInt16?, UInt16?)])
    func fallback(name: String, vendorID: UInt16?, productID: UInt16?) throws {
        #expect(try Self.names(name) == Self.both(vendorID, productID))
    }

    @Test(
        "a prefix that is never followed by four digits is refused, even where it is not needed",
        arguments: [
            "Mvid:FF1", "Mvid:fff1", "Mvid:FFF", "x Mpid:", "Mvid:FFF1 Mpid:00b1", "",
            String(repeating: "x", count: 56) + "Mvid:FFF1",
        ])
    func malformed(name: String) throws {
        #expect(throws: CredentialsError.self) { try Self.names(name) }
        #expect(throws: CredentialsError.self) { try Self.names(name, vendorID: 1, productID: 2) }
    }

    @Test("one attribute is enough to silence the common name")
    func attributes() throws {
        #expect(try Self.names("x Mvid:FFF1 Mpid:00B1", vendorID: 0x1234) == Self.both(0x1234, nil))
        #expect(try Self.names("x Mvid:FFF1", productID: 0x1234) == Self.both(nil, 0x1234))
        #expect(try Self.names("x").description == "no VID")
        #expect(try Self.names("x", vendorID: 0xA, productID: 0xB).description == "VID 000A, PID 000B")
    }

    @Test("attributes are four upper-case digits in a plain string, one of each kind")
    func attributeForms() throws {
        // Relative names: type 1.3.6.1.4.1.37244.2.1 with a value.
        func vendor(_ value: String) -> String { "31143012060a2b0601040182a27c0201" + value }
        func name(_ sets: String...) throws -> VendorAndProduct {
            let body = hex(sets.joined())
            return try VendorAndProduct(subject: AttestationName(der: [0x30, UInt8(body.count)] + body))
        }
        #expect(try name(vendor("0c0446464631")) == Self.both(0xFFF1, nil))
        #expect(try name(vendor("130446464631")) == Self.both(0xFFF1, nil))
        for value in ["0c0466666631", "040446464631", "0c0446464620"] {
            #expect(throws: CredentialsError.self, "\(value)") { try name(vendor(value)) }
        }
        #expect(throws: CredentialsError.self) { try name(vendor("0c0446464631"), vendor("0c0446464631")) }
        // Two attributes in one relative name.
        let pair = "3012060a2b0601040182a27c02010c0446464631" + "3012060a2b0601040182a27c02020c0438303031"
        #expect(try name("3128" + pair) == Self.both(0xFFF1, 0x8001))
        #expect(throws: CredentialsError.self) { try name("3100") }
        #expect(throws: CredentialsError.self) { try AttestationName(der: [0x30]) }
    }
}
