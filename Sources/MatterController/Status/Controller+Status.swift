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
                let record = try await described(node, deadline: deadline)
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
