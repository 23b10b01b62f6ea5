import ArgumentParser
import MatterController

/// The common features of the nodes that are meant.
struct NodeFilter: ParsableArguments {
    @Option(
        name: .line(.room), help: ArgumentHelp("The nodes of this room.", valueName: "ROOM"),
        completion: .kind(.room))
    var room: String?
    @Option(
        name: .line(.type), help: ArgumentHelp("The nodes with this device type.", valueName: "TYPE"),
        completion: .kind(.deviceType))
    var deviceType: String?
    @Option(
        name: .line(.cluster), help: ArgumentHelp("The nodes with this cluster.", valueName: "CLUSTER"),
        completion: .kind(.cluster))
    var cluster: String?

    init() {}

    var isGiven: Bool { room != nil || needsEndpoints }

    /// Whether a node has to have told what it is.
    var needsEndpoints: Bool { deviceType != nil || cluster != nil }

    /// The meaning of names and options.
    func query(_ names: [NodeQuery.Name] = []) -> NodeQuery {
        NodeQuery(names, room: room, deviceType: deviceType, cluster: cluster)
    }
}
