import MatterController

/// The labels of devices as a page to print. A device whose label is not sound, or is not for it, gets none.
struct LabelSheet {
    let outcomes: [CheckDeviceRound.Outcome]
    /// In seconds since 1970.
    let made: Int64

    /// Cases that say that a label would be wrong.
    private static let needed: Set<DeviceCheckCase.Kind> = [.label, .certificate, .payload]

    private static func fault(_ outcome: CheckDeviceRound.Outcome) -> DeviceCheckCase? {
        outcome.report.cases.first { $0.verdict == .failed && needed.contains($0.kind) }
    }

    var printed: [CheckDeviceRound.Outcome] { outcomes.filter { Self.fault($0) == nil } }
    /// Those without a label, and why.
    var left: [(title: String, reason: String)] {
        outcomes.compactMap { outcome in Self.fault(outcome).map { (Self.title(outcome.device), $0.reason) } }
    }

    private static func title(_ device: DeviceManifest.Device) -> String { device.name ?? "Line \(device.line)" }

    var text: String {
        var lines = CodeSheet.head("Labels of Matter devices")
        lines += [
            "<p>Made \(HTMLText.time(made)). Everyone who has a code can add its device to a controller while that is open for "
                + "commissioning: keep the page to yourself.</p>",
            "<main>",
        ]
        for outcome in printed {
            let device = outcome.device
            let numbers = [
                ("vendor", device.vendorID ?? device.code?.vendorID),
                ("product", device.productID ?? device.code?.productID),
            ]
            .compactMap { name, number in number.map { "\(name) \(hexadecimal(UInt32($0)))" } }
            lines += CodeSheet.card(
                Self.title(device),
                [
                    device.serialNumber.map { "Serial number \($0)" },
                    numbers.isEmpty ? nil : numbers.joined(separator: ", "),
                ].compactMap { $0 }, qrCode: device.qrText, manualCode: device.manualText)
        }
        lines.append("</main>")
        lines += CodeSheet.list("Without a label", left)
        return (lines + HTMLText.foot).joined(separator: "\n")
    }
}
