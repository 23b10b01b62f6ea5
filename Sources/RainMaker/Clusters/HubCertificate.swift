package import MatterController

/// The rights of a controller's certificate on our fabric.
package struct HubCertificate: Sendable {
    private let tags: [CASEAuthenticatedTag]

    /// Reads it from the device, which shows each fabric its own.
    ///
    /// - Throws: ``ControllerError`` if the device does not show it.
    package init(of link: NodeLink, deadline: Instant) async throws {
        let path = ConcreteAttributePath(
            endpoint: 0, cluster: NodeOperationalCredentials.id, attribute: NodeOperationalCredentials.Attribute.nocs)
        let result = try await link.read([AttributePath(path)], deadline: deadline)
        guard case .array(let entries)? = result.attribute(path)?.value, let entry = entries.first?.value,
            let contents = PartialStructure(tlv: entry)?[NodeOperationalCredentials.NOC.Field.noc],
            let certificate = try? MatterCertificate(tlv: contents)
        else { throw ControllerError(.status, "the controller did not return its certificate") }
        tags = certificate.cats
    }

    /// True if devices that ask for these versions of the group's tags let the controller in.
    package func satisfies(_ fabric: CloudFabric) -> Bool {
        tags.contains { $0.satisfies(fabric.operateCAT) || $0.satisfies(fabric.adminCAT) }
    }
}
