public import ArgumentParser
public import Logging
public import MatterController

/// The additions of a vendor's module to the command line.
public struct VendorModule: Sendable {
    /// The commands, under a heading of their own.
    public var commands: CommandGroup
    /// Commands as earlier versions spelled them, with a space between words.
    public var oldSpellings: [(old: String, new: String)]
    /// Makes the words for its hints, as in ``Hints``, for a command that needs them.
    public var hints: @Sendable () -> [String: String]
    /// The service that issues certificates.
    public var service: any IssuerService
    /// Makes a fabric for which the service issues.
    public var makeFabric: @Sendable (NewFabric) async throws -> FabricRecord

    /// The options that `commission` gets.
    public var issueOptions: any VendorIssueOptions.Type
    /// The accounts that are kept, for completion.
    public var profiles: @Sendable (StateDirectory) -> [String]

    /// A module of these parts.
    public init(
        commands: CommandGroup, oldSpellings: [(old: String, new: String)],
        hints: @escaping @Sendable () -> [String: String],
        service: any IssuerService, makeFabric: @escaping @Sendable (NewFabric) async throws -> FabricRecord,
        issueOptions: any VendorIssueOptions.Type,
        profiles: @escaping @Sendable (StateDirectory) -> [String]
    ) {
        self.commands = commands
        self.oldSpellings = oldSpellings
        self.hints = hints
        self.service = service
        self.makeFabric = makeFabric
        self.issueOptions = issueOptions
        self.profiles = profiles
    }

    /// The modules of the run under way.
    public static var all: [VendorModule] { Installation.current.modules }

    /// The name of the service that issues.
    var issuer: String { service.issuer.rawValue }
}

/// A fabric as `fabric create` wants it of a service.
public struct NewFabric: Sendable {
    /// The name of the fabric.
    public var name: String
    /// The group of the fabric at the service.
    public var group: String
    /// The account at the service; `nil` for the one in use.
    public var profile: String?
    /// The vendor id of the fabric; `nil` for that of the service.
    public var vendorID: VendorID?
    /// Where it is kept.
    public var state: StateDirectory
    /// Where the log goes.
    public var logger: Logger
    /// Where messages go.
    public var console: Console
}
