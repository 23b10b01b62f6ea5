public import MatterState

/// Nodes that sleep for long times, and check in when they are awake (Matter core specification 9.15).
public actor SleeperService: FabricService, LinkGate {
    let context: FabricContext
    let pool: LinkPool
    /// Takes the check-ins of nodes that are waited for.
    var listener: Task<Void, Never>?
    /// Why it takes none.
    var listenerFailure: (any Error)?
    /// Fires when it takes none any more.
    let listenerEnd = ChangeSignal()

    init(_ context: FabricContext, _ pool: LinkPool) {
        self.context = context
        self.pool = pool
    }

    /// Takes no more check-ins.
    func close() async {
        listener?.cancel()
        await listener?.value
        listener = nil
    }

    func noteListener(_ failure: any Error) {
        listenerFailure = failure
        listenerEnd.fire()
    }

    /// The link to a node that may have to be waited for.
    private func link(to node: NodeRecord) async throws -> NodeLink {
        try await NodeLinks(context, pool, gate: self).link(to: node)
    }
}

extension SleeperService {
    /// Lets a device check in with our node, under a fresh key; a registration that is there gets the new key.
    ///
    /// - Parameters:
    ///   - title: the node in messages.
    ///   - isForced: also one that is not known to want it.
    /// - Returns: `nil` for a device that need not be registered with.
    /// - Throws: ``ControllerError`` `unsupportedCluster` or `deviceLacks` if it is forced and the device cannot check in.
    public func register(
        with node: NodeRecord, title: String, isForced: Bool = true, budget: Budget
    ) async throws -> ICDRegistration? {
        // It is awake, or there is no way to wait for it.
        let link = try await pool.link(to: node)
        let deadline = budget.deadline(for: node)
        guard let description = ICDDescription(try await link.read(ICDDescription.paths, deadline: deadline)) else {
            guard isForced else { return nil }
            throw ControllerError(.unsupportedCluster, "\(title) does not sleep: it has no cluster ICD Management")
        }
        guard isForced ? description.checksIn : description.wantsClients else {
            guard isForced else { return nil }
            throw ControllerError(
                .deviceLacks, "\(title) cannot check in: it sleeps for short times only, and answers all the same")
        }
        let registration = try await register(
            node.nodeID, description.sleep, on: link, title: title, deadline: deadline)
        try await context.nodes().update(node.nodeID) { $0.isLongIdleTime = description.sleep.isLong }
        return registration
    }

    /// Registers with a device that has just become a node; it stays one, whatever comes of this.
    func register(with node: NodeRecord, as commission: CommissioningService.CommissionOptions) async {
        guard commission.checksIn ?? node.isLongIdleTime else { return }
        do {
            let registration = try await register(
                with: node, title: node.title, isForced: commission.checksIn == true, budget: Budget(nil))
            guard let sleep = registration?.sleep, sleep.isLong else { return }
            commission.progress(
                .note(
                    "\(node.title) sleeps for up to \(SleepExpectation.text(Int64(sleep.idle))) at a time, and then checks in here"
                ))
        } catch {
            commission.progress(
                .warning(
                    "\(node.title) sleeps, and could not be asked to check in here: \(error)",
                    .step("icd.register", node.label)))
        }
    }

    /// Replaces the key of a registration: the counters of the old one are used up.
    func refreshKey(of node: NodeRecord, _ registration: ICDRegistration, deadline: Instant) async throws {
        let link = try await pool.link(to: node)
        do {
            _ = try await register(
                node.nodeID, registration.sleep, on: link, title: node.title, deadline: deadline)
        } catch {
            await link.close()
            throw error
        }
        // Who listens for long must not hold a session that others need.
        await link.close()
    }

