@testable import MatterNetwork

extension FuzzEntry {
    /// DNS-SD records.
    static let discovery = [
        FuzzEntry("txt-record") {
            Seeds.txtRecords
        } run: { bytes in
            guard let txt = try? TXTRecord(decoding: bytes) else { return .refused }
            precondition((try? TXTRecord(decoding: txt.encoded)) == txt)
            let record = CommissionableRecord(txt)
            _ = (record.subtypes, record.shortDiscriminator, OperationalRecord(txt), try? record.txt())
            return .deep
        },
        FuzzEntry("instance-name") {
            Seeds.instanceNames
        } run: { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            guard let instance = try? OperationalInstance(name: name) else { return .refused }
            precondition((try? OperationalInstance(name: instance.name)) == instance)
            return .deep
        },
    ]
}
