import ArgumentParser
import MatterController

/// The options of an import from the store of another program.
struct NeighbourOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The program whose store it is: \(Neighbour.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "PROGRAM"),
        completion: .list(Neighbour.allCases.map(\.rawValue)), transform: NeighbourOptions.neighbour)
    var from: Neighbour?
    @Option(help: ArgumentHelp("The name here; home by default, or the name of the program.", valueName: "NAME"))
    var name: String?
    @Option(help: ArgumentHelp("The fabric, where the store has several.", valueName: "FABRIC-ID"))
    var id: NumberArgument<UInt64>?
    @Flag(help: "Act with the node id of that program, which must stay off for good.") var takeOver = false
    @Flag(help: "Show what would be taken, and write nothing.") var dryRun = false
    @Flag(help: "Take the entries out again that a join has made, and forget the fabric.") var revert = false
    @Flag(help: "Read the store also if its program runs.") var force = false
    @Flag(help: "Skip the confirmation prompt.") var yes = false

    static func neighbour(_ word: String) throws -> Neighbour {
        guard let neighbour = Neighbour(rawValue: word.lowercased()) else {
            throw ValidationError(
                "'\(word)' has no stores that can be read: \(Neighbour.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        return neighbour
    }

    func validate() throws {
        if from == nil {
            guard id == nil, !takeOver, !revert, !force, !yes else {
                throw ValidationError(
                    "--id, --take-over, --revert, --force and --yes are for an import --from another program")
            }
            return
        }
        guard [takeOver, dryRun, revert].count(where: { $0 }) <= 1 else {
            throw ValidationError("--take-over, --dry-run and --revert exclude each other")
        }
    }
}

extension FabricCommand.Import {
    /// Reads the store of another program, says what was checked, and joins the fabric or takes it over unless it is a rehearsal.
    func run(_ context: CommandContext, _ neighbour: Neighbour, _ ipk: SecretBytes?) async throws {
        let (controller, console) = (context.controller, context.console)
        let found = try controller.neighbours.read(neighbour, at: name, evenIfInUse: store.force, ipk: ipk)
        for fault in found.faults { console.warning(fault) }
        var fabric = try chosen(found)
        do {
            fabric = try await controller.neighbours.withAdvertisedNodes(fabric)
        } catch let error as DiscoveryError {
            console.warning(
                "the network was not searched for nodes that the store does not know: \(error.reason)", error.hint)
        }
        let title = try store.name ?? unusedName(controller, neighbour, fabric)
        var (record, nodes) = (fabric.record(named: title), fabric.nodes)
        var job: Job?
        if store.takeOver {
            console.message(
                "matterctl acts as \(neighbour.rawValue) from now on; keep that off for good: two controllers with one node id "
                    + "take each other's sessions")
            (record, nodes) = try await controller.neighbours.takeOver(fabric, name: title)
        } else if store.revert {
            nodes = []
            (record, job) = try await revert(fabric, named: title, context)
        } else if !store.dryRun {
            try confirmJoin(fabric, neighbour, console)
            (record, nodes, job) = try await join(fabric, named: title, context)
        }
        let names = NodeTitles(fabric.nodes)
        console.result {
            Report(record)
            Field("store", neighbour.rawValue, label: "store", text: "\(neighbour.rawValue), \(fabric.place)")
            Field("dryRun", store.dryRun ? true : nil)
            Field("label", fabric.label, label: "label")
            Field(
                "tags", fabric.tags.map { JSONValue.string($0.description) }.json,
                label: fabric.tags.isEmpty ? nil : "tags", text: fabric.tags.map(\.description).joined(separator: ", "))
            Field("checks", JSONValue.array(fabric.checks.map { .string($0.rawValue) }))
            Field(label: "checked", fabric.checks.map(\.words))
            Field("nodes", nodes.map { Report($0) }.json)
            Field("faults", JSONValue.array(found.faults.map { .string($0) }))
            if !store.revert { Field(label: "nodes", ["\(nodes.count)\(store.dryRun ? "" : " new")"]) }
            if let job {
                Field("job", Report(job, isRunning: false, names))
                Field(label: "job", ["\(job.id): \(job.doneCount) of \(job.entries.count) nodes done"])
                if job.leavesFabric { Field("removed", true, label: "result", text: "the fabric is forgotten") }
            }
        }
        if let job {
            console.nodes(of: job, names)
            try job.requireDone()
        } else if !console.isJSON, !nodes.isEmpty {
            let reports = nodes.map { Report($0) }
            console.rows(reports[0].columns, reports.map(\.row))
        }
    }

    /// The fabric that is meant: the only one, or that of the id.
    private func chosen(_ found: NeighbourStore) throws -> NeighbourFabric {
        let fabrics = store.id.map { id in found.fabrics.filter { $0.fabricID.rawValue == id.value } } ?? found.fabrics
        guard let fabric = fabrics.first, fabrics.count == 1 else {
            let all = found.fabrics.map { "0x\($0.fabricID) (\($0.place), \($0.nodes.count) nodes)" }
            throw CommandLineError(
                .usageStoreFabric,
                (fabrics.isEmpty ? "the store has no fabric of that id" : "the store has \(fabrics.count) fabrics")
                    + ": \(all.joined(separator: "; "))",
                hint: "name one by its id: --id FABRIC-ID")
        }
        return fabric
    }

    /// The name of the same fabric, if it was taken before; `home` where there is no fabric yet.
    private func unusedName(
        _ controller: Controller, _ neighbour: Neighbour, _ fabric: NeighbourFabric
    ) throws -> String {
        let (known, _) = try controller.fabrics.sound()
        if let same = known.first(where: { $0.compressedFabricID == fabric.compressedFabricID }) { return same.name }
        return known.isEmpty ? "home" : neighbour.rawValue
    }
}

extension NeighbourCheck {
    /// The fact that was found true.
    fileprivate var words: String {
        switch self {
        case .rootSignature: "the root certificate has signed itself"
        case .chain: "the controller's certificate leads to the root"
        case .keyPairs: "each private key belongs to one of the certificates"
        case .compressedFabricID: "the compressed fabric id is that of the store's files"
        case .identityProtectionKey: "the identity protection key is that of the store"
        }
    }
}
