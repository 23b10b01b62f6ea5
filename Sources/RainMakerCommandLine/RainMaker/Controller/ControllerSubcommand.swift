import ArgumentParser
import MatterCommandLine
import RainMaker

/// A command about the Matter Controller cluster.
protocol HubSubcommand: CustomClusterCommand {}

extension HubSubcommand {
    static var processing: Duration? { HubDevice.processing }
    static var defaultTimeout: Duration { .seconds(90) }

    /// False: the cloud is asked with what this process knows of it, and devices may take longer than the server waits.
    var isServed: Bool { false }

    func device(_ context: CommandContext) async throws -> HubDevice {
        HubDevice(try await cluster(HubDevice.cluster, HubDevice.name, context))
    }

    /// The controller has another certificate now, which a new session proves.
    func checkNOC(
        of record: NodeRecord, group: String?, _ context: CommandContext
    ) async throws -> HubDevice.Status {
        try await context.controller.links.endSession(with: record.nodeID)
        return try await device(context).checkNOC(group: group)
    }
}
