/// A remark about a map.
public struct MapFinding: Sendable, Equatable {
    /// The subject of a remark, the most serious first. The names are stable.
    public enum Kind: String, Sendable, CaseIterable {
        /// A Thread network is in parts that do not reach each other.
        case splitNetwork = "split-network"
        /// Nodes are on a Thread network that no border router advertises.
        case noBorderRouter = "no-border-router"
        /// A border router is not part of its network now.
        case idleBorderRouter = "idle-border-router"
        /// A border router is the only one of its network.
        case lonelyBorderRouter = "lonely-border-router"
        /// No device of its network has a link to a border router, though there are others.
        case unlinkedBorderRouter = "unlinked-border-router"
        /// A device has no way to a border router, as far as the tables tell.
        case noWayOut = "no-way-out"
        /// The ways of devices to the border routers all lead through one device.
        case singleWayOut = "single-way-out"
        /// A link loses frames.
        case weakLink = "weak-link"
        /// One of two devices hears the other much worse.
        case oneSidedLink = "one-sided-link"
        /// Two devices have not heard each other for long.
        case staleLink = "stale-link"
        /// A device is many links away from the border routers.
        case manyHops = "many-hops"
        /// A router has many end devices that depend on it.
        case crowdedParent = "crowded-parent"
        /// A node hears its Wi-Fi access point badly.
        case weakSignal = "weak-signal"
    }

    /// The subject of the remark.
    public let kind: Kind
    /// The devices that it is about, by their ids in the map.
    public let devices: [MeshDevice.ID]
    /// The remark as a sentence. It may quote a device: escape it before it reaches a terminal.
    public let text: String
}
