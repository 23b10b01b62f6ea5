import MatterDataModel
import Synchronization

/// A cluster's definition with its elements by number; one for all nodes of the process.
final class ClusterModel: Sendable {
    let definition: ClusterDefinition
    let attributes: [UInt32: AttributeDefinition]
    let commands: [UInt32: CommandDefinition]
    let events: [UInt32: EventDefinition]

    private static let known = Mutex<[UInt32: ClusterModel]>([:])

    /// - Returns: `nil` for a cluster that the catalogue lacks.
    static func model(of cluster: UInt32) -> ClusterModel? {
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

/// The attributes that every cluster has (Matter core specification 7.13).
enum GlobalAttribute {
    static let generatedCommandList: UInt32 = 0xFFF8
    static let acceptedCommandList: UInt32 = 0xFFF9
    static let attributeList: UInt32 = 0xFFFB
    static let featureMap: UInt32 = 0xFFFC
    static let clusterRevision: UInt32 = 0xFFFD

    static let all = [generatedCommandList, acceptedCommandList, attributeList, featureMap, clusterRevision]
}

/// The numbers of the clusters that this module names in more than one place.
package enum ClusterID {
    package static let identify: UInt32 = 0x0003
    package static let groups: UInt32 = 0x0004
    package static let onOff: UInt32 = 0x0006
    package static let levelControl: UInt32 = 0x0008
    package static let descriptor: UInt32 = 0x001D
    package static let binding: UInt32 = 0x001E
    package static let accessControl: UInt32 = 0x001F
    package static let basicInformation: UInt32 = 0x0028
    package static let generalCommissioning: UInt32 = 0x0030
    package static let networkCommissioning: UInt32 = 0x0031
    package static let generalDiagnostics: UInt32 = 0x0033
    package static let timeSynchronization: UInt32 = 0x0038
    package static let administratorCommissioning: UInt32 = 0x003C
    package static let operationalCredentials: UInt32 = 0x003E
    package static let groupKeyManagement: UInt32 = 0x003F
    package static let userLabel: UInt32 = 0x0041
    package static let colorControl: UInt32 = 0x0300
}
