import ArgumentParser
import MatterCommandLine
import RainMaker

/// A command about the older cluster of border routers.
protocol DatasetSubcommand: CustomClusterCommand {}

extension DatasetSubcommand {
    func device(_ context: CommandContext) async throws -> BorderRouterDevice {
        BorderRouterDevice(try await cluster(BorderRouterDevice.cluster, BorderRouterDevice.name, context))
    }
}
