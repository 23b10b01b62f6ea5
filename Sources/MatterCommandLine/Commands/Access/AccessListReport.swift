import MatterController
import MatterCredentials
import MatterDataModel
import MatterRecords

/// What is printed of an access control list.
struct AccessListReport {
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

    func report(_ entry: AccessControlEntry) -> Report {
        Report {
            Field("privilege", Self.privilege(entry), column: "PRIVILEGE")
            Field("authMode", Self.authMode(entry), column: "AUTH")
            Field("subjects", entry.subjects.map { subject($0, of: entry) })
            Field(column: "SUBJECTS", entry.subjects.isEmpty ? ["all"] : entry.subjects.map { text($0, of: entry) })
            Field("targets", entry.targets.map(target))
            Field(column: "TARGETS", entry.targets.isEmpty ? ["all"] : entry.targets.map(text))
            Field("us", entry.includes(own))
            Field("fabricIndex", entry.fabricIndex)
        }
    }

    private func subject(_ subject: NodeID, of entry: AccessControlEntry) -> Report {
        Report {
            Field("id", subject)
            Field("tag", CASEAuthenticatedTag(subject: subject)?.description)
            Field("name", name(of: subject))
            Field("us", isOurs(subject, of: entry))
        }
    }

    private func target(_ target: AccessControlEntry.Target) -> Report {
        Report {
            Field("endpoint", target.endpoint)
            Field("cluster", target.cluster.flatMap { catalogue.clusterName($0) })
            Field("clusterId", target.cluster)
            Field("deviceType", target.deviceType)
        }
    }

    // MARK: Text

    private func text(_ subject: NodeID, of entry: AccessControlEntry) -> String {
        var text = CASEAuthenticatedTag(subject: subject).map { "tag \($0)" } ?? "\(subject.rawValue)"
        if entry.authMode == AccessControlEntry.AuthMode.group { text = "group \(subject.rawValue)" }
        if isOurs(subject, of: entry) { return text + " (us)" }
        return text + (name(of: subject).map { " (\($0))" } ?? "")
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
}
