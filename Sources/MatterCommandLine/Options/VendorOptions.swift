public import ArgumentParser
import MatterController

/// The options that the module of a vendor adds to `commission`.
public protocol VendorIssueOptions: ParsableArguments, Sendable {
    /// The parameters for each service, by names of its own.
    var settings: [FabricRecord.Issuer: [String: String]] { get }
}

/// For a program without vendors.
struct NoVendorOptions: VendorIssueOptions {
    var settings: [FabricRecord.Issuer: [String: String]] { [:] }
}

/// The options of two modules, one after the other.
public struct VendorOptionsPair<First: ParsableArguments, Second: ParsableArguments>: ParsableArguments {
    /// The options of one.
    @OptionGroup public var first: First
    /// The options of the other.
    @OptionGroup public var second: Second

    /// Options that the parser fills.
    public init() {}
}

extension VendorOptionsPair: Sendable where First: Sendable, Second: Sendable {}

extension VendorOptionsPair: VendorIssueOptions where First: VendorIssueOptions, Second: VendorIssueOptions {
    /// The settings of both; those of the first count where both have some.
    public var settings: [FabricRecord.Issuer: [String: String]] {
        first.settings.merging(second.settings) { $0.merging($1) { first, _ in first } }
    }
}

extension [VendorModule] {
    /// Those of all modules, in their order.
    var issueOptions: any VendorIssueOptions.Type {
        func pair<First: VendorIssueOptions>(
            _: First.Type, _ second: any VendorIssueOptions.Type
        ) -> any VendorIssueOptions.Type {
            func pair<Second: VendorIssueOptions>(_: Second.Type) -> any VendorIssueOptions.Type {
                VendorOptionsPair<First, Second>.self
            }
            return pair(second)
        }
        guard let first else { return NoVendorOptions.self }
        var options = first.issueOptions
        for module in dropFirst() { options = pair(options, module.issueOptions) }
        return options
    }
}
