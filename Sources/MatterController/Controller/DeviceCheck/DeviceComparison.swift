import MatterLedger

/// The knowledge of a device from its label, a manifest, its certificates, the ledger and itself, and where they differ.
struct DeviceComparison: Sendable {
    /// The answers of a device about itself (Matter core specification, 11.1).
    struct Answer: Sendable, Equatable {
        var vendorID: UInt16?
        var productID: UInt16?
        var serialNumber: String?
        var softwareVersion: UInt32?
    }

    var device: DeviceManifest.Device
    /// `nil` if it was not asked.
    var answer: Answer?
    /// The judgement of its certificates: of those that it showed or, if it was not asked, of those in files.
    var attestation = DeviceCheckFacts.Tried<AttestationReport>.not("")
    /// The judgement of the certificates in files, where the device showed its own too.
    var files: AttestationReport?
    /// `nil` if it was not asked.
    var ledger: LedgerStanding?
    /// Whether what could not be compared is a failure.
    var isStrict = false

    var cases: [DeviceCheckCase] { [label, certificate, ledgerCase] }

    /// The product that the ledger is asked about; `nil` if it is not known.
    var product: (vendorID: UInt16, productID: UInt16)? {
        let code = device.code
        guard let vendor = device.vendorID ?? Self.known(code?.vendorID) ?? answer?.vendorID,
            let product = device.productID ?? Self.known(code?.productID) ?? answer?.productID
        else { return nil }
        return (vendor, product)
    }

    var softwareVersion: UInt32? { answer?.softwareVersion ?? device.softwareVersion }

    // MARK: What was found

    /// The observations of a case, while they are gathered.
    private struct Findings {
        var evidence: [DeviceCheckCase.Evidence] = []
        var faults: [String] = []
        var notes: [String] = []
        var agreements = 0

        /// Compares the values of all that name one.
        ///
        /// - Parameter values: the first one is the measure of the others.
        mutating func compare(_ subject: String, _ values: [(source: String, text: String?)]) {
            let told = values.compactMap { value in value.text.map { (source: value.source, text: $0) } }
            guard let first = told.first else { return }
            show(subject, told.map { "\($0.text) (\($0.source))" }.joined(separator: ", "))
            guard told.count > 1 else { return }
            let others = told.dropFirst().filter { $0.text != first.text }
            if others.isEmpty { agreements += 1 }
            if !others.isEmpty {
                let seen = others.map { "\($0.text) by \($0.source)" }.joined(separator: " and ")
                faults.append("\(subject): \(first.text) by \(first.source), but \(seen)")
            }
        }

        mutating func show(_ label: String, _ text: String) {
            evidence.append(DeviceCheckCase.Evidence(label, text))
        }
    }

    /// - Parameter passed: the reason if all is as it should be.
    private func judged(_ kind: DeviceCheckCase.Kind, _ findings: Findings, _ passed: String) -> DeviceCheckCase {
        let isFailure = !findings.faults.isEmpty || isStrict && !findings.notes.isEmpty
        let reasons = findings.faults + findings.notes
        return DeviceCheckCase(
            kind, isFailure ? .failed : reasons.isEmpty ? .passed : .noted,
            reasons.isEmpty ? passed : reasons.joined(separator: "; "), findings.evidence)
    }

    /// Zero stands for a product that is not named.
    private static func known(_ id: UInt16?) -> UInt16? { id == 0 ? nil : id }

    private static func text(_ id: UInt16?) -> String? { known(id).map { hexadecimal(UInt32($0)) } }

    private static let (manifest, qrCode, manual, said) = (
        "the manifest", "the QR code", "the manual code", "the device"
    )

    // MARK: The label

