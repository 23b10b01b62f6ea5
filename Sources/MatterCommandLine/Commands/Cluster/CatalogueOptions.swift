import ArgumentParser
import MatterController

/// Options of commands that speak of clusters by name.
struct CatalogueOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Definitions of further clusters, as JSON; may be repeated.", valueName: "FILE"),
        completion: .kind(.file))
    var clusterDefs: [String] = []

    /// The standard catalogue, with what the user added: `--cluster-defs` and the folder `clusters` of the state
    /// directory.
    func catalogue(_ state: StateDirectory) throws -> Catalogue {
        let named = try clusterDefs.map { file throws in try VendorDefinitions(file: file) }
        let loaded = try named + VendorDefinitions.folder(state.path + "/clusters")
        return loaded.isEmpty ? .standard : try Catalogue(loaded: loaded)
    }
}

extension Catalogue {
    /// Where several vendors define a cluster, the definition of the nodes' vendor counts. Says so where it cannot be known.
    func preferring(vendorsOf nodes: [NodeRecord], _ console: Console) -> Catalogue {
        guard !contested.isEmpty, !nodes.isEmpty else { return self }
        let vendors = Set(nodes.map(\.vendorID))
        for (id, known) in contested {
            guard vendors.count > 1 || !known.contains(where: { vendors.contains($0) }) else { continue }
            let names = known.map { VendorNames.name(of: $0) ?? hexadecimal(UInt32($0)) }.joined(separator: ", ")
            let used = clusterName(id).map { "; the names of \($0) are used" } ?? ""
            console.warning("several vendors define the cluster \(hexadecimal(id)): \(names)\(used)")
        }
        guard vendors.count == 1, let vendor = vendors.first, let vendor else { return self }
        return preferring(vendor: vendor)
    }
}
