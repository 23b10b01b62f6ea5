public import MatterState

extension NodeService {
    /// Where a name is kept beside the records here.
    public struct NamePlaces: OptionSet, Sendable {
        /// The number.
        public let rawValue: UInt8

        /// The value with a number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// NodeLabel of the node, or of the device behind a bridge.
        public static let device = NamePlaces(rawValue: 1)
        /// The service that issues for the fabric.
        public static let service = NamePlaces(rawValue: 2)
    }

    /// The most bytes of NodeLabel (Matter core specification 11.1.4.6, 9.13.4.1).
    private static let longestLabel = 32

    /// Gives a node, or a device behind a bridge, another name: first where it may fail, and last in the records here.
    ///
    /// - Throws: ``ControllerError`` `outOfLimits` for a name that is too long for the device; `otherIssuer` if there is no
    ///   service, or it knows no devices behind bridges; `status` if the device refused.
    public func rename(
        _ node: NodeRecord, bridged endpoint: EndpointID?, to name: String, alsoAt places: NamePlaces, budget: Budget
    ) async throws {
        try NameRule.check(name, what: endpoint == nil ? "node" : "device")
        if endpoint == nil { try context.nodes().checkFree(name, for: node.nodeID) }
        let isServed = try endpoint == nil && issuers.service(of: context.fabric()) != nil
        if places.contains(.service), !isServed {
            throw ControllerError(
                .otherIssuer,
                endpoint == nil
                    ? "the fabric '\(try context.fabric().name)' belongs to no cloud"
                    : "the cloud has no names for devices behind a bridge")
        }
        if places.contains(.device) { try await label(node, endpoint, name, budget: budget) }
        if places.contains(.service) {
            let fabric = try context.fabric()
            try await issuers.service(of: fabric)?.rename(
                node.nodeID, to: name, on: issuers.served(fabric, deadline: budget.deadline))
        }
        if let endpoint {
            try await update(node, bridged: endpoint) { device in
                device.name = name
                if places.contains(.device) { device.label = name }
            }
        } else {
            try await context.nodes().update(node.nodeID) { $0.name = name }
        }
    }

    private func label(
        _ node: NodeRecord, _ endpoint: EndpointID?, _ name: String, budget: Budget
    ) async throws {
        guard name.utf8.count <= Self.longestLabel else {
            throw ControllerError(
                .outOfLimits, "a device keeps a name of at most \(Self.longestLabel) bytes, and '\(name)' has more")
        }
        let path =
            endpoint.map {
                ConcreteAttributePath(
                    endpoint: $0, cluster: BridgedDeviceBasicInformation.id,
                    attribute: BridgedDeviceBasicInformation.Attribute.nodeLabel)
            }
            ?? ConcreteAttributePath(
                endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.nodeLabel)
        try await write(.string(name), to: path, "node-label", of: node, budget: budget)
    }

    private func write(
        _ value: TLVValue, to path: ConcreteAttributePath, _ name: String, of node: NodeRecord, budget: Budget
    ) async throws {
        let results = try await links.link(to: node).write(
            [AttributeWrite(path, value: value)], isTimed: false, deadline: budget.deadline(for: node))
        guard let failed = results.first(where: { !$0.status.isSuccess }) else { return }
        throw ControllerError(
            .status, "\(node.title) answered the write of \(name) with \(failed.status)", status: failed.status)
    }

    // MARK: Rooms

    /// The label that holds the room, as bridges use it for theirs (Matter core specification 9.6, 9.7).
    private static let roomLabel = "room"
    /// The most bytes of a label's value (9.6.4.2).
    private static let longestLabelValue = 16

    /// Writes the room of a node, or of a device behind a bridge, into its labels (User Label cluster); its other labels
    /// stay.
    ///
    /// - Parameter room: `nil` takes the label away.
    /// - Throws: ``ControllerError`` `outOfLimits`, `unsupportedCluster`, or `status` if the device refused.
    public func tell(
        _ node: NodeRecord, bridged endpoint: EndpointID?, room: String?, budget: Budget
    ) async throws {
        if let room, room.utf8.count > Self.longestLabelValue {
            throw ControllerError(
                .outOfLimits,
                "a device keeps a room of at most \(Self.longestLabelValue) bytes, and '\(room)' has more")
        }
        let path = ConcreteAttributePath(
            endpoint: endpoint ?? 0, cluster: UserLabel.id, attribute: UserLabel.Attribute.labelList)
        let known = try await links.link(to: node).read([AttributePath(path)], deadline: budget.deadline(for: node))
        guard case .array(let members)? = known.attributes.first(where: { $0.path == path })?.value else {
            throw ControllerError(
                .unsupportedCluster, "\(node.title) keeps no labels (user-label), so it cannot be told its room")
        }
        var labels = members.map(\.value).filter { label in
            PartialStructure(tlv: label)?[UserLabel.Label.Field.label] != Self.roomLabel
        }
        if let room {
            labels.append(UserLabel.Label(label: Self.roomLabel, value: room).tlv)
        }
        try await write(.array(of: labels), to: path, "user-label", of: node, budget: budget)
    }
}
