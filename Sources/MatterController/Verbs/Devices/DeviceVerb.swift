import Logging
package import MatterDataModel
import MatterErrors
package import MatterInteraction
package import MatterRecords
package import MatterTLV

/// Something that a device can be told, and that may depend on what the device has.
package protocol DeviceVerb: Sendable {
    /// The cluster that the device needs.
    var cluster: ClusterID { get }
    /// Whether the device is first asked what it has.
    var asksFirst: Bool { get }

    /// What to send.
    ///
    /// - Throws: ``ControllerError`` about what the device lacks, or the limits that it has.
    func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest
}

extension DeviceVerb {
    package var asksFirst: Bool { true }
}

/// What a verb sends to a device.
package struct DeviceRequest: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case invoke(CommandID, TLVValue?)
        case write(AttributeID, TLVValue)
    }

    package let action: Action
    /// Tells what came of it.
    package let attribute: AttributeID
    /// The value that the attribute gets; `nil` if that is not known.
    let goal: TLVValue?
    /// How long the change takes, as far as the request says.
    let transition: Duration
    /// How long the attribute may keep a value on its way to the goal.
    let pause: Duration
    /// True if the attribute means nothing while the light is off.
    let dependsOnLight: Bool
    /// What the user should know about it.
    package var note: String?

    static let usualPause = Duration.seconds(3)

    init(
        _ action: Action, attribute: AttributeID, goal: TLVValue? = nil, transition: Duration = .zero,
        pause: Duration = usualPause, dependsOnLight: Bool = false
    ) {
        self.action = action
        self.attribute = attribute
        self.goal = goal
        self.transition = transition
        self.pause = pause
        self.dependsOnLight = dependsOnLight
    }

    /// - Parameter fields: in order of their tags; `nil` for one that is left out.
    init(
        _ command: CommandID, _ fields: [TLVValue?] = [], attribute: AttributeID, goal: TLVValue? = nil,
        transition: Duration = .zero, pause: Duration = usualPause
    ) {
        let fields = fields.enumerated().compactMap { tag, value in
            value.map { TLVElement(.context(UInt8(tag)), $0) }
        }
        self.init(
            .invoke(command, .structure(fields)), attribute: attribute, goal: goal, transition: transition, pause: pause
        )
    }

    init<Value>(write attribute: TypedAttribute<Value>, _ value: Value, note: String? = nil) {
        self.init(.write(attribute.id, value.tlv), attribute: attribute.id, goal: value.tlv)
        self.note = note
    }

    /// The command for an endpoint, or for a group; `nil` for a write.
    package func command(at endpoint: EndpointID?, of cluster: ClusterID) -> Command? {
        guard case .invoke(let command, let fields) = action else { return nil }
        return fields.map { Command(endpoint: endpoint, cluster: cluster, command: command, fields: $0) }
            ?? Command(endpoint: endpoint, cluster: cluster, command: command)
    }
}

extension Controller {
    /// Tells a device to do something, after asking what it can do where that matters; what may not be repeated is sent at
    /// most once.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Throws: ``ControllerError``: `deviceLacks` or `outOfLimits`, and nothing was sent; `status` if the device refused;
    ///   `outcomeUnknown` with the state read afterwards, if the command may have run.
    @discardableResult
    package func carryOut(
        _ verb: any DeviceVerb, on node: NodeRecord, endpoint named: EndpointID? = nil, title: String? = nil,
        budget: Budget
    ) async throws -> (place: ServingEndpoint, request: DeviceRequest) {
        let title = title ?? node.title
        let place = try await endpoint(serving: verb.cluster, of: node, named: named, budget: budget)
        let request = try verb.request(
            verb.asksFirst
                ? try await facts(of: verb.cluster, at: place, title: title, budget: budget)
                : DeviceFacts(unasked: title, label: node.label))
        do {
            switch request.action {
            case .invoke(let number, _):
                guard let command = request.command(at: place.endpoint, of: verb.cluster) else { break }
                let catalogue = Catalogue.standard
                let work = [budget.given, catalogue.expectedWork(ofCommand: number, inCluster: verb.cluster)]
                    .compactMap { $0 }.max()
                let result = try await place.link.invoke(
                    command, isTimed: catalogue.isTimed(command), NodeLink.Repeatability(of: command, in: catalogue),
                    work: work, deadline: budget.deadline(for: place.node, work: work))
                try Outcome.check(result, of: title)
            case .write(let attribute, let value):
                let path = ConcreteAttributePath(
                    endpoint: place.endpoint, cluster: verb.cluster, attribute: attribute)
                let results = try await place.link.write(
                    [AttributeWrite(path, value: value, dataVersion: nil)], isTimed: false,
                    deadline: budget.deadline(for: place.node))
                guard let failed = results.first(where: { !$0.status.isSuccess }) else { break }
                let name = ElementPath(
                    endpoint: path.endpoint, cluster: path.cluster, element: attribute.rawValue
                ).text(.attribute, in: .standard)
                throw ControllerError(
                    .status, "\(title) answered the write of \(name) with \(failed.status)", status: failed.status)
            }
        } catch var error as ControllerError where error.code == .outcomeUnknown {
            error.state = await place.link.stateAfterwards([
                AttributePath(endpoint: place.endpoint, cluster: verb.cluster, attribute: request.attribute)
            ])
            throw error
        }
        options.logger.debug("done at endpoint \(place.endpoint)")
        return (place, request)
    }

    private func facts(
        of cluster: ClusterID, at place: ServingEndpoint, title: String, budget: Budget
    ) async throws -> DeviceFacts {
        let result = try await place.link.read(
            [AttributePath(endpoint: place.endpoint, cluster: cluster)], deadline: budget.deadline(for: place.node))
        let values = result.attributes.compactMap { report in report.value.map { (report.path.attribute, $0) } }
        guard !values.isEmpty else {
            let name = Catalogue.standard.clusterName(cluster) ?? "\(cluster)"
            throw ControllerError(
                .unsupportedCluster, "endpoint \(place.endpoint) of \(title) does not have the cluster \(name)",
                hint: .step("node.show", place.node.label))
        }
        return DeviceFacts(
            title: title, label: place.node.label, values: Dictionary(values, uniquingKeysWith: { $1 }))
    }
}
