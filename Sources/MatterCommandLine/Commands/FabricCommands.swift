import ArgumentParser
import JSON
import MatterController
import MatterCredentials
import MatterCrypto
import MatterDataModel
import MatterRecords
import MatterSession
import MatterTLV
import RainMaker

struct FabricCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fabric", abstract: "The fabrics in the state directory.",
        discussion: "Example: matterctl fabric show",
        subcommands: [List.self, Create.self, Use.self, Show.self, Import.self, Remove.self])

    struct List: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the fabrics.", discussion: "Example: matterctl fabric ls",
            aliases: ["list"])

        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let store = FabricStore(try state.state())
            let (records, faults) = try store.sound()
            let inUse = try? store.select(state.fabricName).name
            if output.json {
                output.console.result(.array(records.map { FabricReport($0, isInUse: $0.name == inUse).json }))
                if let fault = faults.first { throw fault.error }
                return
            }
            output.console.rows(
                ["NAME", "FABRIC ID", "ISSUER", "IN USE"],
                records.map { record in
                    [
                        TerminalText.escaped(record.name), record.fabricID.description, record.issuer.rawValue,
                        record.name == inUse ? "yes" : "-",
                    ]
                })
            for name in try store.halfRemoved() {
                let name = TerminalText.escaped(name)
                output.console.message(
                    "warning: keys of the removed fabric '\(name)' are still here; clear them away: "
                        + "matterctl fabric remove '\(name)'")
            }
            // What can be read is of use; that something cannot is said after it.
            if let fault = faults.first { throw fault.error }
        }
    }

    struct Create: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a fabric with a certificate authority of its own.",
            discussion: "Example: matterctl fabric create lab --vendor-id 0xFFF1")

        @Argument(help: "The name.") var name: String
        @Option(name: .long, help: ArgumentHelp("The vendor id that devices store for us.", valueName: "V"))
        var vendorId: NumberArgument<UInt16>?
        @Option(name: .long, help: ArgumentHelp("The fabric id; random if left out.", valueName: "ID")) var fabricId:
            NumberArgument<UInt64>?
        @Flag(help: "Issue node certificates under an intermediate one.") var intermediate = false
        @Option(help: ArgumentHelp("Who issues the certificates: local or rainmaker.", valueName: "ISSUER")) var issuer:
            IssuerArgument = .local
        @Option(help: ArgumentHelp("With --issuer rainmaker: the group, by id or name.", valueName: "GROUP"))
        var group: String?
        @Option(help: ArgumentHelp("With --issuer rainmaker: the cloud account.", valueName: "NAME"))
        var profile: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func validate() throws {
            if fabricId?.value == 0 { throw ValidationError("a fabric id is not 0") }
            if let vendorId, !VendorID(vendorId.value).isValid {
                throw ValidationError("a vendor id is from 0x0001 to 0xFFF4")
            }
            switch issuer {
            case .local:
                guard group == nil, profile == nil else {
                    throw ValidationError("--group and --profile go with --issuer rainmaker")
                }
            case .rainmaker:
                guard group != nil, fabricId == nil, !intermediate else {
                    throw ValidationError("--issuer rainmaker needs --group, and the cloud decides the rest")
                }
            case .exec:
                throw ValidationError("exec:COMMAND is for commission --issuer; import the fabric instead")
            }
        }

        func execute() async throws {
            if issuer == .rainmaker { return try await join() }
            let controller = Controller(
                Controller.Options(state: try state.state(), logger: try output.logger()))
            let fabric = try LocalFabric.create(
                fabricID: fabricId.map { FabricID($0.value) }, withIntermediate: intermediate,
                validity: controller.validity)
            let record = try await controller.fabrics.add(
                fabric, name: name, vendorID: vendorId.map { VendorID($0.value) } ?? Controller.testVendor)
            if output.json { output.console.result(FabricReport(record, isInUse: nil).json) }
        }

        /// Joins the fabric of a group in the cloud.
        private func join() async throws {
            let setup = CloudSetup(state: try state.state(), logger: try output.logger())
            let account = try CloudStore(setup.state).select(profile ?? Environment.variable("MATTERCTL_CLOUD"))
            let joined = try await setup.withClient(account) { client in
                let group = try await client.findGroup(group ?? "")
                return try await setup.fabric(client).join(
                    group: group.id, name: name,
                    vendorID: vendorId.map { VendorID($0.value) } ?? RainMakerFabric.vendorID)
            }
            if joined.fabric.lacksIPK {
                output.console.message(
                    "warning: the cloud gives no identity protection key for this group; 16 zero bytes are used, as in the "
                        + "phone apps")
            }
            if output.json { output.console.result(FabricReport(joined.record, isInUse: nil).json) }
        }
    }

    struct Use: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Choose the fabric that commands use when none is named.",
            discussion: "Example: matterctl fabric use lab")

        @Argument(help: "The name.") var name: String
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws { try FabricStore(try state.state()).choose(name) }
    }

    struct Show: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a fabric's ids and certificates.",
            discussion: "Example: matterctl fabric show home --json")

        @Argument(help: "The name; the fabric in use if left out.") var name: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let store = FabricStore(try state.state())
            let record = try store.select(name ?? state.fabricName)
            let report = FabricReport(record, isInUse: nil)
            if output.json {
                output.console.result(report.json)
            } else {
                for line in try report.lines() { output.console.result(line) }
            }
        }
    }

    struct Import: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Take over a fabric that was made elsewhere.",
            discussion: """
                Certificates are Matter TLV, DER or PEM; keys are SEC 1 or PKCS #8. With the authority's key as a second \
                --key, new devices can be commissioned too.

                Example: matterctl fabric import old --rcac root.pem --noc noc.pem --key @noc.key --ipk @ipk.hex
                """)

        @Argument(help: "The name.") var name: String
        @Option(help: ArgumentHelp("The root certificate.", valueName: "FILE")) var rcac: String
        @Option(help: ArgumentHelp("The intermediate certificate.", valueName: "FILE")) var icac: String?
        @Option(help: ArgumentHelp("Our own node certificate.", valueName: "FILE")) var noc: String
        @Option(help: ArgumentHelp("A private key; may be repeated.", valueName: "@FILE")) var key: [String]
        @Option(help: ArgumentHelp("The identity protection key, 16 bytes raw or in hex.", valueName: "@FILE"))
        var ipk: String
        @Option(name: .long, help: ArgumentHelp("The vendor id that devices store for us.", valueName: "V"))
        var vendorId: NumberArgument<UInt16>?
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func validate() throws {
            guard (key + [ipk]).allSatisfy({ $0.hasPrefix("@") }) else {
                throw ValidationError("secrets are not arguments: write --key @FILE and --ipk @FILE (@- for stdin)")
            }
        }

        func execute() async throws {
            let controller = Controller(
                Controller.Options(state: try state.state(), logger: try output.logger()))
            let root = try Self.certificate(rcac)
            let chain = OperationalChain(
                noc: try Self.certificate(noc), icac: try icac.map { file throws in try Self.certificate(file) },
                root: root)
            let keys = try key.map { file throws in
                try Self.decoded(String(file.dropFirst())) { contents in try PrivateKeyFile.decode(contents) }
            }
            let fabric = try LocalFabric(
                importing: chain, keys: keys, ipk: try Self.ipk(String(ipk.dropFirst())),
                at: controller.validationTime)
            // It may have nodes, of which nothing is known here.
            let record = try await controller.fabrics.add(
                fabric, name: name, vendorID: vendorId.map { VendorID($0.value) } ?? Controller.testVendor,
                nodeIDs: .random)
            if output.json { output.console.result(FabricReport(record, isInUse: nil).json) }
        }

        private static func certificate(_ file: String) throws -> MatterCertificate {
            let path = file.hasPrefix("@") ? String(file.dropFirst()) : file
            return try decoded(path) { contents in try MatterCertificate(anyForm: contents) }
        }

        /// What a file holds; a fault in it is one of the command line, and names the file.
        private static func decoded<Value>(_ path: String, _ decode: ([UInt8]) throws -> Value) throws -> Value {
            let contents = try InputFile.contents(path)
            do {
                return try decode(contents)
            } catch let error as CredentialsError {
                throw CommandLineError(.init(rawValue: "usage.\(error.code.rawValue)"), "\(path): \(error)")
            }
        }

        private static func ipk(_ file: String) throws -> SecretBytes {
            let contents = try InputFile.contents(file)
            if contents.count == FabricIdentity.groupKeyCount { return SecretBytes(contents) }
            let text = String(decoding: contents, as: UTF8.self).filter { !$0.isWhitespace }
            guard let octets = try? Hex.decode(text), octets.count == FabricIdentity.groupKeyCount else {
                throw CommandLineError("usage.ipk", "\(file) must contain 16 bytes, raw or as 32 hexadecimal digits")
            }
            return SecretBytes(octets)
        }
    }

    struct Remove: LocalCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a fabric with its keys, without telling its devices.",
            discussion: "Example: matterctl fabric remove lab --yes")

        @Argument(help: "The name.") var name: String
        @Flag(help: "Skip the confirmation prompt.") var yes = false
        @OptionGroup(title: HelpPage.common) var state: StateOptions
        var output: OutputOptions { state.output }

        func execute() async throws {
            let store = FabricStore(try state.state())
            guard try store.isHere(name) else {
                _ = try store.select(name)
                return
            }
            // A damaged record does not keep the fabric from being removed.
            let nodes = try NodeStore(store.state, fabric: name).sound()
            let count = nodes.nodes.count + nodes.faults.count
            let loss = count == 0 ? "" : " and lose control of its \(count) node\(count == 1 ? "" : "s")"
            try output.console.confirm("Remove the fabric '\(name)' with its keys\(loss)?", given: yes)
            try await store.remove(name)
        }
    }
}

