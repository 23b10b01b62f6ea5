package import MatterState

/// A node of a fabric: a device that was commissioned (Matter core specification 2.1).
///
/// Every call finds the endpoint that has the cluster; name one where several have it. Without a time of its own, a call may
/// take 30 s, and longer with a device that sleeps.
public struct Node: Sendable, Identifiable, CustomStringConvertible {
    package let record: NodeRecord
    let controller: Controller

    package init(_ record: NodeRecord, _ controller: Controller) {
        self.record = record
        self.controller = controller
    }

    /// The node id, unique on the fabric.
    public var id: UInt64 { record.nodeID.rawValue }
    /// The name that the user gave.
    public var name: String? { record.name }
    /// The room that the user gave.
    public var room: String? { record.room }
    /// The vendor, as the device says.
    public var vendorName: String? { record.vendorName }
    /// The product, as the device says.
    public var productName: String? { record.productName }
    /// The endpoints, as they were last read.
    public var endpoints: [Endpoint] { record.endpoints.map(Endpoint.init) }

    /// `node 'kitchen'`, `node 2`.
    public var description: String { record.title }

    /// Makes the device leave the fabric, and forgets it.
    ///
    /// - Throws: ``MatterError``; the node is kept unless the device has left.
    public func remove(within time: Duration? = nil) async throws {
        try await reportingErrors {
            try await controller.administration.remove(record, deadline: Budget(time).deadline(for: record))
        }
    }

    /// Forgets the node without telling the device, which stays on the fabric.
    ///
    /// - Throws: ``MatterError``.
    public func forget() async throws {
        try await reportingErrors { try await controller.administration.forget(record.nodeID) }
    }
}

/// An endpoint of a node (Matter core specification 7.8).
public struct Endpoint: Sendable, Hashable, Identifiable {
    /// The number of the endpoint; 0 is the root endpoint.
    public let id: EndpointID
    /// The types of device that it is.
    public let deviceTypes: [DeviceTypeID]
    /// The clusters that it serves.
    public let clusters: [ClusterID]
    /// The user's name for the device behind it, if the node is a bridge.
    public let label: String?
    /// The room of the device behind it, if the node is a bridge.
    public let room: String?

    init(_ record: NodeRecord.Endpoint) {
        id = EndpointID(record.number)
        deviceTypes = record.deviceTypes.map { DeviceTypeID($0) }
        clusters = record.serverClusters.map { ClusterID($0) }
        label = record.bridged.flatMap { $0.name ?? $0.label }
        room = record.bridged?.room
    }
}
