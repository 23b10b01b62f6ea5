import MatterController

/// The devices of a manifest as a page that leads to their reports. It needs nothing beside itself but these, and loads nothing.
struct CheckDeviceIndex {
    let outcomes: [CheckDeviceRound.Outcome]

    private var failed: Int { outcomes.count { !$0.report.failed.isEmpty } }

    var text: String {
        var lines = HTMLText.head("Examination of Matter devices", style: CheckDevicePage.style)
        if let first = outcomes.first {
            lines.append("<p>Begun \(HTMLText.time(first.report.began)).</p>")
        }
        lines += [
            "<p>\(Spelled.count(outcomes.count, "device")), \(failed) failed.</p>",
            "<table><tr><th>Line</th><th>Device</th><th>Result</th><th>Label</th><th>Certificate</th><th>Ledger</th>"
                + "<th>Device</th><th>Seen</th></tr>",
        ]
        lines += outcomes.map(row)
        lines.append("</table>")
        return (lines + HTMLText.foot).joined(separator: "\n")
    }

    private func row(_ outcome: CheckDeviceRound.Outcome) -> String {
        let (device, report) = (outcome.device, outcome.report)
        func verdict(_ kind: DeviceCheckCase.Kind) -> String {
            report.cases.first { $0.kind == kind }.map { CheckDevicePage.verdict($0.verdict) } ?? ""
        }
        let title = [device.name, device.serialNumber].compactMap { $0 }.joined(separator: ", ")
        let name = HTMLText.escaped(title.isEmpty ? "line \(device.line)" : title)
        // The folder's name has letters, digits and dashes alone.
        let link = outcome.place.map { "<a href=\"\($0)/report.html\">\(name)</a>" } ?? name
        let cells = [
            "\(device.line)", link, CheckDevicePage.verdict(report.verdict), verdict(.label), verdict(.certificate),
            verdict(.ledger), HTMLText.escaped(outcome.played), HTMLText.escaped(outcome.seen),
        ]
        return "<tr>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
    }
}
