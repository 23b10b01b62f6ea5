import Foundation
import MatterDataModel
import MatterTLV
import TestSupport
import Testing

/// The encodings of the official controller's Python definitions, made by Tests/Tools/compare_chip_clusters.py.
private enum ChipCases {
    static let path: String? = {
        let path = ProcessInfo.processInfo.environment["MATTERCTL_CHIP_CASES"]
        if path == nil {
            FileHandle.standardError.write(
                Data("\nSKIPPED: MATTERCTL_CHIP_CASES is not set; no comparison with chip.clusters.\n\n".utf8))
        }
        return path
    }()
}

@Suite("ChipClusters") struct ChipClustersTests {
    /// The clusters that changed between the specification of chip.clusters 2025.7.0 and ours (data-model.md).
    private static let changed: Set<String> = [
        "BasicInformation", "CameraAvStreamManagement", "ClosureControl", "ClosureDimension", "CommodityMetering",
        "ContentControl", "JointFabricAdministrator", "JointFabricDatastore", "NetworkCommissioning", "OvenMode",
        "PushAvStreamTransport", "RvcCleanMode", "RvcRunMode", "Timer", "TlsCertificateManagement",
        "TlsClientManagement",
        // What a comparison of names cannot see: Threshold became signed; WebRTCEndReasonEnum, a global type, got a value
        // before UnknownReason; WebRTCSessionStruct got a mandatory field.
        "CommodityTariff", "WebRTCTransportProvider", "WebRTCTransportRequestor",
    ]

    private struct Difference {
        var cluster: String
        var text: String
    }

    @Test("our encodings are the official controller's, octet for octet", .enabled(if: ChipCases.path != nil))
    func encodings() throws {
        let text = try String(contentsOfFile: #require(ChipCases.path), encoding: .utf8)
        var count = 0
        var differences: [Difference] = []
        for line in text.split(separator: "\n") {
            count += 1
            let test = try JSONValue(parsing: String(line))
            let name = "\(test["clusterName"]?.stringValue ?? "").\(test["name"]?.stringValue ?? "")"
            let expected = hex(test["tlv"]?.stringValue ?? "")
            do {
                let (value, again) = try encode(test, expected)
                let ours = TLVElement(.anonymous, value).encoded()
                if ours != expected {
                    differences.append(.init(cluster: name, text: "\(name): \(hexString(ours)) for \(line)"))
                } else if again != value {
                    differences.append(.init(cluster: name, text: "\(name) does not survive printing: \(line)"))
                }
            } catch {
                differences.append(.init(cluster: name, text: "\(name): \(error) for \(line)"))
            }
        }
        #expect(count > 5000)
        let clusters = Set(differences.map { String($0.cluster.prefix { $0 != "." }) })
        print(
            "chip.clusters: \(count) cases, \(differences.count) differences in",
            clusters.sorted().joined(separator: ", "))
        for difference in differences.prefix(
            ProcessInfo.processInfo.environment["MATTERCTL_CHIP_VERBOSE"] == nil ? 0 : 500)
        {
            print(difference.text.prefix(400))
        }
        #expect(clusters.isSubset(of: Self.changed))
        let unexplained = differences.filter { !Self.changed.contains(String($0.cluster.prefix { $0 != "." })) }
        for difference in unexplained.prefix(20) { Issue.record("\(difference.text)") }
    }

    /// Our TLV of a case's JSON, and the TLV that comes of printing and reading it once more.
    private func encode(_ test: JSONValue, _ expected: [UInt8]) throws -> (TLVValue, TLVValue) {
        let parser = ValueParser()
        let printer = ValuePrinter()
        let id: UInt32 = try #require(test["id"]?.integer())
        let clusterID: UInt32 = try #require(test["cluster"]?.integer())
        let cluster = try #require(Catalogue.standard.cluster(clusterID))
        let json = try #require(test["json"])
        switch test["kind"]?.stringValue {
        case "attribute":
            let attribute = try #require(cluster.attribute(id))
            let value = try parser.value(json: json, as: attribute.type, at: attribute.name).value
            let printed = printer.json(value, as: attribute.type)
            return (value, try parser.value(json: printed, as: attribute.type, at: attribute.name).value)
        case "event":
            // Events are only read; their fields encode like those of a response.
            let event = try #require(cluster.event(id))
            let response = try #require(Catalogue.standard.cluster(0x31)?.responses.first)
            return try roundTrip(json, as: response, fields: event.fields, parser, printer)
        case let kind:
            let command = try #require(kind == "request" ? cluster.command(id) : cluster.response(id))
            return try roundTrip(json, as: command, fields: command.fields, parser, printer)
        }
    }

    private func roundTrip(
        _ json: JSONValue, as command: CommandDefinition, fields: [FieldDefinition], _ parser: ValueParser,
        _ printer: ValuePrinter
    ) throws -> (TLVValue, TLVValue) {
        var command = command
        command.fields = fields
        let value = try parser.fields(json: json, of: command).value
        return (value, try parser.fields(json: printer.json(fields: value, of: fields), of: command).value)
    }
}
