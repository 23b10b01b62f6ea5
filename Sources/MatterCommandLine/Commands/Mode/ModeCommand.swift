import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterRecords

struct ModeCommand: NetworkCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Show the modes of devices, or change them.",
        discussion: """
            For whatever has modes: vacuum cleaners, washing machines, ovens, mode switches. A mode is meant by its label, \
            by its purpose (Quick, Night) or by its number. A single node is asked for its modes; so are the nodes of \
            --room, --type or --all where no word follows.

            Example: matterctl mode robot 'Deep clean'
            """)

    @Argument(
        help: ArgumentHelp(
            "The nodes, with /EP for an endpoint; and last the mode. Without it, the modes are shown.",
            valueName: "node-or-mode"))
    var words: [String] = []
    @OptionGroup var selection: NodeSelection
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    /// Whether nodes are meant for what they have in common; the cluster alone says which modes are meant.
    private var choosesNodes: Bool {
        selection.all || selection.filter.room != nil || selection.filter.deviceType != nil
            || selection.filter.cluster != nil && words.isEmpty
    }

    private var mode: String? { words.count > (choosesNodes ? 0 : 1) ? words.last : nil }

    private var nodes: [NodeArgument] {
        (mode == nil ? words : words.dropLast()).compactMap { NodeArgument(argument: $0) }
    }

    /// The node, if there is only one.
    private var one: NodeArgument? {
        nodes.count == 1 && !choosesNodes && !nodes.contains { NodeSelection.isPattern($0.node) } ? nodes.first : nil
    }

    var target: NodeTarget? { one.map { NodeTarget($0.node) } }

    func validate() throws {
        for word in mode == nil ? words : words.dropLast() where NodeArgument(argument: word) == nil {
            throw ValidationError(
                "The value '\(word)' is invalid for '<node>' (node id or name, with /EP for an endpoint)")
        }
        guard options.address == nil || one != nil else { throw ValidationError("--address is for one node") }
        try selection.require(nodes.map(\.node))
    }

    func run(_ context: CommandContext) async throws {
        let cluster = try selection.filter.cluster.map { try Catalogue.standard.cluster(named: $0).id }
        guard let one else { return try await runEach(cluster, context) }
        let (record, endpoint) = try await context.controller.place(of: one.node, endpoint: one.endpoint)
        let found = try await context.controller.modes(
            of: record, endpoint: endpoint, cluster: cluster, title: NodeTarget(one.node).text, budget: context.budget)
        guard let mode else { return context.console.result(found.flatMap { Self.reports($0) }) }
        _ = try await Self.change(found, to: mode)
    }

    /// One result for each node; the failure of one costs the others nothing.
    private func runEach(_ cluster: ClusterID?, _ context: CommandContext) async throws {
        let parts = try await selection.parts(nodes, of: context.controller, in: .standard) { endpoint in
            endpoint.serverClusters.contains { DeviceModes.isMode(ClusterID($0)) }
        }
        guard !parts.isEmpty else {
            throw ControllerError(.deviceLacks, "no node that is meant has modes", hint: .step("node.see"))
        }
        let places = Dictionary(uniqueKeysWithValues: parts.map { ($0.node.nodeID, $0.endpoints) })
        let mode = mode
        let answers = try await NodeRound.answers(of: parts.map(\.node)) { node in
            try await context.controller.withLink(to: node) { _ in
                var devices: [ServingDevice] = []
                for endpoint in places[node.nodeID] ?? [] {
                    let found = try await context.controller.modes(
                        of: node, endpoint: endpoint, cluster: cluster, title: NodeTarget(node).text,
                        budget: context.budget)
                    if let mode { devices.append(try await Self.change(found, to: mode)) } else { devices += found }
                }
                return devices
            }
        }
        try NodeRound.print(answers, isOne: false, context.console) { _, devices in
            Report {
                if mode == nil {
                    Field("modes", devices.flatMap { Self.reports($0) })
                } else {
                    Field("endpoints", JSONValue.array(devices.map { .int(Int64($0.place.endpoint.rawValue)) }))
                    Field("result", "done")
                }
            }
        } rows: { node, devices in
            mode == nil
                ? devices.flatMap { Self.reports($0, of: node) }
                : devices.map { device in
                    Report {
                        Field(column: "NODE", ["\(node.nodeID.rawValue)"])
                        Field("name", node.name, column: "NAME")
                        Field("endpoint", device.place.endpoint, column: "ENDPOINT")
                        Field("result", "done", column: "RESULT")
                    }
                }
        }
    }

    /// - Returns: the device that has the mode.
    private static func change(_ found: [ServingDevice], to mode: String) async throws -> ServingDevice {
        let device = try DeviceModes.choose(mode, among: found)
        try await device.send(try ModeVerb(device.cluster, mode).request(device.facts).action)
        return device
    }

    /// - Parameter node: where the modes of several nodes are shown.
    private static func reports(_ device: ServingDevice, of node: NodeRecord? = nil) -> [Report] {
        let modes = DeviceModes(device.cluster, device.facts)
        return modes.modes.map { mode in
            Report {
                Field("node", device.place.node.nodeID)
                if let node { Field(column: "NODE", [node.label]) }
                Field("endpoint", device.place.endpoint, column: "ENDPOINT")
                Field("cluster", Catalogue.standard.clusterName(device.cluster), column: "CLUSTER")
                Field("clusterId", device.cluster)
                Field("mode", Int64(mode.number), column: "MODE")
                Field("label", mode.label, column: "LABEL")
                Field("tags", JSONValue.array(mode.tags.map { .string($0) }))
                Field("current", mode.number == modes.current)
                Field(column: "CURRENT", mode.number == modes.current ? ["yes"] : nil)
            }
        }
    }
}
