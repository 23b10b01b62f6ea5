package import ArgumentParser
package import Logging
package import MatterController

/// What the module of a vendor adds to the command line.
package struct VendorModule: Sendable {
    /// The commands, under a heading of their own.
    package var commands: CommandGroup
    /// Commands as earlier versions spelled them.
    package var oldSpellings: [(old: [String], new: [String])]
    /// The words for its hints, as in ``Hints``.
    package var hints: [String: String]
    package var service: any IssuerService
    /// Makes a fabric for which the service issues.
    package var makeFabric: @Sendable (NewFabric) async throws -> FabricRecord

    /// The options that `simulate` gets.
    package var deviceOptions: any VendorDeviceOptions.Type
    /// The options that `commission` gets.
    package var issueOptions: any VendorIssueOptions.Type
    /// The accounts that are kept, for completion.
    package var profiles: @Sendable (StateDirectory) -> [String]

    package init(
        commands: CommandGroup, oldSpellings: [(old: [String], new: [String])], hints: [String: String],
        service: any IssuerService, makeFabric: @escaping @Sendable (NewFabric) async throws -> FabricRecord,
        deviceOptions: any VendorDeviceOptions.Type, issueOptions: any VendorIssueOptions.Type,
        profiles: @escaping @Sendable (StateDirectory) -> [String]
    ) {
        self.commands = commands
        self.oldSpellings = oldSpellings
        self.hints = hints
        self.service = service
        self.makeFabric = makeFabric
        self.deviceOptions = deviceOptions
        self.issueOptions = issueOptions
        self.profiles = profiles
    }

    /// The modules of the run under way.
    @TaskLocal package static var all: [VendorModule] = []

    /// The name of the service that issues.
    var issuer: String { service.issuer.rawValue }
}

/// A fabric as `fabric create` wants it of a service.
package struct NewFabric: Sendable {
    package var name: String
    /// What the fabric belongs to at the service.
    package var group: String
    /// The account at the service; `nil` for the one in use.
    package var profile: String?
    package var vendorID: VendorID?
    package var state: StateDirectory
    package var logger: Logger
    package var console: Console
}
