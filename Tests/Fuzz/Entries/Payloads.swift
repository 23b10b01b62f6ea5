import MatterSetupPayload

extension FuzzEntry {
    /// Setup codes as people type them.
    static let payloads = [
        FuzzEntry("setup-payload") {
            Seeds.setupPayloads
        } run: { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let payloads = try? SetupPayload.parse(text) else { return .refused }
            precondition(!payloads.isEmpty)
            if payloads.allSatisfy({ $0.discoveryCapabilities != nil }), let code = try? SetupPayload.qrCode(payloads) {
                precondition((try? SetupPayload.parse(code)) == payloads, "\(text) is written as \(code)")
            }
            for payload in payloads { _ = try? payload.formattedManualCode() }
            return .deep
        }
    ]
}
