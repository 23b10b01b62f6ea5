import Foundation
import JSON
import MatterBase
import MatterClusters
import TestSupport
import Testing

@testable import MatterModel

/// The official controller's Python definitions, from the peers that `make test` installs.
private enum ChipClusters {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("..").standardizedFileURL
    /// The encodings that Tests/Tools/compare_chip_clusters.py makes with them, one JSON object in a line.
    static func cases() throws -> String {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("chip-cases-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = tests.appendingPathComponent("Tools/compare_chip_clusters.py")
        try #require(try PeerPython.run(script.path, file.path).status == 0)
        return try String(contentsOf: file, encoding: .utf8)
    }
}

@Suite("ChipClusters") struct ChipClustersTests {
    /// The clusters that changed between the specification of chip.clusters 2025.7.0 and ours (data-model.md).
    private static let changed: Set<String> = [
        "BasicInformation", "CameraAvStreamManagement", "ClosureControl", "ClosureDimension", "CommodityMetering",
        "ContentControl", "JointFabricAdministrator", "JointFabricDatastore", "NetworkCommissioning", "OvenMode",
        "PushAvStreamTransport", "RvcCleanMode", "RvcRunMode", "Timer", "TlsCertificateManagement",
        "TlsClientManagement",
        // Changes that a comparison of names cannot see: Threshold became signed; WebRTCEndReasonEnum, a global type, got a value
        // before UnknownReason; WebRTCSessionStruct got a mandatory field.
        "CommodityTariff", "WebRTCTransportProvider", "WebRTCTransportRequestor",
    ]

    /// Elements that are gone since then, beside the whole cluster Timer, and a vendor's sample extension.
    private static let gone: Set<String> = [
        "BasicInformation.MfgSpecificPing", "NetworkCommissioning.QueryIdentity",
        "NetworkCommissioning.QueryIdentityResponse",
    ]

    private struct Difference {
        var cluster: String
        var text: String
    }

    @Test("our encodings are the official controller's, octet for octet", .enabled(if: PeerPython.hasController))
    func encodings() throws {
        var count = 0
        var unknown: Set<String> = []
        var differences: [Difference] = []
        for line in try ChipClusters.cases().split(separator: "\n") {
            let test = try JSONValue(parsing: String(line))
            let name = "\(test["clusterName"]?.stringValue ?? "").\(test["name"]?.stringValue ?? "")"
            guard try isKnown(test) else {
                unknown.insert(name)
                continue
            }
            count += 1
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
        #expect(count > 9000)
        #expect(unknown.filter { !$0.hasPrefix("Timer.") } == Self.gone)
        let clusters = Set(differences.map { String($0.cluster.prefix { $0 != "." }) })
        print(
            "chip.clusters: \(count) cases, \(differences.count) differences in",
            clusters.sorted().joined(separator: ", "))
        #expect(clusters.isSubset(of: Self.changed))
        let unexplained = differences.filter { !Self.changed.contains(String($0.cluster.prefix { $0 != "." })) }
        for difference in unexplained.prefix(20) { Issue.record("\(difference.text)") }
    }

    @Test(
        "our types read what the official controller encodes, and write it again, octet for octet",
        .enabled(if: PeerPython.hasController))
    func types() throws {
        var types: [String: any ClusterStructure.Type] = [:]
        func place(_ kind: String, _ cluster: ClusterID, _ id: UInt32) -> String {
            "\(kind) \(cluster.rawValue) \(id)"
        }
        for type in ClusterTypes.commands { types[place("request", type.cluster, type.id.rawValue)] = type }
        for type in ClusterTypes.responses { types[place("response", type.cluster, type.id.rawValue)] = type }
        for type in ClusterTypes.events { types[place("event", type.cluster, type.id.rawValue)] = type }
        #expect(types.count > 650)
        var (seen, clusters): (Set<String>, Set<String>) = ([], [])
        for line in try ChipClusters.cases().split(separator: "\n") {
            let test = try JSONValue(parsing: String(line))
            let (id, cluster): (UInt32, UInt32) = (
                try #require(test["id"]?.integer()), try #require(test["cluster"]?.integer())
            )
            let key = place(test["kind"]?.stringValue ?? "", ClusterID(cluster), id)
            // Many cases have numbers that no field can hold, which the model tells.
            guard let type = types[key], let parsed = try? parsed(test), parsed.warnings.isEmpty else { continue }
            let expected = try TLVElement(decoding: hex(test["tlv"]?.stringValue ?? "")).value
            if type.init(tlv: expected)?.tlv == expected {
                seen.insert(key)
            } else {
                clusters.insert(test["clusterName"]?.stringValue ?? "")
                #expect(
                    Self.changed.contains(test["clusterName"]?.stringValue ?? ""), "\(type): \(line.prefix(300))")
            }
        }
        print(
            "chip.clusters: \(seen.count) of \(types.count) types; differences in",
            clusters.sorted().joined(separator: ", "))
        #expect(seen.count > 430)
    }

