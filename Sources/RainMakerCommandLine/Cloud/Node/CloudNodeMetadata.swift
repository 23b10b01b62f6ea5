import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudNodeMetadata: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Show a node's metadata, merge a file into it, or collect it again from the device.",
        discussion: """
            --collect reads what the device is (endpoints, device types, clusters, attributes, firmware), as a commissioning \
            does, tells the cloud, and prints what has changed. It takes a node of this machine by its name or id, too.

            Example: matterctl cloud node metadata k3vNodeIdExample000001
            """)

    @Argument(help: "The node's id in the cloud.") var node: String
    @Option(
        help: ArgumentHelp("What to merge: {\"Matter\":{…}}; null deletes a member.", valueName: "FILE"),
        completion: .kind(.file)) var set: String?
    @Flag(help: "Read it from the device again, and tell the cloud what has changed.") var collect = false
    @OptionGroup var options: CloudOptions

    func validate() throws {
        guard set == nil || !collect else { throw ValidationError("give either --set or --collect") }
    }

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        if let set {
            _ = try await client.call(.updateMetadata(of: node, try InputFile.object(set)))
            return
        }
        if collect { return try await collect(client, setup) }
        let metadata = try await client.nodes(node).first?.metadata ?? JSONObject()
        console.result(JSONValue.object(metadata).serialized(output.json ? .compact : .indented))
    }

    // MARK: Collecting

    private func collect(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let (entry, record, fabric) = try await subject(client, setup)
        let old = entry.metadata ?? JSONObject()
        let group = try RainMakerStore(setup.state, fabric: fabric).membership()?.groupID ?? ""
        let collected = try await setup.withDevice(record, fabric: fabric) { device in
            try await device.metadata(name: entry.name ?? record.name, group: group)
        }
        let update = MetadataUpdate(old, collected)
        if !update.changes.isEmpty {
            _ = try await client.call(.updateMetadata(of: entry.id, update.body))
        } else if !output.json {
            console.message("the cloud knows the device as it is; nothing was sent")
        }
        show(update, of: entry)
    }

    /// The node in the cloud, and here.
    private func subject(
        _ client: CloudClient, _ setup: CloudSetup
    ) async throws -> (entry: CloudNode, record: NodeRecord, fabric: String) {
        var known: (any Error)?
        for name in try FabricStore(setup.state).names() {
            guard let membership = try RainMakerStore(setup.state, fabric: name).membership(),
                membership.profile == client.account.profile
            else { continue }
            let store = NodeStore(setup.state, fabric: name)
            let members: [CloudGroup.Member]
            do {
                members = try await client.group(membership.groupID).nodes
            } catch let error as RainMakerError where error.code == .unknownGroup {
                // The group of another fabric may be gone.
                known = known ?? error
                continue
            }
            let record: NodeRecord?
            if let member = members.first(where: { $0.nodeID == node }) {
                record = try member.matterNodeID.flatMap { try store.node($0) }
            } else {
                do { record = try store.find(node) } catch {
                    known = known ?? error
                    continue
                }
            }
            guard let record, let member = members.first(where: { $0.matterNodeID == record.nodeID }) else { continue }
            let entry = try await client.nodes(member.nodeID).first
            return (entry ?? CloudNode(id: member.nodeID), record, name)
        }
        throw known
            ?? RainMakerError(
                .notFound, "no node '\(node)' of the cloud is a node of a fabric here",
                hint: .step("cloud.sync"))
    }

    private func show(_ update: MetadataUpdate, of entry: CloudNode) {
        let changes = update.changes.map { change in
            Report {
                Field("member", change.path.joined(separator: "/"), column: "MEMBER")
                Field("before", change.before, column: "BEFORE", text: change.before?.serialized())
                Field("after", change.after, column: "AFTER", text: change.after?.serialized())
            }
        }
        guard output.json else { return changes.isEmpty ? () : console.result(changes) }
        console.result {
            Field("rainmakerNodeId", entry.id)
            Field("changes", changes)
        }
    }
}
