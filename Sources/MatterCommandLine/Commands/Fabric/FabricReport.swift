import JSON
import MatterCredentials
import MatterDataModel
import MatterRecords

/// What is printed of a fabric; no secret among it.
struct FabricReport {
    private let record: FabricRecord
    private let isInUse: Bool?

    init(_ record: FabricRecord, isInUse: Bool?) {
        self.record = record
        self.isInUse = isInUse
    }

    var json: JSONValue {
        var object: JSONObject = [
            "name": .string(record.name), "fabricId": .string(record.fabricID.description),
            "compressedFabricId": .string(record.compressedFabricID.description),
            "vendorId": .uint(UInt64(record.vendorID.rawValue)), "issuer": .string(record.issuer.rawValue),
            "nodeId": .id(record.nodeID.rawValue), "nodeIds": .string(record.nodeIDs.rawValue),
            "rcac": .string("hex:\(Hex.encode(record.root, uppercase: true))"),
            "noc": .string("hex:\(Hex.encode(record.noc, uppercase: true))"),
        ]
        object["icac"] = record.nocIntermediate.map { .string("hex:\(Hex.encode($0, uppercase: true))") }
        object["inUse"] = isInUse.map { .bool($0) }
        return .object(object)
    }

    func lines() throws -> [String] {
        var lines = [
            "name\t\(TerminalText.escaped(record.name))", "fabric id\t\(record.fabricID)",
            "compressed fabric id\t\(record.compressedFabricID)", "vendor id\t\(record.vendorID)",
            "own node id\t\(record.nodeID.rawValue)", "ids of new nodes\t\(record.nodeIDs.rawValue)",
            "issuer\t\(record.issuer.rawValue)",
        ]
        let certificates: [(String, [UInt8]?)] = [
            ("root", record.root), ("intermediate", record.nocIntermediate), ("node certificate", record.noc),
        ]
        for (label, tlv) in certificates {
            guard let tlv else { continue }
            let certificate = try MatterCertificate(tlv: tlv)
            let end = certificate.notAfter == MatterEpoch.none ? "no end" : MatterEpoch.text(certificate.notAfter)
            lines.append("\(label)\tvalid \(MatterEpoch.text(certificate.notBefore)) – \(end)")
        }
        return lines
    }
}
