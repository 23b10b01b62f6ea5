import Foundation
import MatterState
import MatterTestKit
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterLedger

/// Lists that were fetched, and what they say of a device later.
@Suite("Revocation update") struct RevocationUpdateTests {
    private static let day: Int64 = 86_400
    private static let rootURL = "https://crl.example/root.crl"

    private let scene: RevocationScene
    private let state: TemporaryState

    init() throws {
        scene = try RevocationScene()
        state = try TemporaryState()
    }

    private var records: TrustRecords { TrustRecords(state.directory) }

    private func points() throws -> [RevocationPoint] {
        [
            try RevocationScene.point(of: scene.pai),
            try RevocationScene.point(of: scene.paa, isPAA: true, url: Self.rootURL),
        ]
    }

    private func lists(
        devices: [AttestationCertificate] = [], intermediates: [AttestationCertificate] = [],
        _ change: (inout RevocationListTemplate) -> Void = { _ in }
    ) throws -> [String: [UInt8]] {
        [
            RevocationScene.url: try RevocationScene.list(of: scene.pai, devices, change),
            Self.rootURL: try RevocationScene.list(of: scene.paa, intermediates, change),
        ]
    }

    @Test("a chain is good if neither list names it, and the lists are told with their dates")
    func good() async throws {
        let outcomes = try await scene.store(points(), lists(), records)
        #expect(outcomes.count == 2 && outcomes.allSatisfy { $0.stored.fault == nil })
        let judgement = try scene.judge(records)
        #expect(judgement.verdict == .good && judgement.reason == nil && judgement.since == nil)
        #expect(judgement.dac.list?.origin == RevocationScene.url)
        #expect(judgement.dac.list?.fetched == RevocationScene.now && judgement.pai.list?.issued == 1_790_000_000)
        #expect(try scene.judge(records, now: nil).verdict == .good)
    }

    @Test("a revoked device, a revoked intermediate and both are told, with the date of the first")
    func revoked() async throws {
        _ = try await scene.store(points(), lists(devices: [scene.dac]), records)
        let device = try scene.judge(records)
        #expect(device.verdict == .revoked && device.since == 1_700_000_000 && !device.pai.isRevoked)
        _ = try await scene.store(points(), lists(intermediates: [scene.pai.certificate]), records)
        #expect(try scene.judge(records).pai.isRevoked && !scene.judge(records).dac.isRevoked)
        _ = try await scene.store(
            points(), lists(devices: [scene.dac], intermediates: [scene.pai.certificate]) { $0.entries[0].date -= 5 },
            records)
        let both = try scene.judge(records)
        #expect(both.dac.isRevoked && both.pai.isRevoked && both.since == 1_700_000_000 - 5)
    }

    @Test("without points, without a list of one of them, or with another issuer's list it is not known, and why")
    func gaps() async throws {
        #expect(try scene.judge(records).reason == "no list of revoked certificates is at hand")
        _ = try await scene.store([], [:], records)
        #expect(try scene.judge(records).reason == "the ledger names no list of its issuer")
        _ = try await scene.store(points(), [Self.rootURL: lists()[Self.rootURL] ?? []], records)
        let judgement = try scene.judge(records)
        #expect(judgement.verdict == .notKnown)
        #expect(judgement.reason == "the list of its issuer was not fetched: there is no list (HTTP 404)")
        if case .good = judgement.pai {} else { Issue.record("the list of the root is at hand") }
    }

