import MatterNetwork

extension ControllerError {
    /// Whether the node was looked for until the end of the time, and not heard: to ask it for its state only costs more.
    public var isOfSilentNode: Bool {
        guard let failure = underlying as? SessionError else { return false }
        return failure.isSilence || failure.code == .unreachable
    }
}

extension NodeLink {
    /// How long the state is asked for, whatever is left of the caller's budget.
    private static let lastQuestion = Duration.seconds(3)
    /// The limit after an interruption, because the user waits for the end.
    private static let hastyQuestion = Duration.milliseconds(1500)

    /// The facts that can still be learnt after a command whose outcome is unknown, also after an interruption; nothing if the node
    /// stays silent. A copy of the command that is late may run afterwards.
    package func stateAfterwards(
        _ paths: [AttributePath]
    ) async -> [(path: ConcreteAttributePath, value: TLVValue)] {
        let deadline = time.now + (Task.isCancelled ? Self.hastyQuestion : Self.lastQuestion)
        // A task of its own, which the interruption does not reach.
        let question = Task(executorPreference: time.executor) { try await self.read(paths, deadline: deadline) }
        guard let result = try? await question.value else { return [] }
        return result.attributes.compactMap { report in report.value.map { (report.path, $0) } }
    }

    /// The same for commands of any clusters: what the clusters' attributes count or say yes or no to. Texts, bytes and
    /// lists may be long, or secret.
    public func stateAfterwards(
        of commands: [Command]
    ) async -> [(path: ConcreteAttributePath, value: TLVValue)] {
        var seen: Set<AttributePath> = []
        return await scalars(
            commands.map { AttributePath(endpoint: $0.path.endpoint, cluster: $0.path.cluster) }
                .filter { seen.insert($0).inserted })
    }

    /// The aftermath of a write.
    public func stateAfterwards(
        of writes: [AttributeWrite]
    ) async -> [(path: ConcreteAttributePath, value: TLVValue)] {
        await scalars(writes.map(\.path))
    }

    private func scalars(_ paths: [AttributePath]) async -> [(path: ConcreteAttributePath, value: TLVValue)] {
        await stateAfterwards(paths).filter { entry in
            switch entry.value {
            case .int, .uint, .bool, .float, .double, .null: !AttributePath.isGlobal(attribute: entry.path.attribute)
            case .string, .octets, .structure, .array, .list: false
            }
        }
    }
}
