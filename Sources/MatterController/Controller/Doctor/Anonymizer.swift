import MatterState

/// Replaces the names of people's things in a text: nodes, rooms, fabrics, hosts, addresses. The same name gets the
/// same word everywhere, so that a reader can still tell that two lines are about one thing.
struct Anonymizer {
    private var names: [(name: String, word: String)] = []
    private var addresses: [String: String] = [:]

    /// - Parameter names: what is replaced; short ones too, wherever they stand as a word of their own.
    init(_ names: [String]) {
        for name in Set(names).filter({ !$0.isEmpty }).sorted(by: { ($0.count, $0) > ($1.count, $1) }) {
            self.names.append((name, "name-\(self.names.count + 1)"))
        }
    }

    /// The text without them.
    mutating func text(_ text: String) -> String {
        var text = text
        for (name, word) in names { text = Self.replacing(name, by: word, in: text) }
        return replacingAddresses(in: text)
    }

    private static func replacing(_ name: String, by word: String, in text: String) -> String {
        var result = ""
        var rest = text[...]
        while let range = rest.ranges(of: name).first {
            let before = range.lowerBound == text.startIndex ? nil : text[text.index(before: range.lowerBound)]
            let after = range.upperBound == text.endIndex ? nil : text[range.upperBound]
            let isWord = !isPart(before) && !isPart(after)
            result += rest[..<range.lowerBound] + (isWord ? word[...] : rest[range])
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    private static func isPart(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }

    /// IPv4 and IPv6 addresses; the kind of an address stays to be seen.
    private mutating func replacingAddresses(in text: String) -> String {
        var result = ""
        var token = ""
        func isToken(_ character: Character) -> Bool { character.isHexDigit || character == ":" || character == "." }
        for character in text + " " {
            if isToken(character) {
                token.append(character)
                continue
            }
            result += word(for: token)
            token = ""
            result.append(character)
        }
        return String(result.dropLast())
    }

    private mutating func word(for token: String) -> String {
        let bare = token.trimming { $0 == "." }
        let isAddress =
            bare.count { $0 == ":" } >= 2
            || bare.count { $0 == "." } == 3 && bare.allSatisfy { $0.isNumber || $0 == "." }
        // An empty address and one of a group name nothing.
        guard isAddress, !["::", "::1", "0.0.0.0", "ff02::fb"].contains(bare) else { return token }
        if let known = addresses[bare] { return token.replacing(bare, with: known) }
        let kind = bare.hasPrefix("fe80") ? "fe80" : bare.hasPrefix("fd") ? "fd" : bare.contains(":") ? "ipv6" : "ipv4"
        let word = "\(kind)-address-\(addresses.count + 1)"
        addresses[bare] = word
        return token.replacing(bare, with: word)
    }
}

extension String {
    fileprivate func trimming(_ isLoose: (Character) -> Bool) -> String {
        String(drop(while: isLoose).reversed().drop(while: isLoose).reversed())
    }
}
