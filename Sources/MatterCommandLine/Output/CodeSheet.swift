import MatterController

/// Parts of a page of setup codes to print. A page needs nothing beside itself: its pictures are in it, and it may load nothing.
enum CodeSheet {
    private static let style = """
        body{font:14px/1.4 sans-serif;margin:2em;color:#000;background:#fff}
        main{display:flex;flex-wrap:wrap;gap:1em}
        section{border:1px solid #888;padding:1em;width:15em;break-inside:avoid}
        h2{margin:0 0 .3em;font-size:16px;overflow-wrap:anywhere}
        svg{width:100%;height:auto;display:block}
        .code{font:bold 18px monospace}
        .payload{font:11px monospace;overflow-wrap:anywhere}
        """

    static func head(_ title: String) -> [String] { HTMLText.head(title, style: style) }

    /// A code with what it is for.
    ///
    /// - Parameters:
    ///   - facts: text, a paragraph each.
    ///   - qrCode: `nil` if only the manual code is known.
    ///   - end: a last paragraph, of a page; `nil` for none.
    static func card(
        _ title: String, _ facts: [String], qrCode: String?, manualCode: String?, end: String? = nil
    ) -> [String] {
        var lines = ["<section><h2>\(HTMLText.escaped(title))</h2>"]
        lines += facts.map { "<p>\(HTMLText.escaped($0))</p>" }
        if let qrCode, let picture = QRDrawing.svg(qrCode) { lines.append(picture) }
        if let manualCode { lines.append("<p class=\"code\">\(HTMLText.escaped(manualCode))</p>") }
        if let qrCode { lines.append("<p class=\"payload\">\(HTMLText.escaped(qrCode))</p>") }
        if let end { lines.append("<p>\(end)</p>") }
        return lines + ["</section>"]
    }

    /// Those without a card, and why; nothing if there are none.
    static func list(_ title: String, _ missing: [(String, reason: String)]) -> [String] {
        guard !missing.isEmpty else { return [] }
        return ["<h2>\(HTMLText.escaped(title))</h2><ul>"]
            + missing.map { "<li>\(HTMLText.escaped($0.0)): \(HTMLText.escaped($0.reason))</li>" } + ["</ul>"]
    }
}
