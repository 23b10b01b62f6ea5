import MatterNetwork

/// A user of a lock (Matter application cluster specification).
public struct LockDeviceUser: Sendable, Hashable, Identifiable {
    let user: LockUser

    /// The number of the user in the lock.
    public var id: UInt16 { user.index }
    /// The name; empty if the user has none.
    public var name: String { user.name }
    /// The numbers of the PIN codes that the user has. The lock does not tell the codes.
    public var pinCodes: [UInt16] { user.credentials.filter { $0.type == .pin }.map(\.index) }
}

/// The users of a lock and their PIN codes (Matter application cluster specification 5.2).
extension LockDevice {
    /// All users, by number.
    ///
    /// - Throws: ``MatterError``.
    public func users(within time: Duration? = nil) async throws -> [LockDeviceUser] {
        try await reportingErrors { try await lockUsers(time).users().map { LockDeviceUser(user: $0) } }
    }

    /// Adds a PIN code, for a user or for a new one.
    ///
    /// - Returns: the number of the user, if the lock tells it.
    /// - Throws: ``MatterError``, `refused` if the lock has no room or another user has the code.
    @discardableResult
    public func add(
        pin: String, for user: LockDeviceUser? = nil, named name: String? = nil, within time: Duration? = nil
    ) async throws -> UInt16? {
        try await reportingErrors { try await lockUsers(time).add(pin, to: user?.user, name: name).user }
    }

    /// Removes a user with all codes.
    ///
    /// - Throws: ``MatterError``.
    public func remove(_ user: LockDeviceUser, within time: Duration? = nil) async throws {
        try await reportingErrors { try await lockUsers(time).remove(user.user) }
    }

    private func lockUsers(_ time: Duration?) async throws -> DoorLockUsers {
        DoorLockUsers(
            try await node.controller.devices.device(
                DoorLock.id, of: node.record, endpoint: endpoint, title: node.record.title, budget: Budget(time)))
    }
}
