import MatterCrypto

/// A device that a bridge makes an endpoint of: what the bridge says of it, and what the user calls it.
public struct BridgedDevice: Equatable, Sendable, JSONConvertible {
    /// NodeLabel, as the bridge says; `nil` if it has none.
    public var label: String?
    /// Whether the bridge reached it when its facts were last read; `nil` if the bridge does not say.
    public var isReachable: Bool?
    /// The user's name for it; `nil` if the label will do.
    public var name: String?
    /// The room that it is in; `nil` for that of the bridge.
    public var room: String?

    /// Its name.
    public var title: String? { name ?? label }

    // memberwise: package, label = nil, isReachable = nil, name = nil, room = nil

    init(_ fields: RecordFields) throws(RecordError) {
        label = try fields.optionalString("label")
        isReachable = try fields.optionalBool("reachable")
        name = try fields.optionalString("name")
        room = try fields.optionalString("room")
    }

    /// The value as JSON.
    public var json: JSONValue {
        var object = JSONObject()
        object["label"] = label.map { .string($0) }
        object["reachable"] = isReachable.map { .bool($0) }
        object["name"] = name.map { .string($0) }
        object["room"] = room.map { .string($0) }
        return .object(object)
    }
}

/// An endpoint of a bridge with the device behind it.
public struct BridgedEndpoint: Equatable, Sendable {
    /// The bridge.
    public let node: NodeRecord
    /// The endpoint on the bridge.
    public let endpoint: NodeRecord.Endpoint
    /// The device behind the bridge.
    public let device: BridgedDevice

    /// `hub/3`.
    package var place: String { "\(node.name ?? "\(node.nodeID.rawValue)")/\(endpoint.number)" }
    /// The name of the device; where it is, if it has none.
    public var title: String { device.title ?? place }
    /// The room of the device, or that of the bridge; `nil` if none is known.
    public var room: String? { device.room ?? node.room }

    package func isIn(_ room: String) -> Bool { self.room.map { Room.isSame(room, $0) } ?? false }
}

extension NodeRecord {
    /// The devices behind it, if it is a bridge.
    public var bridged: [BridgedEndpoint] {
        endpoints.compactMap { endpoint in
            endpoint.bridged.map { BridgedEndpoint(node: self, endpoint: endpoint, device: $0) }
        }
    }

    /// Whether devices may be behind it.
    package var isBridge: Bool {
        endpoints.contains { $0.bridged != nil || $0.deviceTypes.contains(Self.aggregator) }
    }

    private static let aggregator: UInt32 = 0x000E

    /// The bridged device at the endpoint with a number; `nil` if there is none.
    public func bridged(at endpoint: UInt16) -> BridgedEndpoint? {
        bridged.first { $0.endpoint.number == endpoint }
    }

    /// Changes what the user says of a device behind it.
    package mutating func update(bridged number: UInt16, _ change: (inout BridgedDevice) -> Void) {
        guard let index = endpoints.firstIndex(where: { $0.number == number }), var device = endpoints[index].bridged
        else { return }
        change(&device)
        endpoints[index].bridged = device
    }

    /// Takes endpoints as the node describes them now; what the user calls the devices behind it stays.
    package mutating func take(_ described: [Endpoint]) {
        endpoints = described.map { endpoint in
            var endpoint = endpoint
            let earlier = bridged(at: endpoint.number)?.device
            endpoint.bridged?.name = earlier?.name
            endpoint.bridged?.room = earlier?.room
            return endpoint
        }
    }
}
