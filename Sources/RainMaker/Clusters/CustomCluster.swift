package import MatterController

/// One of Espressif's clusters on the endpoint of a node that has it.
package struct CustomCluster: Sendable {
    let link: NodeLink
    let endpoint: EndpointID
    let id: ClusterID
    let deadline: Instant
    /// For messages.
    private let name: String

    /// - Parameters:
    ///   - known: an endpoint that the user named; the device then says itself whether it has the cluster.
    ///   - name: the cluster's, for messages.
    /// - Throws: ``ControllerError`` with `unsupportedCluster` if no endpoint has it.
    package init(
        _ id: ClusterID, _ name: String, of node: NodeRecord, at known: EndpointID? = nil, link: NodeLink,
        deadline: Instant
    ) async throws {
        let found =
            if let known { known } else { try await Self.endpoint(of: id, node, link: link, deadline: deadline) }
        guard let found else {
            throw ControllerError(
                .unsupportedCluster,
                "no endpoint of \(node.name.map { "node '\($0)'" } ?? "node \(node.nodeID.rawValue)") has the cluster \(name)"
            )
        }
        self.link = link
        self.id = id
        self.name = name
        self.deadline = deadline
        endpoint = found
    }

    /// The first endpoint with a cluster; the device is asked if its endpoints are not known.
    static func endpoint(
        of cluster: ClusterID, _ node: NodeRecord, link: NodeLink, deadline: Instant
    ) async throws -> EndpointID? {
        if let known = node.endpoints.first(where: { $0.serverClusters.contains(cluster.rawValue) }) {
            return EndpointID(known.number)
        }
        guard node.endpoints.isEmpty else { return nil }
        let path = AttributePath(endpoint: nil, cluster: Descriptor.id, attribute: Descriptor.Attribute.serverList)
        let result = try await link.read([path], deadline: deadline)
        return result.attributes.first { report in
            report.value.map { $0.numbers.contains(UInt64(cluster.rawValue)) } ?? false
        }?.path.endpoint
    }

    /// The values of those of the attributes that the device has.
    func read(_ attributes: [AttributeID]) async throws -> [AttributeID: TLVValue] {
        let result = try await link.read(
            attributes.map { AttributePath(endpoint: endpoint, cluster: id, attribute: $0) }, deadline: deadline)
        var values: [AttributeID: TLVValue] = [:]
        for report in result.attributes { values[report.path.attribute] = report.value }
        if values.isEmpty, case .failure(let status)? = result.attributes.first?.outcome {
            throw ControllerError(.status, "the device refused to read its cluster \(name): \(status)", status: status)
        }
        return values
    }

    func invoke(
        _ command: some ClusterCommand, _ repeatability: NodeLink.Repeatability
    ) async throws {
        let result = try await link.invoke(Command(command, at: endpoint), repeatability, deadline: deadline)
        guard result.status.isSuccess else {
            throw ControllerError(
                .status, "the device answered \(type(of: command)) with \(result.status)", status: result.status)
        }
    }
}

extension TLVValue {
    /// The numbers of a list; what is no number is passed over.
    var numbers: [UInt64] { (items ?? []).compactMap { $0.integer() } }
}
