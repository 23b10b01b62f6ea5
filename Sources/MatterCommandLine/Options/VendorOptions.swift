package import ArgumentParser
import MatterController
package import MatterSimulator

/// The options that the module of a vendor adds to `simulate`, and what they make of a device.
package protocol VendorDeviceOptions: ParsableArguments, Sendable {
    /// Whether so many nodes can be what the options say.
    func check(count: Int) throws
    /// Gives a node what was asked for. The rest of its configuration stands.
    func apply(to configuration: inout NodeConfiguration)
    /// Says what the types of device of the vendor get.
    func apply(to options: inout DeviceOptions)
}

/// The options that the module of a vendor adds to `commission`.
package protocol VendorIssueOptions: ParsableArguments, Sendable {
    /// What each service is told, by names of its own.
    var settings: [FabricRecord.Issuer: [String: String]] { get }
}

/// For a program without vendors.
struct NoVendorOptions: VendorDeviceOptions, VendorIssueOptions {
    var settings: [FabricRecord.Issuer: [String: String]] { [:] }

    func check(count: Int) throws {}
    func apply(to configuration: inout NodeConfiguration) {}
    func apply(to options: inout DeviceOptions) {}
}

/// The options of two modules, one after the other.
struct VendorOptionsPair<First: ParsableArguments, Second: ParsableArguments>: ParsableArguments {
    @OptionGroup var first: First
    @OptionGroup var second: Second
}

extension VendorOptionsPair: Sendable where First: Sendable, Second: Sendable {}

extension VendorOptionsPair: VendorDeviceOptions where First: VendorDeviceOptions, Second: VendorDeviceOptions {
    func check(count: Int) throws {
        try first.check(count: count)
        try second.check(count: count)
    }

    func apply(to configuration: inout NodeConfiguration) {
        first.apply(to: &configuration)
        second.apply(to: &configuration)
    }

    func apply(to options: inout DeviceOptions) {
        first.apply(to: &options)
        second.apply(to: &options)
    }
}

extension VendorOptionsPair: VendorIssueOptions where First: VendorIssueOptions, Second: VendorIssueOptions {
    var settings: [FabricRecord.Issuer: [String: String]] {
        first.settings.merging(second.settings) { $0.merging($1) { first, _ in first } }
    }
}

extension [VendorModule] {
    /// Those of all modules, in their order.
    var deviceOptions: any VendorDeviceOptions.Type {
        func pair<First: VendorDeviceOptions>(
            _: First.Type, _ second: any VendorDeviceOptions.Type
        ) -> any VendorDeviceOptions.Type {
            func pair<Second: VendorDeviceOptions>(_: Second.Type) -> any VendorDeviceOptions.Type {
                VendorOptionsPair<First, Second>.self
            }
            return pair(second)
        }
        guard let first else { return NoVendorOptions.self }
        var options = first.deviceOptions
        for module in dropFirst() { options = pair(options, module.deviceOptions) }
        return options
    }

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
