import ArgumentParser
import MatterController

struct Describe: NodeSubject {
    static let configuration = CommandConfiguration(
        commandName: "describe", abstract: "Show the endpoints of a node, and what their clusters can do.",
        discussion: """
            The node is asked, and its record is refreshed. --clusters adds the attributes and commands of each cluster.

            Example: matterctl describe kitchen --tree
            """)

    @Argument(help: "Node id or name.", completion: .kind(.node)) var node: NodeArgument
    @Flag(help: "Only the endpoints, each below the one that it is a part of.") var tree = false
    @Flag(help: "Also the attributes and commands of each cluster.") var clusters = false
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var options: NetworkOptions

    var onlyReads: Bool { true }
    var isServed: Bool { true }

    func validate() throws { try node.requireBare() }

    func run(_ context: CommandContext) async throws {
        let all = try catalogue.catalogue(try options.state.state())
        let (record, endpoint) = try context.controller.nodes.place(of: node.node)
        let catalogue = all.preferring(vendorsOf: [record], context.console)
        var description = try await context.controller.nodes.describe(
            record, elements: clusters, deadline: context.deadline(for: record))
        if let endpoint { description.keep(endpoint) }
        let names = DescriptionNames(catalogue)
        if context.console.isJSON {
            context.console.result(
                Report {
                    Field("node", record.nodeID)
                    Field("name", record.name)
                    Field("endpoints", description.endpoints.map(names.report))
                })
        } else if tree {
            for (depth, endpoint) in description.tree {
                context.console.text(String(repeating: "  ", count: depth) + names.title(endpoint))
            }
        } else {
            for endpoint in description.endpoints {
                context.console.text(names.title(endpoint))
                for line in names.lines(endpoint) { context.console.text("  " + line) }
            }
        }
    }
}

/// A description in the names of the catalogue, and in numbers where there are none.
struct DescriptionNames {
    private let catalogue: Catalogue

    init(_ catalogue: Catalogue) { self.catalogue = catalogue }

    /// `endpoint 1: Dimmable Light, revision 3`
    func title(_ endpoint: NodeDescription.Endpoint) -> String {
        let types = endpoint.deviceTypes.map { type in
            name(type.id) + (type.revision.map { ", revision \($0)" } ?? "")
        }
        return "endpoint \(endpoint.number): " + (types.isEmpty ? "no device type" : types.joined(separator: "; "))
    }

    func lines(_ endpoint: NodeDescription.Endpoint) -> [String] {
        var lines: [String] = []
        func add(_ label: String, _ parts: [String]) {
            if !parts.isEmpty { lines.append("\(label): " + parts.joined(separator: ", ")) }
        }
        add("parts", endpoint.parts.map(\.description))
        add("tags", tags(endpoint).map { TerminalText.text($0.json) })
        add("clients", endpoint.clients.map(name))
        for cluster in endpoint.servers {
            let features = features(cluster)
            lines.append(
                NameStyle.kebab(name(cluster.id)) + (cluster.revision.map { ", revision \($0)" } ?? "")
                    + (features.isEmpty ? "" : ": " + features.joined(separator: ", ")))
            for (label, parts) in [("attributes", attributes(cluster)), ("commands", commands(cluster))] {
                if let parts, !parts.isEmpty {
                    lines.append("  \(label): " + parts.map(NameStyle.kebab).joined(separator: ", "))
                }
            }
        }
        return lines
    }

    func report(_ endpoint: NodeDescription.Endpoint) -> Report {
        Report {
            Field("endpoint", endpoint.number)
            Field(
                "deviceTypes",
                endpoint.deviceTypes.map { type in
                    Report {
                        Field("deviceType", type.id)
                        Field("name", catalogue.deviceType(type.id)?.label)
                        Field("revision", type.revision)
                    }
                })
            Field("parts", endpoint.parts)
            Field("tags", tags(endpoint))
            Field("clients", endpoint.clients.map(name))
            Field(
                "clusters",
                endpoint.servers.map { cluster in
                    Report {
                        Field("cluster", catalogue.clusterName(cluster.id))
                        Field("clusterId", cluster.id)
                        Field("revision", cluster.revision)
                        Field("features", features(cluster))
                        Field("attributes", attributes(cluster))
                        Field("commands", commands(cluster))
                    }
                })
        }
    }

    private func name(_ id: DeviceTypeID) -> String { catalogue.deviceType(id)?.label ?? hexadecimal(id.rawValue) }

    private func name(_ id: ClusterID) -> String { catalogue.clusterName(id) ?? hexadecimal(id.rawValue) }

    /// Features by name; a bit that has none by its number.
    private func features(_ cluster: NodeDescription.Cluster) -> [String] {
        guard let map = cluster.features else { return [] }
        let known = catalogue.cluster(cluster.id)?.features ?? []
        return (0..<32).filter { map & 1 << $0 != 0 }.map { bit in
            known.first { $0.bit == bit }?.name ?? "bit \(bit)"
        }
    }

    private func attributes(_ cluster: NodeDescription.Cluster) -> [String]? {
        cluster.attributes?.filter { !GlobalAttribute.all.contains($0) }.map {
            catalogue.attribute(cluster: cluster.id, $0)?.name ?? hexadecimal($0.rawValue)
        }
    }

    private func commands(_ cluster: NodeDescription.Cluster) -> [String]? {
        cluster.commands?.map { catalogue.cluster(cluster.id)?.command($0)?.name ?? hexadecimal($0.rawValue) }
    }

    /// Semantic tags: the namespace and the tag by number, and the label that the maker gave.
    private func tags(_ endpoint: NodeDescription.Endpoint) -> [Report] {
        endpoint.tags.compactMap { tag in
            guard let tag = PartialStructure<GlobalTypes.SemanticTag>(tlv: tag) else { return nil }
            return Report {
                Field("namespace", tag[GlobalTypes.SemanticTag.Field.namespaceID])
                Field("tag", tag[GlobalTypes.SemanticTag.Field.tag])
                Field("label", tag[GlobalTypes.SemanticTag.Field.label])
            }
        }
    }
}
