import MatterState

/// The work of a job on one node. It looks before it writes, so that it may be done again after any of its steps.
struct JobWork: Sendable {
    /// The outcome on a node.
    enum Verdict: Sendable {
        case done
        /// It cannot be done as things are.
        case refused(JobError)
    }

    /// How often a list is read again that another administrator changes at the same time.
    private static let attempts = 4

    let kind: Job.Kind
    let context: FabricContext
    let links: NodeLinks
    /// The identity that it acts under where our own is not admitted; `nil` for none.
    let borrowed: OperationalCredentials?
    /// The keys of a rotation of keys.
    var turn: KeyTurn?
    /// The means of a rotation of certificates.
    var renewal: CertificateRenewal?
    /// Administrators that are not ours, and may lose the fabric.
    var known: [NodeID] = []
    /// The change of the access control lists; `nil` for other work.
    var access: AccessWork?

    /// - Throws: why it has to be tried again later.
    func perform(on node: NodeRecord, deadline: Instant) async throws -> Verdict {
        do {
            switch kind {
            case .join: return try await join(node, deadline: deadline)
            case .leave: return try await leave(node, deadline: deadline)
            case .identityKey, .groupKey: return try await turnKeys(of: node, deadline: deadline)
            case .certificates: return try await renewCertificate(of: node, deadline: deadline)
            case .admit:
                return try await MemberWork(context: context, links: links).admit(node, deadline: deadline)
            case .access: return try await changeAccess(of: node, deadline: deadline)
            case .expel:
                return try await MemberWork(context: context, links: links).expel(node, deadline: deadline)
            }
        } catch let error as JobError where error.isFinal {
            return .refused(error)
        } catch let error as ControllerError where error.isLack && kind.isRotation {
            return .refused(JobError(.unsupported, "\(node.title) cannot do it: \(error.reason)"))
        } catch let error as SessionError where error.isUnknownToPeer {
            return .refused(
                JobError(
                    .notOnFabric, "\(node.title) is not on the fabric any more",
                    hint: .step("node.reset-and-forget", node.label)))
        }
    }

    // MARK: Joining

    private func join(_ node: NodeRecord, deadline: Instant) async throws -> Verdict {
        if node.isLongIdleTime {
            // One that checks in with us was joined by a window.
            if try context.registrations().registration(of: node.nodeID) != nil { return .done }
            throw JobError(
                .sleeper, "\(node.title) wakes only to check in with the other controller", hint: .step("job.window"))
        }
        if try await admits(node, deadline: deadline) { return .done }
        guard let borrowed else {
            throw JobError(.identityGone, "the key of the other controller is gone", hint: .step("job.import-again"))
        }
        let edit = JoinEdit(own: try context.credentials().identity, title: node.title, label: node.label)
        try await withBorrowedLink(to: node, borrowed) { link in
            let (limits, _) = try await link.accessListLimits(deadline: deadline)
            _ = try await link.change(
                NodeLink.accessListPath, NodeLink.accessListName, deadline: deadline
            ) { (list: FabricList<AccessControlEntry>) in
                try edit.admitting(list.entries, beside: borrowed.identity, within: limits)
            }
        }
        guard try await admits(node, deadline: deadline) else {
            throw JobError(.notAdmitted, "\(node.title) took the list, and does not let us administer it")
        }
        return .done
    }

    /// Whether the node lets us administer it: only administrators may read the list.
    private func admits(_ node: NodeRecord, deadline: Instant) async throws -> Bool {
        let own = try context.credentials().identity
        do {
            let list = try await links.withLink(to: node) { try await $0.accessList(deadline: deadline) }
            return list.entries.contains { $0.letsAdminister(own) && $0.targets.isEmpty }
        } catch let error as ControllerError where error.isAccessRefusal {
            return false
        }
    }

