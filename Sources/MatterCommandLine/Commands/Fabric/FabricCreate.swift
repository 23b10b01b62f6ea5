import ArgumentParser
import MatterController
import MatterCredentials
import MatterRecords
import RainMaker

extension FabricCommand {
    struct Create: StateCommand {
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
            case .service:
                guard group != nil, fabricId == nil, !intermediate else {
                    throw ValidationError("--issuer rainmaker needs --group, and the cloud decides the rest")
                }
            case .exec:
                throw ValidationError("exec:COMMAND is for commission --issuer; import the fabric instead")
            }
        }

        func execute() async throws {
            if case .service = issuer { return try await join() }
            let controller = try state.controller()
            let fabric = try LocalFabric.create(
                fabricID: fabricId.map { FabricID($0.value) }, withIntermediate: intermediate,
                validity: controller.validity)
            let record = try await controller.fabrics.add(
                fabric, name: name, vendorID: vendorId.map { VendorID($0.value) } ?? Controller.testVendor)
            console.object(Report(record))
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
                console.message(
                    "warning: the cloud gives no identity protection key for this group; 16 zero bytes are used, as in the "
                        + "phone apps")
            }
            console.object(Report(joined.record))
        }
    }
}
