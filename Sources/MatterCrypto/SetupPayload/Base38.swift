import MatterBase

/// The text encoding of QR payloads: five characters for three bytes, least significant first (Matter core
/// specification, 5.1.3.1).
enum Base38 {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-.".unicodeScalars)

    /// The number of characters for one, two and three bytes.
    private static let characters = [1: 2, 2: 4, 3: 5]

    /// The text of any bytes.
    static func encode(_ octets: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for start in stride(from: 0, to: octets.count, by: 3) {
            let group = octets[start..<min(start + 3, octets.count)]
            var number = group.reversed().reduce(0) { $0 << 8 | Int($1) }
            for _ in 0..<(characters[group.count] ?? 0) {
                text.append(alphabet[number % alphabet.count])
                number /= alphabet.count
            }
        }
        return String(text)
    }

    /// The bytes of a text.
    ///
    /// - Throws: ``SetupPayloadError`` for other characters, a length that no bytes have, or a group of characters
    ///   whose value exceeds its bytes.
    static func decode(_ text: String) throws(SetupPayloadError) -> [UInt8] {
        try decode(Array(text.unicodeScalars), position: 1)
    }

    /// - Parameter position: of the first character in the text that errors speak of.
    static func decode(_ text: [Unicode.Scalar], position: Int) throws(SetupPayloadError) -> [UInt8] {
        var octets: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 5) {
            var number = 0
            var scale = 1
            let group = text[start..<min(start + 5, text.count)]
            for (offset, scalar) in group.enumerated() {
                guard let digit = value(of: scalar) else {
                    let place = position + start + offset
                    throw SetupPayloadError(
                        .character, "character \(place), \(scalar.quoted), is not allowed in a QR payload",
                        hint: "a QR payload has only capital letters, digits, '-' and '.'", position: place)
                }
                number += scale * digit
                scale *= alphabet.count
            }
            guard let count = (1...3).first(where: { characters[$0] == group.count }) else {
                throw SetupPayloadError(
                    .length, "no QR payload has this length",
                    hint: "a character is missing or superfluous; copy the whole text again", position: position + start
                )
            }
            guard number >> (8 * count) == 0 else {
                throw SetupPayloadError(
                    .group,
                    "characters \(position + start)–\(position + start + group.count - 1) are not valid in a QR payload",
                    hint: "probably a typing error: compare the text with the label", position: position + start)
            }
            octets += (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return octets
    }

    private static func value(of scalar: Unicode.Scalar) -> Int? {
        switch scalar {
        case "0"..."9": Int(scalar.value - 0x30)
        case "A"..."Z": Int(scalar.value - 0x41 + 10)
        case "-": 36
        case ".": 37
        default: nil
        }
    }
}
