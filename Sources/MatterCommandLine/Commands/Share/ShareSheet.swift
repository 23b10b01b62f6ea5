import ArgumentParser
import Glibc
import MatterController

/// The codes of open windows as a page to print, or as a table. A page needs nothing beside itself: its pictures are in it, and
/// it may load nothing.
struct ShareSheet {
    enum Form {
        case html, csv

        /// By the ending of a file's name.
        init(of path: String) throws {
            let ending = path.split(separator: ".").last?.lowercased()
            switch ending {
            case "html", "htm": self = .html
            case "csv": self = .csv
            default: throw ValidationError("--sheet writes a page (.html) or a table (.csv)")
            }
        }
    }

    struct Entry {
        let node: NodeRecord
        let window: OpenedWindow
    }

    /// Those with a window.
    let entries: [Entry]
    /// Nodes without one, and why.
    let missing: [(node: String, reason: String)]
    /// In seconds since 1970.
    let made: Int64

    func text(_ form: Form) throws -> String {
        switch form {
        case .html: try page()
        case .csv: try table()
        }
    }

    // MARK: A page

    private static let style = """
        body{font:14px/1.4 sans-serif;margin:2em;color:#000;background:#fff}
        main{display:flex;flex-wrap:wrap;gap:1em}
        section{border:1px solid #888;padding:1em;width:15em;break-inside:avoid}
        h2{margin:0 0 .3em;font-size:16px;overflow-wrap:anywhere}
        svg{width:100%;height:auto;display:block}
        .code{font:bold 18px monospace}
        .payload{font:11px monospace;overflow-wrap:anywhere}
        """

    private func page() throws -> String {
        let ends = entries.map(\.window.end)
        var lines = [
            "<!DOCTYPE html>", "<html lang=\"en\"><head><meta charset=\"utf-8\">",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            "<meta name=\"viewport\" content=\"width=device-width\"><title>Matter setup codes</title>",
            "<style>\(Self.style)</style></head><body>", "<h1>Matter setup codes</h1>",
            "<p>Made \(Self.time(made)). The first code ends \(Self.time(ends.min() ?? made)), the last one "
                + "\(Self.time(ends.max() ?? made)). Until then, everyone on the network who has a code can add the device "
                + "to a controller: keep the page to yourself, and destroy it afterwards.</p>",
            "<main>",
        ]
        for entry in entries {
            guard let payload = entry.window.payload else { continue }
            let code = try payload.qrCode()
            lines.append("<section><h2>\(Self.escaped(entry.node.name ?? "Node \(entry.node.nodeID.rawValue)"))</h2>")
            let place = ["node \(entry.node.nodeID.rawValue)", entry.node.room].compactMap { $0 }.joined(
                separator: ", ")
            lines.append("<p>\(Self.escaped(place))</p>")
            if let picture = QRDrawing.svg(code) { lines.append(picture) }
            lines.append("<p class=\"code\">\(Self.escaped(try payload.formattedManualCode()))</p>")
            lines.append("<p class=\"payload\">\(Self.escaped(code))</p>")
            lines.append("<p>Ends \(Self.time(entry.window.end))</p></section>")
        }
        lines.append("</main>")
        if !missing.isEmpty {
            lines.append("<h2>Not shared</h2><ul>")
            lines += missing.map { "<li>\(Self.escaped($0.node)): \(Self.escaped($0.reason))</li>" }
            lines.append("</ul>")
        }
        return (lines + ["</body></html>", ""]).joined(separator: "\n")
    }

    /// The time of the clock on the wall.
    private static func time(_ unixSeconds: Int64) -> String {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        var text = [CChar](repeating: 0, count: 64)
        let exact = DateText.time(unixSeconds)
        guard localtime_r(&seconds, &parts) != nil,
            strftime(&text, text.count, "%Y-%m-%d %H:%M:%S %Z", &parts) > 0
        else { return exact }
        let shown = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return "<time datetime=\"\(exact)\">\(escaped(shown))</time>"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.escaped(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    // MARK: A table

    private func table() throws -> String {
        var rows = [["node", "name", "room", "manualCode", "qrCode", "until"]]
        for entry in entries {
            guard let payload = entry.window.payload else { continue }
            rows.append([
                "\(entry.node.nodeID.rawValue)", entry.node.name ?? "", entry.node.room ?? "",
                try payload.formattedManualCode(), try payload.qrCode(), DateText.time(entry.window.end),
            ])
        }
        return rows.map { CSVText.line($0) + "\r\n" }.joined()
    }
}
