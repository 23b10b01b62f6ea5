import Glibc
import MatterController

/// Parts of pages that need nothing beside themselves, and load nothing.
enum HTMLText {
    /// The beginning of a page, up to its contents. What a page shows may come from outside: no script runs in it.
    static func head(_ title: String, style: String) -> [String] {
        [
            "<!DOCTYPE html>", "<html lang=\"en\"><head><meta charset=\"utf-8\">",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            "<meta name=\"viewport\" content=\"width=device-width\"><title>\(escaped(title))</title>",
            "<style>\(style)</style></head><body>", "<h1>\(escaped(title))</h1>",
        ]
    }

    /// The end of a page.
    static let foot = ["</body></html>", ""]

    /// The time of the clock on the wall.
    static func time(_ unixSeconds: Int64) -> String {
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

    /// Text from outside, as text.
    static func escaped(_ text: String) -> String {
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
}
