/// Keys that were brought from the Alliance's ledger after this program was made. They are decoded when a device names
/// them.
package protocol LedgerTrust: Sendable {
    /// When they were brought, in seconds since 1970.
    var date: Int64 { get }
    /// How many authorities there are.
    var count: Int { get }
    /// Whether they are of the ledger for tests, so that anybody may have put them there.
    var isTest: Bool { get }
    func authorities(keyIdentifier: [UInt8]) -> [TrustAnchor]
    func declarationSigners(keyIdentifier: [UInt8]) -> [DeclarationSigner]
    /// The fate of an authority that the ledger had; `nil` if it did not take it back.
    func withdrawal(keyIdentifier: [UInt8], subject: AttestationName) -> AuthorityWithdrawal?
}

/// That the ledger took an authority back.
package struct AuthorityWithdrawal: Sendable, Hashable {
    /// Whether the ledger lists it as revoked; otherwise it lists it nowhere.
    package let isRevoked: Bool
    /// When that was first seen, in seconds since 1970.
    package let date: Int64

    // memberwise: package
}

/// Why an authority is not trusted.
package enum MissingAuthority: Sendable, Hashable {
    /// No source has it.
    case unknown
    /// The user trusts it no longer.
    case distrusted
    case withdrawn(AuthorityWithdrawal)
}

extension LedgerTrust {
    /// The day on which they were brought, as `2026-07-15`.
    package var day: String { String(X509Time.text(date).prefix(10)) }
}

/// How old trusted keys are.
public struct TrustAge: Sendable, Hashable {
    /// The age that is worth a warning, days.
    package static let longest: Int64 = 180
    private static let secondsPerDay: Int64 = 86_400

    /// When the ledger was last asked, in seconds since 1970.
    package let date: Int64
    /// The age, in whole days.
    public let days: Int64

    /// The age of what was fetched at `date`, in seconds since 1970, as of `now`.
    public init(date: Int64, now: Int64) {
        self.date = date
        days = max(0, now - date) / Self.secondsPerDay
    }

    /// The day, such as `2026-05-01`.
    public var day: String { String(X509Time.text(date).prefix(10)) }
    /// Whether it is older than what may be relied on.
    public var isOld: Bool { days > Self.longest }
}
