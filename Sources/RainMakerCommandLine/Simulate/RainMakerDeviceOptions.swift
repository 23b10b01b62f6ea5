import ArgumentParser
import MatterCommandLine
package import MatterSimulator
import SimulatorCommandLine

/// The forms of `simulate` at RainMaker.
package struct RainMakerDeviceOptions: VendorDeviceOptions {
    @Flag(name: .customLong("rainmaker"), help: "Have the RainMaker cluster, in its newest revision.")
    var hasCluster = false
    @Option(
        name: .customLong("rainmaker-revision"),
        help: ArgumentHelp("Have the RainMaker cluster, in this revision.", valueName: "2|3"))
    var revision: UInt16?
    @Option(
        name: .customLong("rainmaker-node-id"),
        help: ArgumentHelp("Have the RainMaker cluster, with this node id (default: one of its own).", valueName: "ID"))
    var nodeID: String?
    @Flag(help: "Let a rainmaker-controller call its cloud, if that is on this machine.")
    var online = false

    package init() {}

    package func check(count: Int) throws {
        if online { try CurlTransport.checkLibrary() }
        if let revision, !RainMakerOptions.revisions.contains(revision) {
            throw RainMakerUsageError(
                .options, "the RainMaker cluster has revisions 2 and 3, not \(revision)",
                hint: .step("simulate.other-revision"))
        }
        guard let nodeID else { return }
        guard RainMakerOptions.nodeIDLength.contains(nodeID.utf8.count) else {
            throw RainMakerUsageError(
                .options, "a RainMaker node id has 1 to 39 bytes", hint: .step("simulate.own-node-id"))
        }
        guard count == 1 else {
            throw RainMakerUsageError(
                .options, "\(count) nodes cannot share one RainMaker node id",
                hint: .step("simulate.own-node-id"))
        }
    }

    package func apply(to configuration: inout NodeConfiguration) {
        guard hasCluster || revision != nil || nodeID != nil else { return }
        var options = RainMakerOptions(nodeID: nodeID ?? configuration.uniqueID)
        if let revision { options.revision = revision }
        configuration.add(options)
    }

    package func apply(to options: inout DeviceOptions) {
        if online { options.cloud = LoopbackCloud() }
    }
}
