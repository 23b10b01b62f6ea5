import JSON

/// The production authorities that are built in: facts from a snapshot of the Alliance's ledger (Matter core
/// specification, 6.2.2).
///
/// A certificate that was checked when the table was made proves nothing more than its facts, so it is not carried
/// along. An entry is decoded when a device names it.
public enum ProductionAuthorities {
    /// The day of the snapshot, as `2026-07-15`.
    public static var day: String { ProductionAuthorityTable.day }
    /// The day of the snapshot in seconds since 1970.
    package static var date: Int64 { ProductionAuthorityTable.date }
    package static var count: Int { ProductionAuthorityTable.count }

    /// The authorities with a key identifier: one, or none.
    package static func anchors(keyIdentifier: [UInt8]) -> [TrustAnchor] {
        let digits = Array(Hex.encode(keyIdentifier).utf8)
        return lines { $0.starts(with: digits) && $0.dropFirst(digits.count).first == separator }
    }

    /// All of them.
    package static var all: [TrustAnchor] { lines { _ in true } }

    private static let separator = UInt8(ascii: " ")

    private static func lines(where isWanted: (Slice<UnsafeBufferPointer<UInt8>>) -> Bool) -> [TrustAnchor] {
        ProductionAuthorityTable.text.withUTF8Buffer { text in
            text.split(separator: UInt8(ascii: "\n")).filter(isWanted).compactMap { line in
                anchor(String(decoding: line, as: UTF8.self))
            }
        }
    }

    private static func anchor(_ line: String) -> TrustAnchor? {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 5, let identifier = try? Hex.decode(words[0]), let point = try? Hex.decode(words[1]),
            let key = try? P256PublicKey(x963: point), let notBefore = Int64(words[2]), let notAfter = Int64(words[3]),
            let subject = (try? Hex.decode(words[4])).flatMap({ try? AttestationName(der: $0) })
        else { return nil }
        return TrustAnchor(
            keyIdentifier: identifier, publicKey: key, subject: subject,
            validity: AttestationValidity(notBefore: notBefore, notAfter: notAfter), origin: .snapshot(day: day))
    }
}
