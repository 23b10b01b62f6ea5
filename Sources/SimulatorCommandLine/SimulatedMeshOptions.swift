import ArgumentParser
import MatterCommandLine
import MatterSimulator

/// The networks of a house of virtual devices, and which of the devices this is.
struct SimulatedMeshOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The networks of a house in JSON, of which the device tells in its diagnostics.", valueName: "FILE"),
        completion: .kind(.file))
    var mesh: String?
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "With --mesh: the device's name there; with --count, those of all nodes.", valueName: "NAME[,NAME]"))
    var place: String?

    private var names: [String] { (place ?? "").split(separator: ",").map(String.init) }

    func check(_ network: NodeConfiguration.Network, count: Int) throws {
        guard (mesh == nil) == (place == nil) else { throw ValidationError("--mesh and --as go together") }
        guard mesh != nil else { return }
        guard network == .ethernet else { throw ValidationError("--network comes from --mesh") }
        guard names.count == count else { throw ValidationError("--as needs a name for each node") }
    }

    /// The places of the nodes, in their order; none without a description.
    func places() throws -> [MeshPlace] {
        guard let mesh else { return [] }
        let described = try SimulatedMesh(parsing: try InputFile.contents(mesh))
        return try names.map { try described.place(of: $0) }
    }
}
