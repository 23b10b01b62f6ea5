import MatterModel

/// A command whose answer waits for work of the edge.
struct PendingCommand: Sendable {
    /// Its place among the commands of the request.
    let index: Int
    let work: @Sendable () async -> any ClusterSignal
    let command: CommandDataIB
    let caller: Caller
}

/// Invoking (Matter core specification 8.8.3.2).
extension SimulatedNode {
    /// Runs the commands of a request.
    ///
    /// - Returns: what came of each, in order.
    func invoke(_ request: InvokeRequest, caller: Caller) throws(Refusal) -> [CommandResult.Outcome] {
        let commands = request.commands
        guard !commands.isEmpty, commands.count <= configuration.limits.pathsPerInvoke else {
            throw Refusal(status: .invalidAction)
        }
        if commands.count > 1 {
            let references = commands.compactMap(\.reference)
            guard references.count == commands.count, Set(references).count == commands.count,
                Set(commands.map(\.path)).count == commands.count
            else { throw Refusal(status: .invalidAction) }
        }
        return commands.enumerated().map { outcome(of: $1, at: $0, isTimed: request.isTimed, caller) }
    }

    /// Answers a command whose work is done.
    func finish(
        _ pending: PendingCommand, with result: any ClusterSignal, at moment: Moment
    ) -> CommandResult.Outcome {
        let (path, caller) = (pending.command.path, pending.caller)
        return turn(at: moment) {
            conclude(pending.command) { () throws(ClusterFailure) in
                try call(path.endpoint ?? 0, path.cluster, caller) { server, context throws(ClusterFailure) in
                    try server.finish(result, context)
                }
            }
        }
    }

    private func outcome(
        of command: CommandDataIB, at index: Int, isTimed: Bool, _ caller: Caller
    ) -> CommandResult.Outcome {
        conclude(command) { () throws(ClusterFailure) in
            let answer = try run(command, isTimed: isTimed, caller)
            guard case .later(let work) = answer else { return answer }
            pendingCommands.append(PendingCommand(index: index, work: work, command: command, caller: caller))
            return nil
        }
    }

    /// - Parameter answer: `nil` for one that cannot be given now.
    private func conclude(
        _ command: CommandDataIB, answer: () throws(ClusterFailure) -> CommandAnswer?
    ) -> CommandResult.Outcome {
        let outcome: CommandResult.Outcome
        do throws(ClusterFailure) {
            switch try answer() {
            case .success: outcome = .status(StatusIB(.success))
            case .status(let status): outcome = .status(status)
            case .response(let id, let fields): outcome = .response(command: id, fields: .structure(fields))
            case .later, nil: outcome = .status(StatusIB(.busy))
            }
        } catch {
            outcome = .status(error.status)
        }
        settle()
        guard !pendingCommands.contains(where: { $0.command.path == command.path }) else { return outcome }
        var status = "SUCCESS"
        if case .status(let given) = outcome { status = given.description }
        report(
            .command(
                endpoint: command.path.endpoint ?? 0, cluster: command.path.cluster, command: command.path.command,
                status: status))
        return outcome
    }

    private func run(
        _ command: CommandDataIB, isTimed: Bool, _ caller: Caller
    ) throws(ClusterFailure) -> CommandAnswer {
        guard let endpoint = command.path.endpoint else { throw ClusterFailure(.invalidAction) }
        let path = command.path
        let entry = entry(endpoint, path.cluster)
        let definition = (entry?.model ?? ClusterModel.model(of: path.cluster))?.commands[path.command]
        guard allows(caller, definition?.invokePrivilege ?? .operate, endpoint, path.cluster) else {
            throw .unsupportedAccess
        }
        if let missing = missing(endpoint, path.cluster) { throw ClusterFailure(missing) }
        guard let entry, let definition, entry.acceptedCommands.contains(path.command) else {
            throw .unsupportedCommand
        }
        guard !definition.isFabricScoped || caller.fabricIndex != 0 else { throw .unsupportedAccess }
        guard isTimed || !definition.isTimed else { throw ClusterFailure(.needsTimedInteraction) }
        let fields = command.fields ?? .structure([])
        if !definition.bareFieldsOnWire {
            let depth: ValueValidator.Depth =
                entry.selfCheckedCommands.contains(path.command) ? .form : .everything
            do throws(ValueValidator.Fault) {
                try ValueValidator.check(fields, fields: definition.fields, depth)
            } catch {
                throw ClusterFailure(error.commandStatus)
            }
        }
        let answer = try call(endpoint, path.cluster, caller) { server, context throws(ClusterFailure) in
            try server.invoke(CommandCall(id: path.command, fields: fields), context)
        }
        guard let answer else { throw .busy }
        return answer
    }

    /// Runs a command of the device's own, as if an administrator had sent it; one that is put off stays undone.
    @discardableResult
    func invoke(
        _ command: CommandID, _ fields: TLVValue = .structure([]), endpoint: EndpointID, cluster: ClusterID,
        at moment: Moment
    ) -> CommandResult.Outcome {
        defer { _ = takePendingCommands() }
        return turn(at: moment) {
            outcome(
                of: CommandDataIB(
                    path: CommandPath(endpoint: endpoint, cluster: cluster, command: command), fields: fields),
                at: 0, isTimed: true, .device)
        }
    }
}
