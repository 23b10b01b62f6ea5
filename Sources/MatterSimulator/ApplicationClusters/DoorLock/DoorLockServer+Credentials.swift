import MatterModel

/// SetCredential, GetCredentialStatus and ClearCredential (Matter application cluster specification 5.2.10.40 to 5.2.10.44).
/// The lock knows PIN codes only.
extension DoorLockServer {
    static func credential(_ index: UInt16) -> DoorLock.Credential {
        DoorLock.Credential(credentialType: .pin, credentialIndex: index)
    }

    /// - Throws: for a kind of credential that the lock does not take.
    private func credentialIndex(
        _ credential: DoorLock.Credential, orElse failure: ClusterFailure
    ) throws(ClusterFailure) -> UInt16 {
        guard credential.credentialType == .pin else { throw failure }
        return credential.credentialIndex
    }

    mutating func setCredential(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        let request: DoorLock.SetCredential = try command.decoded()
        let index = try credentialIndex(request.credential, orElse: .unsupportedCommand)
        let next = database.nextFreeCredential(after: index)
        let (status, created) = setPIN(index, request, context)
        return .response(
            DoorLock.SetCredentialResponse(status: status, userIndex: created, nextCredentialIndex: next))
    }

    /// - Returns: what the response says, with the user that was created.
    private mutating func setPIN(
        _ index: UInt16, _ request: DoorLock.SetCredential, _ context: ClusterContext
    ) -> (DoorLock.DlStatus, created: UInt16?) {
        let pin = request.credentialData
        let userIndex = request.userIndex
        guard LockDatabase.isIndex(index), LockDatabase.pinLengths.contains(pin.count),
            pin.allSatisfy({ (0x30...0x39).contains($0) })
        else { return (.invalidField, nil) }
        guard database.credential(with: pin) == nil else { return (.duplicate, nil) }
        guard let status = try? Self.status(request.userStatus) ?? .occupiedEnabled,
            let type = try? Self.type(request.userType) ?? .unrestrictedUser, type != .programmingUser
        else { return (.invalidField, nil) }
        let isUserGiven = request.userStatus != nil || request.userType != nil
        switch request.operationType {
        case .add:
            guard database.credentials[index] == nil else { return (.occupied, nil) }
            if let userIndex {
                guard !isUserGiven else { return (.invalidField, nil) }
                return (add(index, pin, to: userIndex, context), nil)
            }
            guard let created = database.firstFreeUser else { return (.resourceExhausted, nil) }
            var user = LockUser()
            user.status = status
            user.type = type
            user.creator = context.caller.lockFabric
            database.users[created] = user
            emitChange(.userIndex, .add, user: created, data: created, context)
            return (add(index, pin, to: created, context), created)
        case .modify:
            guard database.credentials[index] != nil, let userIndex, !isUserGiven,
                database.users[userIndex]?.credentials.contains(index) ?? false
            else { return (.invalidField, nil) }
            database.credentials[index]?.pin = pin
            database.credentials[index]?.modifier = context.caller.lockFabric
            database.users[userIndex]?.modifier = context.caller.lockFabric
            emitChange(.pin, .modify, user: userIndex, data: index, context)
            return (.success, nil)
        default: return (.invalidField, nil)
        }
    }

    private mutating func add(
        _ index: UInt16, _ pin: [UInt8], to user: UInt16, _ context: ClusterContext
    ) -> DoorLock.DlStatus {
        guard let present = database.users[user] else { return .invalidField }
        guard present.credentials.count < LockDatabase.credentialsPerUser else { return .resourceExhausted }
        let fabric = context.caller.lockFabric
        database.users[user]?.credentials.append(index)
        database.users[user]?.modifier = fabric
        database.credentials[index] = LockCredential(pin: pin, creator: fabric, modifier: fabric)
        emitChange(.pin, .add, user: user, data: index, context)
        return .success
    }

    func getCredentialStatus(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        let index = try credentialIndex(
            try command.decoded(as: DoorLock.GetCredentialStatus.self).credential, orElse: .unsupportedCommand)
        let credential = database.credentials[index]
        return .response(
            DoorLock.GetCredentialStatusResponse(
                credentialExists: credential != nil,
                userIndex: credential == nil ? nil : database.owner(of: index),
                creatorFabricIndex: credential?.creator, lastModifiedFabricIndex: credential?.modifier,
                nextCredentialIndex: database.nextCredential(after: index)))
    }

    mutating func clearCredential(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        var index = LockDatabase.allIndex
        if let credential = try command.decoded(as: DoorLock.ClearCredential.self).credential {
            index = try credentialIndex(credential, orElse: .invalidCommand)
        }
        if index == LockDatabase.allIndex {
            var users: [UInt16] = []
            for credential in database.credentials.keys.sorted() {
                if let user = database.removeCredential(credential) { users.append(user) }
            }
            emitChange(.pin, .clear, user: LockDatabase.allIndex, data: LockDatabase.allIndex, context)
            for user in users { emitChange(.userIndex, .clear, user: user, data: user, context) }
            return
        }
        guard LockDatabase.isIndex(index) else { throw .invalidCommand }
        guard let owner = database.owner(of: index) else { return }
        let removed = database.removeCredential(index)
        emitChange(.pin, .clear, user: owner, data: index, context)
        if let removed { emitChange(.userIndex, .clear, user: removed, data: removed, context) }
    }
}
