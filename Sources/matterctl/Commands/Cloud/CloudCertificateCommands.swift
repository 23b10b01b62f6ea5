import ArgumentParser
import MatterCommissioning
import MatterController
import MatterCredentials
import MatterDataModel
import MatterSession
import MatterTLV
import RainMaker

struct CloudUserNOC: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "user-noc", abstract: "Have our own certificate on a group's fabric issued again.",
        discussion: "Example: matterctl cloud user-noc 'Lake House'")

    @Argument(help: "The group: id or name.") var group: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let record = try setup.localFabric(ofGroup: try await client.findGroup(group))
        let joined = try await setup.fabric(client).refresh(record, force: true)
        if output.json { console.result(FabricReport(joined.record, isInUse: nil).json) }
    }
}

struct CloudIssueNOC: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "issue-noc", abstract: "Have a node's certificate issued for a request, and print it as PEM.",
        discussion: """
            The request stays to be confirmed for some minutes: matterctl cloud confirm REQUEST --group GROUP.

            Example: matterctl cloud issue-noc --group 'Lake House' --csr device.csr
            """)

    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String
    @Option(help: ArgumentHelp("The certificate signing request, DER or PEM.", valueName: "FILE")) var csr: String
    @Option(help: ArgumentHelp("Metadata to send along: {\"Matter\":{…}}.", valueName: "FILE")) var metadata: String?
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let octets = try FileContents.read(csr, largest: 16_384)
        let request =
            octets.first == 0x30
            ? try CertificateSigningRequest(der: octets)
            : try CertificateSigningRequest(pem: String(decoding: octets, as: UTF8.self))
        let extra = try metadata.map { file throws in try FileContents.object(file) }
        let group = try await client.convert(try await client.findGroup(group).id)
        guard let fabric = group.fabric, let fabricID = group.fabricID else {
            throw RainMakerError(.notAFabric, "the group '\(group.name)' is not a Matter fabric")
        }
        let issued = try await RainMakerIssuer.issue(
            request, group: group.id, fabric: fabric, fabricID: fabricID, metadata: extra, client: client,
            time: CloudSetup.time())
        if output.json {
            console.result(
                .object([
                    "requestId": .string(issued.receipt.rawValue), "nodeId": .string(issued.nodeID.description),
                    "noc": .string(try issued.noc.pem()),
                ]))
        } else {
            console.result(try issued.noc.pem())
            console.message("request \(issued.receipt.rawValue), node \(issued.nodeID)")
        }
    }
}

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
    @Flag(help: "Say that it failed: the request is discarded.") var failure = false
    @OptionGroup var options: CloudOptions

    func validate() throws {
        guard (rainmakerNode == nil) == (signature == nil) else {
            throw ValidationError("--rainmaker-node and --signature go together")
        }
        guard group == nil || request != nil else { throw ValidationError("--group needs a REQUEST") }
    }

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        if let group, let request {
            let id = try await client.findGroup(group).id
            _ = try await client.call(
                .confirm(
                    group: id, request: request, succeeded: !failure, rainmakerNodeID: rainmakerNode,
                    signature: signature))
            return
        }
        var count = 0
        let fabrics = FabricStore(setup.state)
        for name in try fabrics.names() {
            let store = RainMakerStore(setup.state, fabric: name)
            guard let membership = try store.membership(), membership.profile == client.account.profile else {
                continue
            }
            for pending in try store.allPending() where request == nil || request == pending.requestID {
                try await RainMakerIssuer.confirm(
                    pending, group: membership.groupID, client: client, store: store)
                try CommissioningJournal(setup.state, fabric: name).remove(pending.nodeID)
                count += 1
            }
        }
        guard count > 0 || request == nil else {
            throw RainMakerError(
                .nothingPending, "no request '\(request ?? "")' waits here for its confirmation",
                hint: "for one from elsewhere, name the group: --group")
        }
        if output.json { console.result(.object(["confirmed": .int(Int64(count))])) }
    }
}

struct CloudSync: CloudSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Take over the nodes of a group, whoever commissioned them.",
        discussion: "Example: matterctl cloud sync --group 'Lake House' && matterctl toggle Porch")

    @Option(help: ArgumentHelp("The group: id or name.", valueName: "GROUP")) var group: String
    @OptionGroup var options: CloudOptions

    func run(_ client: CloudClient, _ setup: CloudSetup) async throws {
        let record = try setup.localFabric(ofGroup: try await client.findGroup(group))
        let joined = try await setup.fabric(client).refresh(record)
        let store = NodeStore(setup.state, fabric: record.name)
        let nodes = try await client.nodes(group: joined.group.id)
        let adopted = GroupAdoption(members: joined.group.nodes, nodes: nodes).records(known: try store.all())
        for node in adopted { try await store.save(node) }
        if output.json {
            console.result(.array(adopted.map { NodeReport($0).json }))
        } else {
            console.rows(["NODE", "NAME", "PRODUCT", "ADDRESS", "STATE"], adopted.map(NodeReport.row))
        }
    }
}
