/// A rectangle of characters in which lines are drawn: with the eight dots of Braille patterns, or with a mark for each
/// series.
struct ChartCanvas {
    private struct Cell {
        /// The dots of a Braille pattern.
        var dots: UInt8 = 0
        var mark: Character?
        /// The series that was drawn last.
        var series: Int?
    }

    /// The bits of a Braille pattern, row by row (The Unicode Standard, 21.1).
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
    private static let empty: UInt32 = 0x2800

    let columns: Int
    let rows: Int
    /// Places in a character, across and down.
    private let grain: (across: Int, down: Int)
    private var cells: [[Cell]]

    init(columns: Int, rows: Int, isBraille: Bool) {
        (self.columns, self.rows) = (columns, rows)
        grain = isBraille ? (2, 4) : (1, 1)
        cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    }

    /// Places across.
    var width: Int { columns * grain.across }
    /// Places down.
    var height: Int { rows * grain.down }

    private var isBraille: Bool { grain.down > 1 }

    /// Fills places that stand above each other.
    mutating func fill(_ column: Int, _ rows: ClosedRange<Int>, of series: Int, as mark: Character) {
        for row in rows.clamped(to: 0...max(0, height - 1)) {
            let (down, across) = (row / grain.down, column / grain.across)
            guard cells.indices.contains(down), cells[down].indices.contains(across) else { continue }
            if isBraille {
                cells[down][across].dots |= Self.bits[row % grain.down][column % grain.across]
            } else {
                cells[down][across].mark = mark
            }
            cells[down][across].series = series
        }
    }

    /// Puts a mark at a place.
    mutating func put(_ mark: Character, _ column: Int, _ row: Int, of series: Int) {
        let (down, across) = (row / grain.down, column / grain.across)
        guard cells.indices.contains(down), cells[down].indices.contains(across) else { return }
        cells[down][across].mark = mark
        cells[down][across].series = series
    }

    /// The characters of a row, those of one series together.
    func row(_ number: Int) -> [(text: String, series: Int?)] {
        var parts: [(text: String, series: Int?)] = []
        for cell in cells[number] {
            let pattern = Unicode.Scalar(Self.empty + UInt32(cell.dots)).map(Character.init)
            let character = cell.mark ?? (cell.dots == 0 ? " " : pattern ?? " ")
            let series = character == " " ? nil : cell.series
            if let last = parts.indices.last, parts[last].series == series {
                parts[last].text.append(character)
            } else {
                parts.append((String(character), series))
            }
        }
        if parts.last?.series == nil { _ = parts.popLast() }
        return parts
    }
}
