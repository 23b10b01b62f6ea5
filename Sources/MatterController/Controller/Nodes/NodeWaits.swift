public import MatterState

/// Is told whenever something waits for a node, for people who wait with it.
///
/// One node may be waited for several times at once; each begin has its end.
public protocol NodeWaits: AnyObject, Sendable {
    /// - Parameters:
    ///   - addresses: where it is looked for first; none if it has to be found.
    ///   - deadline: when the wait ends at the latest.
    func began(_ node: NodeRecord, at addresses: [PeerAddress], until deadline: Instant)

    /// The node has answered, or it is waited for no longer.
    func ended(_ node: NodeRecord)
}
