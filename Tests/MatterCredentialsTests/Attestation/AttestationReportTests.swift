import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("attestation report")
struct AttestationReportTests {
    @Test("an authority that is not found is named, with what was searched and what to do")
    func authorityNotFound() throws {
        let device = try TestDevice()
        let report = try device.verify(trust: TrustStore())
        #expect(report.result == .paaNotFound)
        #expect(report.soughtKeyIdentifier == device.paaKey.publicKey.keyIdentifier)
        #expect(report.soughtName?.description == "CN=Root, VID=1234")
        #expect(report.authority == nil)
        let text = report.lines.joined(separator: "\n")
        let keyIdentifier = hexString(device.paaKey.publicKey.keyIdentifier).uppercased()
        #expect(text.contains("looked for   PAA with key id \(keyIdentifier), named CN=Root, VID=1234"))
        #expect(text.contains("found        none"))
        #expect(text.contains("built in: authorities 73"))
        #expect(text.contains("CN=Device, VID=1234, PID=8001"))
        #expect(text.contains("(VID 1234)"))
        #expect(
            report.hint == .step("attestation.if-development") + "; else " + .step("attestation.add-authority"))
        #expect(text.contains("built in: authorities \(ProductionAuthorities.count) as of"))
    }

    @Test("where development devices are allowed the hint asks for the missing authority only")
    func hints() throws {
        let device = try TestDevice()
        #expect(
            try device.verify(trust: TrustStore(allowTestDevices: true)).hint == .step("attestation.add-authority"))
    }

    @Test("files that did not serve are counted in the hint and named in the report")
    func unusableFiles() throws {
        let files = (0..<12).map { TrustFile(path: "file\($0)", contents: [1]) }
        let report = try TestDevice().verify(trust: TrustStore(files: files))
        #expect(report.hint?.parts.last == .words("; files that could not be used: 12"))
        #expect(report.lines.filter { $0.hasPrefix("  not used") }.count == 11)
        #expect(report.lines.contains { $0.contains("file0: ") })
    }

    @Test("a development device is called one")
    func developmentDevice() throws {
        var device = try TestDevice()
        let test = try #require(WellKnownKeys.developmentAuthorities.last)
        device.pai.extensions[3] = .authorityKeyIdentifier(test.keyIdentifier)
        let hint = try device.verify(trust: TrustStore()).hint
        #expect(hint == .step("attestation.development-device"))
    }

    @Test("an unknown signer of the declaration is named")
    func signerNotFound() throws {
        let device = try TestDevice()
        let store = TrustStore(files: [TrustFile(path: "root", contents: try device.paa.signed(with: device.paaKey))])
        let report = try device.verify(trust: store)
        #expect(report.result == .declarationNoCertificateFound)
        #expect(report.hint == .step("attestation.add-signer", TrustDirectory.signersFolder))
        let keyIdentifier = hexString(device.declarationKey.publicKey.keyIdentifier).uppercased()
        #expect(report.failure?.contains(keyIdentifier) == true)
        #expect(report.lines.contains { $0.contains("signed by unknown key \(keyIdentifier)") })
    }

    @Test("no hint proposes to look away")
    func noBypass() throws {
        for fault in AttestationVerifierTests.ordered + AttestationVerifierTests.others {
            var device = try TestDevice()
            try fault.apply(&device)
            let hint = try device.verify().hint?.description ?? ""
            #expect(!hint.contains("skip") && !hint.contains("warn") && !hint.contains("--attestation"))
        }
    }

    @Test("later steps are still reported after a failure")
    func continues() throws {
        let report = try TestDevice().verify(trust: TrustStore())
        let outcomes = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.step, $0.outcome) })
        #expect(outcomes[.authority] == .failed(.paaNotFound))
        #expect(outcomes[.chain] == .notJudged)
        #expect(outcomes[.nonce] == .passed)
        #expect(outcomes[.declarationContent] == .passed)
        #expect(!report.isDeclarationAuthentic)
    }

    @Test("text from a device cannot drive a terminal")
    func escapes() throws {
        var device = try TestDevice()
        device.dac.subject = AttestationName(
            commonName: "a\u{1B}[2J\n\u{202E}, VID=FFFF\\", vendorID: TestDevice.vendorID,
            productID: TestDevice.productID)
        let report = try device.verify()
        #expect(report.dac?.subject.description == "CN=a\\x1b[2J\\xa\\x202e\\x2c VID=FFFF\\x5c, VID=1234, PID=8001")
    }
}
