import MatterCrypto
import MatterModel

/// Access Control: who may do what (Matter core specification 9.10). The entries themselves lie in the table of fabrics; beside them
/// each fabric may keep a note, its extension, that means nothing to the device.
struct AccessControlServer: ClusterServer {
    typealias Attribute = AccessControl.Attribute

    let id = AccessControl.id
    let featureMap: FeatureMap = AccessControl.Feature.extension
    let persistentAttributes: Set<AttributeID> = [Attribute.extension]

    var initialAttributes: [AttributeID: TLVValue] {
        typealias Capacity = AccessControlEntry.Capacity
        return [
            Attribute.acl: .array([]), Attribute.extension: .array([]),
            Attribute.subjectsPerAccessControlEntry: .uint(UInt64(Capacity.subjectsPerEntry)),
            Attribute.targetsPerAccessControlEntry: .uint(UInt64(Capacity.targetsPerEntry)),
            Attribute.accessControlEntriesPerFabric: .uint(UInt64(Capacity.entriesPerFabric)),
        ]
    }

    func read(_ attribute: AttributeID, _ context: ClusterContext) -> TLVValue? {
        guard attribute == Attribute.acl else { return nil }
        return .array(
            of: context.node.fabrics.all.flatMap { fabric in
                fabric.access.map { $0.tlv(fabricIndex: fabric.index) }
            })
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        guard attribute != Attribute.extension else { return try writeExtensions(value, context) }
        let index = context.caller.fabricIndex
        guard var fabric = context.node.fabrics[index], let items = value.items else { throw .unsupportedAccess }
        let own = items.filter { $0.fabricIndex == index }
        guard own.count <= AccessControlEntry.Capacity.entriesPerFabric else { throw .resourceExhausted }
        var entries: [AccessControlEntry] = []
        for item in own { entries.append(try AccessControlEntry(checking: item)) }
        let old = fabric.access
        guard entries != old else { return }
        fabric.access = entries
        context.node.fabrics[index] = fabric
        context.touch(Attribute.acl)
        context.node.unsaved.insert(.fabrics)
        Self.logChanges(from: old, to: entries, fabric: index, context)
    }

    /// A fabric has one extension at most, whose data are a list in TLV.
    private func writeExtensions(_ value: TLVValue, _ context: ClusterContext) throws(ClusterFailure) {
        typealias Extension = AccessControl.AccessControlExtension
        let index = context.caller.fabricIndex
        func own(_ value: TLVValue?) -> [Extension] {
            (value?.items ?? []).filter { $0.fabricIndex == index }.compactMap { Extension(tlv: $0) }
        }
        let (old, new) = (own(context[Attribute.extension]), own(value))
        guard new.count <= 1 else { throw .constraintError }
        for entry in new {
            guard let element = try? TLVElement(decoding: entry.data), case .list = element.value else {
                throw .constraintError
            }
        }
        context[Attribute.extension] = value
        guard old != new, let latest = new.first ?? old.first else { return }
        let change: AccessControl.ChangeType = old.isEmpty ? .added : new.isEmpty ? .removed : .changed
        context.emit(
            AccessControl.AccessControlExtensionChanged(
                adminNodeID: context.caller.nodeID?.rawValue, adminPasscodeID: context.caller.isPASE ? 0 : nil,
                changeType: change, latestValue: latest, fabricIndex: index))
    }

    /// Tells of each entry that is new, gone or another.
    static func logChanges(
        from old: [AccessControlEntry], to new: [AccessControlEntry], fabric: UInt8, _ context: ClusterContext
    ) {
        for position in 0..<max(old.count, new.count) {
            let before = position < old.count ? old[position] : nil
            let after = position < new.count ? new[position] : nil
            guard before != after, let entry = after ?? before else { continue }
            let change: AccessControl.ChangeType = before == nil ? .added : after == nil ? .removed : .changed
            var latest = entry
            latest.fabricIndex = fabric
            context.emit(
                AccessControl.AccessControlEntryChanged(
                    adminNodeID: context.caller.nodeID?.rawValue,
                    adminPasscodeID: context.caller.isPASE ? 0 : nil, changeType: change, latestValue: latest,
                    fabricIndex: fabric))
        }
    }
}
