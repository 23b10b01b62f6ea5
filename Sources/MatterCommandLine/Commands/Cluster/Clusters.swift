import ArgumentParser
import JSON
import MatterDataModel

struct Clusters: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "clusters", abstract: "Show the clusters that can be named: attributes, commands, events, values.",
        discussion: "Example: matterctl clusters on-off")

    @Argument(help: "One cluster, by name or id; all if left out.") var name: String?
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var state: StateOptions
    var output: OutputOptions { state.output }

    func execute() async throws {
        let catalogue = try catalogue.catalogue(try state.state())
        guard let name else { return list(catalogue) }
        let path = try ElementPath("0/\(name)", .attribute) { () throws(DataModelError) in catalogue }
        guard let id = path.cluster, let cluster = catalogue.cluster(id) else {
            throw CommandLineError(
                "data-model.unknown-cluster", "no cluster has the id \(name)",
                hint: "see all clusters: matterctl clusters")
        }
        if output.json {
            output.console.result(cluster.json)
        } else {
            for line in cluster.listing { output.console.result(line) }
        }
    }

    private func list(_ catalogue: Catalogue) {
        let names = catalogue.clusterNames
        if output.json {
            output.console.result(
                .array(names.map { .object(["id": .id($0.id), "name": .string($0.name)]) }))
        } else {
            output.console.rows(["ID", "NAME"], names.map { [hexadecimal($0.id), NameStyle.kebab($0.name)] })
        }
    }
}
