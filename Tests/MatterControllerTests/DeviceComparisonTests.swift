import MatterBase
import Testing

@testable import MatterController
@testable import MatterCrypto

/// A device beside its label, its manifest, its certificates and the ledger.
@Suite("A device of a manifest, compared") struct DeviceComparisonTests {
    private static func payload(
        _ vendor: UInt16? = 0xFFF1, _ product: UInt16? = 0x8001, discriminator: UInt16 = 3840,
        passcode: UInt32 = 20_202_021
    ) throws -> SetupPayload {
        SetupPayload(
            vendorID: vendor, productID: product, discoveryCapabilities: .onNetwork,
            discriminator: try SetupDiscriminator(long: discriminator), passcode: try SetupPasscode(passcode))
    }

    private static func manual(_ payload: SetupPayload) throws -> SetupPayload {
        try #require(try SetupPayload.parse(payload.manualCode()).first)
    }

    private static func attestation(
        vendor: UInt16 = 0xFFF1, product: UInt16? = 0x8001, declared: UInt16 = 0xFFF1, products: [UInt16] = [0x8001],
        origin: CertificationElements.Origin? = nil, certificate: String = "CSA00000SWC00000-01"
    ) -> AttestationReport {
        var report = AttestationReport(verdict: .trusted)
        report.dacIdentifiers = VendorAndProduct(vendorID: VendorID(vendor), productID: product)
        report.declarationElements = CertificationElements(
            vendorID: VendorID(declared), productIDs: products, deviceTypeID: 256, certificateID: certificate,
            certificationType: .official, origin: origin)
        report.isDeclarationAuthentic = true
        return report
    }

