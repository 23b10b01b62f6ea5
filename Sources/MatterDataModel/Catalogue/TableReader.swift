/// One line of the generated table: a letter that says what it is, and its fields.
struct TableLine {
    let kind: UInt8
    private let text: [UInt8]
    private let fields: [Range<Int>]

    init(_ text: [UInt8], _ range: Range<Int>) {
        self.text = text
        kind = text[range.lowerBound]
        var fields: [Range<Int>] = []
        var start = range.lowerBound + 1
        // A note is one field, whatever it contains.
        if kind != UInt8(ascii: "!") {
            for index in start..<range.upperBound where text[index] == UInt8(ascii: "|") {
                fields.append(start..<index)
                start = index + 1
            }
        }
        fields.append(start..<range.upperBound)
        self.fields = fields
    }

    /// The field at a position; empty fields at the end are left out of the table.
    func octets(_ position: Int) -> ArraySlice<UInt8> {
        position < fields.count ? text[fields[position]] : []
    }

    func string(_ position: Int) -> String {
        String(decoding: octets(position), as: UTF8.self)
    }

    /// A number in decimal digits; `nil` if the field is empty.
    func decimal(_ position: Int) -> UInt64? {
        TableLine.decimal(octets(position))
    }

    /// A number in hexadecimal digits; 0 if the field is empty.
    func id<ID: DataModelID<UInt32>>(_ position: Int) -> ID {
        ID(TableLine.hexadecimal(octets(position)))
    }

    /// Hexadecimal numbers separated by blanks.
    func ids<ID: DataModelID<UInt32>>(_ position: Int) -> [ID] {
        octets(position).split(separator: UInt8(ascii: " ")).map { ID(TableLine.hexadecimal($0)) }
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt8>) -> UInt32 {
        var number: UInt32 = 0
        for digit in digits {
            number =
                number << 4
                | UInt32(digit < UInt8(ascii: "a") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10)
        }
        return number
    }

    static func decimal(_ digits: some Collection<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        return digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- UInt8(ascii: "0")) }
    }
}

/// Cuts a section of the generated table into lines. The compiler put the table there, so its form is not doubted;
/// a test compares every line of it with the model.
struct TableReader: Sequence, IteratorProtocol {
    private let text: [UInt8]
    private var position = 0

    /// A section, or a range of one. Only these bytes are copied.
    init(_ section: StaticString, _ range: Range<Int>? = nil) {
        text = section.withUTF8Buffer { Array($0[(range ?? 0..<$0.count).clamped(to: 0..<$0.count)]) }
    }

    mutating func next() -> TableLine? {
        guard position < text.count else { return nil }
        let end = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        defer { position = end + 1 }
        guard end > position else { return nil }
        return TableLine(text, position..<end)
    }
}
