import MatterModel

/// SetUser, GetUser and ClearUser (Matter application cluster specification 5.2.10.34 to 5.2.10.37).
extension DoorLockServer {
    private static let longestName = 10

    mutating func setUser(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let request: DoorLock.SetUser = try command.decoded()
        let index = try checked(request.userIndex)
        let (name, uniqueID) = (request.userName, request.userUniqueID)
        let status = try DoorLockServer.status(request.userStatus)
        let type = try DoorLockServer.type(request.userType)
        guard (name ?? "").utf8.count <= Self.longestName, request.credentialRule ?? .single == .single else {
            throw .invalidCommand
        }
        let fabric = context.caller.lockFabric
        switch request.operationType {
        case .add:
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
        case .modify:
            guard var user = database.users[index] else { throw .invalidCommand }
            // A group that another fabric has named stays as it is.
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
        let index = try checked(command.decoded(as: DoorLock.GetUser.self).userIndex)
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
        let index = try command.decoded(as: DoorLock.ClearUser.self).userIndex
        if index == LockDatabase.allIndex {
            for user in database.users.keys { database.removeUser(user) }
        } else {
            database.removeUser(try checked(index))
        }
        emitChange(.userIndex, .clear, user: index, data: index, context)
    }

    // MARK: Fields

    private func checked(_ index: UInt16) throws(ClusterFailure) -> UInt16 {
        guard LockDatabase.isIndex(index) else { throw .invalidCommand }
        return index
    }

    /// - Throws: also for the status of an empty slot, which cannot be set.
    static func status(_ status: DoorLock.UserStatus?) throws(ClusterFailure) -> DoorLock.UserStatus? {
        guard status?.isKnown ?? true, status != .available else { throw .invalidCommand }
        return status
    }

    static func type(_ type: DoorLock.UserType?) throws(ClusterFailure) -> DoorLock.UserType? {
        guard type?.isKnown ?? true else { throw .invalidCommand }
        return type
    }
}
