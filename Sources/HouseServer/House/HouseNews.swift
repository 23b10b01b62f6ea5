import MatterController

/// A change of the house, for those who listen.
enum HouseNews: Sendable, Equatable {
    case nodeAdded(NodeID)
    /// Something of the node as a whole has changed: all of it is to be told.
    case nodeUpdated(NodeID)
    case nodeRemoved(NodeID)
    case endpointAdded(NodeID, UInt16)
    case endpointRemoved(NodeID, UInt16)
    case attribute(NodeID, CachePath)
    /// An event of a node, encoded.
    case event(NodeID, [UInt8])
    /// The server's description of itself has changed.
    case infoUpdated
    /// The server ends.
    case shutdown
}
