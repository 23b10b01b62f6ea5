import ArgumentParser
import MatterController

struct Clusters: StateCommand {
    static let configuration = CommandConfiguration(
        commandName: "clusters", abstract: "Show the clusters that can be named: attributes, commands, events, values.",
        discussion: "Example: matterctl clusters on-off")

    @Argument(help: "One cluster, by name or id; all if left out.", completion: .kind(.cluster)) var name: String?
    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup(title: HelpPage.common) var state: StateOptions

    func execute() async throws {
        let catalogue = try catalogue.catalogue(try state.state())
        guard let name else { return list(catalogue) }
        let path = try ElementPath("0/\(name)", .attribute) { () throws(DataModelError) in catalogue }
        guard let id = path.cluster, let cluster = catalogue.cluster(id) else {
            throw CommandLineError(
                .dataModelUnknownCluster, "no cluster has the id \(name)",
                hint: .step("clusters.all"))
        }
        if console.isJSON { return console.result(cluster.json) }
        for line in cluster.listing { console.text(line) }
    }

    private func list(_ catalogue: Catalogue) {
        console.result(
            catalogue.clusterNames.map { cluster in
                // Only the definitions of manufacturers say whose they are.
                let vendor = cluster.id.isManufacturerSpecific ? catalogue.cluster(cluster.id)?.vendor : nil
                return Report {
                    Field("id", cluster.id, column: "ID", text: hexadecimal(cluster.id))
                    Field("name", cluster.name, column: "NAME", text: NameStyle.kebab(cluster.name))
                    Field("vendorId", vendor.map { JSONValue.uint(UInt64($0)) })
                    Field("vendor", vendor.flatMap(VendorNames.name(of:)), column: "VENDOR")
                }
            })
    }
}
