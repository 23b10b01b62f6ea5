public import MatterCrypto
package import MatterModel

/// One fabric in the table of a device: FabricDescriptorStruct (Matter core specification, 11.18.4.5).
public struct DeviceFabric: Sendable {
    /// The device's number for the fabric; `nil` if the device does not say, as it should.
    public let index: UInt8?
    /// Uncompressed, 65 bytes.
    public let rootPublicKey: [UInt8]
    /// The id of the vendor (Matter core specification, 2.5.2).
    public let vendorID: UInt16
    /// The id of the fabric.
    public let fabricID: FabricID
    /// The device's own id on the fabric.
    public let nodeID: NodeID
    /// The label that its administrator gave it; empty if none.
    public let label: String

    fileprivate init(_ value: TLVValue) throws(TLVError) {
        typealias Field = NodeOperationalCredentials.FabricDescriptor.Field
        let name = "an entry of the table of fabrics"
        let entry = try PartialStructure<NodeOperationalCredentials.FabricDescriptor>(of: value, name)
        rootPublicKey = try entry.required(Field.rootPublicKey, in: name)
        vendorID = try entry.required(Field.vendorID, in: name)
        fabricID = FabricID(try entry.required(Field.fabricID, in: name))
        nodeID = NodeID(try entry.required(Field.nodeID, in: name))
        label = try entry.required(Field.label, in: name)
        index = try entry.optional(Field.fabricIndex, in: name)
    }

    /// The name by which fabrics are told apart; `nil` if the device names no possible fabric.
    public var compressedFabricID: CompressedFabricID? {
        guard let key = try? P256PublicKey(x963: rootPublicKey) else { return nil }
        return try? FabricIdentity.compressedFabricID(rootPublicKey: key, fabricID: fabricID)
    }
}

/// The table of a device's fabrics, which all administrators of the device may read (Matter core specification,
/// 11.18).
public struct DeviceFabrics: Sendable {
    /// In the order of the device.
    public let fabrics: [DeviceFabric]
    /// The number of our fabric.
    public let ownIndex: UInt8
    /// The room of the table; `nil` if the device does not say.
    public let capacity: UInt8?

    /// The paths to read, without the filter for our fabric.
    package static let paths = [
        NodeOperationalCredentials.Attribute.fabrics, NodeOperationalCredentials.Attribute.currentFabricIndex,
        NodeOperationalCredentials.Attribute.supportedFabrics,
    ].map { AttributePath(path($0)) }

    private static func path(_ attribute: AttributeID) -> ConcreteAttributePath {
        ConcreteAttributePath(endpoint: 0, cluster: NodeOperationalCredentials.id, attribute: attribute)
    }

    /// - Parameter title: the node in messages.
    /// - Throws: ``ControllerError`` `status` if the device does not show the table, or garbles it.
    package init(_ result: ReadResult, of title: String) throws(ControllerError) {
        let items: [TLVValue] = try result.value(
            at: Self.path(NodeOperationalCredentials.Attribute.fabrics), of: title)
        ownIndex = try result.value(
            at: Self.path(NodeOperationalCredentials.Attribute.currentFabricIndex), of: title)
        var fabrics: [DeviceFabric] = []
        do {
            for item in items { fabrics.append(try DeviceFabric(item)) }
        } catch {
            throw ControllerError(.status, "the table of fabrics of \(title) is malformed: \(error)")
        }
        self.fabrics = fabrics
        capacity = result.attribute(Self.path(NodeOperationalCredentials.Attribute.supportedFabrics))?.value?.integer()
    }
}
