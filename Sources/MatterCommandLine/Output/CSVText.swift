import MatterController

/// Lines of tables that spreadsheets read (RFC 4180).
enum CSVText {
    /// A line without its end.
    static func line(_ cells: [String]) -> String { cells.map(cell).joined(separator: ",") }

    /// A cell. A word that a spreadsheet would take for a formula begins with a quote, unless it is a number.
    private static func cell(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let word = isFormula && Double(text) == nil ? "'" + text : text
        guard word.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else { return word }
        return "\"" + word.replacing("\"", with: "\"\"") + "\""
    }
}
