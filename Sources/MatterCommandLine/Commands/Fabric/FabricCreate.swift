import ArgumentParser
import MatterController

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
        @Option(
            help: ArgumentHelp(
                "Who issues the certificates: \((["local"] + IssuerArgument.services).joined(separator: " or ")).",
                valueName: "ISSUER")) var issuer: IssuerArgument = .local
        @Option(help: ArgumentHelp("With a service as the issuer: the group there, by id or name.", valueName: "GROUP"))
        var group: String?
        @Option(
            help: ArgumentHelp("With a service as the issuer: the account there.", valueName: "NAME"),
            completion: .kind(.profile))
        var profile: String?
        @OptionGroup(title: HelpPage.common) var state: StateOptions

        private static var service: String { "--issuer \(IssuerArgument.services.first ?? "SERVICE")" }

        func validate() throws {
            if fabricId?.value == 0 { throw ValidationError("a fabric id is not 0") }
            if let vendorId, !VendorID(vendorId.value).isValid {
                throw ValidationError("a vendor id is from 0x0001 to 0xFFF4")
            }
            switch issuer {
            case .local:
                guard group == nil, profile == nil else {
                    throw ValidationError("--group and --profile go with \(Self.service)")
                }
            case .service:
                guard group != nil, fabricId == nil, !intermediate else {
                    throw ValidationError("\(Self.service) needs --group, and the service decides the rest")
                }
            case .exec:
                throw ValidationError("exec:COMMAND is for commission --issuer; import the fabric instead")
            }
        }

        func execute() async throws {
            if case .service(let service) = issuer {
                guard let made = try await make(at: service.rawValue, of: VendorModule.all) else { return }
                return console.object(Report(made))
            }
            let controller = try state.controller()
            let fabric = try LocalFabric.create(
                fabricID: fabricId.map { FabricID($0.value) }, withIntermediate: intermediate,
                validity: controller.context.validity)
            let record = try await controller.fabrics.add(
                fabric, name: name, vendorID: vendorId.map { VendorID($0.value) } ?? Controller.testVendor)
            console.object(Report(record))
        }

        private func make(at service: String, of modules: [VendorModule]) async throws -> FabricRecord? {
            try await modules.first { $0.issuer == service }?.makeFabric(
                NewFabric(
                    name: name, group: group ?? "", profile: profile, vendorID: vendorId.map { VendorID($0.value) },
                    state: try state.state(), logger: try output.logger(), console: console))
        }
    }
}
