import MatterCommissioning
package import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterInteraction
package import MatterRecords
import MatterSession
import MatterTLV
package import MatterTransport

extension Controller {
    /// How long to ask a device at least whether it has forgotten us.
    private static let afterRemoval = Duration.seconds(5)

    /// The node that a user means, by id or name.
    ///
    /// - Throws: `RecordError` `pendingNode` for one that is still being commissioned.
    package func node(_ text: String) throws -> NodeRecord {
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

    /// The node with its endpoints, which are read once if they are not known.
    package func describedNode(_ text: String, deadline: Instant) async throws -> NodeRecord {
        let record = try node(text)
        guard record.endpoints.isEmpty else { return record }
        return try await describedAnew(record, deadline: deadline)
    }

    /// The node with the endpoints that it has now, which are kept: bridges gain and lose them.
    package func describedAnew(_ record: NodeRecord, deadline: Instant) async throws -> NodeRecord {
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

    /// Makes a device forget our fabric, then forgets the device.
    package func remove(_ node: NodeRecord, deadline: Instant) async throws {
        // A device that has left and cannot be forgotten would be in the way for good.
        try await nodes().checkWritable()
        let link = try await link(to: node)
        let currentFabricIndex = ConcreteAttributePath(
            endpoint: 0, cluster: NodeOperationalCredentials.id,
            attribute: NodeOperationalCredentials.Attribute.currentFabricIndex)
        let read = try await link.read([AttributePath(currentFabricIndex)], deadline: deadline)
        guard let index = read.attribute(currentFabricIndex)?.value?.unsigned(as: UInt8.self), index != 0 else {
            throw ControllerError(
                .removalRefused, "the device does not say which of its fabrics is ours",
                hint: .step("node.reset-and-forget", "\(node.nodeID.rawValue)"))
        }
        let removeFabric = Command(
            endpoint: 0, cluster: NodeOperationalCredentials.id,
            command: NodeOperationalCredentials.Command.removeFabric,
            fields: .structure([TLVElement(0, .uint(UInt64(index)))]))
        do {
            let result = try await link.invoke(removeFabric, .atMostOnce, deadline: deadline)
            try checkRemoval(result)
        } catch let error as ControllerError where error.code == .outcomeUnknown {
            // The device drops the session with the fabric, and its answer may have gone with it.
            let deadline = max(deadline, .now + Self.afterRemoval)
            guard await hasForgotten(link, deadline: deadline) else { throw error }
        }
        try await forget(node.nodeID)
    }

    private func checkRemoval(_ result: CommandResult) throws {
        switch result.outcome {
        case .status(let status):
            guard status.isSuccess else {
                throw ControllerError(
                    .status, "the device answered RemoveFabric with \(status)", status: status)
            }
        case .response(_, let fields):
            let status: UInt8? = fields.flatMap { try? TLVFields($0, "NOCResponse").unsigned(0) }
            guard status == NodeOperationalCertStatus.ok.rawValue else {
                let name = status.flatMap(NodeOperationalCertStatus.init(rawValue:))?.name ?? "the answer is malformed"
                throw ControllerError(.removalRefused, "the device refused RemoveFabric: \(name)")
            }
        }
    }

    private func hasForgotten(_ link: NodeLink, deadline: Instant) async -> Bool {
        do {
            try await link.connect(deadline: deadline)
            return false
        } catch {
            return (error as? SessionError)?.isUnknownToPeer ?? false
        }
    }

    /// Forgets a node without telling it. Its own record, by which it is found, goes last: what was interrupted can be
    /// repeated.
    package func forget(_ id: NodeID) async throws {
        let fabric = try fabric()
        try ResumptionStore(options.state, fabric: fabric.name).remove(id)
        try journal().forget(id)
        try await nodes().remove(id)
    }

    /// True if something of a node is kept, if only what an interrupted removal has left.
    package func hasRemains(of id: NodeID) throws -> Bool {
        if try nodes().has(id) { return true }
        if ResumptionStore(options.state, fabric: try fabric().name).has(id) { return true }
        return try journal().knows(id)
    }
}

extension NodeRecord.Endpoint {
    init(_ description: EndpointDescription) {
        self.init(
            number: description.endpoint.rawValue, deviceTypes: description.deviceTypes.map(\.rawValue),
            serverClusters: description.serverClusters.map(\.rawValue))
    }
}
