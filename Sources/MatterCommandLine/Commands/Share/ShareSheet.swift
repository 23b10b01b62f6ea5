import ArgumentParser
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

    private func page() throws -> String {
        let ends = entries.map(\.window.end)
        var lines = CodeSheet.head("Matter setup codes")
        lines += [
            "<p>Made \(HTMLText.time(made)). The first code ends \(HTMLText.time(ends.min() ?? made)), the last one "
                + "\(HTMLText.time(ends.max() ?? made)). Until then, everyone on the network who has a code can add the device "
                + "to a controller: keep the page to yourself, and destroy it afterwards.</p>",
            "<main>",
        ]
        for entry in entries {
            guard let payload = entry.window.payload else { continue }
            let place = ["node \(entry.node.nodeID.rawValue)", entry.node.room].compactMap { $0 }.joined(
                separator: ", ")
            lines += CodeSheet.card(
                entry.node.name ?? "Node \(entry.node.nodeID.rawValue)", [place], qrCode: try payload.qrCode(),
                manualCode: try payload.formattedManualCode(), end: "Ends \(HTMLText.time(entry.window.end))")
        }
        lines.append("</main>")
        lines += CodeSheet.list("Not shared", missing.map { ($0.node, $0.reason) })
        return (lines + HTMLText.foot).joined(separator: "\n")
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
