import Foundation
import JSON
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger

/// The lists, signers and devices of the reference implementation, judged by way of a ledger that names them.
@Suite("Revocation vectors", .vectors, .enabled(if: Vectors.available)) struct RevocationVectorTests {
    private static let vendorID: UInt16 = 0xFFF1
    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private var records: TrustRecords { TrustRecords(state.directory) }

    private static func data(_ name: String) throws -> [UInt8] {
        Array(try Vectors.data("revocation/certs/\(name).der"))
    }

    private static func certificate(_ name: String) throws -> AttestationCertificate {
        try AttestationCertificate(der: data("\(name)-Cert"))
    }

    private static func point(
        of issuer: AttestationCertificate, signer: AttestationCertificate, delegator: AttestationCertificate? = nil,
        _ url: String
    ) throws -> RevocationPoint? {
        let text = LedgerScene.point(
            issuerKey: issuer.subjectKeyIdentifier ?? [], signer: signer.der, delegator: delegator?.der,
            isPAA: issuer.isSelfIssued, vendorID: vendorID, label: url, url: url)
        return try RevocationPoint(LedgerFields(JSONValue(parsing: Array(text.utf8)), "a point"))
    }

    /// Stores the lists of the vectors, each with the authority that it is for.
    private func store() async throws -> [RevocationUpdate.Outcome] {
        let root = try Self.certificate("Chip-Test-PAA-FFF1")
        let indirect = "indirect/Chip-Test-P"
        let paaDelegate = try Self.certificate("\(indirect)AA-Delegate-FFF1")
        var set = TrustSet(net: .test, origin: "https://ledger.example", date: RevocationScene.now)
        set.authorities = [
            TrustSet.Certificate(
                keyIdentifier: root.subjectKeyIdentifier ?? [], der: root.der, vendorID: Self.vendorID, firstSeen: 0)
        ]
        var lists: [String: [UInt8]] = [:]
        func add(
            _ name: String, of issuer: AttestationCertificate, signer: AttestationCertificate? = nil,
            delegator: AttestationCertificate? = nil, as url: String? = nil
        ) throws {
            let place = url ?? "https://example.com/\(name)"
            lists[place] = try Self.data(name)
            if let point = try Self.point(of: issuer, signer: signer ?? issuer, delegator: delegator, place) {
                set.points.append(point)
            }
        }
        for name in ["Matter-Development-PAI-FFF1-noPID", "Chip-Test-PAI-FFF1-noPID-Revoked"] {
            try add("\(name)-CRL", of: Self.certificate(name))
        }
        for number in ["01", "02"] {
            let issuer = try Self.certificate("\(indirect)AI-FFF1-\(number)")
            try add(
                "\(indirect)AI-FFF1-Delegated-CRL", of: issuer,
                signer: Self.certificate("\(indirect)AI-Delegate-FFF1-\(number)"), delegator: issuer)
        }
        // Two lists of one issuer: only the one that names its own place counts.
        try add("Chip-Test-PAA-FFF1-CRL", of: root)
        try add(
            "\(indirect)AA-FFF1-Delegated-CRL", of: root, signer: paaDelegate,
            as: "https://example.com/paa-delegated-crl.der")
        try records.save(set)
        let fetched = lists
        return try await RevocationUpdate(set, records: records, now: RevocationScene.now) { fetched[$0.url] ?? [] }
            .run()
    }

    @Test("all lists verify; of two for one root, the one that does not name its place is refused")
    func lists() async throws {
        let outcomes = try await store()
        #expect(outcomes.count == 6)
        #expect(outcomes.map { $0.stored.contents?.count } == [3, 1, 1, 1, nil, 1])
        #expect(outcomes[4].stored.fault?.hasPrefix("the issuer has several lists") == true)
    }

    private struct Device: Decodable {
        let dac: String
        let pai: String

        enum CodingKeys: String, CodingKey {
            case dac = "dac_cert"
            case pai = "pai_cert"
        }
    }

    /// Since when the lists call DAC and PAI revoked; the reference implementation's set has no dates.
    @Test(
        "the reference implementation's devices are revoked by the lists, and since when",
        arguments: [
            ("revoked-dac-01", "2024-12-13T07:15:24Z", nil),
            ("revoked-dac-02", "2024-12-13T07:15:28Z", nil),
            ("revoked-dac-03", "2024-12-13T07:15:32Z", nil),
            ("revoked-pai", nil, "2024-12-13T07:20:21Z"),
            ("revoked-dac-and-pai", "2025-03-26T06:28:56Z", "2024-12-13T07:20:21Z"),
            ("indirect-revoked-dac-01", "2025-02-24T11:53:20Z", nil),
            ("indirect-revoked-pai-03", nil, "2025-02-24T11:13:51Z"),
            // The set lists this device, none of the lists does.
            ("indirect-revoked-dac-01-pai-03", nil, "2025-02-24T11:13:51Z"),
        ] as [(String, String?, String?)])
    func devices(name: String, dac: String?, pai: String?) async throws {
        _ = try await store()
        // Without its scope the list of the root itself counts as well: a ledger that has only this one.
        var set = try #require(try records.set(.test))
        let isDirect = !name.hasPrefix("indirect")
        set.points.removeAll { $0.isPAA && $0.url.contains("delegated") == isDirect }
        try records.save(set)
        let root = try Self.data("Chip-Test-PAA-FFF1-CRL")
        let kept = records
        _ = try await RevocationUpdate(set, records: kept, now: RevocationScene.now) { point in
            if point.isPAA && isDirect { return root }
            throw LedgerError(.failing, "not again")
        }.run()
        let device: Device = try Vectors.load("revocation/dac-provider-test-vectors/\(name).json")
        let stored = try #require(try records.stored(.test) { _ in })
        let judgement = RevocationCheck(sources: [StoredRevocation(stored, records)]).judge(
            dac: try AttestationCertificate(der: hex(device.dac)),
            pai: try AttestationCertificate(der: hex(device.pai)),
            now: RevocationScene.now)
        func since(_ status: RevocationStatus) -> String? {
            if case .revoked(let since, _) = status { since.map { X509Time.text($0) } } else { nil }
        }
        #expect(since(judgement.dac) == dac && since(judgement.pai) == pai, "\(judgement.description)")
        #expect(judgement.verdict == .revoked)
    }

    @Test("an entry without an issuer belongs to the issuer that the entry before it names")
    func stickyIssuer() async throws {
        let name = "indirect/Chip-Test-PAI-FFF1-Delegated-CRL-Only-First-Entry-With-Issuer-Ext"
        let root = try Self.certificate("Chip-Test-PAA-FFF1")
        let roots = [
            TrustSet.Certificate(
                keyIdentifier: root.subjectKeyIdentifier ?? [], der: root.der, vendorID: Self.vendorID, firstSeen: 0)
        ]
        let second = try Self.certificate("indirect/Chip-Test-DAC-02-FFF1-8001-Signed-By-Test-PAI-02")
        for (number, count) in [("01", 0), ("02", 2)] {
            let issuer = try Self.certificate("indirect/Chip-Test-PAI-FFF1-\(number)")
            let point = try #require(
                try Self.point(
                    of: issuer, signer: Self.certificate("indirect/Chip-Test-PAI-Delegate-FFF1-\(number)"),
                    delegator: issuer, "https://example.com/x"))
            let contents = try point.list(Self.data(name), roots: roots, isShared: false, now: RevocationScene.now)
            #expect(contents.count == count)
            #expect((contents.date(of: second.serialNumberDigits) != nil) == (count == 2))
        }
    }
}
