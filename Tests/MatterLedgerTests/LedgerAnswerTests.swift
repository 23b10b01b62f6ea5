import Testing

@testable import MatterLedger

@Suite("Ledger answers") struct LedgerAnswerTests {
    private static let key = (0..<20).map { String($0 + 16, radix: 16).uppercased() }.joined(separator: ":")
    /// Its base64 has a slash and a plus sign.
    private static let subject = "MP/+Pw=="

    @Test("a list of roots holds names and key identifiers, also where keys are new, and may be empty")
    func roots() async throws {
        let query: LedgerQuery<[LedgerCertificateID]> = .rootCertificates
        let found = try await answer(
            query,
            #"{"approvedRootCertificates":{"certs":[{"subject":"\#(Self.subject)","subjectKeyId":"\#(Self.key)","x":1}]}}"#
        )
        #expect(found.first?.keyIdentifier == [UInt8](16..<36))
        #expect(found.first?.subject.first == 0x30)
        #expect(try await answer(query, #"{"approvedRootCertificates":{}}"#) == [])
        #expect(try await answer(query, #"{"approvedRootCertificates":{"certs":null}}"#) == [])
    }

    @Test(
        "a root without a usable name or key identifier spoils the list",
        arguments: [
            #"{"subject":"","subjectKeyId":"0A"}"#, #"{"subject":"MAA=","subjectKeyId":""}"#,
            #"{"subject":"*","subjectKeyId":"0A"}"#, #"{"subject":"MAA=","subjectKeyId":"0A:1"}"#,
            #"{"subject":"MAA=","subjectKeyId":"XY"}"#, #"{"subject":7,"subjectKeyId":"0A"}"#, "7",
        ])
    func brokenRoot(entry: String) async throws {
        let query: LedgerQuery<[LedgerCertificateID]> = .rootCertificates
        let error = await #expect(throws: LedgerError.self) {
            try await answer(query, #"{"approvedRootCertificates":{"certs":[\#(entry)]}}"#)
        }
        #expect(error?.code == .malformed)
    }

    @Test("all of a name is escaped in a path, and the colons of a key identifier too")
    func paths() throws {
        let identifier = LedgerCertificateID(subject: [0xFB, 0xEF, 0xFF, 0x30], keyIdentifier: [0x0A, 0xFF])
        let query: LedgerQuery<[LedgerCertificate]> = .certificates(identifier)
        #expect(query.path == "/dcl/pki/certificates/%2B%2B%2F%2FMA%3D%3D/0A%3AFF")
        let points: LedgerQuery<[RevocationPoint]> = .revocationPoints(issuerKeyIdentifier: [0x0A, 0xFF])
        #expect(points.path == "/dcl/pki/revocation-points/0AFF")
        let certification: LedgerQuery<[LedgerCompliance]> = .certification("CSA 1/2")
        #expect(certification.path == "/dcl/compliance/device-software-compliance/CSA%201%2F2")
    }

    @Test("key identifiers are read with colons and without, in either case")
    func keyIdentifiers() {
        #expect(KeyIdentifierText.decode("0a:FF") == [0x0A, 0xFF])
        #expect(KeyIdentifierText.decode("0aFF") == [0x0A, 0xFF])
        for text in ["0a:F", "0aF:F", ":", "0a:", "g0", "0a FF"] {
            #expect(KeyIdentifierText.decode(text) == nil, "\(text)")
        }
    }

