import ArgumentParser
import MatterCommandLine
import RainMaker

/// A command about the cluster of badges.
protocol ParticipantSubcommand: CustomClusterCommand {}

extension ParticipantSubcommand {
    func device(_ context: CommandContext) async throws -> ParticipantDevice {
        ParticipantDevice(try await cluster(ParticipantDevice.cluster, ParticipantDevice.name, context))
    }
}

extension ParticipantDevice.Field {
    /// As a person reads it.
    var title: String {
        switch self {
        case .name: "name"
        case .companyName: "company"
        case .email: "e-mail"
        case .contact: "contact"
        case .eventName: "event"
        }
    }
}
