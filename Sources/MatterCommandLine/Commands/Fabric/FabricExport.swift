import ArgumentParser
import MatterController

extension FabricCommand {
    struct Export: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Write a fabric with its keys and nodes into one file, encrypted.",
            discussion: """
                The file has all that is kept of the fabric: certificates, keys, nodes, names, rooms, groups, the keys and \
                counters of devices that sleep. It is encrypted in the format of age, with a passphrase or for a \
                --recipient, and 'fabric import FILE' reads it.

                With --to the fabric goes to another program: PATH is the folder where that program keeps its data.

                Example: matterctl fabric export house.age

                Example: matterctl fabric export --to python-matter-server ~/.matter_server --yes
                """)

        @Argument(
            help: ArgumentHelp(
                "The file; - is stdout. With --to the folder of the other program.", valueName: "file|path"),
            completion: .kind(.file))
        var path: String
        @Flag(help: "All fabrics in the state directory.") var all = false
        @Option(
            help: ArgumentHelp(
                "Write the store of another program: \(Neighbour.allCases.map(\.rawValue).joined(separator: ", ")).",
                valueName: "PROGRAM"),
            completion: .list(Neighbour.allCases.map(\.rawValue)), transform: NeighbourOptions.neighbour)
        var to: Neighbour?
        @Flag(help: "Replace the file if it is there.") var force = false
        @OptionGroup(title: "Protection") var protection: ProtectionOptions
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard to == nil || !all && protection.recipients.isEmpty && protection.passphrase == nil else {
                throw ValidationError(
                    "--to writes one fabric as the other program keeps it, without encryption: not with --all, --recipient "
                        + "or --passphrase")
            }
            guard path != "-" || to == nil else { throw ValidationError("--to writes into a folder, not to stdout") }
        }

        func execute() async throws {
            let controller = try state.controller()
            if let to { return try await write(controller, for: to) }
            guard path != "-" || !console.isTerminal else {
                throw CommandLineError(
                    .usageFile, "an export is not written to a terminal", hint: "name a file, or pipe stdout on")
            }
            guard force || path == "-" || !OutputFile.exists(path) else {
                throw CommandLineError(
                    .usageFile, "\(path) is there already", hint: "choose another name, or replace it with --force")
            }
            let names = all ? nil : [try controller.context.fabric().name]
            let file = try await controller.exports.make(names, protectedBy: try protection.protection(console))
            for fault in file.faults { console.warning("\(fault)") }
            if path == "-" {
                try OutputFile.writeToStandardOutput(file.bytes)
            } else {
                try OutputFile.replace(file.bytes, at: path)
                console.result {
                    Field("file", path, label: "file")
                    Report(file)
                }
            }
            // All that is whole was written; a program must see that something was not.
            if let fault = file.faults.first { throw fault }
        }

        private func write(_ controller: Controller, for neighbour: Neighbour) async throws {
            let fabric = try controller.context.fabric()
            try console.confirm(
                "Write the fabric '\(fabric.name)' with its keys, unencrypted, for \(neighbour.rawValue) into \(path)?",
                given: protection.yes)
            let store = try controller.neighbours.write(fabric, for: neighbour, to: path)
            console.result {
                Field("fabric", fabric.name, label: "fabric")
                Field("store", neighbour.rawValue, label: "store")
                Field("files", JSONValue.array(store.files.map { .string($0) }))
                Field(label: "files", store.files)
                Field("nodeCount", store.nodeCount, label: "nodes")
            }
            console.message(
                "do not use matterctl and \(neighbour.rawValue) at the same time: both have node id \(fabric.nodeID.rawValue), and "
                    + "take each other's sessions")
        }
    }
}

extension Report {
    /// The contents of an export; no secret is among it.
    init(_ file: ExportFile) {
        self.init {
            Report(file.document)
            Field("bytes", file.bytes.count, label: "bytes")
            Field("faults", JSONValue.array(file.faults.map { .string("\($0)") }))
        }
    }

    init(_ document: ExportDocument) {
        self.init {
            Field("made", DateText.time(document.made), label: "made")
            Field("host", document.host, label: "host")
            Field(
                "fabrics", document.fabrics.map { Report($0) }.json)
            Field(label: "fabrics", document.fabrics.map(\.words))
            Field("networkCount", document.networkCount)
        }
    }

    init(_ fabric: ExportedFabric) {
        self.init {
            Field("name", fabric.record.name)
            Field("fabricId", fabric.record.fabricID.description)
            Field("compressedFabricId", fabric.record.compressedFabricID.description)
            Field("nodeId", fabric.record.nodeID)
            Field("nodeCount", fabric.nodes.count)
            Field("groupCount", fabric.groups.count)
            Field("sleeperCount", fabric.sleeperCount)
            Field("hasAuthorityKey", fabric.hasAuthorityKey)
        }
    }
}

extension ExportedFabric {
    /// In a line: `home: 5 nodes, 1 group, with the authority's key`.
    fileprivate var words: String {
        func count(_ number: Int, _ one: String) -> String? {
            number == 0 ? nil : "\(number) \(one)\(number == 1 ? "" : "s")"
        }
        let parts = [
            count(nodes.count, "node") ?? "no nodes", count(groups.count, "group"),
            count(sleeperCount, "sleeping device"),
            hasAuthorityKey ? "with the authority's key" : "without the authority's key",
        ]
        return "\(record.name): " + parts.compactMap { $0 }.joined(separator: ", ")
    }
}
