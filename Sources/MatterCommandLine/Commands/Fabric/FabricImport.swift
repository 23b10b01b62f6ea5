import ArgumentParser
import MatterController

extension FabricCommand {
    struct Import: StateCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Take over a fabric that was made elsewhere.",
            discussion: """
                Certificates are Matter TLV, DER or PEM; keys are SEC 1 or PKCS #8. With the authority's key as a second \
                --key, new devices can be commissioned too.

                Example: matterctl fabric import old --rcac root.pem --noc noc.pem --key @noc.key --ipk @ipk.hex
                """)

        @Argument(help: "The name.") var name: String
        @Option(help: ArgumentHelp("The root certificate.", valueName: "FILE"), completion: .kind(.file)) var rcac:
            String
        @Option(help: ArgumentHelp("The intermediate certificate.", valueName: "FILE"), completion: .kind(.file))
        var icac: String?
        @Option(help: ArgumentHelp("Our own node certificate.", valueName: "FILE"), completion: .kind(.file)) var noc:
            String
        @Option(help: ArgumentHelp("A private key; may be repeated.", valueName: "@FILE"), completion: .kind(.contents))
        var key: [String]
        @Option(
            help: ArgumentHelp("The identity protection key, 16 bytes raw or in hex.", valueName: "@FILE"),
            completion: .kind(.contents))
        var ipk: String
        @Option(name: .long, help: ArgumentHelp("The vendor id that devices store for us.", valueName: "V"))
        var vendorId: NumberArgument<UInt16>?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        func validate() throws {
            guard (key + [ipk]).allSatisfy({ $0.hasPrefix("@") }) else {
                throw ValidationError("secrets are not arguments: write --key @FILE and --ipk @FILE (@- for stdin)")
            }
        }

        func execute() async throws {
            let controller = try state.controller()
            let root = try Self.certificate(rcac)
            let chain = OperationalChain(
                noc: try Self.certificate(noc), icac: try icac.map { file throws in try Self.certificate(file) },
                root: root)
            let keys = try key.map { file throws in
                try Self.decoded(String(file.dropFirst())) { contents in try PrivateKeyFile.decode(contents) }
            }
            let fabric = try LocalFabric(
                importing: chain, keys: keys, ipk: try Self.ipk(String(ipk.dropFirst())),
                at: controller.context.validationTime)
            // It may have nodes, of which nothing is known here.
            let record = try await controller.fabrics.add(
                fabric, name: name, vendorID: vendorId.map { VendorID($0.value) } ?? Controller.testVendor,
                nodeIDs: .random)
            console.object(Report(record))
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
