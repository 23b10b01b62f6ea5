/// The fate of one of several nodes that are followed.
public enum FollowedNode: Sendable {
    /// The node told something, or was lost.
    case update(Node, NodeUpdate)
    /// The node cannot be followed any more.
    case ended(Node, MatterError)
}

extension Controller {
    /// Follows attributes and events of several nodes as one stream. A node that cannot be reached is waited for.
    ///
    /// - Parameter most: the longest silence of a node; it may choose a longer one.
    /// - Returns: the updates of all. They end when none of the nodes can be followed any more.
    public nonisolated func follow(
        _ nodes: [Node], _ attributes: [AttributeSelection], _ events: [EventSelection] = [],
        silentForAtMost most: Duration = .seconds(60)
    ) -> some AsyncSequence<FollowedNode, Never> & Sendable {
        AsyncStream { continuation in
            let task = options.time.start {
                await withTaskGroup { group in
                    for node in nodes {
                        group.addTask {
                            let updates = node.follow(attributes, events, silentForAtMost: most, waitsForNode: true)
                            do {
                                for try await update in updates { continuation.yield(.update(node, update)) }
                            } catch {
                                continuation.yield(.ended(node, MatterError(error)))
                            }
                        }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
