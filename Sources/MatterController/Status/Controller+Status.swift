import MatterDataModel
import MatterInteraction
package import MatterRecords
import MatterTransport

extension Controller {
    /// Asks a node for its state and that of the devices behind it. What it tells of its reachability and its firmware is
    /// kept. A node that gives no answer is no error.
    ///
    /// - Parameter count: how many nodes are asked together.
    /// - Throws: `CancellationError`.
    package func status(of node: NodeRecord, among count: Int = 1, budget: Budget) async throws -> [DeviceStatus] {
        let patience = patience(with: node, among: count, budget)
        do {
            let answer = try await withLink(to: node) { _ in
                let deadline = patience.budget.deadline(for: node)
                let record = try await upToDate(try await described(node, deadline: deadline), deadline: deadline)
                let taken = try await taken(Reading.state, from: record.endpoints, of: record, deadline: deadline)
                return DeviceStatus.all(try await noted(taken, of: record), taken)
            }
            learn(of: node, nil, after: patience)
            return answer
        } catch {
            try Task.checkCancellation()
            learn(of: node, error, after: patience)
            let known = (try? withLastSeen([node]))?.first
            return DeviceStatus.all(known ?? node, [], failure: error)
        }
    }

    /// A bridge with the devices that are behind it now: they come and go after it was commissioned.
    private func upToDate(_ node: NodeRecord, deadline: Instant) async throws -> NodeRecord {
        guard node.isBridge else { return node }
        let path = ConcreteAttributePath(
            endpoint: 0, cluster: Descriptor.id, attribute: Descriptor.Attribute.partsList)
        let result = try await link(to: node).read([AttributePath(path)], deadline: deadline)
        // A bridge that does not say it keeps those that are known.
        guard let parts = result.attribute(path)?.value?.items else { return node }
        let known = Set(node.endpoints.map(\.number)).subtracting([0])
        guard Set(parts.compactMap { $0.integer(as: UInt16.self) }) != known else { return node }
        return try await refreshed(node, deadline: deadline)
    }

    private func noted(_ taken: [TakenReading], of node: NodeRecord) async throws -> NodeRecord {
        let now = options.unixTime()
        @Sendable func note(_ record: inout NodeRecord) {
            record.seenAt = now
            for taken in taken {
                switch (taken.reading.name, taken.report.value) {
                case ("firmware", .string(let text)): record.firmware = text
                case ("reachable", .bool(let isReachable)):
                    record.update(bridged: taken.report.path.endpoint.rawValue) { $0.isReachable = isReachable }
                default: break
                }
            }
        }
        var record = node
        note(&record)
        // A state directory that cannot be written is no reason to tell nothing.
        try? await nodes().update(node.nodeID, note)
        return record
    }
}
