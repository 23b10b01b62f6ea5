public import MatterState

/// A change of the networks of a node.
public enum NetworkChange: Sendable {
    /// - Parameter connects: whether the node joins it at once.
    case add(NetworkCredential, connects: Bool)
    /// Connects to a network that is stored on the device.
    case connect(id: [UInt8])
    /// - Parameter isForced: also the network that the node is on.
    case remove(id: [UInt8], isForced: Bool)
}

extension AdministrationService {
    /// Changes the networks of a node under a fail-safe, which is completed over the network that the node is on then. If the
    /// node cannot be reached there, it goes back by itself.
    ///
    /// - Parameters:
    ///   - named: the endpoint of the interface; the one that suits by default.
    ///   - title: the node in messages.
    ///   - note: told of what is going on.
    /// - Returns: the interface afterwards.
    /// - Throws: ``ControllerError`` `networkRefused`, `networkLost`, `networkInUse`, `unknownNetwork`, `nodeBusy`.
    public func change(
        _ change: NetworkChange, of node: NodeRecord, endpoint named: EndpointID?, title: String, budget: Budget,
        note: @escaping @Sendable (String) -> Void
    ) async throws -> NetworkState.Commissioning {
        let state = try await networkState(of: node, title: title, budget: budget)
        let interfaces = state.commissioning.filter { named == nil || $0.endpoint == named }
        let interface = try change.interface(among: interfaces, title: title, label: node.label)
        let procedure = NetworkChangeProcedure(
            link: try await links.link(to: node), interface: interface, title: title, label: node.label, budget: budget,
            node: node, note: note)
        if let changed = try await procedure.perform(change) { return changed }
        let after = try await networkState(of: node, title: title, budget: budget)
        return after.commissioning.first { $0.endpoint == interface.endpoint } ?? interface
    }
}

extension NetworkChange {
    /// The interface that it is about.
    fileprivate func interface(
        among interfaces: [NetworkState.Commissioning], title: String, label: String
    ) throws(ControllerError) -> NetworkState.Commissioning {
        let radios = interfaces.filter { $0.kind == .wifi || $0.kind == .thread }
        switch self {
        case .add(let credential, _):
            if let radio = radios.first(where: { $0.kind == credential.kind }) { return radio }
            throw ControllerError(
                .unsupportedCluster, "\(title) has no \(credential.kind.rawValue)", hint: .step("net.status", label))
        case .connect(let id), .remove(let id, _):
            guard let radio = radios.first(where: { $0.networks.contains { $0.id == id } }) else {
                throw ControllerError(
                    .unknownNetwork, "\(title) has no network '\(NetworkName.text(id))'",
                    hint: .step("net.status", label))
            }
            guard case .remove(_, false) = self,
                radio.networks.contains(where: { $0.id == id && $0.isConnected })
            else { return radio }
            throw ControllerError(
                .networkInUse, "\(title) is on the network '\(NetworkName.text(id))' now", hint: .step("net.force"))
        }
    }
}

/// One change of the networks of a node, step by step (Matter core specification 11.9.1, 11.10.7).
private struct NetworkChangeProcedure: Sendable {
    /// How long a node that has moved is looked for, on top of the time that it takes to join.
    private static let search: UInt16 = 120
    /// The rest of the fail-safe when it is given up.
    private static let reserve = Duration.seconds(10)
    private static let undoing = Duration.seconds(5)

    let link: NodeLink
    let interface: NetworkState.Commissioning
    let title: String
    let label: String
    let budget: Budget
    let node: NodeRecord
    let note: @Sendable (String) -> Void

    private var seconds: UInt16 { UInt16(interface.joiningSeconds) + Self.search }

    /// - Returns: the interface afterwards, if it was looked at.
    func perform(_ change: NetworkChange) async throws -> NetworkState.Commissioning? {
        try await arm()
        let end = link.time.now + .seconds(Int64(seconds))
        var isCompleting = false
        do {
            switch change {
            case .add(let credential, let connects):
                try await send(credential.adding, network: credential.name)
                if connects { try await connect(credential.id, credential.name, until: end) }
            case .connect(let id): try await connect(id, NetworkName.text(id), until: end)
            case .remove(let id, _): try await send(.remove(id), network: NetworkName.text(id))
            }
            isCompleting = true
            try await complete(change, until: end)
            return nil
        } catch {
            // An interrupted task could not talk to the node any more.
            let state = await link.time.start { [isCompleting] in await stateAfterFailure(of: change, isCompleting) }
                .value
            if case .changed(let interface) = state, !(error is CancellationError) { return interface }
            guard var failure = error as? ControllerError else { throw error }
            switch state {
            case .unchanged: failure.reason += "; nothing has changed"
            case .changed: failure.reason += "; the change was made"
            case .unknown where isCompleting:
                failure.reason +=
                    "; \(title) keeps the change if it has heard the last step, or takes it back within \(left(until: end)) s"
            case .unknown:
                failure.reason += "; \(title) takes the change back by itself within \(left(until: end)) s"
            }
            throw failure
        }
    }

    // MARK: Steps

    private func arm() async throws {
        let command = CommissioningCommand.armFailSafe(seconds: seconds, breadcrumb: 0)
        switch try code(of: try await invoke(command.command)) {
        case .ok: return
        case .busyWithOtherAdmin:
            throw ControllerError(
                .nodeBusy, "another administrator is at work on \(title)", hint: .step("window.status", label))
        case let code:
            throw ControllerError(
                .networkRefused, "\(title) refused a fail-safe: \(code.map { "\($0)" } ?? "an unknown error")")
        }
    }

