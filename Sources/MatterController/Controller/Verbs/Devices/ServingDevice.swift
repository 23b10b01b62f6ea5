import Logging
public import MatterState

/// A cluster of a device at work: its own account of itself, and the way to it.
public struct ServingDevice: Sendable {
    /// Where it is.
    public let place: ServingEndpoint
    /// The cluster.
    public let cluster: ClusterID
    /// Its description of itself.
    public let facts: DeviceFacts
    let budget: Budget

    /// Sends a command, timed if it has to be, or writes an attribute; at most once what may not be repeated.
    ///
    /// - Parameter attributes: tell what came of it, if no answer does.
    /// - Returns: the fields of the response, if the command has one.
    /// - Throws: ``ControllerError`` `status` or `refused` if the device did not do it.
    @discardableResult
    public func send(
        _ action: DeviceRequest.Action, readBack attributes: [AttributeID] = []
    ) async throws -> TLVValue? {
        do {
            switch action {
            case .invoke(let number, let fields): return try await invoke(number, fields)
            case .write(let attribute, let value):
                try await write(attribute, value)
                return nil
            }
        } catch var error as ControllerError where error.code == .outcomeUnknown && !error.isOfSilentNode {
            error.state = await place.link.stateAfterwards(
                attributes.map { AttributePath(endpoint: place.endpoint, cluster: cluster, attribute: $0) })
            throw error
        }
    }

    private func invoke(_ number: CommandID, _ fields: TLVValue?) async throws -> TLVValue? {
        let path = CommandPath(endpoint: place.endpoint, cluster: cluster, command: number)
        let command = fields.map { Command(path, fields: $0) } ?? Command(path)
        let catalogue = Catalogue.standard
        let work = [budget.given, catalogue.expectedWork(ofCommand: number, inCluster: cluster)]
            .compactMap { $0 }.max()
        let result = try await place.link.invoke(
            command, isTimed: catalogue.isTimed(command), NodeLink.Repeatability(of: command, in: catalogue),
            work: work, deadline: budget.deadline(for: place.node, work: work))
        try Outcome.check(result, of: facts.title)
        if case .response(_, let fields) = result.outcome { return fields }
        return nil
    }

    private func write(_ attribute: AttributeID, _ value: TLVValue) async throws {
        let path = ConcreteAttributePath(endpoint: place.endpoint, cluster: cluster, attribute: attribute)
        let results = try await place.link.write(
            [AttributeWrite(path, value: value, dataVersion: nil)],
            isTimed: Catalogue.standard.attribute(cluster: cluster, attribute)?.mustTimedWrite ?? false,
            deadline: budget.deadline(for: place.node))
        guard let failed = results.first(where: { !$0.status.isSuccess }) else { return }
        let place = ElementPath(endpoint: path.endpoint, cluster: path.cluster, element: attribute.rawValue)
        let name = place.text(.attribute, in: .standard)
        throw ControllerError(
            .status, "\(facts.title) answered the write of \(name) with \(failed.status)", status: failed.status,
            at: place)
    }
}

/// The abilities of devices: verbs, readings, states.
public struct DeviceService: FabricService {
    let context: FabricContext
    let links: NodeLinks
    let nodes: NodeService

    init(_ context: FabricContext, _ links: NodeLinks, _ nodes: NodeService) {
        self.context = context
        self.links = links
        self.nodes = nodes
    }
}