    private var label: DeviceCheckCase {
        var findings = Findings()
        let (qr, manual) = (device.qrCode, device.manualCode)
        findings.compare(
            "vendor",
            [
                (Self.manifest, Self.text(device.vendorID)), (Self.qrCode, Self.text(qr?.vendorID)),
                (Self.manual, Self.text(manual?.vendorID)), (Self.said, Self.text(answer?.vendorID)),
            ])
        findings.compare(
            "product",
            [
                (Self.manifest, Self.text(device.productID)), (Self.qrCode, Self.text(qr?.productID)),
                (Self.manual, Self.text(manual?.productID)), (Self.said, Self.text(answer?.productID)),
            ])
        compareSecrets(&findings)
        let serial: String? =
            switch qr?.extensionData.serialNumber {
            case .text(let text): text
            case .number(let number): "\(number)"
            case nil: nil
            }
        findings.compare(
            "serial number",
            [(Self.manifest, device.serialNumber), (Self.qrCode, serial), (Self.said, answer?.serialNumber)])
        if let line = device.lineOfSameSerial { findings.faults.append("line \(line) has this serial number too") }
        if let line = device.lineOfSameCode { findings.notes.append("line \(line) has this code too") }
        return judged(
            .label, findings,
            findings.agreements > 0
                ? "the label is that of the device in \(Spelled.count(findings.agreements, "comparison"))"
                : "the code is sound; there is nothing to compare it with")
    }

    /// Passcode, discriminator and flow of the two codes.
    private func compareSecrets(_ findings: inout Findings) {
        let (qr, manual) = (device.qrCode, device.manualCode)
        findings.compare(
            "discriminator",
            [
                (Self.manifest, device.discriminator.map { "\($0)" }),
                (Self.qrCode, qr?.discriminator.long.map { "\($0)" }),
            ])
        if let manual, let long = qr?.discriminator.short ?? device.discriminator.map({ UInt8($0 >> 8) }) {
            findings.compare(
                "first bits of the discriminator",
                [
                    (qr == nil ? Self.manifest : Self.qrCode, "\(long)"),
                    (Self.manual, "\(manual.discriminator.short)"),
                ])
        }
        guard let qr, let manual else { return }
        // The passcode itself is a secret.
        if qr.passcode == manual.passcode {
            findings.agreements += 1
            findings.show("passcode", "the codes have the same")
        } else {
            findings.faults.append("the QR code and the manual code have different passcodes")
            findings.show("passcode", "the codes have different ones")
        }
        let isLong = manual.commissioningFlow != .standard
        switch (qr.commissioningFlow, isLong) {
        case (.standard, true): findings.notes.append("the manual code has 21 digits, and 11 would do")
        case (.userIntent, false), (.custom, false):
            findings.faults.append("the manual code has 11 digits, but the flow of the QR code asks for 21")
        default: break
        }
    }

    // MARK: The certificate

