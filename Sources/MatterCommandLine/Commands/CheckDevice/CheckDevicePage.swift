import MatterController

/// The examination of a device as a page: a table of the cases, and a section for each with what it rests on.
struct CheckDevicePage {
    let report: DeviceCheckReport
    /// Of a manifest; `nil` for a device that stands alone.
    var device: DeviceManifest.Device?

    static let style = """
        body{font:14px/1.45 sans-serif;margin:2em auto;max-width:62em;padding:0 1em;color:#111;background:#fff}
        table{border-collapse:collapse;width:100%}
        th,td{border-bottom:1px solid #ccc;padding:.3em .8em .3em 0;text-align:left;vertical-align:top;overflow-wrap:anywhere}
        td:first-child,th,.passed,.failed,.note,.not{white-space:nowrap}
        section td:first-child{width:16em}
        section{margin:2em 0;break-inside:avoid-page}
        h2{font-size:17px;margin:0 0 .4em}
        .passed{color:#06610b}.failed{color:#a80000;font-weight:bold}.note{color:#7a5200}.not{color:#666}
        pre{font:11px/1.4 monospace;white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.6em}
        summary{cursor:pointer;margin:.6em 0}
        """

    var text: String {
        let product = [report.vendorID, report.productID].map { $0.map { hexadecimal(UInt32($0)) } ?? "unknown" }
        var lines = HTMLText.head("Examination of a Matter device", style: Self.style)
        if let device {
            let facts = [device.name, device.serialNumber.map { "serial number \($0)" }].compactMap { $0 }
            let text = (facts + ["line \(device.line)"]).joined(separator: ", ")
            lines.append("<p>\(escaped(text)) of <a href=\"../index.html\">the manifest</a>.</p>")
        }
        lines += [
            "<p>Vendor \(escaped(product[0])), product \(escaped(product[1])). Begun \(HTMLText.time(report.began)); it took "
                + "\(Self.seconds(report.time)). \(Self.counts(report)).</p>",
            "<table><tr><th>Case</th><th>Verdict</th><th>Time</th><th>Seen</th></tr>",
        ]
        for one in report.cases {
            lines.append(
                "<tr><td><a href=\"#\(one.kind.rawValue)\">\(Self.title(one.kind))</a></td><td>\(Self.verdict(one))</td>"
                    + "<td>\(one.time.map(Self.seconds) ?? "")</td><td>\(escaped(one.reason))</td></tr>")
        }
        lines.append("</table>")
        for one in report.cases { lines += section(one) }
        return (lines + HTMLText.foot).joined(separator: "\n")
    }

    private func section(_ one: DeviceCheckCase) -> [String] {
        var lines = [
            "<section id=\"\(one.kind.rawValue)\"><h2>\(Self.title(one.kind)): \(Self.verdict(one))</h2>",
            "<p>\(escaped(one.reason))</p>",
        ]
        if !one.evidence.isEmpty {
            lines.append("<table>")
            lines += one.evidence.map { "<tr><td>\(escaped($0.label))</td><td>\(escaped($0.text))</td></tr>" }
            lines.append("</table>")
        }
        lines.append(
            "<p>By hand: \(Self.commands(one.kind).map { "<code>\(escaped($0))</code>" }.joined(separator: ", "))</p>")
        lines += folded("Messages", one.messages, "message")
        lines += folded("Log", one.trace, "line")
        return lines + ["</section>"]
    }

    /// Texts that are shown on demand; those of several lines stand apart.
    private func folded(_ title: String, _ texts: [String], _ noun: String) -> [String] {
        guard !texts.isEmpty else { return [] }
        let lines = texts.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
        return ["<details><summary>\(title) (\(Spelled.count(texts.count, noun)))</summary><pre>"]
            + lines.map { escaped(String($0)) } + ["</pre></details>"]
    }

    /// `8 passed, 0 failed, 1 not tried`.
    static func counts(_ report: DeviceCheckReport) -> String {
        let notes = report.count(.noted)
        return ["\(report.count(.passed)) passed", "\(report.count(.failed)) failed"].joined(separator: ", ")
            + (notes > 0 ? ", \(Spelled.count(notes, "note"))" : "") + ", \(report.count(.notTried)) not tried"
    }

    private func escaped(_ text: String) -> String { HTMLText.escaped(text) }

    private static func seconds(_ time: Duration) -> String {
        let hundredths = Int((time / .milliseconds(10)).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    }

    private static func verdict(_ one: DeviceCheckCase) -> String { verdict(one.verdict) }

    static func verdict(_ verdict: DeviceCheckCase.Verdict) -> String {
        let style = verdict == .notTried ? "not" : verdict.rawValue
        return "<span class=\"\(style)\">\(verdict.rawValue)</span>"
    }

    static func title(_ kind: DeviceCheckCase.Kind) -> String {
        switch kind {
        case .label: "Label"
        case .certificate: "Certificate"
        case .ledger: "Ledger"
        case .payload: "Setup code"
        case .discovery: "Discovery"
        case .commissioning: "Commissioning"
        case .attestation: "Attestation"
        case .conformance: "Conformance"
        case .loss: "Loss of the radio"
        case .window: "Window"
        case .secondAdministrator: "Second administrator"
        case .removal: "Removal"
        }
    }

    /// The commands that come to the same on a fabric of your own.
    private static func commands(_ kind: DeviceCheckCase.Kind) -> [String] {
        switch kind {
        case .label: ["matterctl payload parse CODE", "matterctl read NODE 0/basic-information"]
        case .certificate: ["matterctl attest NODE"]
        case .ledger: ["matterctl dcl model VENDOR PRODUCT", "matterctl dcl certified VENDOR PRODUCT"]
        case .payload: ["matterctl payload parse CODE"]
        case .discovery: ["matterctl discover"]
        case .commissioning: ["matterctl commission CODE --attestation warn -vv"]
        case .attestation: ["matterctl attest NODE"]
        case .conformance: ["matterctl conform NODE --strict"]
        case .loss: ["matterctl read NODE 0/descriptor", "tc qdisc add dev IFACE root netem loss 33%"]
        case .window: ["matterctl window open NODE", "matterctl window status NODE", "matterctl window close NODE"]
        case .secondAdministrator: ["matterctl share NODE", "matterctl node fabrics NODE"]
        case .removal: ["matterctl node remove NODE"]
        }
    }
}
