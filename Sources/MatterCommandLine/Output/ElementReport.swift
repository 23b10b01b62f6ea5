import MatterCredentials
import MatterDataModel
import MatterInteraction

extension Report {
    /// Where an attribute is, with names where they are known.
    init(_ path: ConcreteAttributePath, of node: NodeID, in catalogue: Catalogue) {
        self.init {
            Report(path.endpoint, path.cluster, of: node, in: catalogue)
            Field("attribute", catalogue.attribute(cluster: path.cluster, path.attribute)?.name)
            Field("attributeId", path.attribute)
        }
    }

    /// Where a command is.
    init(_ path: CommandPath, of node: NodeID, in catalogue: Catalogue) {
        self.init {
            Report(path.endpoint ?? 0, path.cluster, of: node, in: catalogue)
            Field("command", catalogue.cluster(path.cluster)?.command(path.command)?.name)
            Field("commandId", path.command)
        }
    }

    private init(_ endpoint: EndpointID, _ cluster: ClusterID, of node: NodeID, in catalogue: Catalogue) {
        self.init {
            Field("node", node)
            Field("endpoint", endpoint)
            Field("cluster", catalogue.clusterName(cluster))
            Field("clusterId", cluster)
        }
    }

    init(_ status: StatusIB) {
        self.init {
            Field("status", status.status.description)
            Field("statusCode", status.status.rawValue)
            Field("clusterStatus", status.significantClusterStatus)
        }
    }
}
