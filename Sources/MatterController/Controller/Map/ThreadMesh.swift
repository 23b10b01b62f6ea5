public import MatterState

/// A Thread network, as far as it can be seen: our nodes, the border routers that advertise themselves, and the routers
/// that our nodes name.
public struct ThreadMesh: Sendable {
    /// A part of the network whose devices reach each other (Thread specification, 5.16). A sound network has one.
    public struct Partition: Sendable, Equatable {
        /// The number of the part.
        public let id: UInt32
        /// The device that leads it; `nil` if that is not known.
        public let leader: MeshDevice.ID?
    }

    /// The extended PAN id, which tells networks apart; `nil` if a border router does not say.
    public let extendedPANID: UInt64?
    /// The name of the network; `nil` if no device tells.
    public internal(set) var name: String?
    /// The number of the radio channel; `nil` if no node tells.
    public internal(set) var channel: UInt16?
    /// By their numbers; none if no device tells.
    public internal(set) var partitions: [Partition] = []
    /// Border routers first, then routers, then end devices.
    public internal(set) var devices: [MeshDevice] = []
    /// Each pair of devices once.
    public internal(set) var links: [MeshLink] = []
    /// How many rows of the nodes' tables were left out, because a Thread network cannot have so many.
    public internal(set) var ignoredRows: Int = 0

    /// The name, or the id in hexadecimal.
    public var title: String { name ?? extendedPANID.map { Hex.number($0, digits: 16) } ?? "unknown" }

    /// The device with an id; `nil` if there is none.
    public func device(_ id: MeshDevice.ID?) -> MeshDevice? { devices.first { $0.id == id } }

    /// The link between two devices; `nil` if there is none.
    public func link(between one: MeshDevice.ID, and other: MeshDevice.ID?) -> MeshLink? {
        links.first { $0.one == one && $0.other == other || $0.one == other && $0.other == one }
    }
}

/// A device of a Thread network.
public struct MeshDevice: Sendable, Identifiable {
    /// The part of a device in its network (Matter core specification 11.14.5.2).
    public enum Role: String, Sendable, CaseIterable {
        /// It leads its partition, and is a router.
        case leader
        /// It passes messages on.
        case router
        /// It could be a router, and is an end device now.
        case eligible
        /// It listens all the time.
        case endDevice = "end device"
        /// It sleeps, and asks its parent for messages.
        case sleepyEndDevice = "sleepy end device"
        /// It is on no network now.
        case detached
    }

    /// The ways of a device to the border routers.
    public enum WayOut: Sendable, Equatable {
        /// It is a border router, or no border router is known, or too little is known of the device.
        case unknown
        /// No single device stands between it and them.
        case several
        /// All its ways lead through one device.
        case single(through: ID)
        /// It has none, as far as the tables tell.
        case none
    }

    /// A name within this map: `node-5`, `border-router-6A7B1C0042D3FFE0` or `router-0400`.
    public let id: String
    /// Its name for people; it may quote a device: escape it before it reaches a terminal.
    public internal(set) var title: String
    /// The node of our fabric that it is; `nil` if it is none.
    public internal(set) var node: NodeRecord?
    /// Its advertisement, if it is a border router.
    public internal(set) var borderRouter: BorderRouter?
    /// Its part in the network; `nil` if that is not known.
    public internal(set) var role: Role?
    /// The extended address: 64 bits, by which its radio is named; `nil` if that is not known.
    public internal(set) var extAddress: UInt64?
    /// The routing locator: the number of its router in the upper 6 bits, that of the child in the lower 9. `nil` if it
    /// is not known.
    public internal(set) var rloc16: UInt16?
    /// The number of the partition that it is in; `nil` if that is not known.
    public internal(set) var partitionID: UInt32?
    /// The router that passes messages to it; `nil` for routers.
    public internal(set) var parent: ID?
    /// How many links lie between it and the next border router; `nil` if there is no way that can be seen.
    public internal(set) var hops: Int?
    /// The next device on the shortest way to a border router, or to the leader where none is known; of an end device the
    /// parent. `nil` if there is no way that can be seen.
    public internal(set) var nextHop: ID?
    /// How many end devices it passes messages to that are not nodes of ours.
    public internal(set) var unknownChildren: Int = 0
    /// Its ways to the border routers.
    public internal(set) var wayOut: WayOut = .unknown

    /// Whether it passes messages on.
    public var isRouter: Bool {
        switch role {
        case .leader?, .router?: true
        case nil: borderRouter != nil || node == nil
        default: false
        }
    }

    init(id: String, title: String) {
        self.id = id
        self.title = title
    }
}

/// A link between two devices of a Thread network.
public struct MeshLink: Sendable {
    /// How one of the two hears the other.
    public struct Hearing: Sendable, Equatable {
        /// The link quality of Thread, from 0 (none) to 3; `nil` if it is not known.
        public internal(set) var lqi: Int?
        /// The strength of the signal, in dBm; `nil` if it is not known.
        public internal(set) var rssi: Int?
        /// How many seconds ago it heard the other; `nil` if it is not known.
        public internal(set) var age: Int?
        /// How many of a hundred frames were lost; `nil` if it is not known.
        public internal(set) var frameErrors: Int?
        /// How many of a hundred messages were lost; `nil` if it is not known.
        public internal(set) var messageErrors: Int?
        /// Whether it was so long ago that it says nothing about now.
        public internal(set) var isStale = false
        /// Whether it comes from a table of routes, which says less than one of neighbours.
        var isOfRoute = false
    }

    /// A device.
    public let one: MeshDevice.ID
    /// Another device.
    public let other: MeshDevice.ID
    /// How `one` hears `other`; `nil` if it does not tell.
    public internal(set) var hearing: Hearing?
    /// How `other` hears `one`; `nil` if it does not tell.
    public internal(set) var otherHearing: Hearing?
    /// Whether one of the two is the parent of the other.
    public internal(set) var isOfParent = false
    /// The worse of the two directions; `nil` if neither is told.
    public internal(set) var quality: LinkQuality?
    /// Whether one of the two hears the other much worse, or not at all.
    public internal(set) var isOneSided = false
    /// Whether neither has heard the other for long.
    public internal(set) var isStale = false
    /// Whether messages can go both ways, as far as is known.
    var isUsable = true
}
