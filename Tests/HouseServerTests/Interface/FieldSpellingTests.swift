import Foundation
import JSON
import MatterController
import TestSupport
import Testing

@testable import HouseServer

@Suite struct FieldSpellingTests {
    @Test(
        "a name of the model gives that of the SDK",
        arguments: [
            ("NodeID", "nodeID"), ("GroupID", "groupID"), ("PAKEPasscodeVerifier", "PAKEPasscodeVerifier"),
            ("SSID", "ssid"), ("ID", "id"), ("UserIndex", "userIndex"), ("X", "x"), ("NOCs", "NOCs"), ("", ""),
            ("IPv6Addresses", "IPv6Addresses"), ("NewPosition", "newPosition"), ("already", "already"),
        ])
    func keys(name: String, key: String) {
        #expect(FieldSpelling.key(name) == key)
    }

    /// Elements that were numbered or named otherwise in the revision of the specification that chip.clusters 2025.7.0
    /// follows, by cluster and the names there.
    private static let otherRevision: Set<String> = [
        "CameraAvStreamManagement.VideoStreamAllocate.5 minKeyFrameInterval"
    ]

    @Test("all names of chip.clusters are ours", .enabled(if: PeerPython.hasController))
    func official() throws {
        var count = 0
        var differences: Set<String> = []
        for element in try Self.names(PeerPython.path.path) {
            let place = "\(element.cluster).\(element.name)"
            guard let ours = element.ours else {
                differences.insert("\(place) is unknown")
                continue
            }
            count += 1
            if let name = ours.name, name != element.name { differences.insert("\(place) is \(name)") }
            for (tag, label) in element.fields {
                count += 1
                let field = ours.fields.first { $0.id == tag }
                let isFabric = tag == FieldSpelling.fabricIndex.tag && label == FieldSpelling.fabricIndex.key
                if field.map({ FieldSpelling.key($0.name) == label }) ?? isFabric { continue }
                differences.insert("\(place).\(tag) \(label)")
            }
        }
        print("chip.clusters: \(count) names, \(differences.count) of another revision")
        #expect(count > 2600)
        for difference in differences.subtracting(Self.otherRevision).sorted() { Issue.record("\(difference)") }
        for gone in Self.otherRevision.subtracting(differences).sorted() { Issue.record("no difference: \(gone)") }
    }

    /// Commands and fields of each client that the model does not have, by the names there.
    private static let unknown: [String: Set<String>] = ["": [], "ha7": [], "ha8": [], "ha15": []]

    @Test(
        "the commands of each of Home Assistant's clients are found, and the fields that they send",
        arguments: ["", "ha7", "ha8", "ha15"])
    func clients(folder: String) throws {
        let python = PeerPython.path.deletingLastPathComponent().appendingPathComponent("../\(folder)/bin/python")
        guard FileManager.default.fileExists(atPath: python.path) else { return }
        var count = 0
        var unknown: Set<String> = []
        for element in try Self.names(python.standardizedFileURL.path) where element.kind == "request" {
            guard let cluster = Catalogue.standard.cluster(element.clusterID) else { continue }
            guard let command = try? CommandPayload.command(element.name, of: element.clusterID, in: .standard) else {
                unknown.insert("\(cluster.name).\(element.name)")
                continue
            }
            for (tag, label) in element.fields {
                count += 1
                // A field that is found has the number that the client means.
                guard FieldSpelling.definition(label, among: command.fields)?.id != tag else { continue }
                unknown.insert("\(cluster.name).\(element.name).\(tag) \(label)")
            }
        }
        #expect(count > 500)
        for name in unknown.subtracting(Self.unknown[folder] ?? []).sorted() { Issue.record("\(name)") }
        for name in (Self.unknown[folder] ?? []).subtracting(unknown).sorted() { Issue.record("is known: \(name)") }
    }

    private struct Element {
        var clusterID: ClusterID
        var cluster: String
        var kind: String
        var id: UInt32?
        var name: String
        var fields: [(tag: UInt8, label: String)]

        /// The element of the model, with its name if it has one on the wire.
        var ours: (name: String?, fields: [FieldDefinition])? {
            guard let cluster = Catalogue.standard.cluster(clusterID) else { return nil }
            switch kind {
            case "request":
                let command = id.flatMap { cluster.command(CommandID($0)) }
                return command.map { command in
                    let renamed = CommandPayload.renamed.first { $0.cluster == clusterID && $0.ours == command.name }
                    return (renamed?.name ?? command.name, command.fields)
                }
            case "response": return id.flatMap { cluster.response(CommandID($0)) }.map { (nil, $0.fields) }
            case "event": return id.flatMap { cluster.event(EventID($0)) }.map { (nil, $0.fields) }
            default:
                // Structures of several clusters are in a list of their own, and have no names on the wire.
                return structures(cluster).first { $0.name == name }.map { (nil, $0.fields) }
            }
        }

        /// The structures that something of the cluster has for its type.
        private func structures(_ cluster: ClusterDefinition) -> [StructDefinition] {
            var found = cluster.structs
            var waiting = cluster.attributes.map(\.type) + cluster.commands.flatMap { $0.fields.map(\.type) }
            waiting +=
                cluster.responses.flatMap { $0.fields.map(\.type) } + cluster.events.flatMap { $0.fields.map(\.type) }
            waiting += found.flatMap { $0.fields.map(\.type) }
            while let type = waiting.popLast() {
                guard case .structure(let definition) = type.kind,
                    !found.contains(where: { $0.name == definition.name })
                else { continue }
                found.append(definition)
                waiting += definition.fields.map(\.type)
            }
            return found
        }
    }

    private static func names(_ python: String) throws -> [Element] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("names-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Tools/chip_names.py").standardizedFileURL
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [script.path, folder.path]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let json = try JSONValue(parsing: String(contentsOf: folder, encoding: .utf8))
        return try #require(json.arrayValue).map { item in
            Element(
                clusterID: ClusterID(try #require(item["cluster"]?.integer())),
                cluster: try #require(item["clusterName"]?.stringValue), kind: try #require(item["kind"]?.stringValue),
                id: item["id"]?.integer(), name: try #require(item["name"]?.stringValue),
                fields: try #require(item["fields"]?.objectValue).members.compactMap { member in
                    guard let tag = UInt8(member.key), let label = member.value.stringValue else { return nil }
                    return (tag, label)
                })
        }
    }
}
