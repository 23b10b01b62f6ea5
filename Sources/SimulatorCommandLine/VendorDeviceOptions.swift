package import ArgumentParser
package import MatterCommandLine
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

/// For a program without vendors.
struct NoDeviceOptions: VendorDeviceOptions {
    func check(count: Int) throws {}
    func apply(to configuration: inout NodeConfiguration) {}
    func apply(to options: inout DeviceOptions) {}
}

extension VendorOptionsPair: VendorDeviceOptions where First: VendorDeviceOptions, Second: VendorDeviceOptions {
    package func check(count: Int) throws {
        try first.check(count: count)
        try second.check(count: count)
    }

    package func apply(to configuration: inout NodeConfiguration) {
        first.apply(to: &configuration)
        second.apply(to: &configuration)
    }

    package func apply(to options: inout DeviceOptions) {
        first.apply(to: &options)
        second.apply(to: &options)
    }
}

extension [any VendorDeviceOptions.Type] {
    /// Those of all vendors, in their order, as one.
    var paired: any VendorDeviceOptions.Type {
        func pair<First: VendorDeviceOptions>(
            _: First.Type, _ second: any VendorDeviceOptions.Type
        ) -> any VendorDeviceOptions.Type {
            func pair<Second: VendorDeviceOptions>(_: Second.Type) -> any VendorDeviceOptions.Type {
                VendorOptionsPair<First, Second>.self
            }
            return pair(second)
        }
        guard var options = first else { return NoDeviceOptions.self }
        for next in dropFirst() { options = pair(options, next) }
        return options
    }
}
