package import MatterController

/// Procedures on a device of a RainMaker fabric, over its operational session (docs/rainmaker.md).
package struct RainMakerDevice: Sendable {
    private let link: NodeLink
    private let node: NodeRecord
    private let deadline: Instant

    package init(link: NodeLink, node: NodeRecord, deadline: Instant) {
        self.link = link
        self.node = node
        self.deadline = deadline
    }

    /// The endpoint with the RainMaker cluster; `nil` for a Matter-only device.
    private func endpoint() async throws -> EndpointID? {
        try await CustomCluster.endpoint(of: RainMakerCluster.id, node, link: link, deadline: deadline)
    }

    /// The node id that the device has in the cloud; `nil` if it is not a RainMaker device.
    package func rainmakerNodeID() async throws -> String? {
        guard let endpoint = try await endpoint() else { return nil }
        return try await rainmakerNodeID(endpoint)
    }

    private func rainmakerNodeID(_ endpoint: EndpointID) async throws -> String? {
        guard case .string(let id)? = try await read(endpoint, RainMakerCluster.Attribute.rmakerNodeId), !id.isEmpty
        else {
            return nil
        }
        guard id.utf8.count <= RainMakerCluster.longestNodeID else {
            throw RainMakerError(.challengeFailed, "the device's RainMaker node id is too long")
        }
        return id
    }

    /// The report to the cloud about the device, read from it as at its commissioning: `{"Matter": {…}}`.
    package func metadata(name: String?, group: String) async throws -> JSONObject {
        let paths = DeviceMetadata.wanted.map {
            AttributePath(endpoint: nil, cluster: ClusterID($0.cluster), attribute: AttributeID($0.attribute))
        }
        let result = try await link.read(paths, deadline: deadline)
        let readings = result.attributes.compactMap { report in
            report.value.map {
                NOCIssueContext.AttributeReading(
                    endpoint: report.path.endpoint.rawValue, cluster: report.path.cluster.rawValue,
                    attribute: report.path.attribute.rawValue, value: $0)
            }
        }
        return DeviceMetadata(readings, name: name, group: group).json
    }

    /// Lets the device sign its operational node id. It does so a few times per boot only: keep what it gives.
    ///
    /// - Parameter text: the id as the cloud wrote it. Firmware of revision 2 signs this very text; that of revision 3 signs
    ///   its own id in upper case, whatever it is asked to sign.
    /// - Returns: `nil` if the device is not a RainMaker device.
    package func prove(as text: String) async throws -> RainMakerEvidence? {
        guard let endpoint = try await endpoint(), let rainmakerID = try await rainmakerNodeID(endpoint) else {
            return nil
        }
        try await challenge(endpoint, text: text)
        guard case .string(let signature)? = try await read(endpoint, RainMakerCluster.Attribute.challengeResponse),
            !signature.isEmpty, signature.utf8.count <= RainMakerCluster.longestResponse,
            signature.utf8.count.isMultiple(of: 2), signature.allSatisfy({ $0.isASCII && $0.isHexDigit })
        else {
            throw RainMakerError(
                .challengeFailed, "the device did not sign the challenge",
                hint: "it may have used up its signatures: restart it, then try again")
        }
        return RainMakerEvidence(nodeID: rainmakerID, signature: signature)
    }

    private func challenge(_ endpoint: EndpointID, text: String) async throws {
        let lists = try await link.read(
            [GlobalAttribute.attributeList, GlobalAttribute.acceptedCommandList].map {
                AttributePath(endpoint: endpoint, cluster: RainMakerCluster.id, attribute: $0)
            }, deadline: deadline)
        func list(_ attribute: AttributeID) -> [UInt64]? {
            lists.attributes.first { $0.path.attribute == attribute }?.value?.numbers
        }
        let attributes = list(GlobalAttribute.attributeList)
        let commands = list(GlobalAttribute.acceptedCommandList) ?? []
        if attributes?.contains(UInt64(RainMakerCluster.Attribute.challenge.rawValue)) == false,
            commands.contains(UInt64(RainMakerCluster.Command.signData.rawValue))
        {
            // Deployed firmware wants a bare string in the place of the structure.
            let result = try await link.invoke(
                Command(
                    endpoint: endpoint, cluster: RainMakerCluster.id, command: RainMakerCluster.Command.signData,
                    fields: .string(text)), .absolute, deadline: deadline)
            guard case .status(let status) = result.outcome, status.isSuccess else { throw refused("SignData") }
            return
        }
        let results = try await link.write(
            [
                AttributeWrite(
                    endpoint: endpoint, cluster: RainMakerCluster.id, attribute: RainMakerCluster.Attribute.challenge,
                    value: .string(text))
            ], isTimed: false, deadline: deadline)
        guard results.allSatisfy(\.status.isSuccess), !results.isEmpty else { throw refused("the challenge") }
    }

    private func refused(_ what: String) -> RainMakerError {
        RainMakerError(
            .challengeFailed, "the device refused \(what)",
            hint: "it signs a few times per boot only: restart it, then try again")
    }

    private func read(_ endpoint: EndpointID, _ attribute: AttributeID) async throws -> TLVValue? {
        let path = ConcreteAttributePath(endpoint: endpoint, cluster: RainMakerCluster.id, attribute: attribute)
        return try await link.read([AttributePath(path)], deadline: deadline).attribute(path)?.value
    }

    // MARK: Access

    /// Lets the members of the group operate the device.
    ///
    /// The list is written only as long as it is what was read, so that no other administrator's change gets lost.
    ///
    /// - Returns: whether anything had to be changed.
    package func grant(
        admin: CASEAuthenticatedTag, operate: CASEAuthenticatedTag, own: NodeIdentity
    ) async throws -> Bool {
        let access = GroupAccess(admin: admin, operate: operate)
        return try await link.change(NodeLink.accessListPath, NodeLink.accessListName, deadline: deadline) {
            (list: FabricList<AccessControlEntry>) in
            try access.applied(to: list.entries, own: own)
        }.isChanged
    }
}