    /// Runs something with a session under the borrowed identity. Nothing of it is kept: neither the session nor the ticket for its
    /// resumption, and what the link learns stays with the node's address.
    private func withBorrowedLink(
        to node: NodeRecord, _ borrowed: OperationalCredentials, _ body: (NodeLink) async throws -> Void
    ) async throws {
        do {
            try await withFreshLink(to: node, as: borrowed, body)
        } catch let error as ControllerError where error.isAccessRefusal {
            throw JobError(
                .notAdministrator, "\(node.title) does not let the other controller administer it",
                hint: .step("job.window"))
        }
    }

    /// Runs something with a session that begins with a full handshake under these credentials and no others, and that ends with it.
    func withFreshLink<Result>(
        to node: NodeRecord, as credentials: OperationalCredentials, _ body: (NodeLink) async throws -> Result
    ) async throws -> Result {
        let options = context.options
        let manager = try context.manager()
        let link = NodeLink(
            node: node, manager: manager,
            connector: { [context] in
                NodeConnector(
                    connector: Connector(manager: manager, logger: options.logger), credentials: credentials,
                    resumptions: nil, discovery: context.discovery(), time: context.validationTime,
                    random: options.random, logger: options.logger)
            }, onlyAddresses: options.addresses, nodes: try context.nodes(), slots: try context.slots(.short),
            keepsSessions: false, patience: NodeLink.Patience(usual: options.processing), waits: options.waits,
            logger: options.logger)
        do {
            let result = try await body(link)
            await link.close()
            return result
        } catch {
            await link.close()
            throw error
        }
    }

    // MARK: Leaving

    private func leave(_ node: NodeRecord, deadline: Instant) async throws -> Verdict {
        let edit = JoinEdit(own: try context.credentials().identity, title: node.title, label: node.label)
        return try await links.withLink(to: node) { link in
            for _ in 0..<Self.attempts {
                do {
                    let list = try await link.accessList(deadline: deadline)
                    let rest = try edit.leaving(list.entries)
                    guard rest != list.entries else { return .done }
                    let value = TLVValue.array(of: rest.map(\.tlv))
                    let path = NodeLink.accessListPath
                    // After the first of several messages we could not send the others.
                    guard
                        WriteTransaction([AttributeWrite(path, value: value)]).isAbsolute(
                            maxPayload: link.link.largestPayload)
                    else {
                        throw JobError(
                            .listFull, "the access control list of \(node.title) does not fit one message",
                            hint: .step("job.other-program"))
                    }
                    let write = AttributeWrite(path, value: value, dataVersion: list.dataVersion)
                    let status = try await link.write([write], isTimed: false, deadline: deadline).first?.status
                    guard let status, !status.isSuccess, status.status != .dataVersionMismatch else { continue }
                    throw ControllerError(
                        .status, "\(node.title) refused its new access control list: \(status)", status: status)
                } catch let error as ControllerError where error.isAccessRefusal {
                    // It does not know us any more, or never did.
                    return .done
                }
            }
            throw ControllerError(
                .status, "other controllers keep changing the access control list of \(node.title)",
                hint: "try again later", status: StatusIB(.dataVersionMismatch))
        }
    }
}

extension JobError {
    /// Whether trying again changes nothing as things are.
    fileprivate var isFinal: Bool {
        switch code {
        case .listFull, .sleeper, .notAdministrator, .notOnFabric, .lastAdministrator, .foreignAdministrator,
            .unsupported:
            true
        case .unknown, .running, .opposite, .ended, .identityGone, .notAdmitted, .keyChanged, .keyGone, .noWayBack,
            .notTaken, .serviceKeys:
            false
        }
    }
}

extension ControllerError {
    /// Whether the node says that we may not do this.
    fileprivate var isAccessRefusal: Bool { status?.status == .unsupportedAccess }

    /// Whether the node lacks what it was asked for.
    fileprivate var isLack: Bool {
        let lacking: [IMStatus] = [.unsupportedCommand, .unsupportedCluster, .unsupportedAttribute]
        return status.map { lacking.contains($0.status) } ?? false
    }
}