/// What is printed of a fabric; no secret among it.
struct FabricReport {
    private let record: FabricRecord
    private let isInUse: Bool?

    init(_ record: FabricRecord, isInUse: Bool?) {
        self.record = record
        self.isInUse = isInUse
    }

    var json: JSONValue {
        var object: JSONObject = [
            "name": .string(record.name), "fabricId": .string(record.fabricID.description),
            "compressedFabricId": .string(record.compressedFabricID.description),
            "vendorId": .uint(UInt64(record.vendorID.rawValue)), "issuer": .string(record.issuer.rawValue),
            "nodeId": .id(record.nodeID.rawValue), "nodeIds": .string(record.nodeIDs.rawValue),
            "rcac": .string("hex:\(Hex.encode(record.root, uppercase: true))"),
            "noc": .string("hex:\(Hex.encode(record.noc, uppercase: true))"),
        ]
        object["icac"] = record.nocIntermediate.map { .string("hex:\(Hex.encode($0, uppercase: true))") }
        object["inUse"] = isInUse.map { .bool($0) }
        return .object(object)
    }

    func lines() throws -> [String] {
        var lines = [
            "name\t\(TerminalText.escaped(record.name))", "fabric id\t\(record.fabricID)",
            "compressed fabric id\t\(record.compressedFabricID)", "vendor id\t\(record.vendorID)",
            "own node id\t\(record.nodeID.rawValue)", "ids of new nodes\t\(record.nodeIDs.rawValue)",
            "issuer\t\(record.issuer.rawValue)",
        ]
        let certificates: [(String, [UInt8]?)] = [
            ("root", record.root), ("intermediate", record.nocIntermediate), ("node certificate", record.noc),
        ]
        for (label, tlv) in certificates {
            guard let tlv else { continue }
            let certificate = try MatterCertificate(tlv: tlv)
            let end = certificate.notAfter == MatterEpoch.none ? "no end" : MatterEpoch.text(certificate.notAfter)
            lines.append("\(label)\tvalid \(MatterEpoch.text(certificate.notBefore)) – \(end)")
        }
        return lines
    }
}
