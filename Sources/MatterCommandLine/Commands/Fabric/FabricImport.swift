import ArgumentParser
import MatterController

extension FabricCommand {
    struct Import: NetworkCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Join or take over a fabric that was made elsewhere.",
            discussion: """
                From an export ('fabric export', 'fabric backup'), or the answer to 'fabric join-request': its file alone.

                From files: certificates are Matter TLV, DER or PEM; keys are SEC 1 or PKCS #8. With the authority's key as a \
                second --key, new devices can be commissioned too.

                From another program (--from): its store is read, and checked before anything is written. By default, matterctl joins \
                the fabric beside that program, with a node id of its own; --revert takes that back. --take-over acts with the node id \
                of that program, which must stay off for good. --dry-run shows the fabric and its nodes. Programs: chip-tool, \
                python-matter-server (and the SDK's Python controller), matterjs.

                Example: matterctl fabric import old --rcac root.pem --noc noc.pem --key @noc.key --ipk @ipk.hex

                Example: matterctl fabric import --from python-matter-server ~/.matter_server --dry-run
                """)

        @Argument(
            help: ArgumentHelp(
                "The file of an export; or the name; with --from the folder of the store, or its main file.",
                valueName: "file|name|path"),
            completion: .kind(.file))
        var name: String
        @Option(help: ArgumentHelp("The root certificate.", valueName: "FILE"), completion: .kind(.file)) var rcac:
            String?
        @Option(help: ArgumentHelp("The intermediate certificate.", valueName: "FILE"), completion: .kind(.file))
        var icac: String?
        @Option(help: ArgumentHelp("Our own node certificate.", valueName: "FILE"), completion: .kind(.file)) var noc:
            String?
        @Option(help: ArgumentHelp("A private key; may be repeated.", valueName: "@FILE"), completion: .kind(.contents))
        var key: [String] = []
        @Option(
            help: ArgumentHelp(
                "The identity protection key, 16 bytes raw or in hex; with --from only if it is not the usual one.",
                valueName: "@FILE"),
            completion: .kind(.contents))
        var ipk: String?
        @Option(name: .long, help: ArgumentHelp("The vendor id that devices store for us.", valueName: "V"))
        var vendorId: NumberArgument<UInt16>?
        @OptionGroup(title: "From an export") var unlock: UnlockOptions
        @OptionGroup(title: "From another program") var store: NeighbourOptions
        @OptionGroup(title: HelpPage.common) var options: NetworkOptions

        func validate() throws {
            guard (key + (ipk.map { [$0] } ?? [])).allSatisfy({ $0.hasPrefix("@") }) else {
                throw ValidationError("secrets are not arguments: write --key @FILE and --ipk @FILE (@- for stdin)")
            }
            if store.from != nil {
                guard rcac == nil, icac == nil, noc == nil, key.isEmpty, vendorId == nil else {
                    throw ValidationError(
                        "--rcac, --icac, --noc, --key and --vendor-id are for a fabric from files, without --from")
                }
                return
            }
            guard !isExport else { return }
            guard unlock.isEmpty else {
                throw ValidationError("there is no file '\(name)': --identity and --passphrase are for an export")
            }
            let missing = [("--rcac", rcac), ("--noc", noc), ("--key", key.first), ("--ipk", ipk)]
                .filter { $0.1 == nil }.map(\.0)
            guard missing.isEmpty else {
                throw ValidationError(
                    (missing.count == 4 ? "there is no file '\(name)' with an export; " : "")
                        + "missing expected arguments of a fabric from files: \(missing.joined(separator: ", ")); one of another program is "
                        + "read with --from \(Neighbour.allCases.map(\.rawValue).joined(separator: "|")) PATH")
            }
        }

        /// A file alone is an export.
        private var isExport: Bool {
            rcac == nil && noc == nil && key.isEmpty && ipk == nil && OutputFile.exists(name)
        }

        func run(_ context: CommandContext) async throws {
            let controller = context.controller
            if store.from == nil, isExport {
                // A folder has backups in it, and a large file is one.
                if let contents = try? InputFile.contents(name), controller.members.isAnswer(contents) {
                    return try await complete(contents, context)
                }
                return try await FabricCommand.restore(
                    name, as: store.name, only: [], isCheck: store.dryRun, unlock, controller, context.console)
            }
            func givenKey() throws -> SecretBytes? { try ipk.map { file in try Self.ipk(String(file.dropFirst())) } }
            if let neighbour = store.from { return try await run(context, neighbour, try givenKey()) }
            // All are there: `validate` has seen to it.
            guard let rcac, let noc else { return }
            let root = try Self.certificate(rcac)
            let chain = OperationalChain(
                noc: try Self.certificate(noc), icac: try icac.map { file throws in try Self.certificate(file) },
                root: root)
            let keys = try key.map { file throws in
                try Self.decoded(String(file.dropFirst())) { contents in try PrivateKeyFile.decode(contents) }
            }
            guard let ipk = try givenKey() else { return }
            let fabric = try LocalFabric(
                importing: chain, keys: keys, ipk: ipk, at: controller.context.validationTime)
            // It may have nodes, of which nothing is known here.
            let record = try await controller.fabrics.add(
                fabric, name: name, vendorID: vendorId.map { VendorID($0.value) } ?? Controller.testVendor,
                nodeIDs: .random)
            context.console.object(Report(record))
        }

        private static func certificate(_ file: String) throws -> MatterCertificate {
            let path = file.hasPrefix("@") ? String(file.dropFirst()) : file
            return try decoded(path) { contents in try MatterCertificate(anyForm: contents) }
        }

        /// The contents of a file; a fault in it is one of the command line, and names the file.
        private static func decoded<Value>(_ path: String, _ decode: ([UInt8]) throws -> Value) throws -> Value {
            let contents = try InputFile.contents(path)
            do {
                return try decode(contents)
            } catch let error as CredentialsError {
                throw CommandLineError(.usageFile, "\(path): \(error)", id: "usage.\(error.id)")
            }
        }

        private static func ipk(_ file: String) throws -> SecretBytes {
            let contents = try InputFile.contents(file)
            if contents.count == FabricIdentity.groupKeyCount { return SecretBytes(contents) }
            let text = String(decoding: contents, as: UTF8.self).filter { !$0.isWhitespace }
            guard let octets = try? Hex.decode(text), octets.count == FabricIdentity.groupKeyCount else {
                throw CommandLineError(.usageIpk, "\(file) must contain 16 bytes, raw or as 32 hexadecimal digits")
            }
            return SecretBytes(octets)
        }
    }
}
