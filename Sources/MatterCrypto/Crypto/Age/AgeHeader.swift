import FoundationEssentials

/// The header of a file in the age format, as far as its text goes; nothing is decrypted here.
struct AgeHeader {
    /// The key of the file for one who may have it.
    struct Stanza {
        var type: String
        var arguments: [String]
        var body: [UInt8]
    }

    /// The largest header: recipients by the thousand have room in it.
    private static let largest = 1 << 20
    private static let columns = 64

    private(set) var stanzas: [Stanza] = []
    /// The message authentication code of the header.
    private(set) var code: [UInt8] = []
    /// The bytes that it covers.
    private(set) var authenticated: [UInt8] = []
    /// How many bytes the header has.
    private(set) var count = 0

    /// The header without its code.
    static func unauthenticated(_ stanzas: [Stanza]) -> [UInt8] {
        var text = AgeFile.intro + "\n"
        for stanza in stanzas {
            text += "-> \(([stanza.type] + stanza.arguments).joined(separator: " "))\n"
            let body = Array(Base64.encode(stanza.body).utf8)
            // The last line is shorter than the others, and may be empty: so one sees that it is the last.
            for start in stride(from: 0, through: body.count, by: columns) {
                text += String(decoding: body[start..<min(start + columns, body.count)], as: UTF8.self) + "\n"
            }
        }
        return Array((text + "---").utf8)
    }

    init(parsing octets: [UInt8]) throws(AgeError) {
        var position = octets.startIndex
        func damaged() -> AgeError { AgeError(.damaged, "the header of the file is damaged") }
        func line() throws(AgeError) -> String {
            let rest = octets[position...]
            guard let end = rest.prefix(Self.largest).firstIndex(of: 0x0A),
                rest[..<end].allSatisfy({ 0x20...0x7E ~= $0 })
            else { throw damaged() }
            position = end + 1
            return String(decoding: rest[..<end], as: UTF8.self)
        }
        guard octets.starts(with: Array(AgeFile.intro.utf8)), try line() == AgeFile.intro else {
            throw AgeError(.damaged, "the file is not one of age, version 1")
        }
        while true {
            guard position < Self.largest else { throw damaged() }
            let start = position
            let words = try line().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            if words.first == "---" {
                guard words.count == 2, let code = Base64.decodeUnpadded(words[1]), code.count == 32, !stanzas.isEmpty
                else { throw damaged() }
                self.code = code
                authenticated = Array(octets[..<(start + 3)])
                count = position
                return
            }
            guard words.first == "->", words.count >= 2, words.allSatisfy({ !$0.isEmpty }) else { throw damaged() }
            var body = ""
            while true {
                let part = try line()
                guard part.utf8.count <= Self.columns else { throw damaged() }
                body += part
                if part.utf8.count < Self.columns { break }
            }
            guard let bytes = Base64.decodeUnpadded(body) else { throw damaged() }
            stanzas.append(Stanza(type: words[1], arguments: Array(words.dropFirst(2)), body: bytes))
        }
    }
}

/// Base 64 (RFC 4648, section 4), written without padding as age does.
package enum Base64 {
    package static func encode(_ octets: [UInt8]) -> String {
        String(Data(octets).base64EncodedString().prefix { $0 != "=" })
    }

    static func decode(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map { Array($0) } }

    /// Only the one text that the octets have without padding.
    package static func decodeUnpadded(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let octets = decode(text + padding), encode(octets) == text else { return nil }
        return octets
    }
}