    private func send(_ command: NetworkCommissioningCommand, network: String, work: Duration? = nil) async throws {
        let result = try await invoke(command.command(to: interface.endpoint), work: work)
        if case .status = result.outcome { try Outcome.check(result, of: title) }
        guard case .response(_, let value) = result.outcome,
            let answer = try? PartialStructure(value).map({ (fields) throws(TLVError) in
                try NetworkAnswer(fields, to: command, in: command.name)
            })
        else {
            throw ControllerError(.networkRefused, "\(title) sent a malformed answer to \(command.name)")
        }
        guard !answer.isSuccess else { return }
        // The node had the network: if the command was repeated because its answer was lost, the first one took it away.
        if case .remove = command, answer.status == .networkIDNotFound { return }
        let failure = NetworkFailure(
            command, kind: interface.kind ?? .wifi, network: network, answer: answer, bands: interface.bands)
        var error = ControllerError(.networkRefused, "\(title): \(failure.sentence)", hint: failure.hint)
        error.network = failure
        throw error
    }

    private func connect(_ id: [UInt8], _ name: String, until end: Instant) async throws {
        let work = Duration.seconds(Int64(interface.joiningSeconds))
        note("\(title) is to join '\(name)'")
        do {
            try await send(.connect(id), network: name, work: work)
        } catch let error as ControllerError where error.code == .outcomeUnknown {
            note("\(title) has not answered from there yet")
        } catch let error as SessionError {
            throw lost(name, error)
        }
        // Its address may be another one now: a session that has fallen silent only costs time.
        await link.renew()
        do {
            try await link.connect(deadline: min(end - Self.reserve, deadline(work)))
        } catch let error as SessionError {
            throw lost(name, error)
        }
    }

    private func lost(_ name: String, _ error: SessionError) -> ControllerError {
        ControllerError(
            .networkLost, "\(title) was told to join '\(name)', and was not reached there: \(SessionAccount(error))",
            hint: .step("network.unreachable"), underlying: error)
    }

    private func complete(_ change: NetworkChange, until end: Instant) async throws {
        let code = try code(of: try await invoke(CommissioningCommand.commissioningComplete.command))
        if code == .ok { return }
        // A repeated command finds no fail-safe; an expired one neither. What the node has tells which.
        if code == .noFailSafe, let now = try await look(deadline: deadline(nil)), change.isDone(in: now) { return }
        throw ControllerError(
            .networkRefused, "\(title) did not keep the change: \(code.map { "\($0)" } ?? "an unknown error")")
    }

    /// The state of a node after a change that failed.
    private enum StateAfterFailure {
        case unchanged
        case changed(NetworkState.Commissioning)
        case unknown
    }

    /// Takes the fail-safe back, and looks at the networks where the last step may have been done: a node whose fail-safe
    /// is gone answers with success, whichever way it went.
    private func stateAfterFailure(of change: NetworkChange, _ isCompleting: Bool) async -> StateAfterFailure {
        guard await disarm() else { return .unknown }
        guard isCompleting else { return .unchanged }
        guard let now = try? await look(deadline: link.time.now + Self.undoing) else { return .unknown }
        return change.isDone(in: now) ? .changed(now) : .unchanged
    }

    private func look(deadline: Instant) async throws -> NetworkState.Commissioning? {
        let state = NetworkState(try await link.read(NetworkState.paths, deadline: deadline))
        return state.commissioning.first { $0.endpoint == interface.endpoint }
    }

    private func left(until end: Instant) -> Int64 { max(0, Int64((end - link.time.now) / .seconds(1))) }

    /// - Returns: whether the node has no fail-safe any more.
    private func disarm() async -> Bool {
        let command = CommissioningCommand.armFailSafe(seconds: 0, breadcrumb: 0)
        let result = try? await link.invoke(command.command, .absolute, deadline: link.time.now + Self.undoing)
        let code = result.flatMap(code)
        return code == .ok || code == .noFailSafe
    }

    // MARK: Helpers

    private func deadline(_ work: Duration?) -> Instant { budget.deadline(for: node, work: work) }

    /// Every one of these sets an absolute state.
    private func invoke(_ command: Command, work: Duration? = nil) async throws -> CommandResult {
        try await link.invoke(command, .absolute, work: work, deadline: deadline(work))
    }

    /// The node's answer to a step of the fail-safe; `nil` for a code that is unknown here.
    ///
    /// - Throws: ``ControllerError`` `status` for an answer without a code.
    private func code(of result: CommandResult) throws -> GeneralCommissioning.CommissioningError? {
        if case .status = result.outcome { try Outcome.check(result, of: title) }
        return code(result)
    }

    private func code(_ result: CommandResult) -> GeneralCommissioning.CommissioningError? {
        result.answer()?[GeneralCommissioning.ArmFailSafeResponse.Field.errorCode]
    }
}

extension NetworkChange {
    /// Whether an interface is as this change wants it.
    fileprivate func isDone(in interface: NetworkState.Commissioning) -> Bool {
        switch self {
        case .add(let credential, let connects):
            interface.networks.contains { $0.id == credential.id && ($0.isConnected || !connects) }
        case .connect(let id): interface.networks.contains { $0.id == id && $0.isConnected }
        case .remove(let id, _): !interface.networks.contains { $0.id == id }
        }
    }
}
