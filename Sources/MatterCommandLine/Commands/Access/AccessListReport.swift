import MatterController

/// The rows of an access control list.
struct AccessListReport: Sendable {
    private let own: NodeIdentity
    private let nodes: [NodeRecord]
    private let groups: [GroupRecord]
    private let catalogue: Catalogue
    private let console: Console
    private let seen: NodeNoteStore<SeenList>
    private let members: MemberRoster?

    init(_ context: CommandContext, catalogue: Catalogue) async throws {
        own = try context.controller.context.credentials().identity
        nodes = try context.controller.context.nodes().sound().nodes
        groups = try context.controller.context.groups().sound().groups
        self.catalogue = catalogue
        console = context.console
        seen = try context.controller.context.seenLists()
        members = try? context.controller.members.roster()
    }

    /// Numbers mean this list from now on. Where it cannot be noted, they mean whatever the device has.
    private func note(_ entries: [AccessControlEntry], of node: NodeRecord, isResult: Bool) {
        try? seen.note(
            SeenList(entries, time: WallClock.unixMilliseconds(), isResult: isResult, lines: entries.map(line)),
            of: node.nodeID)
    }

    /// - Parameter result: of a change.
    func print(_ list: FabricList<AccessControlEntry>, of node: NodeRecord, result: String? = nil) {
        note(list.entries, of: node, isResult: result != nil)
        let reports = list.entries.enumerated().map { report($1, number: $0 + 1) }
        guard console.isJSON else { return console.result(reports) }
        console.object {
            Field("node", node.nodeID)
            Field("result", result)
            Field("entries", reports)
            Field("dataVersion", list.dataVersion)
        }
    }

    /// The error with the list that the device has now.
    func explain(_ error: ControllerError, of node: NodeRecord) -> ControllerError {
        var error = error
        let values = error.state.first?.value.items ?? []
        let entries = values.compactMap { try? AccessControlEntry($0) }
        note(entries, of: node, isResult: true)
        let lines = entries.enumerated().map { place, entry in
            "\(place + 1): \(line(entry))"
        }
        error.reason += "; it has now " + (lines.isEmpty ? "no entry of ours" : lines.joined(separator: "; "))
        return error
    }

    private func line(_ entry: AccessControlEntry) -> String {
        "\(Self.privilege(entry)), \(subjects(of: entry).joined(separator: " ")), "
            + targets(of: entry).joined(separator: " ")
    }

    // MARK: Names

    static func privilege(_ entry: AccessControlEntry) -> String { NameStyle.kebab("\(entry.privilege)") }

    private static func authMode(_ entry: AccessControlEntry) -> String { NameStyle.kebab("\(entry.authMode)") }

    func isOurs(_ subject: NodeID, of entry: AccessControlEntry) -> Bool {
        entry.authMode == .case && own.matches(subject: subject)
    }

    private func name(of subject: NodeID, in entry: AccessControlEntry) -> String? {
        if entry.authMode == .case, members?.isTag(subject) ?? false { return "administrators" }
        guard entry.authMode == .group else {
            return nodes.first { $0.nodeID == subject }?.name
        }
        return groups.first { UInt64($0.group) == subject.rawValue }?.name
    }

    /// True for a node that has no record here and is not us, and for a tag that we do not have.
    func isUnknown(_ subject: NodeID, of entry: AccessControlEntry) -> Bool {
        entry.authMode == .case && !isOurs(subject, of: entry) && !(members?.isTag(subject) ?? false)
            && !nodes.contains { $0.nodeID == subject }
    }

    /// - Parameter number: its place in the list, from 1 on.
    func report(_ entry: AccessControlEntry, number: Int) -> Report {
        Report {
            Field("privilege", Self.privilege(entry), column: "PRIVILEGE")
            Field("authMode", Self.authMode(entry), column: "AUTH")
            Field("subjects", entry.subjects.map { subject($0, of: entry) })
            Field(column: "SUBJECTS", subjects(of: entry))
            Field("targets", entry.targets.map(target))
            Field(column: "TARGETS", targets(of: entry))
            Field("us", entry.includes(own))
            Field("fabricIndex", entry.fabricIndex)
            Field("entry", number, column: "ENTRY")
        }
    }

    func subject(_ subject: NodeID, of entry: AccessControlEntry) -> Report {
        Report {
            Field("subject", subject)
            Field("tag", CASEAuthenticatedTag(subject: subject)?.description)
            Field("name", name(of: subject, in: entry))
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

    func subjects(of entry: AccessControlEntry) -> [String] {
        entry.subjects.isEmpty ? ["all"] : entry.subjects.map { text($0, of: entry) }
    }

    func targets(of entry: AccessControlEntry) -> [String] {
        entry.targets.isEmpty ? ["all"] : entry.targets.map(text)
    }

    func text(_ subject: NodeID, of entry: AccessControlEntry) -> String {
        var text = CASEAuthenticatedTag(subject: subject).map { "tag \($0)" } ?? "\(subject.rawValue)"
        if entry.authMode == .group { text = "group \(subject.rawValue)" }
        if isOurs(subject, of: entry) { return text + " (us)" }
        return text + (name(of: subject, in: entry).map { " (\($0))" } ?? "")
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
