import MatterState

/// The work of the jobs about members on one node. It looks before it writes, so that it may be done again after any of its steps.
struct MemberWork: Sendable {
    let context: FabricContext
    let links: NodeLinks

    private func store() throws -> MemberStore {
        let fabric = try context.fabric()
        return MemberStore(context.options.state, fabric: fabric.name, identity: fabric.compressedFabricID)
    }

    private func edit(_ node: NodeRecord, _ roster: MemberRoster) throws -> MemberEdit {
        MemberEdit(
            own: try context.credentials().identity, tag: roster.entryTag, title: node.title, label: node.label)
    }

    /// Lets a node admit the members.
    func admit(_ node: NodeRecord, deadline: Instant) async throws -> JobWork.Verdict {
        guard let roster = try store().roster() else { return .done }
        let edit = try edit(node, roster)
        return try await links.withLink(to: node) { link in
            let (limits, _) = try await link.accessListLimits(deadline: deadline)
            _ = try await link.change(
                NodeLink.accessListPath, NodeLink.accessListName, deadline: deadline
            ) { (list: FabricList<AccessControlEntry>) in try edit.admitting(list.entries, within: limits) }
            return .done
        }
    }

    /// Lets a node admit no member without the new version of the tag, and searches it for what the one who goes may have left.
    func expel(_ node: NodeRecord, deadline: Instant) async throws -> JobWork.Verdict {
        let store = try store()
        // Without a removal, another process has ended it.
        guard let roster = try store.roster(), let removal = roster.removal, removal.raises else { return .done }
        let edit = try edit(node, roster)
        let findings = try await links.withLink(to: node) { link in
            let (limits, present) = try await link.accessListLimits(deadline: deadline)
            var findings = edit.findings(present.entries, of: removal, on: node.nodeID)
            // Durable before they are gone.
            let gone = findings.filter(\.isRemoved)
            if !gone.isEmpty { try await store.change { $0?.note(gone) } }
            _ = try await link.change(
                NodeLink.accessListPath, NodeLink.accessListName, deadline: deadline
            ) { (list: FabricList<AccessControlEntry>) in
                try edit.raising(list.entries, without: removal.nodeID, within: limits)
            }
            // Now the member cannot open another window.
            findings += try await search(link, node, deadline: deadline)
            findings += try await endCheckIns(link, node, with: removal.nodeID, store, deadline: deadline)
            return findings
        }
        try await store.change { $0?.note(findings) }
        return .done
    }

    // MARK: The rest that the member may have left

    private func search(
        _ link: NodeLink, _ node: NodeRecord, deadline: Instant
    ) async throws -> [MemberRoster.Finding] {
        var findings: [MemberRoster.Finding] = []
        func find(_ kind: MemberRoster.Finding.Kind, _ text: String) {
            findings.append(MemberRoster.Finding(node: node.nodeID, kind: kind, text: text))
        }
        do {
            var seen = try await link.administration(deadline: deadline)
            if let window = seen.window, window.mode != .closed {
                if window.opener?.isOurs ?? false {
                    try await closeWindow(link, node, deadline: deadline)
                    find(.window, "a commissioning window was open, opened by our fabric")
                    // A fabric may have come in until then.
                    seen = try await link.administration(deadline: deadline)
                } else {
                    find(.otherWindow, "a commissioning window is open, opened by another fabric")
                }
            }
            if seen.window == nil { find(.unsearched, "it does not say whether a commissioning window is open") }
            let own = try context.fabric().compressedFabricID
            for fabric in seen.fabrics.fabrics
            where fabric.index != seen.fabrics.ownIndex && fabric.compressedFabricID != own {
                let index = fabric.index.map { " \($0)" } ?? ""
                let label = fabric.label.isEmpty ? "" : " '\(fabric.label)'"
                find(.fabric, "fabric\(index)\(label) of vendor \(VendorID(fabric.vendorID)) administers it as well")
            }
        } catch let error as ControllerError where error.code == .status {
            find(.unsearched, "\(error.reason)")
        }
        return findings
    }

    /// Lets a node that sleeps check in no more with the one who goes: that costs its battery, and tells when it is awake.
    private func endCheckIns(
        _ link: NodeLink, _ node: NodeRecord, with gone: NodeID, _ store: MemberStore, deadline: Instant
    ) async throws -> [MemberRoster.Finding] {
        let path = AttributePath(
            endpoint: 0, cluster: IcdManagement.id, attribute: IcdManagement.Attribute.registeredClients)
        let read = try await link.read([path], deadline: deadline)
        guard let clients = read.entries(IcdManagement.registeredClients) else {
            let lacks: [IMStatus] = [.unsupportedCluster, .unsupportedEndpoint, .unsupportedAttribute]
            guard case .failure(let status) = read.attributes.first?.outcome, !lacks.contains(status.status) else {
                return []
            }
            let text = "it does not say with whom it checks in: \(status)"
            return [MemberRoster.Finding(node: node.nodeID, kind: .unsearched, text: text)]
        }
        let client = IcdManagement.MonitoringRegistration.Field.checkInNodeID
        guard clients.contains(where: { $0[client] == gone.rawValue }) else { return [] }
        let found = MemberRoster.Finding(
            node: node.nodeID, kind: .checkIn, text: "it checked in with node \(gone.rawValue)")
        // Durable before it is gone.
        try await store.change { $0?.note([found]) }
        let result = try await link.invoke(
            Command(IcdManagement.UnregisterClient(checkInNodeID: gone.rawValue), at: 0), .absolute, deadline: deadline)
        if result.status.status != .notFound { try Outcome.check(result, of: node.title) }
        return [found]
    }

    private func closeWindow(_ link: NodeLink, _ node: NodeRecord, deadline: Instant) async throws {
        let result = try await link.invoke(
            Command(AdministratorCommissioning.RevokeCommissioning(), at: 0), isTimed: true, .absolute,
            deadline: deadline)
        let isClosed = AdministratorCommissioning.StatusCode.windowNotOpen.rawValue
        guard result.status.significantClusterStatus != isClosed else { return }
        try Outcome.check(result, of: node.title)
    }
}
