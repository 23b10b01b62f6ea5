import MatterModel
import Synchronization

/// A cluster's definition with its elements by number; one for all nodes of the process.
final class ClusterModel: Sendable {
    let definition: ClusterDefinition
    let attributes: [AttributeID: AttributeDefinition]
    let commands: [CommandID: CommandDefinition]
    let events: [EventID: EventDefinition]

    private static let known = Mutex<[ClusterID: ClusterModel]>([:])

    /// - Returns: `nil` for a cluster that the catalogue lacks.
    static func model(of cluster: ClusterID) -> ClusterModel? {
        known.withLock { known in
            if let model = known[cluster] { return model }
            guard let definition = Catalogue.standard.cluster(cluster) else { return nil }
            let model = ClusterModel(definition)
            known[cluster] = model
            return model
        }
    }

    private init(_ definition: ClusterDefinition) {
        self.definition = definition
        attributes = Dictionary(
            (definition.attributes + definition.globalAttributes).map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        commands = Dictionary(definition.commands.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        events = Dictionary(definition.events.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
