package import MatterDataModel
import MatterErrors
import MatterInteraction
package import MatterRecords
package import MatterTLV

/// Something that one kind of device can be told, and that depends on what the device has.
package protocol DeviceVerb: Sendable {
    /// The cluster that the device needs.
    var cluster: ClusterID { get }

    /// What to send.
    ///
    /// - Throws: ``ControllerError`` about what the device lacks, or the limits that it has.
    func request(_ facts: DeviceFacts) throws(ControllerError) -> DeviceRequest
}

/// What a verb sends to a device.
package struct DeviceRequest: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case invoke(CommandID, TLVValue)
        case write(AttributeID, TLVValue)
    }

    package let action: Action
    /// Tells what came of it.
    package let attribute: AttributeID
    /// What the user should know about it.
    package var note: String?

    /// - Parameter fields: in order of their tags; `nil` for one that is left out.
    init(_ command: CommandID, _ fields: [TLVValue?] = [], attribute: AttributeID) {
        action = .invoke(
            command,
            .structure(
                fields.enumerated().compactMap { tag, value in value.map { TLVElement(.context(UInt8(tag)), $0) } }))
        self.attribute = attribute
    }

    init<Value>(write attribute: TypedAttribute<Value>, _ value: Value, note: String? = nil) {
        action = .write(attribute.id, value.tlv)
        self.attribute = attribute.id
        self.note = note
    }
}

extension Controller {
    /// Asks a device what it can do and tells it to; what may not be repeated is sent at most once.
    ///
    /// - Parameter title: the node's name in messages, such as `node 'kitchen'`.
    /// - Throws: ``ControllerError``: `deviceLacks` or `outOfLimits`, and nothing was sent; `status` if the device refused.
    package func carryOut(
        _ verb: some DeviceVerb, on node: NodeRecord, endpoint named: EndpointID? = nil, title: String, budget: Budget
    ) async throws -> (place: ServingEndpoint, request: DeviceRequest) {
        let place = try await endpoint(serving: verb.cluster, of: node, named: named, budget: budget)
        let request = try verb.request(try await facts(of: verb.cluster, at: place, title: title, budget: budget))
        do {
            switch request.action {
            case .invoke(let number, let fields):
                let command = Command(
                    endpoint: place.endpoint, cluster: verb.cluster, command: number, fields: fields)
                let catalogue = Catalogue.standard
                let work = [budget.given, catalogue.expectedWork(ofCommand: number, inCluster: verb.cluster)]
                    .compactMap { $0 }.max()
                let result = try await place.link.invoke(
                    command, isTimed: catalogue.cluster(verb.cluster)?.command(number)?.isTimed ?? false,
                    NodeLink.Repeatability(of: command, in: catalogue), work: work,
                    deadline: budget.deadline(for: place.node, work: work))
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
