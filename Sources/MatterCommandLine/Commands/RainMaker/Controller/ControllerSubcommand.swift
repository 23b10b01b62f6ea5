import ArgumentParser
import MatterController
import MatterRecords
import RainMaker

/// A command about the Matter Controller cluster.
protocol ControllerSubcommand: CustomClusterCommand {}

extension ControllerSubcommand {
    static var processing: Duration? { ControllerDevice.processing }
    static var defaultTimeout: Duration { .seconds(90) }

    func device(_ context: CommandContext) async throws -> ControllerDevice {
        ControllerDevice(try await cluster(ControllerDevice.cluster, ControllerDevice.name, context))
    }

    /// The controller has another certificate now, which a new session proves.
    func checkNOC(
        of record: NodeRecord, group: String?, _ context: CommandContext
    ) async throws -> ControllerDevice.Status {
        try await context.controller.endSession(with: record.nodeID)
        return try await device(context).checkNOC(group: group)
    }
}
