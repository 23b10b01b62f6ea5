import Foundation
import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterLedger

/// The conditions for a list before it counts.
@Suite("Revocation point") struct RevocationPointTests {
    private let scene: RevocationScene
    private let key: P256PrivateKey

    init() throws {
        scene = try RevocationScene()
        key = try P256PrivateKey.generate()
    }

    private func check(
        _ point: RevocationPoint, _ list: [UInt8], isShared: Bool = false, roots: [TrustSet.Certificate]? = nil,
        now: Int64 = RevocationScene.now
    ) throws(RevocationFault) -> StoredList.Contents {
        try point.list(list, roots: roots ?? scene.roots(), isShared: isShared, now: now)
    }

    private func refuse(
        _ reason: String, _ point: RevocationPoint, _ list: [UInt8], isShared: Bool = false,
        roots: [TrustSet.Certificate]? = nil, now: Int64 = RevocationScene.now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(RevocationFault) {
            _ = try check(point, list, isShared: isShared, roots: roots, now: now)
            Issue.record("it counts, but should not: \(reason)", sourceLocation: sourceLocation)
        } catch { #expect(error.reason.contains(reason), sourceLocation: sourceLocation) }
    }

    private func digits(_ certificate: AttestationCertificate) -> [UInt8] { certificate.serialNumberDigits }

    @Test("an intermediate and an authority sign their own lists")
    func direct() throws {
        let device = try check(
            RevocationScene.point(of: scene.pai), RevocationScene.list(of: scene.pai, [scene.dac]))
        #expect(device.date(of: digits(scene.dac)) == 1_700_000_000 && device.count == 1)
        #expect(device.date(of: [1]) == nil && device.issuerKey == scene.pai.key.publicKey)
        let intermediate = try check(
            RevocationScene.point(of: scene.paa, isPAA: true),
            RevocationScene.list(of: scene.paa, [scene.pai.certificate]))
        #expect(intermediate.date(of: digits(scene.pai.certificate)) == 1_700_000_000)
        #expect(intermediate.date(of: digits(scene.dac)) == nil)
    }

    @Test("a delegate signs for an authority, or for an intermediate that vouches for it")
    func delegates() throws {
        for (authority, isPAA) in [(scene.paa, true), (scene.pai, false)] {
            let delegate = try RevocationScene.delegate(of: authority, key)
            let revoked = isPAA ? scene.pai.certificate : scene.dac
            let list = RevocationListTemplate(delegate.subject, key: key.publicKey, [.init(revoked)])
            let point = try RevocationScene.point(
                of: authority, signer: delegate, delegator: isPAA ? nil : authority.certificate, isPAA: isPAA)
            let contents = try check(point, list.signed(with: key))
            #expect(contents.date(of: digits(revoked)) != nil && contents.issuerKey == authority.key.publicKey)
            refuse("the signature of the list is wrong", point, try list.signed(with: authority.key))
        }
        // The ledger may name the authority as the one that delegates.
        let delegate = try RevocationScene.delegate(of: scene.paa, key)
        let list = try RevocationListTemplate(delegate.subject, key: key.publicKey).signed(with: key)
        _ = try check(
            RevocationScene.point(
                of: scene.paa, signer: delegate, delegator: scene.paa.certificate, isPAA: true), list)
        refuse(
            "the delegator is not the authority",
            try RevocationScene.point(
                of: scene.paa, signer: delegate, delegator: scene.pai.certificate, isPAA: true), list)
    }

    @Test("one who is no delegate of the issuer, or whose certificate is not for lists, does not count")
    func falseDelegates() throws {
        func refuse(_ reason: String, _ delegate: AttestationCertificate, now: Int64 = RevocationScene.now) throws {
            let list = RevocationListTemplate(delegate.subject, key: key.publicKey, [.init(scene.dac)])
            self.refuse(
                reason,
                try RevocationScene.point(of: scene.pai, signer: delegate, delegator: scene.pai.certificate),
                try list.signed(with: key), now: now)
        }
        let other = try RevocationScene()
        try refuse("did not certify the signer", try RevocationScene.delegate(of: other.pai, key))
        try refuse("does not allow it to sign lists", try RevocationScene.delegate(of: scene.pai, key, isCA: true))
        try refuse(
            "does not allow it to sign lists",
            try RevocationScene.delegate(of: scene.pai, key, usage: .digitalSignature))
        let brief = try RevocationScene.delegate(
            of: scene.pai, key, validity: CertificateValidity(notBefore: 700_000_000, notAfter: 800_000_000))
        try refuse("not valid now", brief)
    }

    @Test("of an indirect list, entries of other issuers do not count")
    func indirect() throws {
        let other = AttestationName(commonName: "Other")
        let list = try RevocationScene.list(of: scene.pai) { list in
            list.scope = RevocationListTemplate.indirect
            list.entries = [
                .init([1]), .init([2], issuer: other), .init([3]), .init([4], issuer: scene.pai.certificate.subject),
                .init([5]),
            ]
        }
        let contents = try check(RevocationScene.point(of: scene.pai), list)
        #expect((1...5).map { contents.date(of: [$0]) != nil } == [true, false, false, true, true])
    }

    @Test("a list by another signer, for another key, or with a wrong signature does not count")
    func signatures() throws {
        let point = try RevocationScene.point(of: scene.pai)
        let other = try RevocationScene()
        refuse("another signs the list", point, try RevocationScene.list(of: other.paa, [scene.dac]))
        refuse("another signs the list", point, try RevocationScene.list(of: other.pai, [scene.dac]))
        refuse(
            "another signs the list", point,
            try RevocationScene.list(of: scene.pai) { $0.authorityKeyIdentifier = nil })
        let forged = RevocationListTemplate(scene.pai.certificate.subject, key: scene.pai.key.publicKey)
        refuse("the signature of the list is wrong", point, try forged.signed(with: key))
        refuse(
            "no authority of the ledger has certified", point, try RevocationScene.list(of: scene.pai),
            roots: other.roots())
        refuse(
            "the authority of the list has another key than its point says",
            try RevocationScene.point(of: other.pai, signer: scene.pai.certificate),
            try RevocationScene.list(of: scene.pai))
    }

    @Test("vendor and product of the point are those of the authority; a root without vendor has that of the ledger")
    func vendors() throws {
        let list = try RevocationScene.list(of: scene.pai)
        refuse("another vendor or product", try RevocationScene.point(of: scene.pai, vendorID: 7), list)
        let open = try RevocationScene(paaVendor: nil)
        let point = try RevocationScene.point(of: open.paa, isPAA: true)
        let ownList = try RevocationScene.list(of: open.paa)
        _ = try check(point, ownList, roots: open.roots())
        _ = try check(point, ownList, roots: open.roots(vendorID: nil))
        refuse("another vendor or product", point, ownList, roots: open.roots(vendorID: 9))
    }

    @Test("one of several lists of an issuer must say that it is for this point")
    func shares() throws {
        let point = try RevocationScene.point(of: scene.pai)
        func list(_ url: String?) throws -> [UInt8] {
            try RevocationScene.list(of: scene.pai) { $0.url = url }
        }
        _ = try check(point, list(RevocationScene.url), isShared: true)
        refuse("the issuer has several lists", point, try list("http://crl.example/b.crl"), isShared: true)
        refuse("the issuer has several lists", point, try list(nil), isShared: true)
        _ = try check(point, list("http://crl.example/b.crl"))
    }

    @Test("a list for another kind of certificate does not count")
    func kinds() throws {
        let forDevices = { (list: inout RevocationListTemplate) in list.scope = RevocationListTemplate.devicesOnly }
        let forAuthorities = { (list: inout RevocationListTemplate) in
            list.scope = RevocationListTemplate.authoritiesOnly
        }
        _ = try check(RevocationScene.point(of: scene.pai), RevocationScene.list(of: scene.pai, [], forDevices))
        let root = try RevocationScene.point(of: scene.paa, isPAA: true)
        _ = try check(root, RevocationScene.list(of: scene.paa, [], forAuthorities))
        refuse("certificates of this kind", root, try RevocationScene.list(of: scene.paa, [], forDevices))
        refuse(
            "certificates of this kind", try RevocationScene.point(of: scene.pai),
            try RevocationScene.list(of: scene.pai, [], forAuthorities))
    }

    @Test("size and digest count where the point has them")
    func integrity() throws {
        let list = try RevocationScene.list(of: scene.pai)
        let digest = Data(SHA256.hash(list)).base64EncodedString()
        func point(_ more: String) throws -> RevocationPoint {
            try RevocationScene.point(of: scene.pai, more: "," + more)
        }
        let right = #""dataFileSize":"\#(list.count)","dataDigest":"\#(digest)","dataDigestType":1"#
        _ = try check(point(right), list)
        _ = try check(point(#""dataFileSize":"0","dataDigest":"","dataDigestType":0"#), list)
        refuse("bytes, its point says", try point(#""dataFileSize":"7""#), list)
        refuse("another digest", try point(#""dataDigest":"AAAA","dataDigestType":1"#), list)
        refuse("unknown kind", try point(right.replacingOccurrences(of: #"Type":1"#, with: #"Type":7"#)), list)
    }

    @Test("PEM is read too; other text, a cut list, changes only and a list of the future are refused")
    func forms() throws {
        let point = try RevocationScene.point(of: scene.pai)
        let list = try RevocationScene.list(of: scene.pai)
        func pem(_ label: String) -> [UInt8] { Array(PEM.encode(list, label: label).utf8) }
        _ = try check(point, pem("X509 CRL"))
        refuse("neither DER nor PEM", point, pem(PEM.certificate))
        refuse("is not a DER encoding", point, Array(list.dropLast()))
        refuse("neither DER nor PEM", point, Array("<html>".utf8))
        refuse("neither DER nor PEM", point, [])
        refuse(
            "changes only", point,
            try RevocationScene.list(of: scene.pai) {
                $0.extensions = [RevocationListTemplate.extension(27, isCritical: true, [2, 1, 1])]
            })
        let future = try RevocationScene.list(of: scene.pai) { $0.issued = RevocationScene.now + 100_000 }
        refuse("of the future", point, future)
        // A machine without a clock cannot tell.
        _ = try check(point, future, now: 1000)
    }
}