    private func register(
        _ node: NodeID, _ sleep: ICDRegistration.Sleep, on link: NodeLink, title: String, deadline: Instant
    ) async throws -> ICDRegistration {
        let store = try context.registrations()
        let client = try context.credentials().nodeID
        let fresh = try CheckInKey.random(options.random)
        if try store.registration(of: node) == nil {
            try await store.save(ICDRegistration(nodeID: node, clientID: client, sleep: sleep))
        }
        // Before it is sent: the device may use it although its answer is lost.
        let offered = try await store.update(node) { registration in
            registration.clientID = client
            registration.sleep = sleep
            let before = registration.unconfirmed
            let key = registration.offer(fresh)
            return (key: key, isNew: !before.contains(key), known: registration.current?.key)
        }
        let (key, isNew, known) = offered ?? (fresh, true, nil)
        let command = Self.registration(client, key, instead: known)
        let result: CommandResult
        do {
            result = try await link.invoke(Command(command, at: 0), .absolute, deadline: deadline)
        } catch {
            // Only with an unknown outcome may it have been sent; a key of an earlier attempt may have been then.
            let mayBeThere = (error as? ControllerError)?.code == .outcomeUnknown
            if isNew, !mayBeThere { try? await withdraw(key, of: node, in: store) }
            throw error
        }
        if result.status.status == .resourceExhausted {
            try await withdraw(key, of: node, in: store)
            throw ControllerError(
                .status, "\(title) has no room for another client that it checks in with",
                hint: .step("icd.clients", "\(node.rawValue)"), status: result.status)
        }
        do {
            try Outcome.check(result, of: title)
        } catch {
            try await withdraw(key, of: node, in: store)
            throw error
        }
        guard let start = result.answer()?[IcdManagement.RegisterClientResponse.Field.icdCounter] else {
            throw ControllerError(.status, "\(title) did not say its counter when it was registered with")
        }
        let now = options.unixTime()
        let confirmed = try await store.update(node) { registration in
            registration.confirm(key, start: start)
            registration.noteHeard(at: now)
            return registration
        }
        guard let confirmed else {
            throw ControllerError(.notRegistered, "the registration with \(title) was removed meanwhile")
        }
        return confirmed
    }

    /// A device that refused has not taken the key; what it had before it still has.
    private func withdraw(_ key: CheckInKey, of node: NodeID, in store: ICDStore) async throws {
        let isKnown = try await store.update(node) { registration in
            registration.withdraw(key)
            return registration.hasKey
        }
        if isKnown == false { try await store.remove(node) }
    }

    static func registration(
        _ client: NodeID, _ key: CheckInKey, instead known: CheckInKey?
    ) -> IcdManagement.RegisterClient {
        // Administrators do without the verification key; others prove that the entry is theirs.
        IcdManagement.RegisterClient(
            checkInNodeID: client.rawValue, monitoredSubject: client.rawValue, key: key.secret.copyBytes(),
            verificationKey: known?.secret.copyBytes(), clientType: .permanent)
    }

    static func removal(_ client: NodeID, _ known: CheckInKey?) -> IcdManagement.UnregisterClient {
        IcdManagement.UnregisterClient(
            checkInNodeID: client.rawValue, verificationKey: known?.secret.copyBytes())
    }

    /// Ends a registration, and forgets its key.
    ///
    /// - Parameter isGone: without telling the device.
    /// - Throws: ``ControllerError`` `notRegistered` if there is none.
    public func unregister(
        from node: NodeRecord, isGone: Bool, title: String, budget: Budget
    ) async throws {
        let store = try context.registrations()
        guard let registration = try store.registration(of: node.nodeID) else { throw Self.notRegistered(node, title) }
        if !isGone {
            let command = Self.removal(
                registration.clientID, registration.current?.key ?? registration.unconfirmed.last)
            let result = try await link(to: node).invoke(
                Command(command, at: 0), .absolute, deadline: budget.deadline(for: node))
            // The device has forgotten it already.
            if result.status.status != .notFound { try Outcome.check(result, of: title) }
        }
        try await store.remove(node.nodeID)
    }

    /// Asks a device that is awake to stay awake.
    ///
    /// - Returns: how long it will.
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func keepAwake(
        _ node: NodeRecord, for duration: Duration, title: String, budget: Budget
    ) async throws -> Duration {
        let command = Self.stayActive(duration)
        let result = try await link(to: node).invoke(command, .absolute, deadline: budget.deadline(for: node))
        try Outcome.check(result, of: title)
        let promise = Self.promise(result) ?? .zero
        try await notePromise(promise, of: node.nodeID)
        return promise
    }

    static func stayActive(_ duration: Duration) -> Command {
        let milliseconds = UInt32(clamping: Int64(duration / .milliseconds(1)))
        return Command(IcdManagement.StayActiveRequest(stayActiveDuration: milliseconds), at: 0)
    }

    static func promise(_ result: CommandResult) -> Duration? {
        result.answer()?[IcdManagement.StayActiveResponse.Field.promisedActiveDuration].map { .milliseconds(Int64($0)) }
    }

    static func notRegistered(_ node: NodeRecord, _ title: String) -> ControllerError {
        ControllerError(
            .notRegistered, "\(title) does not check in with this fabric's node here",
            hint: .step("icd.register", node.label))
    }
}
