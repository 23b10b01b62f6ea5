import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("attestation verifier")
struct AttestationVerifierTests {
    /// One way to be wrong, and what a commissioner says to it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let result: AttestationResult
        let apply: @Sendable (inout TestDevice) throws -> Void

        init(
            _ name: String, _ result: AttestationResult, _ apply: @escaping @Sendable (inout TestDevice) throws -> Void
        ) {
            self.name = name
            self.result = result
            self.apply = apply
        }

        var testDescription: String { name }
    }

    static func chained(
        _ device: inout TestDevice, _ change: @escaping @Sendable (inout AttestationEvidence) -> Void
    ) {
        let before = device.alter
        device.alter = {
            before(&$0)
            change(&$0)
        }
    }

    static let stranger = try? P256PrivateKey.generate(SeededRandom(99))

    static func strangerKey() throws -> P256PrivateKey { try #require(stranger) }

    /// One fault for each step, in the order in which they count; none of them touches another's place.
    static let ordered: [Fault] = [
        Fault("no PAI", .paiMissing) { device in chained(&device) { $0.pai = [] } },
        Fault("a PAI with a path length", .paiFormatInvalid) {
            $0.pai.extensions[0] = .basicConstraints(BasicConstraints(isCA: true, pathLength: 1))
        },
        Fault("a DAC for certificates", .dacFormatInvalid) { $0.dac.extensions[1] = .keyUsage([.keyCertSign]) },
        Fault("a DAC without product", .dacProductIDMismatch) {
            $0.dac.subject = AttestationName(commonName: "Device", vendorID: TestDevice.vendorID)
        },
        Fault("an answer signed by another key", .attestationSignatureInvalid) {
            $0.responseSigner = try strangerKey()
        },
        Fault("an authority for a product", .paaFormatInvalid) {
            let name = AttestationName(commonName: "Root", vendorID: TestDevice.vendorID, productID: 1)
            $0.paa.subject = name
            $0.paa.issuer = name
            $0.pai.issuer = name
        },
        Fault("a DAC that has expired", .dacExpired) {
            $0.dac.validity = CertificateValidity(notBefore: TestDevice.now - 60, notAfter: TestDevice.now - 1)
        },
        Fault("a PAI signed by another key", .dacSignatureInvalid) { $0.paiSigner = try strangerKey() },
        Fault("another nonce", .nonceMismatch) { $0.answeredNonce = [UInt8](repeating: 9, count: 32) },
        Fault("a declaration signed by another key", .declarationInvalidSignature) {
            $0.declarationSigner = try strangerKey()
        },
        Fault("a certificate id that is too short", .declarationInvalidFormat) { $0.elements.certificateID = "CSA" },
    ]

    static let others: [Fault] = [
        Fault("no DAC", .invalidArgument) { device in chained(&device) { $0.dac = [] } },
        Fault("no elements", .invalidArgument) { device in chained(&device) { $0.response.elements = [] } },
        Fault("no signature", .invalidArgument) { device in chained(&device) { $0.response.signature = [] } },
        Fault("elements of 901 octets", .invalidArgument) { device in
            chained(&device) { $0.response.elements = [UInt8](repeating: 0x18, count: 901) }
        },
        Fault("a nonce of 31 octets of ours", .invalidArgument) { device in
            chained(&device) { $0.nonce.removeLast() }
        },
        Fault("a challenge of 15 octets", .invalidArgument) { device in
            chained(&device) { $0.attestationChallenge.removeLast() }
        },
        Fault("a PAI that is none", .paiFormatInvalid) { device in chained(&device) { $0.pai = [0x30, 0x00] } },
        Fault("a PAI of 601 octets", .paiFormatInvalid) { device in
            chained(&device) { $0.pai = [UInt8](repeating: 0x30, count: 601) }
        },
        Fault("a DAC in the PAI's place", .paiFormatInvalid) { device in chained(&device) { $0.pai = $0.dac } },
        Fault("a PAI in the DAC's place", .dacFormatInvalid) { device in chained(&device) { $0.dac = $0.pai } },
        Fault("a DAC with octets after it", .dacFormatInvalid) { device in chained(&device) { $0.dac.append(0) } },
        Fault("a DAC whose key identifier is critical", .dacFormatInvalid) {
            let identifier = $0.dac.extensions[2]
            $0.dac.extensions[2] = AttestationExtension(
                objectIdentifier: identifier.objectIdentifier, isCritical: true, value: identifier.value)
        },
        Fault("a DAC with an extension twice", .dacFormatInvalid) { $0.dac.extensions.append($0.dac.extensions[2]) },
        Fault("a DAC with a key identifier of 19 octets", .dacFormatInvalid) {
            $0.dac.extensions[2] = .subjectKeyIdentifier([UInt8](repeating: 1, count: 19))
        },
        Fault("a PAI that signs certificates only", .paiFormatInvalid) {
            $0.pai.extensions[1] = .keyUsage([.keyCertSign])
        },
        Fault("a DAC with the product in lower case", .dacFormatInvalid) {
            $0.dac.subject = AttestationName(commonName: "Device Mvid:1234 Mpid:80ab")
        },
        Fault("a PAI without vendor", .dacVendorIDMismatch) {
            $0.pai.subject = AttestationName(commonName: "Intermediate")
            $0.dac.issuer = $0.pai.subject
        },
        Fault("a DAC of another vendor", .dacVendorIDMismatch) {
            $0.dac.subject = AttestationName(
                commonName: "Device", vendorID: VendorID(0x4321), productID: TestDevice.productID)
        },
        Fault("a PAI for another product", .dacProductIDMismatch) {
            $0.pai.subject = AttestationName(commonName: "Intermediate", vendorID: TestDevice.vendorID, productID: 1)
            $0.dac.issuer = $0.pai.subject
        },
        Fault("a signature of 63 octets", .signatureInvalidFormat) { device in
            chained(&device) { $0.response.signature.removeLast() }
        },
        Fault("an answer from another session", .attestationSignatureInvalid) { device in
            chained(&device) { $0.attestationChallenge[0] ^= 1 }
        },
        Fault("a PAI of an unknown authority", .paaNotFound) {
            $0.pai.extensions[3] = .authorityKeyIdentifier([UInt8](repeating: 3, count: 20))
        },
        Fault("an authority for another vendor", .paiVendorIDMismatch) {
            let name = AttestationName(commonName: "Root", vendorID: VendorID(0x4321))
            $0.paa.subject = name
            $0.paa.issuer = name
            $0.pai.issuer = name
        },
        Fault("an authority with a malformed vendor", .paaFormatInvalid) {
            let name = AttestationName(commonName: "Root Mvid:12")
            $0.paa.subject = name
            $0.paa.issuer = name
            $0.pai.issuer = name
        },
        Fault("an authority with path length 2", .paaFormatInvalid) {
            $0.paa.extensions[0] = .basicConstraints(BasicConstraints(isCA: true, pathLength: 2))
        },
        Fault("a DAC that is not valid yet", .dacExpired) {
            $0.dac.validity = CertificateValidity(notBefore: TestDevice.now + 1, notAfter: TestDevice.now + 60)
        },
        Fault("a DAC signed by another key", .dacSignatureInvalid) { $0.dacSigner = try strangerKey() },
        Fault("a DAC issued by another name", .dacSignatureInvalid) {
            $0.dac.issuer = AttestationName(commonName: "Another", vendorID: TestDevice.vendorID)
        },
        Fault("a PAI issued by another name", .dacSignatureInvalid) {
            $0.pai.issuer = AttestationName(commonName: "Root", vendorID: VendorID(0x4321))
        },
        Fault("a DAC that names another issuer key", .dacSignatureInvalid) {
            $0.dac.extensions[3] = .authorityKeyIdentifier([UInt8](repeating: 3, count: 20))
        },
        Fault("a PAI that began after the DAC", .dacSignatureInvalid) {
            $0.pai.validity = CertificateValidity(notBefore: TestDevice.now - 60, notAfter: TestDevice.now + 60)
        },
        Fault("an authority that ended before the DAC began", .dacSignatureInvalid) {
            $0.paa.validity = CertificateValidity(notBefore: 1, notAfter: TestDevice.now - 100_000)
        },
        Fault("an unknown critical extension", .dacSignatureInvalid) {
            $0.dac.extensions.append(
                AttestationExtension(objectIdentifier: [0x2A, 0x03], isCritical: true, value: [0x05, 0x00]))
        },
        Fault("elements that are not TLV", .attestationElementsMalformed) { device in
            let key = device.dacKey
            let challenge = device.challenge
            chained(&device) {
                let signature = try? key.sign([0xFF] + challenge)
                $0.response = AttestationResponse(elements: [0xFF], signature: signature ?? [])
            }
        },
        Fault("a declaration that is not CMS", .declarationNoKeyID) { $0.alterDeclaration = { $0 = [0x30, 0x00] } },
        Fault("a declaration by an unknown signer", .declarationNoCertificateFound) { device in
            let key = try strangerKey()
            let content = device.elements.encoded()
            device.alterDeclaration = {
                $0 = (try? CertificationDeclaration(content: content, signedWith: key).cms) ?? []
            }
        },
        Fault("format version 2", .attestationElementsMalformed) { $0.elements.formatVersion = 2 },
        Fault("certification type 3", .attestationElementsMalformed) { $0.elements.certificationType = 3 },
        Fault("a declaration without products", .declarationInvalidFormat) { $0.elements.productIDs = [] },
        Fault("a declaration for 101 products", .declarationInvalidFormat) {
            $0.elements.productIDs = (0...99).map { UInt16($0) } + [TestDevice.productID]
        },
        Fault("a declaration for another vendor", .declarationInvalidVendorID) {
            $0.elements.vendorID = VendorID(0x4321)
        },
        Fault("a device that reports another vendor", .declarationInvalidVendorID) { $0.vendorID = VendorID(0x4321) },
        Fault("a device that reports another product", .declarationInvalidProductID) { $0.productID = 1 },
        Fault("a DAC for another product", .declarationInvalidProductID) {
            $0.dac.subject = AttestationName(commonName: "Device", vendorID: TestDevice.vendorID, productID: 7)
        },
        Fault("an origin of another vendor", .declarationInvalidVendorID) {
            $0.elements.origin = .init(vendorID: VendorID(0x4321), productID: TestDevice.productID)
        },
        Fault("an origin of another product", .declarationInvalidProductID) {
            $0.elements.origin = .init(vendorID: TestDevice.vendorID, productID: 0x8000)
        },
        Fault("a declaration for other authorities", .declarationInvalidPAA) {
            $0.elements.authorizedAuthorities = [[UInt8](repeating: 3, count: 20)]
        },
    ]

    @Test("a sound device is trusted, with every step passed but revocation")
    func trusted() throws {
        let report = try TestDevice().verify()
        #expect(report.verdict == .trusted)
        #expect(report.result == .success)
        #expect(report.failure == nil && report.hint == nil && report.failedStep == nil)
        #expect(report.checks.map(\.step) == AttestationStep.allCases)
        let open = report.checks.filter { $0.outcome != .passed }
        #expect(open.map(\.step) == [.revocation, .firmware, .setupCode, .advertisement])
        #expect(open.allSatisfy { $0.outcome == .notJudged && !$0.detail.isEmpty })
        let passed = report.checks.filter { $0.outcome == .passed }
        #expect(passed.allSatisfy { $0.expected != nil && $0.found != nil && $0.detail.isEmpty }, "\(passed)")
        #expect(report.checks.first { $0.step == .authority }?.origin == .directory(file: "root.der"))
        #expect(report.checks.first { $0.step == .declarationSigner }?.origin == .directory(file: "signer.der"))
        #expect(report.dacIdentifiers == VendorAndProduct(vendorID: VendorID(0x1234), productID: 0x8001))
        #expect(report.paiIdentifiers == VendorAndProduct(vendorID: VendorID(0x1234)))
        #expect(report.authority?.subject.description == "CN=Root, VID=1234")
        #expect(report.isDeclarationAuthentic)
        #expect(report.declarationElements?.productIDs == [0x8000, 0x8001])
    }

    @Test("a fault ends in its code", arguments: ordered + others)
    func codes(fault: Fault) throws {
        var device = try TestDevice()
        try fault.apply(&device)
        let report = try device.verify()
        #expect(report.result == fault.result, "\(report.lines)")
        #expect(report.verdict == .untrusted)
        let failed = try #require(report.checks.first { $0.step == report.failedStep })
        #expect(failed.outcome == .failed(fault.result))
        #expect(failed.expected != nil && failed.found != nil && !failed.detail.isEmpty, "\(failed)")
        #expect(report.hint != nil)
        #expect(report.failure?.contains("(\(fault.result.rawValue), step \(failed.step))") == true)
    }

    @Test("of two faults the one in the earlier step counts")
    func precedence() throws {
        for (index, first) in Self.ordered.enumerated() {
            for second in Self.ordered[(index + 1)...] {
                var device = try TestDevice()
                try second.apply(&device)
                try first.apply(&device)
                let report = try device.verify()
                #expect(report.result == first.result, "\(first.name) and \(second.name)")
            }
        }
    }

    @Test("an authority of which only key, key identifier and name are known serves as well")
    func bareAnchor() throws {
        let device = try TestDevice()
        var trust = TrustStore()
        trust.add(
            TrustAnchor(
                keyIdentifier: device.paaKey.publicKey.keyIdentifier, publicKey: device.paaKey.publicKey,
                subject: device.paa.subject, origin: .ledger(day: "2026-07-15")))
        let report = try device.verify(trust: trust)
        #expect(report.result == .declarationNoCertificateFound)
        #expect(report.checks.first { $0.step == .chain }?.outcome == .passed)
    }

    @Test("among authorities with one key identifier the one with the right name counts")
    func sharedKeyIdentifier() throws {
        let device = try TestDevice()
        let key = device.paaKey.publicKey
        var trust = try device.trust()
        let right = try #require(trust.authorities.first)
        trust = TrustStore()
        for subject in [AttestationName(commonName: "Other"), right.subject] {
            trust.add(
                TrustAnchor(keyIdentifier: key.keyIdentifier, publicKey: key, subject: subject, origin: .builtIn))
        }
        #expect(try device.verify(trust: trust).checks.first { $0.step == .chain }?.outcome == .passed)
    }

    @Test("a development authority or declaration key makes the verdict test, and may not sign for official products")
    func development() throws {
        var device = try TestDevice()
        let signer = device.declarationKey.publicKey
        var trust = TrustStore(files: [TrustFile(path: "root", contents: try device.paa.signed(with: device.paaKey))])
        trust.add(
            DeclarationSigner(
                keyIdentifier: signer.keyIdentifier, publicKey: signer, subject: AttestationName(commonName: "x"),
                origin: .development))
        #expect(try device.verify(trust: trust).result == .declarationNoCertificateFound)
        for type in [CertificationType.developmentAndTest, .provisional] {
            device.elements.certificationType = type.rawValue
            #expect(try device.verify(trust: trust).verdict == .test)
        }

        device = try TestDevice()
        var store = TrustStore()
        store.add(
            TrustAnchor(
                keyIdentifier: device.paaKey.publicKey.keyIdentifier, publicKey: device.paaKey.publicKey,
                subject: device.paa.subject, origin: .development))
        for signer in try device.trust().declarationSigners { store.add(signer) }
        let report = try device.verify(trust: store)
        #expect(report.verdict == .test)
        #expect(report.result == .success)
    }

    @Test("an origin stands for what the certificates name")
    func origin() throws {
        var device = try TestDevice()
        device.elements.origin = .init(vendorID: TestDevice.vendorID, productID: TestDevice.productID)
        device.elements.vendorID = VendorID(0x4321)
        device.elements.productIDs = [5]
        device.vendorID = VendorID(0x4321)
        device.productID = 5
        device.elements.authorizedAuthorities = [
            [UInt8](repeating: 1, count: 20), device.paaKey.publicKey.keyIdentifier,
        ]
        #expect(try device.verify().verdict == .trusted)
    }

    @Test("extensions that do not bear on the chain may be critical")
    func harmlessExtension() throws {
        var device = try TestDevice()
        device.dac.extensions.append(
            AttestationExtension(
                objectIdentifier: hex("551d25"), isCritical: true, value: hex("300a06082b06010505070301")))
        #expect(try device.verify().verdict == .trusted)
    }

    @Test("without a right clock the dates of the DAC do not count")
    func unknownTime() throws {
        var device = try TestDevice()
        device.dac.validity = CertificateValidity(notBefore: TestDevice.now - 60, notAfter: TestDevice.now - 1)
        for time in [ValidationTime.none, .lastKnownGood(TestDevice.now)] {
            let report = try device.verify(at: time)
            #expect(report.checks.first { $0.step == .dacValidity }?.outcome == .notJudged)
            #expect(report.verdict == .trusted)
        }
    }

    @Test("a setup code or mDNS record for another product is a warning that says which")
    func toldProducts() throws {
        var device = try TestDevice()
        let (right, wrong) = (VendorAndProduct(productID: 0x8001), VendorAndProduct(vendorID: VendorID(0x4321)))
        for (told, outcome) in [(right, AttestationCheck.Outcome.passed), (wrong, .warned)] {
            device.alter = {
                $0.setupCode = told
                $0.advertised = told
            }
            let report = try device.verify()
            #expect(report.verdict == .trusted)
            for step in [AttestationStep.setupCode, .advertisement] {
                let check = try #require(report.checks.first { $0.step == step })
                #expect(check.outcome == outcome && check.expected == "VID 1234, PID 8001 (Basic Information)")
                #expect(check.found?.hasPrefix("\(told) (") == true)
            }
        }
        // The reported product is allowed, and that of its code is not.
        device.alter = {
            $0.setupCode = VendorAndProduct(productID: 0x8002)
            $0.productID = nil
        }
        let check = try #require(try device.verify().checks.first { $0.step == .setupCode })
        #expect(check.outcome == .warned && check.detail.contains("declaration"))
    }

    @Test("a device that lacks nothing but a known authority is told from one with a further fault")
    func lonelyFault() throws {
        var device = try TestDevice()
        #expect(!(try device.verify().lacksOnlyAuthority))
        var store = TrustStore()
        for signer in try device.trust().declarationSigners { store.add(signer) }
        #expect(try device.verify(trust: store).lacksOnlyAuthority)
        device.dacSigner = try Self.strangerKey()
        let report = try device.verify(trust: store)
        #expect(report.result == .paaNotFound && !report.lacksOnlyAuthority)
        #expect(report.checks.first { $0.step == .chain }?.outcome == .failed(.dacSignatureInvalid))
    }

    @Test("what is no fault becomes a note")
    func notes() throws {
        var device = try TestDevice()
        device.elements.certificationType = CertificationType.provisional.rawValue
        device.pai.validity = CertificateValidity(notBefore: 1, notAfter: TestDevice.now - 60)
        let report = try device.verify()
        #expect(report.verdict == .trusted)
        #expect(report.notes.count == 1)
        let rules = try #require(report.checks.first { $0.step == .declarationRules })
        #expect(rules.outcome == .warned && rules.detail == "the certification of this product is provisional")
    }

    @Test("nothing is checked where checks are off")
    func skipped() {
        #expect(AttestationReport.skipped.verdict == .skipped)
        #expect(AttestationReport.skipped.result == nil)
        #expect(AttestationReport.skipped.lines == ["attestation: skipped"])
    }

    @Test("the codes are those of the reference implementation and all have words")
    func results() {
        #expect(AttestationResult.paaNotFound.rawValue == 101)
        #expect(AttestationResult.paiAndDACRevoked.rawValue == 208)
        #expect(AttestationResult.dacProductIDMismatch.rawValue == 306)
        #expect(AttestationResult.signatureInvalidFormat.rawValue == 503)
        #expect(AttestationResult.declarationInvalidPAA.rawValue == 606)
        #expect(Set(AttestationResult.allCases.map(\.description)).count == AttestationResult.allCases.count)
    }
}
