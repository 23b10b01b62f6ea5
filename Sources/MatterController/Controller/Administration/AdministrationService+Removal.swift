public import MatterState

/// Nodes leave: the device, the records here, and the service that issues for the fabric, if there is one.
extension AdministrationService {
    /// How long to ask a device at least whether it has forgotten us.
    private static let afterRemoval = Duration.seconds(5)

    /// Makes a node leave the fabric.
    ///
    /// - Parameters:
    ///   - isGone: the device is gone for good; only records are removed, here and at the service.
    ///   - serviceDeadline: the end of the time for the service; that of the device by default.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func remove(
        _ node: NodeRecord, isGone: Bool = false, deadline: Instant, serviceDeadline: Instant? = nil
    ) async throws {
        let fabric = try servedFabric(deadline: serviceDeadline ?? deadline)
        let work = try issuers.service(of: fabric.record)?.removal(from: fabric)
        // Durable before the device is told: if this process does not get to tell the service, another one will.
        try work?.prepare(node)
        do {
            if isGone {
                try await forgetRecords(of: node.nodeID)
            } else {
                try await leave(node, deadline: deadline)
            }
        } catch {
            work?.cancel(node)
            throw error
        }
        try issuers.service(of: fabric.record)?.forget(node.nodeID, on: fabric)
        try await work?.complete(node)
    }

    /// Repeats what a service could not be told when a node left.
    ///
    /// - Parameter text: the node's id, or the name that it had.
    /// - Returns: whether there was anything to repeat.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func repeatRemoval(of text: String, deadline: Instant) async throws -> Bool {
        let fabric = try servedFabric(deadline: deadline)
        return try await issuers.service(of: fabric.record)?.removal(from: fabric)?.repeat(text) ?? false
    }

    /// Forgets a node without telling it.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged
    ///   or not there.
    public func forget(_ id: NodeID) async throws {
        try await forgetRecords(of: id)
        let fabric = try servedFabric(deadline: .now)
        try issuers.service(of: fabric.record)?.forget(id, on: fabric)
    }

    private func servedFabric(deadline: Instant) throws -> ServedFabric {
        issuers.served(try context.fabric(), deadline: deadline)
    }

    /// Makes a device forget our fabric, and forgets the records here.
    private func leave(_ node: NodeRecord, deadline: Instant) async throws {
        // A device that has left and cannot be forgotten would be in the way for good.
        try await context.nodes().checkWritable()
        let link = try await links.link(to: node)
        let currentFabricIndex = ConcreteAttributePath(
            endpoint: 0, cluster: NodeOperationalCredentials.id,
            attribute: NodeOperationalCredentials.Attribute.currentFabricIndex)
        let read = try await link.read([AttributePath(currentFabricIndex)], deadline: deadline)
        guard let index = read.attribute(currentFabricIndex)?.value?.integer(as: UInt8.self), index != 0 else {
            throw ControllerError(
                .removalRefused, "the device does not say which of its fabrics is ours",
                hint: .step("node.reset-and-forget", "\(node.nodeID.rawValue)"))
        }
        let removeFabric = Command(NodeOperationalCredentials.RemoveFabric(fabricIndex: index), at: 0)
        do {
            let result = try await link.invoke(removeFabric, .atMostOnce, deadline: deadline)
            if let refusal = try result.refusal(of: "RemoveFabric", by: node.title) {
                throw ControllerError(.removalRefused, "the device refused RemoveFabric: \(refusal)")
            }
        } catch let error as ControllerError where error.code == .outcomeUnknown {
            // The device drops the session with the fabric, and its answer may have gone with it.
            let deadline = max(deadline, options.time.now + Self.afterRemoval)
            guard await hasForgotten(link, deadline: deadline) else { throw error }
        }
        try await forgetRecords(of: node.nodeID)
    }

    private func hasForgotten(_ link: NodeLink, deadline: Instant) async -> Bool {
        do {
            try await link.connect(deadline: deadline)
            return false
        } catch {
            return (error as? SessionError)?.isUnknownToPeer ?? false
        }
    }

    /// The node's own record, by which it is found, goes last: what was interrupted can be repeated.
    private func forgetRecords(of id: NodeID) async throws {
        try await links.abandonSessions(with: id)
        try context.journal().forget(id)
        try await context.groups().forget(id)
        try await context.registrations().remove(id)
        try context.seenLists().forget(id)
        try context.seenModes().forget(id)
        try context.silences().forget(id)
        try await context.nodes().remove(id)
    }

    /// True if something of a node is kept, if only what an interrupted removal has left.
    ///
    /// - Throws: ``StoreError`` if a file cannot be read or written, ``RecordError`` for a record that is damaged or not there.
    public func hasRemains(of id: NodeID) throws -> Bool {
        if try context.nodes().has(id) { return true }
        if try context.resumptions().has(id) { return true }
        return try context.journal().knows(id)
    }
}
