import MatterCredentials
import MatterDataModel
import MatterErrors
import MatterInteraction
import MatterRecords
import MatterTLV
import MatterTransport

/// Bindings: a switch learns what to control, and what it controls that it may.
extension Controller {
    /// For undoing the first half, whatever is left of the caller's time.
    private static let timeToUndo = Duration.seconds(10)

    private static let listName = "binding list"

    private static func path(_ endpoint: EndpointID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: endpoint, cluster: Binding.id, attribute: Binding.Attribute.binding)
    }

    /// Lets a source control a target: an entry in the target's access control list, and then one in the source's binding
    /// list. If the second fails, the first is taken back. What is there already is left.
    package func bind(_ request: BindingRequest, budget: Budget) async throws -> BindingOutcome {
        let source = try await endpoint(
            serving: Binding.id, of: request.source, named: request.endpoint, budget: budget)
        let entries = request.entries(at: try await targetEndpoint(of: request, from: source, budget: budget))
        var isAccessChanged: Bool?
        // What the source may do already stays if the binding fails.
        var given: (entry: AccessControlEntry, node: NodeRecord)?
        if let grant = request.grant(for: entries), case .node(let node, _) = request.target {
            let deadline = budget.deadline(for: node)
            let lacking = try await link(to: node).accessList(deadline: deadline).entries.lacking(grant)
            isAccessChanged = lacking != nil
            if let lacking {
                _ = try await change(.grant([lacking]), at: node, deadline: deadline)
                given = (lacking, node)
            }
        }
        let added: [BindingEntry]
        let undoable = given
        do {
            added = try await change(source, budget) { list in
                entries.filter { entry in !list.contains { $0.unplaced == entry } }
            } _: { list, missing in
                list + missing
            }
        } catch {
            if let given = undoable {
                try await undo(after: error, "the entry in the access control list of \(given.node.title)") {
                    deadline in
                    _ = try await self.change(.withdraw([given.entry]), at: given.node, deadline: deadline)
                }
            }
            throw error
        }
        return BindingOutcome(
            endpoint: source.endpoint, entries: entries.map { ($0, added.contains($0)) },
            isAccessChanged: isAccessChanged)
    }

    /// Makes a source control a target no more: the opposite of ``bind(_:budget:)``. What other bindings of the source need
    /// stays in the target's access control list.
    ///
    /// - Throws: ``ControllerError`` `unknownBinding` if there is no such binding.
    package func unbind(_ request: BindingRequest, budget: Budget) async throws -> BindingOutcome {
        let source = try await endpoint(
            serving: Binding.id, of: request.source, named: request.endpoint, budget: budget)
        let removed = try await change(source, budget) { list in
            list.filter(request.means).map(\.unplaced)
        } _: { list, gone in
            list.filter { !gone.contains($0.unplaced) }
        }
        guard !removed.isEmpty else {
            throw ControllerError(
                .unknownBinding, "endpoint \(source.endpoint) of \(source.node.title) has no such binding",
                hint: .step("binding.see", source.node.label, "\(source.endpoint)"))
        }
        var isAccessChanged: Bool?
        if case .node(let node, _) = request.target {
            do {
                let rest = try await allBindings(of: source, budget)
                if let grant = request.grant(for: removed.filter { !rest.contains($0) }) {
                    isAccessChanged = try await change(
                        .withdraw([grant]), at: node, deadline: budget.deadline(for: node))
                }
            } catch {
                try await undo(after: error, "the binding of \(source.node.title)") { _ in
                    _ = try await self.change(source, Budget(Self.timeToUndo)) { _ in
                        removed
                    } _: { list, gone in
                        list + gone.filter { entry in !list.contains { $0.unplaced == entry } }
                    }
                }
                throw error
            }
        }
        return BindingOutcome(
            endpoint: source.endpoint, entries: removed.map { ($0, true) }, isAccessChanged: isAccessChanged)
    }

    // MARK: The steps

    /// - Returns: the entries that were added or removed.
    private func change(
        _ source: ServingEndpoint, _ budget: Budget,
        meant: @escaping @Sendable ([BindingEntry]) -> [BindingEntry],
        _ edit: @escaping @Sendable ([BindingEntry], [BindingEntry]) -> [BindingEntry]
    ) async throws -> [BindingEntry] {
        let changed = Changed()
        _ = try await source.link.change(
            Self.path(source.endpoint), Self.listName, deadline: budget.deadline(for: source.node)
        ) { (list: FabricList<BindingEntry>) in
            let entries = meant(list.entries)
            await changed.note(entries)
            return edit(list.entries, entries)
        }
        return await changed.entries
    }

    private actor Changed {
        private(set) var entries: [BindingEntry] = []

        /// The last attempt counts, unless it found the work of an earlier one.
        func note(_ found: [BindingEntry]) { if !found.isEmpty { entries = found } }
    }

    private func change(_ change: AccessListEdit.Change, at node: NodeRecord, deadline: Instant) async throws -> Bool {
        let edit = AccessListEdit(change, own: try credentials().identity, of: node)
        return try await link(to: node).change(accessListBy: edit, deadline: deadline).isChanged
    }

    private func allBindings(of source: ServingEndpoint, _ budget: Budget) async throws -> [BindingEntry] {
        let result = try await source.link.read(
            [AttributePath(cluster: Binding.id, attribute: Binding.Attribute.binding)],
            deadline: budget.deadline(for: source.node))
        return result.attributes.flatMap { $0.value?.items ?? [] }.compactMap { try? BindingEntry($0).unplaced }
    }

    /// Takes the first half back, also after an interruption.
    ///
    /// - Throws: ``ControllerError`` `bindingUnfinished` if that fails too.
    private func undo(
        after error: any Error, _ what: String, _ work: @escaping @Sendable (Instant) async throws -> Void
    ) async throws {
        let deadline = options.time.now + Self.timeToUndo
        let undoing = Task(executorPreference: options.time.executor) { try await work(deadline) }
        do {
            try await undoing.value
        } catch let second {
            throw ControllerError(
                .bindingUnfinished,
                "\(MatterError(error).message); \(what) could not be taken back: \(MatterError(second).message)",
                hint: .step("command.again"), underlying: error)
        }
    }

    /// The endpoint of a target: the named one, or the only one that has what the source controls.
    private func targetEndpoint(
        of request: BindingRequest, from source: ServingEndpoint, budget: Budget
    ) async throws -> EndpointID? {
        guard case .node(let node, let named) = request.target else { return nil }
        if let named { return named }
        if let cluster = request.clusters.first {
            return try await endpoint(serving: cluster, of: node, budget: budget).endpoint
        }
        let path = ConcreteAttributePath(
            endpoint: source.endpoint, cluster: Descriptor.id, attribute: Descriptor.Attribute.clientList)
        let read = try await source.link.read([AttributePath(path)], deadline: budget.deadline(for: source.node))
        // Almost every endpoint has these.
        let common: Set<ClusterID> = [Identify.id, Groups.id, ScenesManagement.id]
        let clients = (read.attribute(path)?.value?.items ?? []).compactMap { ClusterID(tlv: $0) }
            .filter { !common.contains($0) }
        let record = try await described(node, deadline: budget.deadline(for: node))
        let candidates = record.endpoints.filter { endpoint in
            endpoint.number != 0 && clients.contains { endpoint.serverClusters.contains($0.rawValue) }
        }
        let names = clients.map { Catalogue.standard.clusterName($0) ?? "\($0)" }.joined(separator: ", ")
        guard let first = candidates.first, candidates.count == 1 else {
            throw candidates.isEmpty
                ? ControllerError(
                    .unsupportedCluster,
                    "no endpoint of \(node.title) has what \(source.node.title) controls: \(names)",
                    hint: .step("node.show", node.label))
                : ControllerError(
                    .ambiguousEndpoint,
                    "several endpoints of \(node.title) have what \(source.node.title) controls: "
                        + candidates.map { "\($0.number)" }.joined(separator: ", "),
                    hint: "name one, as in \(node.label)/\(candidates[0].number)")
        }
        return EndpointID(first.number)
    }
}
