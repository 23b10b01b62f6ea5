import MatterTestKit
import TestSupport
import Testing

@testable import MatterCrypto

@Suite("Revocation list") struct RevocationListTests {
    private static let name = AttestationName(commonName: "Signer")
    private let key: P256PrivateKey

    init() throws { key = try P256PrivateKey.generate() }

    private func list(_ change: (inout RevocationListTemplate) -> Void) throws -> [UInt8] {
        var template = RevocationListTemplate(Self.name, key: key.publicKey, [.init([5]), .init([0, 0x9A, 1])])
        change(&template)
        return try template.signed(with: key)
    }

    @Test("signer, dates, number, scope and entries are read; a zero that keeps a serial number positive is left out")
    func contents() throws {
        let list = try CertificateRevocationList(
            der: list {
                $0.url = "https://crl.example/a"
                $0.scope = RevocationListTemplate.devicesOnly + RevocationListTemplate.indirect
            })
        #expect(list.issuer == Self.name && list.thisUpdate == 1_790_000_000 && list.nextUpdate == 1_890_000_000)
        #expect(list.number == [1] && list.authorityKeyIdentifier == key.publicKey.keyIdentifier)
        #expect(list.scope?.urls == ["https://crl.example/a"])
        #expect(list.scope?.isForDevicesOnly == true && list.scope?.isIndirect == true)
        #expect(list.scope?.isForAuthoritiesOnly == false)
        #expect(list.entries.map(\.serialNumber) == [[5], [0x9A, 1]])
        #expect(list.entries.allSatisfy { $0.date == 1_700_000_000 && $0.issuer == nil })
        #expect(list.isSigned(by: key.publicKey))
        #expect(try !list.isSigned(by: P256PrivateKey.generate().publicKey))
    }

    @Test("a list of nothing is one, without a date of the next one as well")
    func empty() throws {
        let list = try CertificateRevocationList(
            der: list {
                $0.entries = []
                $0.nextUpdate = nil
            })
        #expect(list.entries.isEmpty && list.nextUpdate == nil && list.scope == nil)
    }

    @Test("an issuer that an entry names holds for those that follow")
    func stickyIssuer() throws {
        let (one, two) = (AttestationName(commonName: "One"), AttestationName(commonName: "Two"))
        let list = try CertificateRevocationList(
            der: list {
                $0.entries = [
                    .init([1]), .init([2], issuer: one), .init([3]), .init([4], issuer: two), .init([5]),
                ]
            })
        #expect(list.entries.map(\.issuer) == [nil, one, one, two, two])
    }

    @Test("twenty bytes of serial number are read, more are refused")
    func longSerial() throws {
        let longest = [0x7F] + [UInt8](repeating: 1, count: 19)
        #expect(try CertificateRevocationList(der: list { $0.entries = [.init(longest)] }).entries.count == 1)
        #expect(throws: CredentialsError.self) {
            try CertificateRevocationList(der: list { $0.entries = [.init(longest + [1, 1])] })
        }
    }

    @Test("a list of changes, and one that is not understood or complete, is refused with the reason")
    func refused() throws {
        let cases: [(String, (inout RevocationListTemplate) -> Void)] = [
            (
                "it is a list of changes only (delta), which is not used",
                { $0.extensions = [RevocationListTemplate.extension(27, isCritical: true, [2, 1, 1])] }
            ),
            (
                "the list has an unknown critical extension",
                { $0.extensions = [RevocationListTemplate.extension(99, isCritical: true, [5, 0])] }
            ),
            (
                "an entry of the list is not understood",
                { $0.entries[0].extensions = [RevocationListTemplate.extension(99, isCritical: true, [5, 0])] }
            ),
            ("the list is for some reasons of revocation only", { $0.scope = RevocationListTemplate.someReasons }),
            ("the version of the list is not 2", { $0.version = [0] }),
            ("a serial number of the list is malformed", { $0.entries[0].serialNumber = [] }),
            ("a serial number of the list is malformed", { $0.entries[0].serialNumber = [0, 1] }),
            ("an extension is there twice", { $0.extensions = [RevocationListTemplate.extension(20, [2, 1, 1])] }),
        ]
        for (reason, change) in cases {
            let error = #expect(throws: CredentialsError.self) { try CertificateRevocationList(der: list(change)) }
            #expect(error?.reason == reason)
        }
        #expect(throws: CredentialsError.self) { try CertificateRevocationList(der: list { $0.version = nil }) }
        // An extension that is not critical need not be understood: where changes are published, and a reason.
        #expect(throws: Never.self) {
            try CertificateRevocationList(
                der: list {
                    $0.extensions = [RevocationListTemplate.extension(46, [0x30, 0])]
                    $0.entries[0].extensions = [RevocationListTemplate.extension(21, [10, 1, 1])]
                })
        }
    }

    @Test("a cut list, one with bytes behind it, and one that is too long is refused")
    func bounds() throws {
        let whole = try list { _ in }
        for count in 0..<whole.count {
            #expect(throws: CredentialsError.self) { try CertificateRevocationList(der: Array(whole.prefix(count))) }
        }
        #expect(throws: CredentialsError.self) { try CertificateRevocationList(der: whole + [0]) }
        let error = #expect(throws: CredentialsError.self) {
            try CertificateRevocationList(
                der: [UInt8](repeating: 0x30, count: CertificateRevocationList.maximumCount + 1))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("a damaged list is refused, or its signature is wrong")
    func mutations() throws {
        let whole = try list { $0.url = "https://crl.example/a" }
        var mutator = Mutator(seed: 91, corpus: [whole])
        var decoded = 0
        for _ in 0..<Effort.inputs(20_000) {
            guard let list = try? CertificateRevocationList(der: mutator.next()) else { continue }
            decoded += 1
            let original = try CertificateRevocationList(der: whole)
            if list.isSigned(by: key.publicKey) { #expect(list.tbs == original.tbs) }
        }
        #expect(decoded > 0)
    }

    @Test("fifty thousand entries are read")
    func many() throws {
        let der = try list {
            $0.entries = (0..<50_000 as Range<UInt32>).map { number in
                .init([0x40] + withUnsafeBytes(of: number.bigEndian, [UInt8].init).dropFirst())
            }
        }
        #expect(try CertificateRevocationList(der: der).entries.count == 50_000)
    }
}
