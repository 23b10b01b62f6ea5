public import MatterNetwork

/// The table of a device's fabrics.
extension NodeLink {
    /// The fabrics that a node belongs to (Matter core specification, 11.18.5.2).
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func fabrics(deadline: Instant) async throws -> DeviceFabrics {
        try DeviceFabrics(
            try await read(DeviceFabrics.paths, isFabricFiltered: false, deadline: deadline), of: node.title)
    }

    /// The time left to look whether a fabric is gone, if no answer says so.
    private static let readBack = Duration.seconds(15)

    /// Makes a device forget the fabric of another administrator.
    ///
    /// - Throws: ``ControllerError`` `ownFabric` for our own, which ``Controller/remove(_:isGone:deadline:serviceDeadline:)``
    ///   is for, and `unknownFabric`, before anything is sent.
    public func removeFabric(_ index: UInt8, deadline: Instant) async throws {
        let table = try await fabrics(deadline: deadline)
        guard index != table.ownIndex else {
            throw ControllerError(
                .ownFabric, "fabric \(index) of \(node.title) is ours", hint: .step("node.remove", node.label))
        }
        guard table.fabrics.contains(where: { $0.index == index }) else {
            throw ControllerError(
                .unknownFabric, "\(node.title) has no fabric \(index)", hint: .step("fabrics.see", node.label))
        }
        do {
            try await changeFabrics(
                NodeOperationalCredentials.RemoveFabric(fabricIndex: index), named: "RemoveFabric",
                .atMostOnce, deadline: deadline - min(Self.readBack, (deadline - time.now) / 3))
        } catch let error as ControllerError where error.code == .outcomeUnknown {
            let table = try? await fabrics(deadline: deadline)
            guard let table, !table.fabrics.contains(where: { $0.index == index }) else { throw error }
        }
    }

    /// Names our fabric on a device, for the administrators of all fabrics to see; at most 32 characters.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func labelFabric(_ label: String, deadline: Instant) async throws {
        try await changeFabrics(
            NodeOperationalCredentials.UpdateFabricLabel(label: label), named: "UpdateFabricLabel",
            .absolute, deadline: deadline)
    }

    private func changeFabrics(
        _ command: some ClusterCommand, named name: String, _ repeatability: Repeatability, deadline: Instant
    ) async throws {
        let result = try await invoke(Command(command, at: 0), repeatability, deadline: deadline)
        guard let refusal = try result.refusal(of: name, by: node.title) else { return }
        throw ControllerError(.fabricRefused, "\(node.title) refused \(name): \(refusal)")
    }
}

extension CommandResult {
    /// The reason in a NOCResponse (Matter core specification, 11.18.6.10) for which a device did not do what it was told;
    /// `nil` if it did.
    ///
    /// - Throws: ``ControllerError`` `status` if the device answered with a status.
    func refusal(of command: String, by title: String) throws(ControllerError) -> String? {
        switch outcome {
        case .status(let status):
            guard !status.isSuccess else { return nil }
            throw ControllerError(.status, "\(title) answered \(command) with \(status)", status: status)
        case .response:
            let status = answer()?[NodeOperationalCredentials.NOCResponse.Field.statusCode]
            return status == .ok ? nil : status?.name ?? "the answer is malformed"
        }
    }
}