    @Test("an answer about another certificate is refused, and an entry without certificates is empty")
    func otherCertificate() async throws {
        let identifier = LedgerCertificateID(subject: [0x30, 0], keyIdentifier: [0x0A])
        let query: LedgerQuery<[LedgerCertificate]> = .certificates(identifier)
        let empty = try await answer(
            query, #"{"approvedCertificates":{"subject":"MAA=","subjectKeyId":"0A","certs":[]}}"#)
        #expect(empty.isEmpty)
        await #expect(throws: LedgerError.self) {
            try await answer(query, #"{"approvedCertificates":{"subject":"MAA=","subjectKeyId":"0B","certs":[]}}"#)
        }
    }

    @Test("a model's unset members are absent, numbers may be strings, and both spellings of a member count")
    func model() async throws {
        let query: LedgerQuery<LedgerModel> = .model(4660, 32769)
        let model = try await answer(
            query,
            #"""
            {"model":{"vid":"4660","pid":32769,"deviceTypeId":266,"productName":"Plug","productLabel":"","partNumber":" ",
            "commissioningCustomFlow":2,"commissioningCustomFlowUrl":"https://e.example","commissioningModeInitialStepsHint":"257",
            "commissioningModeInitialStepsInstruction":"5","discoveryCapabilitiesBitmask":0,"enhancedSetupFlowOptions":1,
            "enhancedSetupFlowTCUrl":"https://t.example","enhancedSetupFlowTCRevision":"3","enhancedSetupFlowTCFileSize":10,
            "enhancedSetupFlowMaintenanceUrl":"https://m.example","unknown":{"deep":[null]}}}
            """#)
        #expect(model.name == "Plug" && model.label == nil && model.partNumber == nil)
        #expect(model.flow == .custom && model.discoveryCapabilities == nil && model.deviceTypeID == 266)
        #expect(
            model.initialSteps.words == [
                "power the device off and on", "press the reset button for N seconds", "instruction: 5",
            ])
        #expect(model.secondarySteps.isEmpty)
        #expect(model.terms?.revision == 3 && model.terms?.maintenanceURL == "https://m.example")
        let least = try await answer(query, #"{"model":{"vid":4660,"pid":32769}}"#)
        #expect(least.flow == .standard && least.terms == nil && least.name == nil)
        let later = try await answer(query, #"{"model":{"vid":4660,"pid":32769,"commissioningCustomFlow":9}}"#)
        #expect(later.flow == nil)
        await #expect(throws: LedgerError.self) { try await answer(query, #"{"model":{"vid":4660,"pid":1}}"#) }
        await #expect(throws: LedgerError.self) {
            try await answer(query, #"{"model":{"vid":4660,"pid":32769,"productName":["a"]}}"#)
        }
    }

    @Test("versions are sorted, and blank addresses and a size of \"0\" are absent")
    func versions() async throws {
        let list: LedgerQuery<[UInt32]> = .versions(1, 2)
        #expect(try await answer(list, #"{"modelVersions":{"softwareVersions":[300,"100",210]}}"#) == [100, 210, 300])
        #expect(try await answer(list, #"{"modelVersions":{}}"#) == [])
        let query: LedgerQuery<ModelVersion> = .version(1, 2, 300)
        let version = try await answer(
            query,
            #"""
            {"modelVersion":{"softwareVersion":300,"softwareVersionString":"3.0.0","softwareVersionValid":true,"otaUrl":"  ",
            "otaFileSize":"0","minApplicableSoftwareVersion":100,"maxApplicableSoftwareVersion":299}}
            """#)
        #expect(version.updateURL == nil && version.updateSize == nil && version.applicable == 100...299)
        let reversed = try await answer(
            query,
            #"{"modelVersion":{"softwareVersion":300,"otaFileSize":"18446744073709551615","minApplicableSoftwareVersion":9}}"#
        )
        #expect(reversed.applicable == nil && reversed.updateSize == .max && !reversed.isValid)
    }

    @Test("the certification has a status, also one that is new to us")
    func compliance() async throws {
        let query: LedgerQuery<LedgerCompliance> = .compliance(1, 2, 3)
        let certified = try await answer(
            query,
            #"""
            {"complianceInfo":{"vid":1,"pid":2,"softwareVersion":3,"softwareVersionCertificationStatus":2,
            "date":"2026-03-01T00:00:00Z","reason":"","cDCertificateId":"CSA00000MAT00000-00","schemaVersion":1}}
            """#)
        #expect(certified.status == .certified && certified.reason == nil)
        #expect(certified.certificateID == "CSA00000MAT00000-00")
        let later = try await answer(
            query,
            #"{"complianceInfo":{"vid":1,"pid":2,"softwareVersion":3,"softwareVersionCertificationStatus":8}}"#)
        #expect(later.status == nil)
        let state: LedgerQuery<Bool> = .state(.certified, 1, 2, 3)
        #expect(try await answer(state, #"{"certifiedModel":{"value":true}}"#))
        #expect(try await !answer(state, #"{"certifiedModel":{}}"#))
        let certification: LedgerQuery<[LedgerCompliance]> = .certification("CSA1")
        let all = try await answer(
            certification, #"{"deviceSoftwareCompliance":{"complianceInfo":[{"vid":1,"pid":2},{"vid":1,"pid":3}]}}"#)
        #expect(all.map(\.productID) == [2, 3])
    }

    @Test("a revocation point that cannot be read costs no other")
    func brokenPoint() async throws {
        let query: LedgerQuery<RevocationPoints> = .revocationPoints
        let found = try await answer(
            query,
            #"""
            {"PkiRevocationDistributionPoint":[7,{"vid":"x","revocationType":1},{"revocationType":2},
            {"vid":1,"issuerSubjectKeyID":"0A","crlSignerCertificate":"PEM","dataURL":"http://c","revocationType":1}]}
            """#)
        #expect(found.points.map(\.vendorID) == [1] && found.faults.count == 2, "\(found)")
    }

    @Test("revocation points of another kind are passed over, and a product of 0 means none")
    func points() async throws {
        let query: LedgerQuery<[RevocationPoint]> = .revocationPoints(issuerKeyIdentifier: [0x0A])
        let point =
            #""vid":4660,"label":"a","issuerSubjectKeyID":"0A","pid":0,"isPAA":false,"crlSignerCertificate":"PEM","dataURL":"http://c""#
        let found = try await answer(
            query,
            #"""
            {"pkiRevocationDistributionPointsByIssuerSubjectKeyID":{"points":[{\#(point),"revocationType":1},
            {\#(point),"revocationType":2}]}}
            """#)
        #expect(found.count == 1)
        #expect(found.first?.productID == nil && found.first?.delegator == nil && found.first?.isPAA == false)
    }

    @Test("a vendor is named by its brand, else by another name; 50,000 products of one are read")
    func vendor() async throws {
        let query: LedgerQuery<LedgerVendor> = .vendor(4660)
        let vendor = try await answer(
            query, #"{"vendorInfo":{"vendorID":4660,"vendorName":"","companyLegalName":"Example Ltd"}}"#)
        #expect(vendor.name == "Example Ltd")
        let many = (0..<50_000).map { #"{"pid":\#($0),"name":"Product \#($0)","partNumber":""}"# }
        let list = try ProductList(
            Array(#"{"vendorProducts":{"vid":4660,"products":[\#(many.joined(separator: ","))]}}"#.utf8), of: 4660)
        var found: [LedgerProduct] = []
        try list.forEach { found.append($0) }
        #expect(found.count == 50_000 && found.last?.name == "Product 49999" && found.last?.partNumber == nil)
    }
}
