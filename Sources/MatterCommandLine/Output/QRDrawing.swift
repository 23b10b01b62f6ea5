import CQREncode

/// A QR code drawn with half blocks, by libqrencode where it is installed.
public enum QRDrawing {
    /// Light modules around the code, as ISO/IEC 18004 asks for.
    private static let border = 4
    private static let room = Int(CQRENCODE_LARGEST_WIDTH * CQRENCODE_LARGEST_WIDTH)

    /// The modules of a code, row by row, true for dark ones; `nil` where the library is absent.
    private static func modules(_ text: String) -> [[Bool]]? {
        var modules = [UInt8](repeating: 0, count: room)
        let width = Int(cqrencode(text, &modules, room))
        guard width > 0 else { return nil }
        return (0..<width).map { row in modules[row * width..<(row + 1) * width].map { $0 != 0 } }
    }

    /// Whether codes can be drawn here.
    static var isAvailable: Bool { modules("0") != nil }

    /// The code as a picture for a page, which needs nothing else.
    ///
    /// - Returns: `nil` where the library is absent.
    static func svg(_ text: String) -> String? {
        guard let modules = modules(text) else { return nil }
        let side = modules.count + 2 * border
        var path = ""
        for (row, line) in modules.enumerated() {
            var column = 0
            while column < line.count {
                let run = line[column...].prefix { $0 }.count
                if run > 0 { path += "M\(column + border) \(row + border)h\(run)v1h-\(run)z" }
                column += max(run, 1)
            }
        }
        return "<svg viewBox=\"0 0 \(side) \(side)\" shape-rendering=\"crispEdges\" role=\"img\">"
            + "<path fill=\"#fff\" d=\"M0 0h\(side)v\(side)h-\(side)z\"/><path d=\"\(path)\"/></svg>"
    }

    /// - Returns: `nil` where the library is absent.
    public static func lines(_ text: String, on terminal: Terminal = .current) -> [String]? {
        guard let modules = modules(text) else { return nil }
        let width = modules.count
        func isDark(_ row: Int, _ column: Int) -> Bool {
            (0..<width).contains(row) && (0..<width).contains(column) && modules[row][column]
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
