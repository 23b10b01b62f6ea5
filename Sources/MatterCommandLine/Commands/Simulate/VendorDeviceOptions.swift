package import ArgumentParser
package import MatterSimulator

/// The options that the module of a vendor adds to `simulate`, and what they make of a device.
package protocol VendorDeviceOptions: ParsableArguments, Sendable {
    /// Whether so many nodes can be what the options say.
    func check(count: Int) throws
    /// Gives a node what was asked for. The rest of its configuration stands.
    func apply(to configuration: inout NodeConfiguration)
    var deviceOptions: DeviceOptions { get }
}

/// For a program without vendors.
struct NoVendorDeviceOptions: VendorDeviceOptions {
    var deviceOptions: DeviceOptions { DeviceOptions() }

    func check(count: Int) throws {}
    func apply(to configuration: inout NodeConfiguration) {}
}
