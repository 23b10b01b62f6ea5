import ArgumentParser
import TestSupport
import Testing

@testable import MatterCommandLine
@testable import MatterController
@testable import MatterSimulator
@testable import MatterState
@testable import RainMakerCommandLine
@testable import SimulatorCommandLine

/// Modules of two vendors in one program.
@Suite("Vendor modules", .together)
struct VendorModulesTests {
    struct Options: VendorDeviceOptions, VendorIssueOptions {
        @Option(help: "Where an Acme device says that it is.") var acmeSite: String?

        var settings: [FabricRecord.Issuer: [String: String]] {
            acmeSite.map { [FabricRecord.Issuer(rawValue: "acme"): ["site": $0]] } ?? [:]
        }

        func check(count: Int) throws {}
        func apply(to configuration: inout NodeConfiguration) { configuration.vendorName = acmeSite ?? "none" }
        func apply(to options: inout DeviceOptions) {}
    }

    private var modules: [VendorModule] {
        var acme = VendorModule.rainMaker
        acme.issueOptions = Options.self
        return [.rainMaker, acme]
    }

    private let devices: [any VendorDeviceOptions.Type] = [RainMakerDeviceOptions.self, Options.self]

    @Test("both have options of `simulate` and of `commission`, and both have their way")
    func compose() throws {
        func parsed<Vendor: VendorIssueOptions>(
            _ type: Vendor.Type, _ words: [String]
        ) throws -> any VendorIssueOptions { try type.parse(words) }
        let issue = try parsed(modules.issueOptions, ["--metadata", "none", "--acme-site", "cellar"])
        #expect(
            issue.settings == [
                .init(rawValue: "rainmaker"): ["metadata": "none"], .init(rawValue: "acme"): ["site": "cellar"],
            ])
        func device<Vendor: VendorDeviceOptions>(
            _ type: Vendor.Type, _ words: [String]
        ) throws -> any VendorDeviceOptions { try type.parse(words) }
        let options = try device(devices.paired, ["--rainmaker", "--acme-site", "roof"])
        #expect("\(type(of: options))".contains("VendorOptionsPair"))
        try options.check(count: 1)
    }

    @Test("a program without vendors has neither")
    func none() {
        let (modules, devices): ([VendorModule], [any VendorDeviceOptions.Type]) = ([], [])
        #expect(modules.issueOptions == NoVendorOptions.self && devices.paired == NoDeviceOptions.self)
    }
}
