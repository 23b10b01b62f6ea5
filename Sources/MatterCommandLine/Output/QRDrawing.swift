import CQREncode

/// A QR code drawn with half blocks, by libqrencode where it is installed.
public enum QRDrawing {
    /// Light modules around the code, as ISO/IEC 18004 asks for.
    private static let border = 4
    private static let room = Int(CQRENCODE_LARGEST_WIDTH * CQRENCODE_LARGEST_WIDTH)

    /// - Returns: `nil` where the library is absent.
    public static func lines(_ text: String, on terminal: Terminal = .current) -> [String]? {
        var modules = [UInt8](repeating: 0, count: room)
        let width = Int(cqrencode(text, &modules, room))
        guard width > 0 else { return nil }
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && modules[row * width + column] != 0
        }
        if terminal.drawsPlain(.output) {
            return (-border..<width + border).map { row in
                (-border..<width + border).map { isDark(row, $0) ? "  " : "##" }.joined()
            }
        }
        // Terminals are dark more often than not: light modules are drawn, dark ones left out.
        return stride(from: -border, to: width + border, by: 2).map { row in
            String(
                (-border..<width + border).map { column -> Character in
                    switch (isDark(row, column), isDark(row + 1, column)) {
                    case (false, false): "█"
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                })
        }
    }
}