extension DeviceService {
    /// Asks the endpoint of a node that has a cluster what it can do.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Throws: ``ControllerError`` `unsupportedCluster`.
    public func device(
        _ cluster: ClusterID, of node: NodeRecord, endpoint named: EndpointID?, title: String, budget: Budget
    ) async throws -> ServingDevice {
        let place = try await nodes.endpoint(serving: cluster, of: node, named: named, budget: budget)
        let result = try await place.link.read(
            [AttributePath(endpoint: place.endpoint, cluster: cluster)], deadline: budget.deadline(for: place.node))
        let values = result.attributes.compactMap { report in report.value.map { (report.path.attribute, $0) } }
        guard !values.isEmpty else {
            let name = Catalogue.standard.clusterName(cluster) ?? "\(cluster)"
            throw ControllerError(
                .unsupportedCluster, "endpoint \(place.endpoint) of \(title) does not have the cluster \(name)",
                hint: .step("node.show", place.node.label))
        }
        let facts = DeviceFacts(
            title: title, label: place.node.label, values: Dictionary(values, uniquingKeysWith: { $1 }))
        return ServingDevice(place: place, cluster: cluster, facts: facts, budget: budget)
    }

    /// Tells a device to do something, after asking what it can do where that matters; what may not be repeated is sent at
    /// most once.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Throws: ``ControllerError``: `deviceLacks` or `outOfLimits`, and nothing was sent; `status` or `refused` if the
    ///   device refused; `outcomeUnknown` with the state read afterwards, if the command may have run.
    @discardableResult
    public func carryOut(
        _ verb: any DeviceVerb, on node: NodeRecord, endpoint named: EndpointID? = nil, title: String? = nil,
        budget: Budget
    ) async throws -> (place: ServingEndpoint, request: DeviceRequest) {
        let title = title ?? node.title
        let device: ServingDevice
        if verb.asksFirst {
            device = try await self.device(verb.cluster, of: node, endpoint: named, title: title, budget: budget)
        } else {
            device = ServingDevice(
                place: try await nodes.endpoint(serving: verb.cluster, of: node, named: named, budget: budget),
                cluster: verb.cluster, facts: DeviceFacts(unasked: title, label: node.label), budget: budget)
        }
        let request = try verb.request(device.facts)
        try await device.send(request.action, readBack: request.aims.map(\.attribute))
        options.logger.debug("done at endpoint \(device.place.endpoint)")
        return (device.place, request)
    }
}

/// The meaning of the answer to a command (Matter core specification 8.9).
public enum Outcome {
    /// The failure that an answer tells of: a status, or a response that says no.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Returns: ``ControllerError`` `status` or `refused`; `nil` if the node carried out the command.
    public static func failure(
        _ result: CommandResult, of title: String, in catalogue: Catalogue = .standard
    ) -> ControllerError? {
        let path = ElementPath(
            endpoint: result.path.endpoint, cluster: result.path.cluster, element: result.path.command.rawValue)
        let account = "\(title) answered the command \(path.text(.command, in: catalogue)) with"
        switch result.outcome {
        case .status(let status):
            guard !status.isSuccess else { return nil }
            return ControllerError(.status, "\(account) \(status)", status: status, at: path)
        case .response(let number, let fields):
            guard let cluster = catalogue.cluster(result.path.cluster), let response = cluster.response(number),
                let refusal = Refusal(fields, of: response, in: cluster)
            else { return nil }
            let words = refusal.reason.map { ": \($0)" } ?? ""
            var error = ControllerError(.refused, "\(account) \(refusal.name)\(words)")
            error.refusal = refusal
            return error
        }
    }

    /// - Throws: ``failure(_:of:in:)``.
    public static func check(_ result: CommandResult, of title: String) throws(ControllerError) {
        if let failure = failure(result, of: title) { throw failure }
    }
}

extension Catalogue {
    /// Whether a command is sent as a timed interaction (Matter core specification, 8.8.2).
    public func isTimed(_ command: Command) -> Bool {
        cluster(command.path.cluster)?.command(command.path.command)?.isTimed ?? false
    }
}

extension NodeLink.Repeatability {
    /// The catalogue's entry on a command.
    public init(of command: Command, in catalogue: Catalogue) {
        self =
            catalogue.mayRepeat(command: command.path.command, ofCluster: command.path.cluster)
            ? .absolute : .atMostOnce
    }
}
