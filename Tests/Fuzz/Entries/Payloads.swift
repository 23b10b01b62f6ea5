@testable import MatterController
@testable import MatterCrypto

extension FuzzEntry {
    /// Setup codes and Thread datasets as people have them.
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
        },
        FuzzEntry("thread-dataset") {
            Seeds.threadDatasets
        } run: { bytes in
            let depth = accepts { _ = try ThreadDataset(parsing: String(decoding: bytes, as: UTF8.self)) }
            guard let dataset = try? ThreadDataset(decoding: bytes) else { return depth }
            precondition(dataset.encoded.copyBytes() == bytes, "bytes were changed")
            precondition((try? ThreadDataset(parsing: dataset.secretText)) == dataset, "read otherwise than written")
            _ = dataset.warnings
            return .deep
        },
    ]
}
