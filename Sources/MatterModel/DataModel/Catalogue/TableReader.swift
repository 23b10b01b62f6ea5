/// Bytes of the generated table, which are there for as long as the program runs.
typealias TableText = UnsafeBufferPointer<UInt8>

/// One line of the generated table: a letter that says what it is, and its fields.
struct TableLine {
    let kind: UInt8
    private let text: TableText
    private let separator: UInt8

    /// - Parameter line: not empty.
    init(_ line: Slice<TableText>, separator: UInt8) {
        kind = line[line.startIndex]
        text = TableText(rebasing: line.dropFirst())
        self.separator = separator
    }

    /// The field at a position; empty fields at the end are left out of the table.
    func octets(_ position: Int) -> TableText {
        // A note is one field, whatever it contains.
        if kind == UInt8(ascii: "!") { return TableText(rebasing: position == 0 ? text[...] : text[..<0]) }
        var (start, field) = (0, 0)
        for index in 0..<text.count where text[index] == separator {
            if field == position { return TableText(rebasing: text[start..<index]) }
            field += 1
            start = index + 1
        }
        return TableText(rebasing: field == position ? text[start...] : text[..<0])
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
        octets(position).parts(UInt8(ascii: " ")).map { ID(TableLine.hexadecimal($0)) }
    }

    private static func hexadecimal(_ digits: TableText) -> UInt32 {
        var number: UInt32 = 0
        for digit in digits {
            number =
                number << 4
                | UInt32(digit < UInt8(ascii: "a") ? digit &- UInt8(ascii: "0") : digit &- UInt8(ascii: "a") &+ 10)
        }
        return number
    }

    static func decimal(_ digits: TableText) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var number: UInt64 = 0
        for digit in digits { number = number &* 10 &+ UInt64(digit &- UInt8(ascii: "0")) }
        return number
    }
}

/// Cuts a section of the generated table into lines. The compiler put the table there, so its form is not doubted;
/// a test compares every line of it with the model.
struct TableReader: Sequence, IteratorProtocol {
    private let text: TableText
    private var position = 0
    private let separator: UInt8

    /// A section, or a range of one.
    init(_ section: StaticString, _ range: Range<Int>? = nil, separator: UInt8 = UInt8(ascii: "|")) {
        self.separator = separator
        let all = TableText(start: section.utf8Start, count: section.utf8CodeUnitCount)
        text = range.map { TableText(rebasing: all[$0.clamped(to: 0..<all.count)]) } ?? all
    }

    mutating func next() -> TableLine? {
        let start = position
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
        position = end + 1
        return end > start ? TableLine(text[start..<end], separator: separator) : nil
    }
}

extension TableText {
    /// The parts between separators, without what is empty.
    func parts(_ separator: UInt8) -> [TableText] {
        var parts: [TableText] = []
        var start = 0
        for index in 0...count where index == count || self[index] == separator {
            if index > start { parts.append(TableText(rebasing: self[start..<index])) }
            start = index + 1
        }
        return parts
    }
}