    /// Whether the catalogue has the element of a case.
    private func isKnown(_ test: JSONValue) throws -> Bool {
        let id: UInt32 = try #require(test["id"]?.integer())
        let clusterID = ClusterID(try #require(test["cluster"]?.integer()))
        guard let cluster = Catalogue.standard.cluster(clusterID) else { return false }
        return switch test["kind"]?.stringValue {
        case "attribute": cluster.attribute(AttributeID(id)) != nil
        case "event": cluster.event(EventID(id)) != nil
        case "request": cluster.command(CommandID(id)) != nil
        default: cluster.response(CommandID(id)) != nil
        }
    }

    /// Our TLV of a case's JSON, and the TLV that comes of printing and reading it once more.
    private func encode(_ test: JSONValue, _ expected: [UInt8]) throws -> (TLVValue, TLVValue) {
        let parser = ValueParser()
        let printer = ValuePrinter()
        let id: UInt32 = try #require(test["id"]?.integer())
        let clusterID = ClusterID(try #require(test["cluster"]?.integer()))
        let cluster = try #require(Catalogue.standard.cluster(clusterID))
        let json = try #require(test["json"])
        switch test["kind"]?.stringValue {
        case "attribute":
            let attribute = try #require(cluster.attribute(AttributeID(id)))
            let value = try parser.value(json: json, as: attribute.type, at: attribute.name).value
            let printed = printer.json(value, as: attribute.type)
            return (value, try parser.value(json: printed, as: attribute.type, at: attribute.name).value)
        case "event":
            // Events are only read; their fields encode like those of a response.
            let event = try #require(cluster.event(EventID(id)))
            let response = try #require(Catalogue.standard.cluster(NetworkCommissioning.id)?.responses.first)
            return try roundTrip(json, as: response, fields: event.fields, parser, printer)
        case let kind:
            let command = try #require(
                kind == "request" ? cluster.command(CommandID(id)) : cluster.response(CommandID(id)))
            return try roundTrip(json, as: command, fields: command.fields, parser, printer)
        }
    }

    /// Our reading of the JSON of a command, a response or an event.
    private func parsed(_ test: JSONValue) throws -> ParsedValue {
        let id: UInt32 = try #require(test["id"]?.integer())
        let clusterID = ClusterID(try #require(test["cluster"]?.integer()))
        let cluster = try #require(Catalogue.standard.cluster(clusterID))
        var command = try #require(Catalogue.standard.cluster(NetworkCommissioning.id)?.responses.first)
        switch test["kind"]?.stringValue {
        case "event": command.fields = try #require(cluster.event(EventID(id))).fields
        case "request": command = try #require(cluster.command(CommandID(id)))
        default: command = try #require(cluster.response(CommandID(id)))
        }
        let json = try #require(test["json"])
        return try ValueParser().fields(json: json, of: command)
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
