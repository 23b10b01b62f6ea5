import Logging
import MatterController

/// Shares of the house that this host follows, and such that it does not.
extension House {
    private static let elsewhere = "its share is not followed here"

    /// The share that keeps a node from being followed here; `nil` for one that is followed.
    func restingShare(of record: NodeRecord) -> String? {
        resting.isEmpty ? nil : settings.share(record).flatMap { resting.contains($0) ? $0 : nil }
    }

    /// The nodes that are there and not followed here.
    var restingNodes: Set<NodeID> { rested.intersection(board.nodes.keys) }

    /// The state of a node from memory; `nil` for one that is not followed here, which has to be asked.
    func knownState(of id: NodeID, at paths: [AttributePath]) -> KnownState? {
        rested.contains(id) ? nil : board.state(of: id, at: paths, now: time.now)
    }

    /// Begins with shares that are not followed.
    func begin(resting shares: Set<String>) { resting = shares }

    /// Follows the nodes that are to be followed, and leaves the others: their share, or their room, may have changed.
    ///
    /// - Returns: the nodes that were left.
    @discardableResult func arrange(added: Set<NodeID> = []) -> [NodeRecord] {
        var left: [NodeRecord] = []
        rested.subtract(added)
        for (id, node) in board.nodes {
            if restingShare(of: node.record) != nil {
                guard rested.insert(id).inserted else { continue }
                leave(id)
                // Clients are told that it is not available. They would forget one that is removed, with its name and automations.
                end(id, Self.elsewhere)
                left.append(node.record)
            } else if rested.remove(id) != nil || added.contains(id), followers[id] == nil {
                follow(node.record)
            }
        }
        return left
    }

    /// Stops following a share, and ends the sessions with its nodes.
    func rest(_ share: String) async {
        resting.insert(share)
        for record in arrange() {
            do {
                try await controller.links.close(to: record)
            } catch { logger.debug("the session with \(record.title) was not ended: \(error)") }
        }
    }

    /// Begins to follow a share.
    func resume(_ share: String) {
        resting.remove(share)
        arrange()
    }
}
