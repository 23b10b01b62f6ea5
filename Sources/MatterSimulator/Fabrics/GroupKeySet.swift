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
    var publicTLV: TLVValue {
        var members = [TLVElement(0, .uint(UInt64(id))), TLVElement(1, .uint(UInt64(securityPolicy)))]
        for index in 0..<3 {
            let tag = UInt8(2 + 2 * index)
            members.append(TLVElement(tag, .null))
            members.append(TLVElement(tag + 1, index < keys.count ? .uint(keys[index].start) : .null))
        }
        return .structure(members)
    }
}

extension GroupKeySet {
    /// Reads what KeySetWrite brings, in the order of checks of the specification.
    init(writing value: TLVValue) throws(ClusterFailure) {
        guard let id: UInt16 = value.field(0)?.integer(), let policy: UInt8 = value.field(1)?.integer() else {
            throw .invalidCommand
        }
        self.init(id: id, securityPolicy: policy, keys: [])
        var slots: [(key: [UInt8]?, start: UInt64?)] = []
        for tag: UInt8 in [2, 4, 6] {
            slots.append((value.field(tag)?.octetString, value.field(tag + 1)?.integer()))
        }
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
