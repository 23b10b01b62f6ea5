import MatterNetwork

extension Node {
    /// Reads an attribute, such as `OnOff.onOff`.
    ///
    /// - Throws: ``MatterError``, `refused` also for a value of another type than the attribute's.
    public func read<Value>(
        _ attribute: TypedAttribute<Value>, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws -> Value {
        try await reportingErrors {
            let budget = Budget(time)
            let (place, path) = try await place(of: attribute, endpoint, budget)
            let result = try await place.link.read([AttributePath(path)], deadline: budget.deadline(for: place.node))
            guard let report = result.attribute(path) else {
                throw ControllerError(.status, "\(self) did not report the attribute", status: nil)
            }
            return try value(of: attribute, report)
        }
    }

    /// Writes an attribute; as a timed interaction where the attribute demands one.
    ///
    /// - Throws: ``MatterError`` `outcomeUnknown` if no answer came and the attribute may not be written twice.
    public func write<Value>(
        _ attribute: TypedAttribute<Value>, _ value: Value, at endpoint: EndpointID? = nil,
        within time: Duration? = nil
    ) async throws {
        try await reportingErrors {
            let budget = Budget(time)
            let (place, path) = try await place(of: attribute, endpoint, budget)
            let catalogue = Catalogue.standard
            let results = try await place.link.write(
                [AttributeWrite(path, value: value.tlv, dataVersion: nil)],
                isTimed: catalogue.attribute(cluster: path.cluster, path.attribute)?.mustTimedWrite ?? false,
                catalogue.mayRepeat(writeOf: path.attribute, inCluster: path.cluster) ? .absolute : .atMostOnce,
                deadline: budget.deadline(for: place.node))
            guard let failed = results.first(where: { !$0.status.isSuccess }) else { return }
            throw ControllerError(
                .status, "\(self) answered the write of \(name(of: path)) with \(failed.status)",
                status: failed.status)
        }
    }

    /// Sends a command that the node answers, such as `DoorLock.SetCredential`; at most once unless it may be repeated.
    ///
    /// - Returns: the answer of the node.
    /// - Throws: ``MatterError`` `outcomeUnknown` if no answer came and it may have happened, `refused` also for an answer
    ///   that lacks a field.
    @discardableResult
    public func invoke<Command: AnsweredCommand>(
        _ command: Command, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws -> Command.Response {
        let fields = try await invoke(Command.cluster, Command.id, command.tlv, at: endpoint, within: time)
        return try await reportingErrors {
            guard let response = fields.flatMap({ Command.Response(tlv: $0) }) else {
                throw ControllerError(
                    .status, "\(self) sent a malformed \(Command.Response.self)")
            }
            return response
        }
    }

    /// Sends a command, such as `LevelControl.MoveToLevel`; at most once unless it may be repeated.
    ///
    /// - Throws: ``MatterError`` `outcomeUnknown` if no answer came and it may have happened.
    public func invoke(
        _ command: some ClusterCommand, at endpoint: EndpointID? = nil, within time: Duration? = nil
    ) async throws {
        let kind = type(of: command)
        try await invoke(kind.cluster, kind.id, command.tlv, at: endpoint, within: time)
    }

    /// Sends a command by its numbers, such as `DoorLock.Command.lockDoor` of `DoorLock.id`; at most once unless it may be
    /// repeated.
    ///
    /// - Parameter fields: the fields of the command, a structure.
    /// - Returns: the fields of the response; `nil` if the node only says that it is done.
    /// - Throws: ``MatterError`` `outcomeUnknown` if no answer came and it may have happened.
    @discardableResult
    public func invoke(
        _ cluster: ClusterID, _ command: CommandID, _ fields: TLVValue = .structure([]), at endpoint: EndpointID? = nil,
        within time: Duration? = nil
    ) async throws -> TLVValue? {
        try await reportingErrors {
            let budget = Budget(time)
            let place = try await controller.nodes.endpoint(
                serving: cluster, of: record, named: endpoint, budget: budget)
            let catalogue = Catalogue.standard
            let request = Command(endpoint: place.endpoint, cluster: cluster, command: command, fields: fields)
            let work = [budget.given, catalogue.expectedWork(ofCommand: command, inCluster: cluster)].compactMap { $0 }
                .max()
            let result = try await place.link.invoke(
                request, isTimed: catalogue.cluster(cluster)?.command(command)?.isTimed ?? false,
                NodeLink.Repeatability(of: request, in: catalogue), work: work,
                deadline: budget.deadline(for: place.node, work: work))
            try Outcome.check(result, of: description)
            guard case .response(_, let fields) = result.outcome else { return nil }
            return fields
        }
    }

    // MARK: Attributes

    func place<Value>(
        of attribute: TypedAttribute<Value>, _ endpoint: EndpointID?, _ budget: Budget
    ) async throws -> (ServingEndpoint, ConcreteAttributePath) {
        let place = try await controller.nodes.endpoint(
            serving: attribute.cluster, of: record, named: endpoint, budget: budget)
        return (
            place,
            ConcreteAttributePath(endpoint: place.endpoint, cluster: attribute.cluster, attribute: attribute.id)
        )
    }

    func value<Value>(of attribute: TypedAttribute<Value>, _ report: AttributeReport) throws -> Value {
        let name = name(of: report.path)
        switch report.outcome {
        case .value(let tlv):
            guard let value = Value(tlv: tlv) else {
                throw ControllerError(.status, "\(self) answered \(name) with a value of another type")
            }
            return value
        case .failure(let status):
            throw ControllerError(.status, "\(self) answered \(name) with \(status)", status: status)
        case .unreadable(let reason):
            throw ControllerError(.status, "\(self) answered \(name) with an answer that breaks the rules: \(reason)")
        }
    }

    private func name(of path: ConcreteAttributePath) -> String {
        ElementPath(endpoint: path.endpoint, cluster: path.cluster, element: path.attribute.rawValue)
            .text(.attribute, in: .standard)
    }
}
