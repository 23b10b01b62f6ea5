import MatterCommissioning
import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterInteraction
package import MatterRecords
import MatterSession
import MatterTLV
package import MatterTransport

extension Controller {
    /// The node that a user means, by id or name.
    ///
    /// - Throws: `RecordError` `pendingNode` for one that is still being commissioned.
    package func record(of text: String) throws -> NodeRecord {
        do {
            return try nodes().find(text)
        } catch let error as RecordError where error.code == .unknownNode {
            guard let pending = try? journal().find(text) else { throw error }
            let name = pending.name.map { " '\($0)'" } ?? ""
            throw RecordError(
                .pendingNode, "node \(pending.nodeID.rawValue)\(name) is still being commissioned",
                hint: "run the commission command again")
        }
    }

    /// A node with its endpoints, which are read once if they are not known.
    package func described(_ record: NodeRecord, deadline: Instant) async throws -> NodeRecord {
        guard record.endpoints.isEmpty else { return record }
        return try await refreshed(record, deadline: deadline)
    }

    /// The node with the endpoints that it has now, which are kept: bridges gain and lose them.
    package func refreshed(_ record: NodeRecord, deadline: Instant) async throws -> NodeRecord {
        let result = try await link(to: record).read(
            EndpointDescription.paths + DeviceDescription.paths, deadline: deadline)
        let sessions = DeviceDescription(result).sessionsPerFabric
        let endpoints = EndpointDescription.all(in: result).map(NodeRecord.Endpoint.init)
        var described = record
        described.endpoints = endpoints
        described.sessionsPerFabric = sessions ?? record.sessionsPerFabric
        try await nodes().update(record.nodeID) { record in
            record.endpoints = endpoints
            record.sessionsPerFabric = sessions ?? record.sessionsPerFabric
        }
        return described
    }
}

extension NodeRecord.Endpoint {
    init(_ description: EndpointDescription) {
        self.init(
            number: description.endpoint.rawValue, deviceTypes: description.deviceTypes.map(\.rawValue),
            serverClusters: description.serverClusters.map(\.rawValue))
        for (cluster, commands) in description.acceptedCommands {
            acceptedCommands[cluster.rawValue] = commands.map(\.rawValue)
        }
    }
}
