/// A list of revoked certificates that was looked into.
package struct RevocationList: Sendable, Hashable {
    /// The longest time that a list counts after it was made, whatever it promises, seconds: two years.
    package static let longestTerm: Int64 = 731 * 86_400

    /// The URL or file that it came from.
    package var origin: String
    /// When its signer made it, in seconds since 1970; `nil` if the list does not say.
    package var issued: Int64?
    /// When its signer promised the next one.
    package var nextUpdate: Int64?
    /// When it was fetched.
    package var fetched: Int64?

    // memberwise: package, issued = nil, nextUpdate = nil, fetched = nil

    /// Whether its signer must have made a newer one by now, or it was fetched too long ago. A list that does not say when
    /// the next one comes may be a recording of any age (RFC 5280, 5.1.2.5, requires that it says so).
    ///
    /// - Parameter now: seconds since 1970; `nil` if the clock is wrong, so that only a list without that date is.
    package func isStale(now: Int64?) -> Bool {
        guard let nextUpdate else { return true }
        guard let now else { return false }
        return nextUpdate < now || issued.map { $0 < now - Self.longestTerm } ?? false
            || fetched.map { TrustAge(date: $0, now: now).isOld } ?? false
    }

    var text: String {
        func day(_ word: String, _ seconds: Int64?) -> String {
            seconds.map { ", \(word) \(X509Time.text($0).prefix(10))" } ?? ""
        }
        return origin + day("issued", issued) + day("fetched", fetched)
    }
}

/// The facts about the revocation of one certificate.
package enum RevocationStatus: Sendable, Hashable {
    /// A list in force does not name it.
    case good(RevocationList)
    /// - Parameter since: seconds since 1970; `nil` if the list does not say.
    case revoked(since: Int64?, RevocationList)
    /// The reason in words, and the list that cannot answer, if there is one.
    case notKnown(String, RevocationList?)

    package var list: RevocationList? {
        switch self {
        case .good(let list), .revoked(_, let list): list
        case .notKnown(_, let list): list
        }
    }

    package var isRevoked: Bool { if case .revoked = self { true } else { false } }

    /// The answer of several sources: one that revokes counts most, one that knows nothing least.
    static func merged(_ all: [RevocationStatus]) -> RevocationStatus {
        func isGood(_ one: RevocationStatus) -> Bool { if case .good = one { true } else { false } }
        return all.first(where: \.isRevoked) ?? all.first(where: isGood) ?? all.first { $0.list != nil } ?? all.first
            ?? .notKnown("no list of revoked certificates is at hand", nil)
    }

    var text: String {
        switch self {
        case .good(let list): "not revoked (\(list.text))"
        case .revoked(let since, let list):
            "revoked" + (since.map { " since \(X509Time.text($0))" } ?? "") + " (\(list.text))"
        case .notKnown(let reason, let list): "not known: \(reason)" + (list.map { " (\($0.text))" } ?? "")
        }
    }
}

/// Lists of revoked certificates.
package protocol RevocationSource: Sendable {
    /// - Parameter now: seconds since 1970; `nil` if the clock is wrong.
    func status(of certificate: AttestationCertificate, now: Int64?) -> RevocationStatus
}

/// The revocation of a device's chain. That its authority (PAA) is revoked, the ledger
/// says (Matter core specification, 6.2.3).
public struct RevocationJudgement: Sendable, Hashable {
    package var dac: RevocationStatus
    package var pai: RevocationStatus

    package enum Verdict: String, Sendable, CaseIterable {
        case good, revoked
        case notKnown = "not-known"
    }

    /// Of the chain: good only if both certificates are.
    package var verdict: Verdict {
        switch (dac, pai) {
        case (.revoked, _), (_, .revoked): .revoked
        case (.good, .good): .good
        default: .notKnown
        }
    }

    /// Since when the first of them is revoked, in seconds since 1970; `nil` if no list says.
    package var since: Int64? {
        [dac, pai].compactMap { if case .revoked(let since, _) = $0 { since } else { nil } }.min()
    }

    /// Why no verdict is possible; `nil` if one is.
    public var reason: String? {
        guard verdict == .notKnown else { return nil }
        if case .notKnown(let reason, _) = dac { return reason }
        if case .notKnown(let reason, _) = pai { return reason }
        return nil
    }

    /// Of both certificates; where one is revoked, the other does not matter.
    package var description: String {
        if dac == pai { return "DAC and PAI \(dac.text)" }
        var parts = ["DAC \(dac.text)", "PAI \(pai.text)"]
        if !dac.isRevoked, pai.isRevoked { parts.removeFirst() }
        if dac.isRevoked, !pai.isRevoked { parts.removeLast() }
        return parts.joined(separator: "; ")
    }

    /// The failure that follows; `nil` if none does.
    func failure(isStrict: Bool) -> AttestationResult? {
        switch (dac.isRevoked, pai.isRevoked) {
        case (true, true): .paiAndDACRevoked
        case (true, false): .dacRevoked
        case (false, true): .paiRevoked
        case (false, false): isStrict && verdict == .notKnown ? .revocationNotKnown : nil
        }
    }
}

/// How an attestation looks for revocation.
package struct RevocationCheck: Sendable {
    package let sources: [any RevocationSource]
    /// Whether a chain is refused of which it is not known.
    package let isStrict: Bool

    // memberwise: package, sources = [], isStrict = false

    /// - Parameter now: seconds since 1970; `nil` if the clock is wrong.
    package func judge(
        dac: AttestationCertificate, pai: AttestationCertificate, now: Int64?
    ) -> RevocationJudgement {
        func status(_ certificate: AttestationCertificate) -> RevocationStatus {
            .merged(sources.map { $0.status(of: certificate, now: now) })
        }
        return RevocationJudgement(dac: status(dac), pai: status(pai))
    }
}
