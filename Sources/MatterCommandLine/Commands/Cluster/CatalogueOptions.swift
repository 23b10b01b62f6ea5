import ArgumentParser
import MatterDataModel
import MatterStore

/// Options of commands that speak of clusters by name.
struct CatalogueOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Definitions of further clusters, as JSON; may be repeated.", valueName: "FILE"))
    var clusterDefs: [String] = []

    /// The standard catalogue, with what the user added: `--cluster-defs` and the folder `clusters` of the state
    /// directory.
    func catalogue(_ state: StateDirectory) throws -> Catalogue {
        let named = try clusterDefs.map { file throws in try VendorDefinitions(file: file) }
        let loaded = try named + VendorDefinitions.folder(state.path + "/clusters")
        return loaded.isEmpty ? .standard : try Catalogue(loaded: loaded)
    }
}