    private var certificate: DeviceCheckCase {
        let report: AttestationReport
        switch attestation {
        case .not(let reason): return DeviceCheckCase(.certificate, .notTried, reason)
        case .failed(let reason): return DeviceCheckCase(.certificate, .failed, reason)
        case .done(let done): report = done
        }
        guard let certified = report.dacIdentifiers else {
            return DeviceCheckCase(.certificate, .failed, "its certificate (DAC) names no product that can be read")
        }
        var findings = Findings()
        let (code, declaration) = (device.code, report.declarationElements)
        let printed = device.qrCode == nil ? Self.manual : Self.qrCode
        let (dac, declared) = ("its certificate", "the declaration")
        let vendors = [
            (Self.manifest, Self.text(device.vendorID)), (printed, Self.text(code?.vendorID)),
            (Self.said, Self.text(answer?.vendorID)), (declared, Self.text(declaration?.vendorID.rawValue)),
        ]
        let products = [
            (Self.manifest, Self.text(device.productID)), (printed, Self.text(code?.productID)),
            (Self.said, Self.text(answer?.productID)),
        ]
        let (vendor, product) = (Self.text(certified.vendorID?.rawValue), Self.text(certified.productID))
        if let origin = declaration?.origin {
            // The certificate is that of another product, which the declaration names (Matter core specification, 6.3.1).
            findings.compare("vendor", vendors)
            findings.compare("product", products)
            findings.compare("vendor of origin", [(declared, Self.text(origin.vendorID.rawValue)), (dac, vendor)])
            findings.compare("product of origin", [(declared, Self.text(origin.productID)), (dac, product)])
        } else {
            findings.compare("vendor", vendors + [(dac, vendor)])
            findings.compare("product", products + [(dac, product)])
        }
        if let declaration {
            let own = declaration.productIDs.compactMap(Self.text)
            findings.show(
                "declaration", "certificate id \(declaration.certificateID), products \(own.joined(separator: " "))")
            let known = products.compactMap(\.1).first ?? (declaration.origin == nil ? product : nil)
            if let known, !own.contains(known) { findings.faults.append("the declaration is not for product \(known)") }
            if !report.isDeclarationAuthentic { findings.notes.append("the declaration is not shown to be authentic") }
        } else {
            findings.notes.append("there is no certification declaration to compare")
        }
        if let files, let own = report.dac, let listed = files.dac {
            findings.show("certificate of the manifest", own == listed ? "the device's" : "another one")
            if own != listed { findings.faults.append("the device has another certificate than the manifest") }
        }
        return judged(
            .certificate, findings,
            findings.agreements > 0
                ? "the certificate is for this product"
                : "the certificate names a product; there is nothing to compare it with")
    }

    // MARK: The ledger

    private var ledgerCase: DeviceCheckCase {
        guard let ledger else {
            return DeviceCheckCase(
                .ledger, .notTried,
                product == nil ? "which product it is is not known" : "the ledger was not asked")
        }
        var findings = Findings()
        findings.compare(
            "software version",
            [
                (Self.manifest, device.softwareVersion.map { "\($0)" }),
                (Self.said, answer?.softwareVersion.map { "\($0)" }),
            ])
        let name = "\(hexadecimal(UInt32(ledger.vendorID))) \(hexadecimal(UInt32(ledger.productID)))"
        switch ledger.model {
        case .unknown(let reason): findings.notes.append("the ledger could not be asked: \(reason)")
        case .absent:
            let isTest = 0xFFF1...0xFFF4 ~= ledger.vendorID
            findings.notes.append(
                "the ledger has no product \(name)" + (isTest ? ", whose vendor id is one for tests" : ""))
        case .found(let model):
            findings.show(
                "product in the ledger", [name, model.name, model.partNumber].compactMap { $0 }.joined(separator: ", "))
            certification(ledger, &findings)
        }
        return judged(.ledger, findings, "the ledger has the product, and its software version as certified")
    }

    private func certification(_ ledger: LedgerStanding, _ findings: inout Findings) {
        guard let version = ledger.version else {
            return findings.notes.append("which software version it has is not known")
        }
        switch ledger.compliance {
        case .unknown(let reason): findings.notes.append("the ledger could not be asked: \(reason)")
        case .absent: findings.notes.append("the ledger has no certification of software version \(version)")
        case .found(let compliance):
            let status = compliance.status.map { "\($0)" } ?? "unknown"
            findings.show(
                "certification of version \(version)",
                [status, compliance.certificateID, compliance.date].compactMap { $0 }.joined(separator: ", "))
            switch compliance.status {
            case .certified: break
            case .revoked: findings.faults.append("the certification of software version \(version) was withdrawn")
            case .development, .provisional, nil:
                findings.notes.append("the ledger has software version \(version) as \(status)")
            }
            guard case .done(let report) = attestation, let declared = report.declarationElements?.certificateID,
                let listed = compliance.certificateID, !listed.isEmpty
            else { return }
            findings.compare("certificate id", [("the ledger", listed), ("the declaration", declared)])
        }
    }
}
