import MatterState

/// Bindings: a switch learns what to control, and what it controls that it may.
extension AdministrationService {
    /// For undoing what was done, whatever is left of the caller's time.
    private static let timeToUndo = Duration.seconds(10)

    private static let listName = "binding list"

    private static func path(_ endpoint: EndpointID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: endpoint, cluster: Binding.id, attribute: Binding.Attribute.binding)
    }

    /// Lets a source control a target: an entry in the target's access control list, and then one in the source's binding
    /// list. If the second fails, the first is taken back. What is there already is left.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func bind(_ request: BindingRequest, budget: Budget) async throws -> BindingOutcome {
        let source = try await nodes.endpoint(
            serving: Binding.id, of: request.source, named: request.endpoint, budget: budget)
        let deadline = budget.deadline(for: source.node)
        let entries = request.entries(at: try await targetEndpoint(of: request, from: source, budget: budget))
        let present = try await bindings(of: source, deadline: deadline)
        let missing = entries.filter { !present.contains($0) }
        var steps: [Step] = []
        var isAccessChanged: Bool?
        if let grant = request.grant(for: entries), case .node(let node, _) = request.target {
            let lacking = try await access(to: node, budget).lacking(grant)
            isAccessChanged = lacking != nil
            if let lacking {
                steps.append(
                    Step {
                        try await self.change(.grant([lacking]), at: node, deadline: budget.deadline(for: node))
                    } undo: {
                        try await self.change(.withdraw([lacking]), at: node, deadline: $0)
                    })
            }
        }
        steps.append(
            Step {
                try await self.change(source, adding: missing, deadline: deadline)
            } undo: {
                try await self.change(source, removing: missing, deadline: $0)
            })
        try await run(steps, named: "what was given to \(source.node.title)")
        return BindingOutcome(
            endpoint: source.endpoint, entries: entries.map { ($0, missing.contains($0)) },
            isAccessChanged: isAccessChanged)
    }

    /// Makes a source control a target no more: the opposite of ``bind(_:budget:)``. What other bindings of the source need
    /// stays in the target's access control list.
    ///
    /// - Throws: ``ControllerError`` `unknownBinding` if there is no such binding.
    public func unbind(_ request: BindingRequest, budget: Budget) async throws -> BindingOutcome {
        let source = try await nodes.endpoint(
            serving: Binding.id, of: request.source, named: request.endpoint, budget: budget)
        let deadline = budget.deadline(for: source.node)
        let gone = try await bindings(of: source, deadline: deadline).filter(request.means)
        guard !gone.isEmpty else {
            throw ControllerError(
                .unknownBinding, "endpoint \(source.endpoint) of \(source.node.title) has no such binding",
                hint: .step("binding.see", source.node.label, "\(source.endpoint)"))
        }
        var steps = [
            Step {
                try await self.change(source, removing: gone, deadline: deadline)
            } undo: {
                try await self.change(source, adding: gone, deadline: $0)
            }
        ]
        var isAccessChanged: Bool?
        if request.changesAccess, case .node(let node, _) = request.target {
            let rest = try await otherBindings(of: source, than: gone, deadline: deadline)
            if let grant = request.grant(for: gone.filter { !rest.contains($0) }) {
                let list = try await access(to: node, budget)
                let given = list.given(grant)
                isAccessChanged = !list.withdrawing(grant).means(list)
                steps.append(
                    Step {
                        try await self.change(.withdraw([grant]), at: node, deadline: budget.deadline(for: node))
                    } undo: { deadline in
                        guard !given.targets.isEmpty else { return }
                        try await self.change(.grant([given]), at: node, deadline: deadline)
                    })
            }
        }
        try await run(steps, named: "the unbinding of \(source.node.title)")
        return BindingOutcome(
            endpoint: source.endpoint, entries: gone.map { ($0, true) }, isAccessChanged: isAccessChanged)
    }

    // MARK: Steps

    private struct Step: Sendable {
        let perform: @Sendable () async throws -> Void
        /// Does nothing if the step has done nothing.
        let undo: @Sendable (Instant) async throws -> Void

        init(
            _ perform: @escaping @Sendable () async throws -> Void,
            undo: @escaping @Sendable (Instant) async throws -> Void
        ) {
            self.perform = perform
            self.undo = undo
        }
    }

    /// Runs steps in order; if one fails or is interrupted, those before it are undone, and it too if it may have worked.
    ///
    /// - Throws: ``ControllerError`` `bindingUnfinished` if they cannot be undone.
    private func run(_ steps: [Step], named what: String) async throws {
        var begun: [Step] = []
        do {
            for step in steps {
                begun.append(step)
                try await step.perform()
            }
        } catch {
            let code = (error as? ControllerError)?.code
            if !(error is CancellationError || code == .outcomeUnknown || code == .listDiffers) { begun.removeLast() }
            guard !begun.isEmpty else { throw error }
            let (steps, deadline) = (begun, options.time.now + Self.timeToUndo)
            // A task of its own, which the interruption does not reach.
            let undoing = Task(executorPreference: options.time.executor) {
                for step in steps.reversed() { try await step.undo(deadline) }
            }
            do {
                try await undoing.value
            } catch let second {
                throw ControllerError(
                    .bindingUnfinished,
                    "\(MatterError(error).message); \(what) could not be taken back: \(MatterError(second).message)",
                    hint: .step("command.again"), underlying: error)
            }
            throw error
        }
    }

    private func change(
        _ source: ServingEndpoint, adding new: [BindingEntry] = [], removing old: [BindingEntry] = [],
        deadline: Instant
    ) async throws {
        _ = try await source.link.change(Self.path(source.endpoint), Self.listName, deadline: deadline) {
            (list: FabricList<BindingEntry>) in
            let kept = list.entries.filter { !old.contains($0.unplaced) }
            return kept + new.filter { entry in !kept.contains { $0.unplaced == entry } }
        }
    }

    private func bindings(of source: ServingEndpoint, deadline: Instant) async throws -> [BindingEntry] {
        try await source.link.list(
            Self.path(source.endpoint), Self.listName, of: BindingEntry.self, deadline: deadline
        ).entries.map(\.unplaced)
    }

    /// All bindings of a node but some of one endpoint.
    private func otherBindings(
        of source: ServingEndpoint, than gone: [BindingEntry], deadline: Instant
    ) async throws -> [BindingEntry] {
        let result = try await source.link.read(
            [AttributePath(cluster: Binding.id, attribute: Binding.Attribute.binding)], deadline: deadline)
        return result.attributes.flatMap { report in
            (report.value?.items ?? []).compactMap { try? BindingEntry($0).unplaced }
                .filter { report.path.endpoint != source.endpoint || !gone.contains($0) }
        }
    }

    private func access(to node: NodeRecord, _ budget: Budget) async throws -> [AccessControlEntry] {
        try await links.link(to: node).accessList(deadline: budget.deadline(for: node)).entries
    }

    private func change(_ change: AccessListEdit.Change, at node: NodeRecord, deadline: Instant) async throws {
        let edit = AccessListEdit(change, own: try context.credentials().identity, of: node)
        _ = try await links.link(to: node).change(accessListBy: edit, deadline: deadline)
    }

    /// The endpoint of a target: the named one, or the only one that has what the source controls.
    private func targetEndpoint(
        of request: BindingRequest, from source: ServingEndpoint, budget: Budget
    ) async throws -> EndpointID? {
        guard case .node(let node, let named) = request.target else { return nil }
        if let named { return named }
        if let cluster = request.clusters.first {
            return try await nodes.endpoint(serving: cluster, of: node, budget: budget).endpoint
        }
        let path = ConcreteAttributePath(
            endpoint: source.endpoint, cluster: Descriptor.id, attribute: Descriptor.Attribute.clientList)
        let read = try await source.link.read([AttributePath(path)], deadline: budget.deadline(for: source.node))
        // Almost every endpoint has these.
        let common: Set<ClusterID> = [Identify.id, Groups.id, ScenesManagement.id]
        let clients = (read.attribute(path)?.value?.items ?? []).compactMap { ClusterID(tlv: $0) }
            .filter { !common.contains($0) }
        let record = try await nodes.described(node, deadline: budget.deadline(for: node))
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
