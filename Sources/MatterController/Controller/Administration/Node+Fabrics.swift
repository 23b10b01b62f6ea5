import MatterNetwork

/// A fabric in the table of a device (Matter core specification, 11.18).
public struct FabricMembership: Sendable, Hashable {
    /// The device's number for the fabric; `nil` if the device does not say.
    public let index: UInt8?
    /// The fabric's id, unique under its root certificate only.
    public let fabricID: UInt64
    /// The device's own id on the fabric.
    public let nodeID: UInt64
    /// The number of the vendor who administers it.
    public let vendorID: UInt16
    /// The label that the fabric gave itself, as its administrator wrote it.
    public let label: String
    /// Whether it is the fabric of this controller.
    public let isOurs: Bool
}

/// The fabrics that a device is on (Matter core specification 11.18).
extension Node {
    /// All fabrics of the device, in its order.
    ///
    /// - Throws: ``MatterError``.
    public func fabrics(within time: Duration? = nil) async throws -> [FabricMembership] {
        try await reportingErrors {
            let table = try await controller.links.link(to: record)
                .fabrics(deadline: Budget(time).deadline(for: record))
            return table.fabrics.map { fabric in
                FabricMembership(
                    index: fabric.index, fabricID: fabric.fabricID.rawValue, nodeID: fabric.nodeID.rawValue,
                    vendorID: fabric.vendorID, label: fabric.label, isOurs: fabric.index == table.ownIndex)
            }
        }
    }

    /// Makes the device forget the fabric of another administrator.
    ///
    /// - Parameter index: its number, as ``fabrics(within:)`` tells.
    /// - Throws: ``MatterError``; our own fabric is left with ``remove(within:)``.
    public func removeFabric(_ index: UInt8, within time: Duration? = nil) async throws {
        try await reportingErrors {
            try await controller.links.link(to: record)
                .removeFabric(index, deadline: Budget(time).deadline(for: record))
        }
    }

    /// Names our fabric on the device, for the administrators of all fabrics to see.
    ///
    /// - Parameter label: at most 32 characters.
    /// - Throws: ``MatterError``.
    public func labelFabric(_ label: String, within time: Duration? = nil) async throws {
        try await reportingErrors {
            try await controller.links.link(to: record)
                .labelFabric(label, deadline: Budget(time).deadline(for: record))
        }
    }
}
