import ArgumentParser
import MatterCommandLine
import RainMaker

struct CloudConfirm: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Tell the cloud that a device is on the fabric, or repeat a confirmation.",
        discussion: """
            Without --group, the request must be one that waits here; without REQUEST, all that wait are confirmed.

            Example: matterctl cloud confirm rq-0001
            """)

    @Argument(help: "The request.") var request: String?
    @Option(help: ArgumentHelp("The group, for a request from elsewhere: id or name.", valueName: "GROUP")) var group:
        String?
    @Option(name: .long, help: ArgumentHelp("The device's node id in the cloud.", valueName: "ID")) var rainmakerNode:
        String?
    @Option(help: ArgumentHelp("The device's signature of its node id.", valueName: "HEX")) var signature: String?
    @Option(
        help: ArgumentHelp("Ask this node of the group's fabric for both: id or name.", valueName: "NODE"),
        completion: .kind(.node))
    var node: String?
    @Flag(help: "Report a failure: the request is discarded.") var failure = false
    @OptionGroup var options: CloudOptions

    func validate() throws {
        guard (rainmakerNode == nil) == (signature == nil) else {
            throw ValidationError("--rainmaker-node and --signature must be given together")
        }
        guard group == nil || request != nil else { throw ValidationError("--group needs a REQUEST") }
        guard group != nil || !(failure || signature != nil || node != nil) else {
            throw ValidationError("--failure, --node, --rainmaker-node and --signature need --group")
        }
        guard [failure, signature != nil, node != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("only one of --failure, --node and --signature is allowed")
        }
    }

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        if let group, let request {
            return try await confirm(request, of: try await client.findGroup(group), client, setup)
        }
        var waiting: [(pending: PendingConfirmation, fabric: String, membership: RainMakerMembership)] = []
        for name in try FabricStore(setup.state).names() {
            let store = RainMakerStore(setup.state, fabric: name)
            guard let membership = try store.membership(), membership.profile == client.account.profile else {
                continue
            }
            for pending in try store.allPending() where request == nil || request == pending.requestID {
                waiting.append((pending, name, membership))
            }
        }
        guard !waiting.isEmpty || request == nil else {
            throw RainMakerError(
                .nothingPending, "no request '\(request ?? "")' waits here for its confirmation",
                hint: .step("cloud.name-group"))
        }
        var count = 0
        var failure: (any Error)?
        for (pending, fabric, membership) in waiting {
            do {
                guard try await confirm(pending, fabric, membership, client, setup) else { continue }
                count += 1
            } catch {
                // One that fails does not keep the others waiting.
                if let earlier = failure { console.message("warning: \(TerminalText.escaped("\(earlier)"))") }
                failure = error
            }
        }
        if let failure { throw failure }
        console.object { Field("confirmed", count) }
    }

    /// A request that need not be one of ours.
    private func confirm(
        _ request: String, of group: CloudGroup, _ client: CloudClient, _ setup: CloudSetup
    ) async throws {
        var (id, proof) = (rainmakerNode, signature)
        // A change that waits here has the node's metadata with it, which no other call would bring to the cloud.
        let waiting = try waiting(request, of: group, setup)
        if let node {
            let fabric = try setup.localFabric(ofGroup: group).name
            let record = try NodeStore(setup.state, fabric: fabric).find(node)
            // Without the RainMaker cluster it proves nothing, and is confirmed as it is.
            let text = waiting?.pending.matterNodeID ?? record.nodeID.description
            let evidence = try await setup.withDevice(record, fabric: fabric) { try await $0.prove(as: text) }
            (id, proof) = (evidence?.nodeID, evidence?.signature)
        }
        _ = try await client.call(
            .confirm(
                group: group.id, request: request, succeeded: !failure, rainmakerNodeID: id, signature: proof,
                metadata: failure ? nil : waiting?.pending.metadataObject))
        guard !failure, let waiting else { return }
        try settle(waiting.pending, RainMakerStore(setup.state, fabric: waiting.fabric), setup, waiting.fabric)
    }

    /// A request that waits here to be confirmed.
    private func waiting(
        _ request: String, of group: CloudGroup, _ setup: CloudSetup
    ) throws -> (pending: PendingConfirmation, fabric: String)? {
        guard let fabric = try? setup.localFabric(ofGroup: group).name else { return nil }
        return try RainMakerStore(setup.state, fabric: fabric).pending(request).map { ($0, fabric) }
    }

    /// The waiting work is done.
    private func settle(
        _ pending: PendingConfirmation, _ store: RainMakerStore, _ setup: CloudSetup, _ fabric: String
    ) throws {
        try store.removePending(pending.requestID)
        let journal = CommissioningJournal(setup.state, fabric: fabric)
        if let entry = try journal.node(pending.nodeID) { try journal.complete(entry) }
    }

    /// - Returns: whether it was confirmed; not if the commissioning itself is not complete.
    private func confirm(
        _ pending: PendingConfirmation, _ fabric: String, _ membership: RainMakerMembership, _ client: CloudClient,
        _ setup: CloudSetup
    ) async throws -> Bool {
        let store = RainMakerStore(setup.state, fabric: fabric)
        guard let node = try NodeStore(setup.state, fabric: fabric).node(pending.nodeID) else {
            guard request != nil else { return false }
            throw RainMakerError(
                .nothingPending, "the node of the request '\(pending.requestID)' is not on the fabric",
                hint: .step("cloud.commission-again"))
        }
        var pending = pending
        if !pending.isChallenged {
            try await setup.withDevice(node, fabric: fabric) { device in
                try await RainMakerIssuer.prove(&pending, store: store) { try await device.prove(as: $1) }
            }
        }
        try await RainMakerIssuer.confirm(pending, group: membership.groupID, client: client, store: store)
        try settle(pending, store, setup, fabric)
        return true
    }
}
