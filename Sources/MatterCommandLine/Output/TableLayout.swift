/// A table that fits a terminal: columns that say little go, long cells are shortened, and no row is wrapped.
///
/// The order is that of docs/commands.md, "In a terminal".
struct TableLayout {
    /// Columns that go first, in this order: others say the same, or few people need them.
    static let spare = [
        "PRODUCT", "ADDRESS", "ADDRESSES", "FABRIC ID", "INSTANCE", "EXTENDED PAN ID", "PART NUMBER", "IMAGE BYTES",
        "KEY ID", "ROUTE", "CERTIFICATE", "FIRMWARE", "SEEN", "VENDOR", "PRODUCT ID", "DISCRIMINATOR", "AUTH",
        "TRANSPORT", "ORIGIN",
    ]
    /// Columns that stay as long as any does, beside the first.
    static let core: Set<String> = ["NODE", "NAME", "STATE", "VALUE", "RESULT", "STATUS", "ENTRY", "PATH"]

    /// Columns that say nothing if all rows have the same.
    private static let usual = (heading: "REACHABLE", cell: "yes")

    private static let gap = 2
    /// The least width of a column, as long as another one can go instead.
    private static let narrow = 12
    private static let narrowest = 4

    /// The columns of the terminal; `nil` for as many as the table needs.
    let width: Int?
    /// The mark for the rest of a cell.
    let ellipsis: String
    /// How a cell looks; the heading tells what it is.
    var style: (_ heading: String, _ cell: String) -> TextStyle? = { _, _ in nil }
    /// How the headings look.
    var headingStyle: TextStyle?

    /// The lines of a table: the headings, and the rows; none without rows.
    func lines(_ header: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let natural = header.indices.map { column in
            ([header] + rows).map { Self.width(of: $0[column]) }.max() ?? 0
        }
        let kept = kept(header, rows, natural)
        let widths = shortened(kept.map { (natural[$0], Self.core.contains(header[$0])) })
        func line(_ row: [String], _ style: (_ heading: String, _ cell: String) -> TextStyle?) -> String {
            var text = ""
            var blanks = 0
            for (column, width) in zip(kept, widths) {
                let cell = Self.cut(row[column], to: width, ellipsis)
                if !cell.isEmpty {
                    text += String(repeating: " ", count: blanks)
                    text += style(header[column], row[column])?.applied(to: cell) ?? cell
                    blanks = 0
                }
                blanks += width - Self.width(of: cell) + Self.gap
            }
            return text
        }
        return [line(header) { _, _ in headingStyle }] + rows.map { line($0, style) }
    }

    // MARK: Columns

    /// The columns that there is room for.
    private func kept(_ header: [String], _ rows: [[String]], _ natural: [Int]) -> [Int] {
        var kept = Array(header.indices)
        guard let width else { return kept }
        func isTooWide(_ most: Int) -> Bool { Self.total(kept.map { min(natural[$0], most) }) > width }
        func drop(_ columns: some Sequence<Int>, unless most: Int) {
            for column in columns where kept.count > 1 && isTooWide(most) { kept.removeAll { $0 == column } }
        }
        let others = header.indices.dropFirst()
        let silent = others.reversed().filter { column in
            rows.allSatisfy { row in
                ["", "-"].contains(row[column]) || (header[column], row[column]) == Self.usual
            }
        }
        drop(silent, unless: .max)
        drop(Self.spare.compactMap { name in others.first { header[$0] == name } }, unless: .max)
        drop(others.reversed().filter { !Self.core.contains(header[$0]) }, unless: Self.narrow)
        drop(others.reversed(), unless: Self.narrowest)
        return kept
    }

    /// The widths of columns that are too wide together: the widest give way, and those that matter most only when the others are
    /// narrow.
    private func shortened(_ natural: [(width: Int, isCore: Bool)]) -> [Int] {
        var widths = natural.map(\.width)
        guard let width else { return widths }
        while Self.total(widths) > width {
            let others = widths.indices.filter { !natural[$0].isCore && widths[$0] > Self.narrow }
            let candidates = others.isEmpty ? Array(widths.indices) : others
            guard let column = candidates.max(by: { widths[$0] <= widths[$1] }), widths[column] > 1 else { break }
            widths[column] -= 1
        }
        return widths
    }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(0, widths.count - 1) }

    // MARK: Cells

    /// The columns of a terminal that a text takes: two for a character of East Asian scripts and for a symbol in colour.
    static func width(of text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first?.value else { return 0 }
        return wide.contains { $0.contains(scalar) } ? 2 : 1
    }

    /// Unicode Standard Annex 11, the blocks that are wide.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]

    /// The lines of a text, broken at blanks where it has some; the text as it is, where there is hardly room.
    static func folded(_ text: String, to width: Int) -> [String] {
        guard width >= narrow, self.width(of: text) > width else { return [text] }
        var lines: [String] = []
        var rest = text[...]
        while self.width(of: String(rest)) > width {
            var taken = 0
            let most = rest.prefix { character in
                taken += self.width(of: character)
                return taken <= width
            }
            let end = most.lastIndex(of: " ").map(rest.index(after:)) ?? most.endIndex
            let line = rest[..<end]
            lines.append(String(line.lastIndex { $0 != " " }.map { line[...$0] } ?? line))
            rest = rest[end...].drop { $0 == " " }
        }
        return lines + (rest.isEmpty ? [] : [String(rest)])
    }

    /// The rows with the last cell on as many lines as it takes, so that nothing of a value is lost.
    func foldingLast(_ header: [String], _ rows: [[String]]) -> [[String]] {
        guard let width, let last = header.indices.last else { return rows }
        let before = header.indices.dropLast().map { column in
            ([header] + rows).map { Self.width(of: $0[column]) }.max() ?? 0
        }
        let room = width - Self.total(before + [0])
        return rows.flatMap { row in
            Self.folded(row[last], to: room).enumerated().map { index, line in
                (index == 0 ? Array(row.dropLast()) : before.map { _ in "" }) + [line]
            }
        }
    }

    /// A text that is no wider than a column.
    static func cut(_ text: String, to width: Int, _ ellipsis: String) -> String {
        guard self.width(of: text) > width else { return text }
        // In a column that is hardly wider than the sign, the text says more.
        let sign = self.width(of: ellipsis) < width ? ellipsis : ""
        let room = width - self.width(of: sign)
        var taken = 0
        return String(
            text.prefix { character in
                taken += self.width(of: character)
                return taken <= room
            }) + sign
    }
}
