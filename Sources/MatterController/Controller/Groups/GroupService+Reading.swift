public import MatterState

/// The state of a group's member after a command to the group.
public struct GroupReading: Sendable {
    /// The endpoint.
    public let endpoint: EndpointID
    /// The reports of the endpoint.
    public let report: AttributeReport
    /// True if the value is the one that the command sets; `nil` if that cannot be known.
    public let isAsSent: Bool?
}

extension GroupService {
    /// The first look at a member, and the pause before another one.
    private static let firstLook = Duration.milliseconds(100)
    private static let nextLook = Duration.milliseconds(400)

    /// Reads from each endpoint of a node what came of a request that was sent to its group; again until all have done it,
    /// or the time for it is over.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func readBack(
        _ request: DeviceRequest, to cluster: ClusterID, at endpoints: [EndpointID], of node: NodeRecord, budget: Budget
    ) async throws -> [GroupReading] {
        let aims = endpoints.flatMap { endpoint in
            request.aims.map { aim in
                (
                    path: ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: aim.attribute),
                    goal: aim.goal
                )
            }
        }
        let end = options.time.now + request.transition + request.pause
        try await options.time.sleep(for: Self.firstLook)
        return try await links.withLink(to: node) { [time = options.time] link in
            while true {
                let result = try await link.read(
                    aims.map { AttributePath($0.path) }, deadline: budget.deadline(for: node, work: request.transition))
                let readings = aims.map { path, goal in
                    let report =
                        result.attribute(path)
                        ?? AttributeReport(path: path, dataVersion: nil, outcome: .unreadable("no report"))
                    return GroupReading(
                        endpoint: path.endpoint, report: report, isAsSent: goal.map { $0 == report.value })
                }
                let isWaiting = readings.contains { $0.isAsSent == false && $0.report.value != nil }
                guard isWaiting, time.now < end else { return readings }
                try await time.sleep(for: Self.nextLook)
            }
        }
    }
}
