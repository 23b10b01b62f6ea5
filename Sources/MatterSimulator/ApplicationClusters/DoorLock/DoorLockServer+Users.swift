import MatterModel

/// SetUser, GetUser and ClearUser (Matter application cluster specification 5.2.10.34 to 5.2.10.37).
extension DoorLockServer {
    private static let longestName = 10
    private static let singleRule: UInt8 = 0

    mutating func setUser(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        typealias Field = DoorLock.SetUser.Field
        let operation: UInt8 = try command.unsigned(Field.operationType)
        let index = try userIndex(command, Field.userIndex)
        let uniqueID: UInt32? = try command.optionalUnsigned(Field.userUniqueID)
        let status = try DoorLockServer.status(try command.optionalUnsigned(Field.userStatus))
        let type = try DoorLockServer.type(try command.optionalUnsigned(Field.userType))
        let rule: UInt8? = try command.optionalUnsigned(Field.credentialRule)
        var name: String?
        if let text = command[Field.userName]?.text { name = text }
        guard (name ?? "").utf8.count <= Self.longestName, rule ?? Self.singleRule == Self.singleRule else {
            throw .invalidCommand
        }
        let fabric = context.caller.lockFabric
        switch operation {
        case DoorLock.DataOperationType.add.rawValue:
            guard database.users[index] == nil else { throw .cluster(DoorLock.DlStatus.occupied.rawValue) }
            var user = LockUser()
            user.name = name ?? ""
            user.uniqueID = uniqueID
            user.status = status ?? .occupiedEnabled
            user.type = type ?? .unrestrictedUser
            user.creator = fabric
            user.modifier = fabric
            database.users[index] = user
            emitChange(.userIndex, .add, user: index, data: index, context)
        case DoorLock.DataOperationType.modify.rawValue:
            guard var user = database.users[index] else { throw .invalidCommand }
            // What another fabric has named stays as it is.
            guard user.creator == fabric || (name == nil && uniqueID == nil) else { throw .invalidCommand }
            user.name = name ?? user.name
            user.uniqueID = uniqueID ?? user.uniqueID
            user.status = status ?? user.status
            if let type, type != user.type {
                user.type = type
                user.firstUsed = nil
            }
            user.modifier = fabric
            database.users[index] = user
            emitChange(.userIndex, .modify, user: index, data: index, context)
        default: throw .invalidCommand
        }
    }

    func getUser(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        let index = try userIndex(command, DoorLock.GetUser.Field.userIndex)
        let user = database.users[index]
        return .response(
            DoorLock.GetUserResponse(
                userIndex: index, userName: user?.name, userUniqueID: user?.uniqueID, userStatus: user?.status,
                userType: user?.type, credentialRule: user.map { DoorLock.CredentialRule(rawValue: $0.rule) },
                credentials: user.map { $0.credentials.map(DoorLockServer.credential) },
                creatorFabricIndex: user?.creator, lastModifiedFabricIndex: user?.modifier,
                nextUserIndex: database.nextUser(after: index)))
    }

    mutating func clearUser(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let index: UInt16 = try command.unsigned(DoorLock.ClearUser.Field.userIndex)
        if index == LockDatabase.allIndex {
            for user in database.users.keys { database.removeUser(user) }
        } else {
            database.removeUser(try userIndex(command, DoorLock.ClearUser.Field.userIndex))
        }
        emitChange(.userIndex, .clear, user: index, data: index, context)
    }

    // MARK: Fields

    func userIndex(_ command: CommandCall, _ tag: UInt8) throws(ClusterFailure) -> UInt16 {
        let index: UInt16 = try command.unsigned(tag)
        guard LockDatabase.isIndex(index) else { throw .invalidCommand }
        return index
    }

    /// - Throws: also for the status of an empty slot, which cannot be set.
    static func status(_ number: UInt8?) throws(ClusterFailure) -> DoorLock.UserStatus? {
        guard let number else { return nil }
        guard let status = DoorLock.UserStatus(known: number), status != .available else { throw .invalidCommand }
        return status
    }

    static func type(_ number: UInt8?) throws(ClusterFailure) -> DoorLock.UserType? {
        guard let number else { return nil }
        guard let type = DoorLock.UserType(known: number) else { throw .invalidCommand }
        return type
    }
}
