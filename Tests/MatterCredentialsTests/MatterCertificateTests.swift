import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("Matter certificate")
struct MatterCertificateTests {
    static func sample() throws -> MatterCertificate {
        try TestAuthority().node.signed(with: TestAuthority().intermediateKey)
    }

    /// The members of a valid TLV certificate, for tests that change one.
    static func members() throws -> [TLVElement] {
        guard case .structure(let members) = try TLVElement(decoding: sample().tlv).value else {
            throw CredentialsError(.malformed, "the sample is no structure")
        }
        return members
    }

    static func encoded(_ members: [TLVElement]) -> [UInt8] {
        TLVElement(.anonymous, .structure(members)).encoded()
    }

    static func code(_ bytes: [UInt8]) -> CredentialsError.Code? {
        do throws(CredentialsError) {
            _ = try MatterCertificate(tlv: bytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("certificates that OpenSSL made convert to Matter TLV and back")
    func openSSL() throws {
        let root = try MatterCertificate(der: OpenSSLSample.root)
        #expect(try root.kind == .root)
        #expect(root.rcacID == 0xA1)
        #expect(root.fabricID == FabricID(0x0102_0304_0506_0708))
        #expect(root.serialNumber == hex("00c3d4e5"))
        #expect(root.basicConstraints == BasicConstraints(isCA: true, pathLength: 1))
        #expect(root.keyUsage == [.digitalSignature, .keyCertSign, .crlSign])
        #expect(MatterEpoch.text(root.notAfter) == "2059-09-29T09:55:50Z")
        #expect(
            root.subject.attributes.map(\.value).prefix(3) == [
                .printableString(Array("SE".utf8)), .ia5String(Array("a.test".utf8)),
                .utf8String(Array("Å".utf8)),
            ])
        let noc = try MatterCertificate(der: OpenSSLSample.noc)
        #expect(noc.extensions.map { "\($0)".prefix { $0 != "(" } }.last == "extendedKeyUsage")
        #expect(noc.cats == [CASEAuthenticatedTag(0x0042_0007)])
        for (certificate, der) in [(root, OpenSSLSample.root), (noc, OpenSSLSample.noc)] {
            let again = try MatterCertificate(tlv: certificate.tlv)
            #expect(again == certificate && again.tbs == certificate.tbs)
            #expect(try again.der() == der)
        }
        let chain = OperationalChain(noc: noc, icac: nil, root: root)
        let identity = try chain.validate(at: .now(noc.notBefore), requiring: .server)
        #expect(identity.nodeID == NodeID(5))
        try OperationalChain.validate(root: root)
    }

    @Test("tags of PrintableString and IA5String attributes are as the specification has them")
    func stringTags() throws {
        let root = try MatterCertificate(der: OpenSSLSample.root)
        guard case .structure(let members) = try TLVElement(decoding: root.tlv).value,
            case .list(let subject) = members[5].value
        else { return #expect(Bool(false), "the certificate has another shape") }
        #expect(subject.map(\.tag) == [.context(0x84), .context(16), .context(1), .context(20), .context(21)])
    }

    @Test("the octets of a decoded certificate are kept, even with wide integers")
    func wideIntegers() throws {
        let certificate = try Self.sample()
        var wide = certificate.tlv
        // Tag 2 with one octet of value becomes tag 2 with four.
        let narrow: [UInt8] = [0x24, 0x02, 0x01]
        let index = try #require(wide.indices.first { wide[$0...].starts(with: narrow) })
        wide.replaceSubrange(index..<index + 3, with: [0x26, 0x02, 0x01, 0, 0, 0])
        let decoded = try MatterCertificate(tlv: wide)
        #expect(decoded.tlv == wide)
        #expect(decoded.tbs == certificate.tbs)
        #expect(try decoded.der() == certificate.der())
        #expect(decoded != certificate)
    }

    @Test("each element must be there, in its place, and nothing else")
    func order() throws {
        let members = try Self.members()
        #expect(members.count == 11)
        #expect(Self.code(Self.encoded(members)) == nil)
        for index in members.indices {
            var fewer = members
            fewer.remove(at: index)
            #expect(Self.code(Self.encoded(fewer)) == .malformed)
            var changed = members
            changed[index].value = .null
            #expect(Self.code(Self.encoded(changed)) != nil)
        }
        for index in members.indices.dropLast() {
            var swapped = members
            swapped.swapAt(index, index + 1)
            #expect(Self.code(Self.encoded(swapped)) == .malformed)
        }
        #expect(Self.code(Self.encoded(members + [TLVElement(12, .null)])) == .malformed)
        #expect(Self.code(Self.encoded(members) + [0]) == .malformed)
        #expect(Self.code(TLVElement(.anonymous, .list(members)).encoded()) == .malformed)
        #expect(Self.code([]) == .malformed)
    }

    @Test(
        "elements with impossible values are refused",
        arguments: [
            (0, .octets([]), .malformed), (0, .octets([UInt8](repeating: 1, count: 21)), .malformed),
            (0, .octets([0, 1]), .malformed), (0, .octets([0xFF, 0x80]), .malformed),
            (1, .uint(2), .unsupportedAlgorithm), (1, .int(1), .malformed),
            (2, .list([]), .invalidName), (2, .structure([]), .malformed),
            (3, .uint(1 << 32), .malformed), (4, .uint(1), .invalidValidity),
            (6, .uint(2), .unsupportedAlgorithm), (7, .uint(2), .unsupportedAlgorithm),
            (8, .octets([UInt8](repeating: 4, count: 65)), .invalidPublicKey), (8, .octets([4]), .invalidPublicKey),
            (9, .structure([]), .malformed), (9, .list([]), .invalidExtension),
            (10, .octets([UInt8](repeating: 1, count: 63)), .malformed),
        ] as [(Int, TLVValue, CredentialsError.Code)])
    func values(index: Int, value: TLVValue, code: CredentialsError.Code) throws {
        var members = try Self.members()
        members[index].value = value
        #expect(Self.code(Self.encoded(members)) == code)
    }

    @Test(
        "subjects with impossible attributes are refused",
        arguments: [
            ([TLVElement(17, .uint(0))], .invalidNodeID),
            ([TLVElement(17, .uint(0xFFFF_FFFD_0000_0001))], .invalidNodeID),
            ([TLVElement(21, .uint(0))], .invalidFabricID), ([TLVElement(22, .uint(0x0001_0000))], .invalidCAT),
            ([TLVElement(22, .uint(1 << 33))], .invalidCAT), ([TLVElement(24, .uint(1))], .invalidName),
            ([TLVElement(0, .string("x"))], .invalidName), ([TLVElement(1, .uint(5))], .invalidName),
            ([TLVElement(17, .string("0000000000000005"))], .invalidName),
            ([TLVElement(17 | 0x80, .string("0000000000000005"))], .invalidName),
            ([TLVElement(17 | 0x80, .uint(5))], .invalidName), ([TLVElement(16 | 0x80, .string("x"))], .invalidName),
            ([TLVElement(16, .string("ö"))], .invalidName), ([TLVElement(0x81, .string("ö"))], .invalidName),
            ([TLVElement(.anonymous, .string("x"))], .invalidName),
            ([TLVElement](repeating: TLVElement(1, .string("x")), count: 6), .invalidName),
        ] as [([TLVElement], CredentialsError.Code)])
    func names(attributes: [TLVElement], code: CredentialsError.Code) throws {
        var members = try Self.members()
        members[5].value = .list(attributes)
        #expect(Self.code(Self.encoded(members)) == code)
    }

    @Test(
        "impossible extensions are refused",
        arguments: [
            TLVElement(1, .structure([])), TLVElement(1, .structure([TLVElement(1, .uint(1))])),
            TLVElement(1, .structure([TLVElement(2, .uint(1)), TLVElement(1, .bool(true))])),
            TLVElement(1, .structure([TLVElement(1, .bool(false)), TLVElement(2, .uint(0))])),
            TLVElement(1, .structure([TLVElement(1, .bool(true)), TLVElement(2, .uint(256))])),
            TLVElement(1, .structure([TLVElement(1, .bool(true)), TLVElement(2, .uint(0)), TLVElement(3, .null)])),
            TLVElement(2, .uint(0)), TLVElement(2, .uint(0x200)), TLVElement(2, .uint(0x1_0001)),
            TLVElement(3, .array([])), TLVElement(3, .array([TLVElement(.anonymous, .uint(7))])),
            TLVElement(3, .array([TLVElement(.anonymous, .uint(257))])), TLVElement(3, .list([])),
            TLVElement(4, .octets([1])), TLVElement(5, .octets([UInt8](repeating: 0, count: 21))),
            TLVElement(6, .octets([])), TLVElement(6, .octets(hex("3000"))),
            // Basic constraints in disguise.
            TLVElement(6, .octets(hex("300c0603551d130101ff04023000"))),
            // A critical flag that is spelled out though false.
            TLVElement(6, .octets(hex("300d0603551d1101010004033001ff"))),
            TLVElement(7, .null), TLVElement(.anonymous, .uint(1)),
        ])
    func extensions(one: TLVElement) throws {
        var members = try Self.members()
        members[9].value = .list([one])
        #expect(Self.code(Self.encoded(members)) == .invalidExtension)
    }

    @Test("an extension that is there twice is refused")
    func twice() throws {
        var members = try Self.members()
        for one in [TLVElement(2, .uint(1)), TLVElement(6, .octets(hex("300d0603551d1104063004810274ff")))] {
            members[9].value = .list([one, one])
            #expect(Self.code(Self.encoded(members)) == .invalidExtension)
        }
    }

    @Test("every key usage and path length has the DER form of its named bits and integer")
    func extensionValues() throws {
        let authority = try TestAuthority()
        for bits in UInt16(1)...0x1FF {
            var contents = authority.root
            contents.extensions.replace(with: .keyUsage(KeyUsage(rawValue: bits)))
            contents.extensions.replace(
                with: .basicConstraints(BasicConstraints(isCA: true, pathLength: UInt8(truncatingIfNeeded: bits))))
            let tbs = try MatterCertificate(
                TBSCertificate(
                    serialNumber: [1], issuer: DistinguishedName(contents.issuer), notBefore: 1, notAfter: 0,
                    subject: DistinguishedName(contents.subject), publicKey: contents.publicKey,
                    extensions: contents.extensions), signature: [UInt8](repeating: 1, count: 64))
            #expect(try MatterCertificate(der: tbs.der()) == tbs)
        }
    }

    @Test("names match by octets, not by Unicode equivalence")
    func equivalence() throws {
        let composed = try DistinguishedName([DistinguishedNameAttribute(.commonName, "\u{E9}")])
        let decomposed = try DistinguishedName([DistinguishedNameAttribute(.commonName, "e\u{301}")])
        #expect("\u{E9}" == "e\u{301}")
        #expect(composed != decomposed)
    }

    @Test("control characters of a name do not reach a terminal")
    func escaping() throws {
        let name = try DistinguishedName([
            DistinguishedNameAttribute(.commonName, "a\u{1B}[31m\n\u{202E}b"), .cat(CASEAuthenticatedTag(0x0042_0007)),
        ])
        #expect(!name.description.unicodeScalars.contains("\u{1B}"))
        #expect(!name.description.unicodeScalars.contains("\n"))
        #expect(!name.description.unicodeScalars.contains("\u{202E}"))
        #expect(name.description.hasSuffix(", matter-noc-cat=00420007"))
    }

    @Test("certificates longer than 400 octets of TLV or 600 of DER are refused")
    func sizes() throws {
        let authority = try TestAuthority()
        var contents = authority.node
        contents.subject.append(DistinguishedNameAttribute(.commonName, String(repeating: "x", count: 200)))
        let long = contents
        let error = #expect(throws: CredentialsError.self) { _ = try long.signed(with: authority.intermediateKey) }
        #expect(error?.code == .tooLarge)
        #expect(Self.code([UInt8](repeating: 0x15, count: 401)) == .tooLarge)
        let der = #expect(throws: CredentialsError.self) {
            _ = try MatterCertificate(der: [UInt8](repeating: 0x30, count: 601))
        }
        #expect(der?.code == .tooLarge)

        // Short in TLV, long in DER: five numbers in each name, and key identifiers.
        contents = authority.node
        contents.subject =
            [.nodeID(NodeID(5)), .fabricID(TestAuthority.fabricID)]
            + [0x0001_0001, 0x0002_0001, 0x0003_0001].map { .cat(CASEAuthenticatedTag($0)) }
        contents.issuer =
            [TestAuthority.identifier(.icacID, .max), .fabricID(TestAuthority.fabricID)]
            + [DistinguishedNameAttribute(.commonName, String(repeating: "x", count: 40))]
        let wide = try contents.signed(with: authority.intermediateKey)
        let conversion = #expect(throws: CredentialsError.self) { _ = try wide.der() }
        #expect(conversion?.code == .tooLarge)
    }
}

@Suite("certificate times")
struct CertificateTimeTests {
    @Test(
        "times convert both ways in the kind that their year demands",
        arguments: [
            (1, "3030303130313030303030315a", 0x17), (773_926_783, nil, 0x17),
            // 2049-12-31T23:59:59Z and the second after it.
            (1_577_923_199, "3439313233313233353935395a", 0x17),
            (1_577_923_200, "32303530303130313030303030305a", 0x18),
            // 2000-02-29 and 2100-03-01: leap year and no leap year.
            (5_097_600, "3030303232393030303030305a", 0x17), (3_160_857_600, "32313030303330313030303030305a", 0x18),
            (.max, "32313336303230373036323831355a", 0x18), (0, "39393939313233313233353935395a", 0x18),
        ] as [(UInt32, String?, UInt8)])
    func conversion(seconds: UInt32, text: String?, tag: UInt8) throws {
        let authority = try TestAuthority()
        var contents = authority.root
        contents.notBefore = min(seconds, 1)
        contents.notAfter = seconds
        let certificate = try contents.signed(with: authority.rootKey)
        let der = try certificate.der()
        if let text {
            let value = [tag, UInt8(text.count / 2)] + hex(text)
            #expect(der.indices.contains { der[$0...].starts(with: value) })
        }
        let again = try MatterCertificate(der: der)
        #expect(again.notAfter == seconds)
        #expect(again == certificate)
    }

    @Test(
        "times that a Matter certificate cannot express, or that are not DER, are refused",
        arguments: [
            ("3439313233313233353935395a", "3530303130313030303030305a"),  // 1950
            ("3439313233313233353935395a", "3439313333313233353935395a"),  // month 13
            ("3439313233313233353935395a", "3439313133313233353935395a"),  // 31 November
            ("3439313233313233353935395a", "3439303232393233353935395a"),  // 29 February 2049
            ("3439313233313233353935395a", "3439313233313234303030305a"),  // hour 24
            ("3439313233313233353935395a", "3439313233313233353936305a"),  // second 60
            ("3439313233313233353935395a", "34393132333132333539353930"),  // no Z
            ("3439313233313233353935395a", "3030303130313030303030305a"),  // the epoch itself
        ])
    func refused(valid: String, wrong: String) throws {
        let authority = try TestAuthority()
        var contents = authority.root
        contents.notBefore = 1
        contents.notAfter = 1_577_923_199
        var der = try contents.signed(with: authority.rootKey).der()
        let index = try #require(der.indices.first { der[$0...].starts(with: hex(valid)) })
        der.replaceSubrange(index..<index + 13, with: hex(wrong))
        let damaged = der
        #expect(throws: CredentialsError.self) { _ = try MatterCertificate(der: damaged) }
    }

    @Test("Matter time counts from 2000 and knows its bounds")
    func epoch() {
        #expect(MatterEpoch.seconds(unix: 946_684_800) == 0)
        #expect(MatterEpoch.seconds(unix: 946_684_799) == nil)
        #expect(MatterEpoch.seconds(unix: .min) == nil)
        #expect(MatterEpoch.seconds(unix: .max) == nil)
        #expect(MatterEpoch.seconds(unix: 946_684_800 + Int64(UInt32.max)) == .max)
        #expect(MatterEpoch.unix(1) == 946_684_801)
        #expect(MatterEpoch.text(838_857_600) == "2026-08-01T00:00:00Z")
        #expect(MatterEpoch.text(0) == "never")
    }
}
