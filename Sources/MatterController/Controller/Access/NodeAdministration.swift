public import MatterNetwork

/// Everyone who has a say on a node, as far as the node lets us see: fabrics, access, and an open commissioning window.
public struct NodeAdministration: Sendable {
    /// The fabrics of the node.
    public let fabrics: DeviceFabrics
    /// The node's access control list: our entries, in their order.
    public let entries: [AccessControlEntry]
    /// The number of entries of other fabrics, by index: a node tells that they are there, and nothing else.
    public let hiddenEntries: [UInt8: Int]
    /// `nil` if the node does not say.
    public let window: WindowState?

    /// The paths to read, without the filter for our fabric.
    static let paths = DeviceFabrics.paths + [AttributePath(NodeLink.accessListPath)] + WindowState.paths

    init(_ result: ReadResult, of title: String) throws(ControllerError) {
        fabrics = try DeviceFabrics(result, of: title)
        let list: FabricList<VisibleEntry> = try NodeLink.list(
            NodeLink.accessListPath, NodeLink.accessListName, in: result, of: title)
        entries = list.entries.compactMap(\.entry)
        hiddenEntries = list.entries.reduce(into: [:]) { counts, entry in
            if entry.entry == nil, let index = entry.fabricIndex { counts[index, default: 0] += 1 }
        }
        window = try? WindowState(result, of: title)
    }
}

/// An entry of which a node shows only the fabric, if that is not ours (Matter core specification, 7.13.3).
private struct VisibleEntry: FabricListEntry {
    let entry: AccessControlEntry?
    var fabricIndex: UInt8?

    init(_ value: TLVValue) throws(TLVError) {
        typealias Field = AccessControl.AccessControlEntry.Field
        let name = "an access control entry"
        let visible = try PartialStructure<AccessControl.AccessControlEntry>(of: value, name)
        fabricIndex = try visible.optional(Field.fabricIndex, in: name)
        entry = visible.has(Field.privilege) ? try AccessControlEntry(value) : nil
    }

    var tlv: TLVValue { entry?.tlv ?? .null }
}

extension NodeLink {
    /// Everyone who has a say on the node.
    ///
    /// - Throws: ``ControllerError`` if the node refuses or cannot do it, ``SessionError`` if it does not answer.
    public func administration(deadline: Instant) async throws -> NodeAdministration {
        try NodeAdministration(
            try await read(NodeAdministration.paths, isFabricFiltered: false, deadline: deadline), of: node.title)
    }
}
