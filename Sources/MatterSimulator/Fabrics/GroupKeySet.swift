import MatterCrypto
package import MatterModel

/// A set of up to three epoch keys (Matter core specification 11.2.5.4). Set 0 is the identity protection key.
struct GroupKeySet: Sendable, Equatable {
    struct EpochKey: Sendable, Equatable {
        /// 16 bytes.
        var key: SecretBytes
        /// Microseconds since 2000.
        var start: UInt64
    }

    static let identityProtection: UInt16 = 0
    static let keyCount = 16

    var id: UInt16
    var securityPolicy: UInt8 = 0
    /// One to three, in order of their start.
    var keys: [EpochKey]

    /// The set as KeySetRead answers it: without the keys.
    var withoutKeys: GroupKeyManagement.GroupKeySet {
        func start(_ index: Int) -> UInt64? { keys.indices.contains(index) ? keys[index].start : nil }
        return GroupKeyManagement.GroupKeySet(
            groupKeySetID: id, groupKeySecurityPolicy: .init(rawValue: securityPolicy), epochStartTime0: start(0),
            epochStartTime1: start(1), epochStartTime2: start(2))
    }
}

extension GroupKeySet {
    /// Reads what KeySetWrite brings, in the order of checks of the specification.
    init(writing set: GroupKeyManagement.GroupKeySet) throws(ClusterFailure) {
        let policy = set.groupKeySecurityPolicy.rawValue
        self.init(id: set.groupKeySetID, securityPolicy: policy, keys: [])
        let slots: [(key: [UInt8]?, start: UInt64?)] = [
            (set.epochKey0, set.epochStartTime0), (set.epochKey1, set.epochStartTime1),
            (set.epochKey2, set.epochStartTime2),
        ]
        guard slots[0].key != nil, let first = slots[0].start, first != 0 else { throw .invalidCommand }
        guard slots.allSatisfy({ $0.key == nil || $0.key?.count == Self.keyCount }) else { throw .constraintError }
        for (index, slot) in slots.enumerated() {
            guard (slot.key == nil) == (slot.start == nil) else { throw .invalidCommand }
            guard let key = slot.key, let start = slot.start else { continue }
            guard index == keys.count else { throw .invalidCommand }
            if let last = keys.last, start <= last.start { throw .invalidCommand }
            keys.append(EpochKey(key: SecretBytes(key), start: start))
        }
        guard policy <= 1 else { throw .constraintError }
        // Cache and sync is a feature that this device does not have.
        guard policy == 0 else { throw .invalidCommand }
    }
}

/// The members that a node has in a group.
package struct GroupMembership: Sendable, Equatable {
    package static let longestName = 16

    package var group: UInt16
    package var name: String
    /// Ascending.
    package var endpoints: [EndpointID]
}

/// Which keys a group uses.
package struct GroupKeyMapping: Sendable, Equatable {
    package var group: UInt16
    package var keySet: UInt16
}