    private static func ledger(
        status: Int = 2, version: UInt32 = 7, certificate: String = "CSA00000SWC00000-01"
    ) throws -> LedgerStanding {
        let model = try JSONValue(parsing: #"{"vid":65521,"pid":32769,"productName":"Lamp"}"#)
        let compliance = try JSONValue(
            parsing: #"""
                {"vid":65521,"pid":32769,"softwareVersion":\#(version),"softwareVersionCertificationStatus":\#(status),
                "cDCertificateId":"\#(certificate)"}
                """#)
        return LedgerStanding(
            vendorID: 0xFFF1, productID: 0x8001, version: version,
            model: .found(try LedgerQuery<LedgerModel>.model(0xFFF1, 0x8001).read(model)),
            compliance: .found(try LedgerQuery<LedgerCompliance>.compliance(0xFFF1, 0x8001, version).read(compliance)))
    }

    /// Of a device in order.
    private static func sound() throws -> DeviceComparison {
        var device = DeviceManifest.Device(line: 2)
        device.qrCode = try payload()
        device.manualCode = try manual(try payload())
        (device.vendorID, device.productID, device.serialNumber) = (0xFFF1, 0x8001, "A-1")
        (device.discriminator, device.softwareVersion) = (3840, 7)
        var comparison = DeviceComparison(device: device)
        comparison.answer = DeviceComparison.Answer(
            vendorID: 0xFFF1, productID: 0x8001, serialNumber: "A-1", softwareVersion: 7)
        comparison.attestation = .done(attestation())
        comparison.ledger = try ledger()
        return comparison
    }

    /// The case that a change is about; the others stay as they are.
    private static func judged(
        _ kind: DeviceCheckCase.Kind, others: Set<DeviceCheckCase.Kind> = [],
        _ change: (inout DeviceComparison) throws -> Void
    ) throws -> DeviceCheckCase {
        var comparison = try sound()
        try change(&comparison)
        let cases = comparison.cases
        let wrong = cases.filter { $0.kind != kind && $0.verdict != .passed && !others.contains($0.kind) }
        #expect(wrong.isEmpty, "\(wrong.map(\.kind)) \(wrong.map(\.reason))")
        return try #require(cases.first { $0.kind == kind })
    }

    @Test("a device in order passes all three, with evidence that holds no passcode")
    func sound() throws {
        let cases = try Self.sound().cases
        #expect(cases.map(\.kind) == [.label, .certificate, .ledger])
        #expect(cases.allSatisfy { $0.verdict == .passed && !$0.evidence.isEmpty }, "\(cases.map(\.reason))")
        #expect(!cases.contains { one in one.evidence.contains { $0.text.contains("20202021") } })
    }

    @Test("each value of the label that differs from another is a failure, which names both")
    func label() throws {
        let changes: [(String, (inout DeviceComparison) throws -> Void)] = [
            ("passcodes", { $0.device.manualCode = try Self.manual(try Self.payload(passcode: 20_202_022)) }),
            ("first bits", { $0.device.manualCode = try Self.manual(try Self.payload(discriminator: 256)) }),
            ("discriminator: 3841", { $0.device.discriminator = 3841 }),
            ("serial number: A-1 by the manifest, but A-2 by the device", { $0.answer?.serialNumber = "A-2" }),
            (
                "serial number: A-1 by the manifest, but B by the QR code",
                {
                    $0.device.qrCode?.extensionData.serialNumber = .text("B")
                }
            ),
            ("line 1 has this serial number", { $0.device.lineOfSameSerial = 1 }),
            ("flow of the QR code asks for 21", { $0.device.qrCode?.commissioningFlow = .custom }),
        ]
        for (text, change) in changes {
            let one = try Self.judged(.label, change)
            #expect(one.verdict == .failed && one.reason.contains(text), "\(text): \(one.reason)")
        }
        let other = try Self.judged(.label, others: [.certificate]) { $0.device.qrCode?.vendorID = 0xFFF2 }
        #expect(other.verdict == .failed && other.reason == "vendor: 0xFFF1 by the manifest, but 0xFFF2 by the QR code")
        let product = try Self.judged(.label, others: [.certificate]) { $0.answer?.productID = 0x8002 }
        #expect(product.verdict == .failed && product.reason.contains("0x8002 by the device"))
    }

    @Test("a code that is there twice, and more digits than are needed, are notes; strictly they are failures")
    func notes() throws {
        for change in [
            { (comparison: inout DeviceComparison) in comparison.device.lineOfSameCode = 1 },
            { (comparison: inout DeviceComparison) throws in
                comparison.device.manualCode = try SetupPayload.parse(try Self.payload().manualCode(withIDs: true))
                    .first
            },
        ] as [(inout DeviceComparison) throws -> Void] {
            let one = try Self.judged(.label, change)
            #expect(one.verdict == .noted)
            let strict = try Self.judged(.label) {
                try change(&$0)
                $0.isStrict = true
            }
            #expect(strict.verdict == .failed)
        }
        var alone = DeviceComparison(device: DeviceManifest.Device(line: 1))
        alone.device.qrCode = try Self.payload(nil, nil)
        #expect(alone.cases.map(\.verdict) == [.passed, .notTried, .notTried])
    }

    @Test("a certificate or a declaration of another product is a failure")
    func certificate() throws {
        let changes: [(String, DeviceCheckFacts.Tried<AttestationReport>)] = [
            ("0xFFF2 by its certificate", .done(Self.attestation(vendor: 0xFFF2))),
            ("0x8002 by its certificate", .done(Self.attestation(product: 0x8002))),
            ("0xFFF2 by the declaration", .done(Self.attestation(declared: 0xFFF2))),
            ("not for product 0x8001", .done(Self.attestation(products: [0x8002, 0x8003]))),
            ("names no product that can be read", .done(AttestationReport(verdict: .untrusted))),
            ("cannot read", .failed("cannot read the files")),
        ]
        for (text, attestation) in changes {
            let one = try Self.judged(.certificate) { $0.attestation = attestation }
            #expect(one.verdict == .failed && one.reason.contains(text), "\(text): \(one.reason)")
        }
        let bare = try Self.judged(.certificate) {
            var report = Self.attestation()
            report.declarationElements = nil
            $0.attestation = .done(report)
        }
        #expect(bare.verdict == .noted)
    }

    @Test("a declaration may say that the certificate is that of another product")
    func origin() throws {
        let origin = CertificationElements.Origin(vendorID: VendorID(0xFFF3), productID: 0x8007)
        let sound = try Self.judged(.certificate) {
            $0.attestation = .done(Self.attestation(vendor: 0xFFF3, product: 0x8007, origin: origin))
        }
        #expect(sound.verdict == .passed, "\(sound.reason)")
        let wrong = try Self.judged(.certificate) {
            $0.attestation = .done(Self.attestation(vendor: 0xFFF1, product: 0x8001, origin: origin))
        }
        #expect(wrong.verdict == .failed && wrong.reason.contains("vendor of origin"))
    }

    @Test(
        "a withdrawn certification, another version and another certificate id are failures; what is not known is a note"
    )
    func ledger() throws {
        let failures: [(String, (inout DeviceComparison) throws -> Void)] = [
            ("withdrawn", { $0.ledger = try Self.ledger(status: 3) }),
            ("certificate id", { $0.ledger = try Self.ledger(certificate: "CSA00000SWC00000-02") }),
            ("software version: 7 by the manifest, but 8 by the device", { $0.answer?.softwareVersion = 8 }),
        ]
        for (text, change) in failures {
            let one = try Self.judged(.ledger, change)
            #expect(one.verdict == .failed && one.reason.contains(text), "\(text): \(one.reason)")
        }
        let notes: [(String, (inout DeviceComparison) throws -> Void)] = [
            ("could not be asked: no way", { $0.ledger?.model = .unknown("no way") }),
            ("no product 0xFFF1 0x8001, whose vendor id is one for tests", { $0.ledger?.model = .absent }),
            ("no certification of software version 7", { $0.ledger?.compliance = .absent }),
            ("as provisional", { $0.ledger = try Self.ledger(status: 1) }),
            ("which software version it has is not known", { $0.ledger?.version = nil }),
        ]
        for (text, change) in notes {
            let one = try Self.judged(.ledger, change)
            #expect(one.verdict == .noted && one.reason.contains(text), "\(text): \(one.reason)")
            let strict = try Self.judged(.ledger) {
                try change(&$0)
                $0.isStrict = true
            }
            #expect(strict.verdict == .failed)
        }
        #expect(try Self.judged(.ledger) { $0.ledger = nil }.verdict == .notTried)
    }
}
