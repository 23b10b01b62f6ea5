import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterRecords
import MatterSession

/// What is printed of an access control list.
struct AccessListOutput {
    private let own: NodeIdentity
    private let nodes: [NodeRecord]
    private let catalogue: Catalogue

    /// - Parameters:
    ///   - own: who we are on the fabric.
    ///   - nodes: those with names.
    init(own: NodeIdentity, nodes: [NodeRecord], catalogue: Catalogue) {
        self.own = own
        self.nodes = nodes
        self.catalogue = catalogue
    }

    // MARK: Names

    private static let privileges: [UInt8: String] = [
        1: "view", 2: "proxy-view", 3: "operate", 4: "manage", 5: "administer",
    ]
    private static let authModes: [UInt8: String] = [1: "pase", 2: "case", 3: "group"]

    private static func privilege(_ entry: AccessControlEntry) -> String {
        privileges[entry.privilege] ?? "\(entry.privilege)"
    }

    private static func authMode(_ entry: AccessControlEntry) -> String {
        authModes[entry.authMode] ?? "\(entry.authMode)"
    }

    private func isOurs(_ subject: NodeID, of entry: AccessControlEntry) -> Bool {
        entry.authMode == AccessControlEntry.AuthMode.certificate && own.matches(subject: subject)
    }

    private func name(of subject: NodeID) -> String? { nodes.first { $0.nodeID == subject }?.name }

    // MARK: Text

    static let header = ["PRIVILEGE", "AUTH", "SUBJECTS", "TARGETS"]

    func row(_ entry: AccessControlEntry) -> [String] {
        let subjects = entry.subjects.map { text($0, of: entry) }
        let targets = entry.targets.map(text)
        return [
            Self.privilege(entry), Self.authMode(entry), subjects.isEmpty ? "all" : subjects.joined(separator: ", "),
            targets.isEmpty ? "all" : targets.joined(separator: ", "),
        ]
    }

    private func text(_ subject: NodeID, of entry: AccessControlEntry) -> String {
        var text = CASEAuthenticatedTag(subject: subject).map { "tag \($0)" } ?? "\(subject.rawValue)"
        if entry.authMode == AccessControlEntry.AuthMode.group { text = "group \(subject.rawValue)" }
        if isOurs(subject, of: entry) { return text + " (us)" }
        return text + (name(of: subject).map { " (\(TerminalText.escaped($0)))" } ?? "")
    }

    /// As a path, with `*` for what is not limited.
    private func text(_ target: AccessControlEntry.Target) -> String {
        let cluster = target.cluster.map { id in
            catalogue.clusterName(id).map(NameStyle.kebab) ?? "0x" + String(id.rawValue, radix: 16, uppercase: true)
        }
        let place = target.deviceType.map { id in
            catalogue.deviceType(id).map { NameStyle.kebab($0.name) } ?? "0x"
                + String(id.rawValue, radix: 16, uppercase: true)
        }
        return "\(target.endpoint.map { "\($0)" } ?? place ?? "*")/\(cluster ?? "*")"
    }

    // MARK: JSON

    func json(_ entry: AccessControlEntry) -> JSONValue {
        var object: JSONObject = [
            "privilege": .string(Self.privilege(entry)), "authMode": .string(Self.authMode(entry)),
            "subjects": .array(entry.subjects.map { json($0, of: entry) }),
            "targets": .array(entry.targets.map(json)), "us": .bool(entry.includes(own)),
        ]
        object["fabricIndex"] = entry.fabricIndex.map { .uint(UInt64($0)) }
        return .object(object)
    }

    private func json(_ subject: NodeID, of entry: AccessControlEntry) -> JSONValue {
        var object: JSONObject = ["id": .id(subject.rawValue)]
        object["tag"] = CASEAuthenticatedTag(subject: subject).map { .string($0.description) }
        object["name"] = name(of: subject).map { .string($0) }
        object["us"] = .bool(isOurs(subject, of: entry))
        return .object(object)
    }

    private func json(_ target: AccessControlEntry.Target) -> JSONValue {
        var object = JSONObject()
        object["endpoint"] = target.endpoint.map { .id($0) }
        object["cluster"] = target.cluster.flatMap { catalogue.clusterName($0) }.map { .string($0) }
        object["clusterId"] = target.cluster.map { .id($0) }
        object["deviceType"] = target.deviceType.map { .id($0) }
        return .object(object)
    }
}
