import ArgumentParser
import JSON
import MatterController
import MatterDataModel
import MatterRecords

struct ModeCommand: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "mode", abstract: "Show the modes of a device, or change one.",
        discussion: """
            For whatever has modes: vacuum cleaners, washing machines, ovens, mode switches. A mode is meant by its label, \
            by its purpose (Quick, Night) or by its number.

            Example: matterctl mode robot 'Deep clean'
            """)

    @Argument(help: "Node id or name, with /EP for an endpoint.") var node: NodeArgument
    @Argument(help: "The mode; without it, the modes are shown.") var mode: String?
    @Option(help: ArgumentHelp("The cluster, where several have the mode.", valueName: "CLUSTER")) var cluster: String?
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    func run(_ context: CommandContext) async throws {
        let wanted = try cluster.map { try Catalogue.standard.cluster(named: $0).id }
        let title = NodeTarget(node.node).text
        let (record, endpoint) = try await context.controller.place(of: node.node, endpoint: node.endpoint)
        let found = try await context.controller.modes(
            of: record, endpoint: endpoint, cluster: wanted, title: title, budget: context.budget)
        guard let mode else { return context.console.result(found.flatMap(Self.reports)) }
        let device = try DeviceModes.choose(mode, among: found)
        try await device.send(try ModeVerb(device.cluster, mode).request(device.facts).action)
    }

    private static func reports(_ device: ServingDevice) -> [Report] {
        let modes = DeviceModes(device.cluster, device.facts)
        return modes.modes.map { mode in
            Report {
                Field("node", device.place.node.nodeID)
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
