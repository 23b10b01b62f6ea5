import MatterCommandLine
import RainMaker

extension Report {
    /// Keys are not among it.
    init(_ group: CloudGroup) {
        self.init {
            Field("group", group.id, column: "GROUP")
            Field("name", group.name, column: "NAME")
            Field("isMatter", group.isMatter)
            Field("primary", group.isPrimary)
            Field("fabricId", group.fabricID?.description, column: "FABRIC ID")
            Field(column: "ROLE", [group.isPrimary ? "primary" : "secondary"])
            Field("adminCat", group.fabric?.adminCAT.description)
            Field("operateCat", group.fabric?.operateCAT.description)
            Field("userNodeId", group.fabric?.userID?.description)
            if let fault = group.fault {
                Field(
                    "fault",
                    Report {
                        Field("id", fault.code.rawValue)
                        Field("message", fault.reason)
                    })
            }
            Field("total", group.total, column: "NODES")
            if !group.nodes.isEmpty { Field("nodes", group.nodes.map { Report($0) }) }
        }
    }

    /// A node of a group: its ids in the cloud and on the fabric.
    init(_ node: CloudGroup.Member) {
        self.init {
            Field("rainmakerNodeId", node.nodeID, column: "NODE")
            Field("matterNodeId", node.matterNodeID?.description, column: "MATTER NODE")
        }
    }
}
