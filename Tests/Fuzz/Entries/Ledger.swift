import Foundation
import JSON

@testable import MatterCrypto
@testable import MatterLedger

extension FuzzEntry {
    /// The answers of the Alliance's ledger, the files that it points to, and what is kept of them.
    static let ledger = [
        FuzzEntry("ledger-answer") {
            try Seeds.ledgerAnswers()
        } run: { bytes in
            guard let value = try? JSONValue(parsing: bytes) else { return .refused }
            return readers.map { $0(value) }.reduce(.refused, |)
        },
        FuzzEntry("ledger-terms") {
            Seeds.terms
        } run: { bytes in
            for line in PlainMarkup.lines(String(decoding: bytes, as: UTF8.self)) {
                precondition(!line.isEmpty && !line.contains(where: \.isNewline))
            }
            guard let document = try? TermsDocument(bytes, revision: 3) else { return .refused }
            let texts = document.texts(country: "US", language: "en")
            precondition(!texts.isEmpty && texts.allSatisfy { $0.ordinal < 16 })
            for text in texts { _ = PlainMarkup.lines(text.text) }
            return .deep
        },
        FuzzEntry("trust-set") {
            try Seeds.trustSets()
        } run: { bytes in
            if let stored = try? StoredTrust(bytes) {
                _ = stored.authorities(keyIdentifier: Seeds.keyIdentifier)
                _ = stored.declarationSigners(keyIdentifier: Seeds.keyIdentifier)
            }
            _ = try? OwnTrust(decoding: bytes)
            return roundTrip(bytes) {
                try TrustSet(decoding: $0)
            } _: {
                $0.encoded()
            }
        },
    ]

    private static let readers: [@Sendable (JSONValue) -> Depth] = [
        reader(.vendors), reader(.vendor(4660)) { _ = $0.name },
        reader(.model(4660, 32769)) { model in
            for steps in [model.initialSteps, model.secondarySteps, model.factoryResetSteps] { _ = steps.words }
        },
        reader(.versions(4660, 32769)), reader(.version(4660, 32769, 300)), reader(.compliance(4660, 32769, 300)),
        reader(.certification("CSA00000MAT00000-00")), reader(.state(.certified, 4660, 32769, 300)),
        reader(.rootCertificates) { (roots: [LedgerCertificateID]) in for root in roots { _ = root.name } },
        reader(.revocationPoints), reader(.revocationPoints(issuerKeyIdentifier: Seeds.keyIdentifier)),
        { value in
            accepts { _ = try ProductList(JSONValue.object(["vendorProducts": value]).utf8(), of: 4660) }
        },
        { value in
            guard let fields = try? LedgerFields(value, "test"), let identifier = try? LedgerCertificateID(fields)
            else { return .refused }
            return reader(.certificates(identifier)) { take($0, identifier) }(value)
        },
    ]

    private static func reader<Answer>(
        _ query: LedgerQuery<Answer>, _ take: @escaping @Sendable (Answer) -> Void = { _ in }
    ) -> @Sendable (JSONValue) -> Depth {
        { value in accepts { take(try query.read(value)) } }
    }

    /// The result of an update of certificates: whatever passes can be stored, and is the same when it is read.
    private static func take(_ certificates: [LedgerCertificate], _ identifier: LedgerCertificateID) {
        var snapshot = LedgerSnapshot(net: .main, origin: "https://ledger.example")
        snapshot.roots = [identifier]
        snapshot.signers = [identifier]
        snapshot.certificates = [identifier: certificates]
        guard let plan = try? TrustPlan(old: nil, snapshot: snapshot, builtIn: [], now: 1_795_305_600) else { return }
        precondition((try? TrustSet(decoding: plan.set.encoded())) == plan.set, "read otherwise than it was written")
    }
}

extension Seeds {
    static let keyIdentifier = [UInt8](1...20)

    private static func text(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

    static func ledgerAnswers() throws -> [[UInt8]] {
        let paa = try AttestationCertificate(der: try x509().last ?? [])
        let identifier = LedgerCertificateID(
            subject: paa.subject.der, keyIdentifier: paa.subjectKeyIdentifier ?? [])
        let path: JSONObject = [
            "subject": .string(Data(identifier.subject).base64EncodedString()),
            "subjectKeyId": .string(KeyIdentifierText.colons(identifier.keyIdentifier)),
        ]
        var certificate = path
        certificate["pemCert"] = .string(PEM.encode(paa.der, label: PEM.certificate))
        certificate["isRoot"] = true
        certificate["vid"] = 65521
        certificate["certificateType"] = "DeviceAttestationPKI"
        var answer = path
        answer["certs"] = .array([.object(certificate)])
        return [JSONValue.object(answer).utf8()]
            + text([
                #"[{"vendorID":4660,"vendorName":"Example"}]"#, #"{"vendorID":4660,"companyLegalName":"Example Ltd"}"#,
                #"{"vid":4660,"products":[{"pid":32769,"name":"Plug","partNumber":"EP-1"}]}"#,
                #"{"vid":4660,"pid":"32769","productName":"Plug","commissioningModeInitialStepsHint":4194304,"enhancedSetupFlowOptions":1,"enhancedSetupFlowTCUrl":"https://e.example/t","enhancedSetupFlowTCRevision":3,"enhancedSetupFlowTCFileSize":"9"}"#,
                #"{"softwareVersions":[100,"300"]}"#,
                #"{"softwareVersion":300,"softwareVersionValid":true,"otaFileSize":"755976","maxApplicableSoftwareVersion":299}"#,
                #"{"vid":4660,"pid":32769,"softwareVersion":300,"softwareVersionCertificationStatus":2,"date":"2026-03-01"}"#,
                #"{"value":true}"#, #"{"complianceInfo":[]}"#,
                #"[{"vid":4660,"issuerSubjectKeyID":"0A0B","isPAA":true,"crlSignerCertificate":"x","dataURL":"http://c","revocationType":1}]"#,
            ])
    }

    /// With long texts: a change of a text leaves the document whole.
    static let terms = text(
        ["<p>a &amp; &#65;</p><li>b", String(repeating: "<p>You agree &lt;1&gt;</p>", count: 24)].map {
            #"{"schemaVersion":1,"esfRevision":3,"defaultCountry":"US","countryEntries":{"US":{"defaultLanguage":"en","languageEntries":{"en":[{"ordinal":0,"required":true,"title":"<b>Terms</b>","text":"\#($0)"}]}}}}"#
        })

    static func trustSets() throws -> [[UInt8]] {
        var set = TrustSet(net: .main, origin: "https://ledger.example", date: 1_795_305_600)
        set.authorities = [
            TrustSet.Certificate(
                keyIdentifier: keyIdentifier, der: try x509().last ?? [], vendorID: 4660, firstSeen: 1_795_305_600)
        ]
        set.withdrawn = [
            TrustSet.Withdrawal(
                LedgerCertificateID(subject: [1, 2], keyIdentifier: keyIdentifier), isRevoked: true, date: 1)
        ]
        return [set.encoded()]
    }
}
