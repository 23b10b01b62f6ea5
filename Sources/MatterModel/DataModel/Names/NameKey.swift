/// A name reduced to what counts: names match without regard to case, blanks, hyphens and underscores, and without
/// the dots and slashes of printed labels (`PM2.5`, `On/Off`).
package struct NameKey: Hashable, Sendable {
    let octets: [UInt8]

    package init(_ name: String) {
        octets = name.utf8.compactMap(Self.reduced)
    }

    /// True if another spelling means the same name.
    package func matches(_ name: String) -> Bool {
        var position = 0
        for octet in name.utf8 {
            guard let octet = Self.reduced(octet) else { continue }
            guard position < octets.count, octets[position] == octet else { return false }
            position += 1
        }
        return position == octets.count && !octets.isEmpty
    }

    /// The byte as it counts; `nil` if it does not.
    private static func reduced(_ octet: UInt8) -> UInt8? {
        switch octet {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): octet | 0x20
        case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"): nil
        default: octet
        }
    }
}
