import ArgumentParser
import MatterCommandLine
import RainMaker

extension RainMakerIssuer.MetadataMode: ExpressibleByArgument {}

/// The options of `commission` for a RainMaker cloud.
struct RainMakerIssueOptions: VendorIssueOptions {
    @Option(
        help: ArgumentHelp(
            "When a service that issues learns what the device is: none, with-noc or with-confirm.", valueName: "WHEN"))
    var metadata: RainMakerIssuer.MetadataMode = .withConfirm

    var settings: [FabricRecord.Issuer: [String: String]] {
        [.rainmaker: [RainMakerService.metadata: metadata.rawValue]]
    }
}