    @Test("a list of an authority with the same key identifier does not count for another's certificates")
    func otherIssuer() async throws {
        _ = try await scene.store(points(), lists(devices: [scene.dac]), records)
        var stored = try #require(records.list(try points()[0].key, .main))
        let other = try RevocationScene()
        stored.contents?.issuerKey = other.pai.key.publicKey
        try state.directory.write(
            try #require(
                try state.directory.records(in: "trust/lists-main").first {
                    $0.contains(KeyIdentifierText.plain(scene.pai.key.publicKey.keyIdentifier))
                }), stored.encoded, keepingPrevious: false)
        #expect(try scene.judge(records).reason == "the list is of another issuer")
    }

    @Test(
        "a list counts as long as it is in force; after that a revoked device is still revoked, the rest is not known")
    func stale() async throws {
        _ = try await scene.store(
            points(), lists { $0.nextUpdate = RevocationScene.now + Self.day }, records)
        #expect(try scene.judge(records, now: RevocationScene.now + Self.day).verdict == .good)
        let later = try scene.judge(records, now: RevocationScene.now + 3 * Self.day)
        #expect(later.reason == "the list of its issuer is out of date, fetched 3 days ago")
        _ = try await scene.store(
            points(), lists(devices: [scene.dac]) { $0.nextUpdate = RevocationScene.now }, records)
        #expect(try scene.judge(records, now: RevocationScene.now + 3 * Self.day).verdict == .revoked)
        // One that is in force for a hundred years is out of date when it was fetched long ago.
        _ = try await scene.store(points(), lists(), records)
        #expect(try scene.judge(records, now: RevocationScene.now + 180 * Self.day).verdict == .good)
        #expect(try scene.judge(records, now: RevocationScene.now + 181 * Self.day).verdict == .notKnown)
    }

    @Test("a list that does not say when the next one comes, or that is older than any issuer's rhythm, tells nothing")
    func undated() async throws {
        _ = try await scene.store(points(), lists { $0.nextUpdate = nil }, records)
        for now in [RevocationScene.now, nil] {
            let judgement = try scene.judge(records, now: now)
            #expect(judgement.verdict == .notKnown)
            #expect(judgement.reason == "the list of its issuer does not say when the next one comes")
        }
        let set = try #require(try records.set(.main))
        #expect(records.revocation(set, now: RevocationScene.now).map(\.state) == [.stale, .stale])
        _ = try await scene.store(points(), lists(devices: [scene.dac]) { $0.nextUpdate = nil }, records)
        #expect(try scene.judge(records).dac.isRevoked)
        let old = RevocationScene.now - RevocationList.longestTerm - 1
        _ = try await scene.store(points(), lists { ($0.issued, $0.number) = (old + 1, [9]) }, records)
        #expect(try scene.judge(records).verdict == .good)
        _ = try await scene.store(points(), lists { ($0.issued, $0.number) = (old, [10]) }, records)
        #expect(try scene.judge(records).reason == "the list of its issuer is of 2024-11-20")
    }

    @Test("a point of another vendor, or one whose signer may not sign for the issuer, takes no device out")
    func foreignPoints() async throws {
        let broken = "https://crl.example/broken.crl"
        let stranger = try RevocationScene()
        let foreign = [
            try RevocationScene.point(of: scene.pai, vendorID: 0x4321, label: "b", url: broken),
            try RevocationScene.point(
                of: scene.pai, signer: stranger.pai.certificate, label: "c", url: broken),
        ]
        for point in foreign {
            let outcomes = try await scene.store(points() + [point], lists(), records)
            #expect(outcomes.last?.stored.fault != nil && outcomes.last?.stored.isForeign == true)
            #expect(try scene.judge(records).verdict == .good, "\(point.label)")
            _ = try await scene.store(points() + [point], lists(devices: [scene.dac]), records)
            #expect(try scene.judge(records).dac.isRevoked)
        }
        // One of the issuer's own that cannot be fetched is a gap, and foreign ones alone are no list.
        let own = try RevocationScene.point(of: scene.pai, label: "d", url: broken)
        var parts = try lists()
        parts[RevocationScene.url] = try RevocationScene.list(of: scene.pai) { $0.url = RevocationScene.url }
        _ = try await scene.store(points() + [own], parts, records)
        #expect(try scene.judge(records).verdict == .notKnown)
        _ = try await scene.store([points()[1]] + foreign, lists(), records)
        #expect(try scene.judge(records).reason == "the ledger names no list of its issuer")
    }

    @Test("a point that fails keeps its old list and costs no other; the reason is stored")
    func failure() async throws {
        _ = try await scene.store(points(), lists(devices: [scene.dac]), records)
        var newer = try lists { $0.issued += 10 }
        newer[RevocationScene.url] = Array("<html>".utf8)
        let outcomes = try await scene.store(points(), newer, records, now: RevocationScene.now + Self.day)
        #expect(outcomes.map { $0.stored.fault == nil } == [false, true])
        #expect(outcomes[0].stored.contents?.count == 1)
        #expect(try scene.judge(records).dac.isRevoked)
        let set = try #require(try records.set(.main))
        let entries = records.revocation(set, now: RevocationScene.now)
        #expect(entries.map(\.state) == [.current, .current])
        #expect(entries[0].stored?.fault != nil && entries[0].stored?.contents?.fetched == RevocationScene.now)
        #expect(entries[1].stored?.contents?.fetched == RevocationScene.now + Self.day)
        #expect(records.revocation(set, now: RevocationScene.now + 500 * Self.day).map(\.state) == [.stale, .stale])
    }

    @Test("an older list does not replace a newer one, by number or by date")
    func older() async throws {
        _ = try await scene.store(points(), lists(devices: [scene.dac]) { $0.number = [9] }, records)
        let byNumber = try await scene.store(points(), lists { $0.number = [8] }, records)
        #expect(byNumber.allSatisfy { $0.stored.fault == "the list is older than the stored one" })
        let byDate = try await scene.store(
            points(),
            lists {
                $0.number = [9]
                $0.issued -= 1
            }, records)
        #expect(byDate.allSatisfy { $0.stored.fault != nil })
        #expect(try scene.judge(records).dac.isRevoked)
        _ = try await scene.store(points(), lists { $0.number = [1, 0] }, records)
        #expect(try !scene.judge(records).dac.isRevoked)
    }

    @Test("the parts of a list count together, and a point that the ledger has no longer counts no more")
    func parts() async throws {
        let second = "http://crl.example/b.crl"
        let points = [
            try RevocationScene.point(of: scene.pai),
            try RevocationScene.point(of: scene.pai, label: "b/ü", url: second),
        ]
        let lists = [
            RevocationScene.url: try RevocationScene.list(of: scene.pai) { $0.url = RevocationScene.url },
            second: try RevocationScene.list(of: scene.pai, [scene.dac]) { $0.url = second },
        ]
        let outcomes = try await scene.store(points, lists, records)
        #expect(outcomes.allSatisfy { $0.stored.fault == nil })
        #expect(try scene.judge(records).dac.isRevoked)
        _ = try await scene.store(Array(points.prefix(1)), lists, records)
        #expect(try state.directory.records(in: "trust/lists-main").count == 1)
        #expect(try !scene.judge(records).dac.isRevoked)
    }

    @Test("a damaged record is as if nothing was fetched, and the next update replaces it")
    func damage() async throws {
        _ = try await scene.store(points(), lists(devices: [scene.dac]), records)
        for name in try state.directory.records(in: "trust/lists-main") {
            try state.directory.write(name, Array("rubbish".utf8), keepingPrevious: false)
        }
        #expect(try scene.judge(records).reason == "the list of its issuer was not fetched")
        _ = try await scene.store(points(), lists(devices: [scene.dac]), records)
        #expect(try scene.judge(records).dac.isRevoked)
    }

    @Test("the lists of one ledger do not count for the other")
    func nets() async throws {
        _ = try await scene.store(points(), lists(devices: [scene.dac]), records, net: .test)
        #expect(try scene.judge(records, net: .main).verdict == .notKnown)
        #expect(try scene.judge(records, net: .test).dac.isRevoked)
    }
}
