import ArgumentParser
import MatterController

struct Supports: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "supports", abstract: "Tell whether a node has a cluster, an attribute, a command or a feature.",
        discussion: """
            PATH is EP/CLUSTER or EP/CLUSTER/ELEMENT; a number as ELEMENT is an attribute's. Exit code 0 if the node has \
            it, 6 if not.

            Example: matterctl supports kitchen 1/color-control/move-to-color-temperature
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Argument(help: "What the node may have.", completion: .kind(.path(.any))) var path: String
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    /// The meaning of a path, found by its name.
    private enum Element {
        case cluster
        case attribute(AttributeID)
        case command(CommandID)
        case feature(Int)

        var kind: String {
            switch self {
            case .cluster: "cluster"
            case .attribute: "attribute"
            case .command: "command"
            case .feature: "feature"
            }
        }

        func isAmong(_ cluster: NodeDescription.Cluster) -> Bool {
            switch self {
            case .cluster: true
            case .attribute(let id): cluster.attributes?.contains(id) ?? false
            case .command(let id): cluster.commands?.contains(id) ?? false
            case .feature(let bit): (cluster.features ?? 0) & 1 << bit != 0
            }
        }
    }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let all = try catalogue.catalogue(try options.state.state())
        let place = context.controller.nodes.placement(of: node.node)
        let catalogue = all.preferring(vendorsOf: PlacedPath.nodes(place), context.console)
        let (endpoint, cluster, element) = try meaning(PlacedPath.text(path, at: place, in: catalogue), catalogue)
        let record = try place.get().node
        let link = try await context.controller.links.link(to: record)
        let result = try await link.read(
            NodeDescription.paths(endpoint: endpoint, cluster: cluster, elements: true),
            deadline: context.deadline(for: record))
        // The Descriptor cluster says what there is; a cluster that is there tells the rest itself.
        let found = NodeDescription(result).endpoints.first { $0.number == endpoint }?.servers.first {
            $0.id == cluster
        }
        let isSupported = found.map(element.isAmong) ?? false
        context.console.object {
            Field("node", record.nodeID)
            Field("path", path)
            Field("kind", element.kind)
            Field("supported", isSupported)
        }
        guard !isSupported else { return }
        if !context.console.isJSON {
            context.console.message("\(NodeTarget(node.node).text) does not have the \(element.kind) \(path)")
        }
        throw SilentFailure(status: .unsupported)
    }

    private func meaning(_ path: String, _ catalogue: Catalogue) throws -> (EndpointID, ClusterID, Element) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let place = try ElementPath(parts.prefix(2).joined(separator: "/"), .attribute) { () throws(DataModelError) in
            catalogue
        }
        guard let endpoint = place.endpoint, let cluster = place.cluster, parts.count <= 3 else {
            throw CommandLineError(
                .usageWildcard, "name one cluster of one endpoint: EP/CLUSTER or EP/CLUSTER/ELEMENT")
        }
        let element: Element = parts.count == 3 ? try element(String(parts[2]), of: cluster, path, catalogue) : .cluster
        return (endpoint, cluster, element)
    }

    private func element(
        _ name: String, of cluster: ClusterID, _ path: String, _ catalogue: Catalogue
    ) throws(DataModelError) -> Element {
        let definition = catalogue.cluster(cluster)
        let isAttribute = (try? FollowedPaths.attribute(path, catalogue)) != nil
        if !isAttribute, let command = try? definition?.command(named: name) { return .command(command.id) }
        let feature = definition?.features.first {
            NameStyle.kebab($0.name) == NameStyle.kebab(name) || $0.code?.lowercased() == name.lowercased()
        }
        // Attributes come first, and what is neither is reported as an unknown one.
        guard let feature, !isAttribute else {
            return try FollowedPaths.attribute(path, catalogue).attribute.map { .attribute($0) } ?? .cluster
        }
        return .feature(feature.bit)
    }
}
