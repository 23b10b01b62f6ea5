import JSON
import MatterCredentials
import MatterDataModel
import RainMaker

/// What is printed of a group. Keys are not among it.
struct CloudGroupReport {
    let group: CloudGroup

    var json: JSONValue {
        var object: JSONObject = [
            "group": .string(group.id), "name": .string(group.name), "isMatter": .bool(group.isMatter),
            "primary": .bool(group.isPrimary),
        ]
        object["fabricId"] = group.fabricID.map { .string($0.description) }
        if let fabric = group.fabric {
            object["adminCat"] = .string(fabric.adminCAT.description)
            object["operateCat"] = .string(fabric.operateCAT.description)
            object["userNodeId"] = fabric.userID.map { .string($0.description) }
        }
        object["fault"] = group.fault.map { ["id": .string($0.code.rawValue), "message": .string($0.reason)] }
        object["total"] = group.total.map { .int(Int64($0)) }
        if !group.nodes.isEmpty {
            object["nodes"] = .array(
                group.nodes.map { node in
                    var entry: JSONObject = ["node": .string(node.nodeID)]
                    entry["matterNodeId"] = node.matterNodeID.map { .string($0.description) }
                    return .object(entry)
                })
        }
        return .object(object)
    }

    var row: [String] {
        [
            TerminalText.escaped(group.id), TerminalText.escaped(group.name), group.fabricID?.description ?? "-",
            group.isPrimary ? "primary" : "secondary", group.total.map { "\($0)" } ?? "-",
        ]
    }

    static let header = ["GROUP", "NAME", "FABRIC ID", "ROLE", "NODES"]

    /// The nodes of the group: their ids in the cloud and on the fabric.
    var nodeRows: [[String]] {
        group.nodes.map { [TerminalText.escaped($0.nodeID), $0.matterNodeID?.description ?? "-"] }
    }

    static let nodeHeader = ["NODE", "MATTER NODE"]
}
