import MatterController

/// Keeps a generic write from taking away our own right to administer a device: only a factory reset would help then.
struct AccessGuard {
    private let node: String

    /// - Parameter node: as the user calls it.
    init(node: String) { self.node = node }

    /// Whether an attribute is the access control list.
    static func concerns(cluster: ClusterID, attribute: AttributeID) -> Bool {
        cluster == AccessControl.id && attribute == AccessControl.Attribute.acl
    }

    /// Refuses a list that would lock us out.
    ///
    /// The written list takes the place of all entries of our fabric, so that the list itself is what would result. One that
    /// cannot be read as a list of entries admits no one.
    ///
    /// - Parameter own: who we are on the fabric.
    /// - Returns: the list in an order that keeps us in charge also after the first of several messages.
    func checked(_ list: TLVValue, own: NodeIdentity) throws -> TLVValue {
        let entries = (try? AccessControlEntry.list(list)) ?? []
        if entries.contains(where: { $0.letsAdminister(own) }), let items = list.items {
            let isOurs = entries.map { $0.letsAdminister(own) }
            return .array(of: zip(items, isOurs).filter(\.1).map(\.0) + zip(items, isOurs).filter { !$1 }.map(\.0))
        }
        throw CommandLineError(
            .aclLockout,
            "this list would lock us out of \(NodeTarget(node).text): no entry lets our node \(own.nodeID.rawValue) administer it",
            hint: .step("acl.lockout", NodeTarget(node).argument)
        )
    }
}
