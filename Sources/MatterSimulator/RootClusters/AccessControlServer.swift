import MatterCrypto
import MatterModel

/// Access Control: who may do what (Matter core specification 9.10). The entries themselves lie in the table of fabrics.
struct AccessControlServer: ClusterServer {
    typealias Attribute = AccessControl.Attribute

    let id = AccessControl.id

    var initialAttributes: [AttributeID: TLVValue] {
        typealias Capacity = AccessControlEntry.Capacity
        return [
            Attribute.acl: .array([]),
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
