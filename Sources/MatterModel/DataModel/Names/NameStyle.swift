/// The spellings of a model name: `StartUpOnOff` is `start-up-on-off` on the command line and `startUpOnOff` as a
/// JSON key. Every spelling leads back to the name (``NameKey``).
public enum NameStyle {
    /// Lower case with hyphens, as a person types it.
    public static func kebab(_ name: String) -> String {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return words(name).map { $0.lowercased() }.joined(separator: "-")
        }
        var text: [UInt8] = []
        for word in words(name) {
            if !text.isEmpty { text.append(UInt8(ascii: "-")) }
            text += word.utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The first word in lower case: `vendorID`, `nocs`, `ledSettings`.
    static func camel(_ name: String) -> String {
        let words = words(name)
        guard let first = words.first else { return name }
        return first.lowercased() + words.dropFirst().joined()
    }

    /// The words of an identifier: `ACLEntry` is ACL and Entry, `NOCs` and `IPv6` are one word each.
    private static func words(_ name: String) -> [String] {
        let octets = Array(name.utf8)
        func isUpper(_ index: Int) -> Bool {
            octets.indices.contains(index) && UInt8(ascii: "A")...UInt8(ascii: "Z") ~= octets[index]
        }
        func isLower(_ index: Int) -> Bool {
            octets.indices.contains(index) && UInt8(ascii: "a")...UInt8(ascii: "z") ~= octets[index]
        }
        /// The `s` of `NOCs` or the `v` of `IPv6`: belongs to the capitals before it.
        func continuesCapitals(_ index: Int) -> Bool {
            guard isLower(index) else { return false }
            switch octets[index] {
            case UInt8(ascii: "s"): return index + 1 == octets.count || isUpper(index + 1)
            case UInt8(ascii: "v"):
                return index + 1 < octets.count && UInt8(ascii: "0")...UInt8(ascii: "9") ~= octets[index + 1]
            default: return false
            }
        }
        /// True if a word starts here where capitals mislead: `PINfor` is PIN and for, `SoC` is one word.
        func known(_ index: Int) -> Bool? {
            func isBetween(_ before: String, _ after: String) -> Bool {
                octets[..<index].suffix(before.utf8.count).elementsEqual(before.utf8)
                    && octets[index...].starts(with: after.utf8)
            }
            // Few letters can begin such a word, and names are spelled by the thousand.
            switch octets[index] {
            case UInt8(ascii: "f") where isBetween("PIN", "for"): return true
            case UInt8(ascii: "N") where isBetween("PI", "Nfor"): return false
            case UInt8(ascii: "C") where isBetween("So", "C") && !isLower(index + 1): return false
            default: return nil
            }
        }
        var words: [String] = []
        var word: [UInt8] = []
        for index in octets.indices {
            if octets[index] == UInt8(ascii: "_") || octets[index] == UInt8(ascii: " ")
                || octets[index] == UInt8(ascii: "-")
            {
                if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
                word = []
                continue
            }
            let endsCapitals =
                isUpper(index) && isUpper(index - 1) && isLower(index + 1) && !continuesCapitals(index + 1)
            let startsWord = isUpper(index) && index > 0 && !isUpper(index - 1)
            if !word.isEmpty, known(index) ?? (endsCapitals || startsWord) {
                words.append(String(decoding: word, as: UTF8.self))
                word = []
            }
            word.append(octets[index])
        }
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
        return words
    }
}
