import MatterBase
import MatterModel

/// SetUser, GetUser and ClearUser (Matter application cluster specification 5.2.10.34 to 5.2.10.37).
extension DoorLockServer {
    private static let longestName = 10
    private static let singleRule: UInt8 = 0

    mutating func setUser(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let operation: UInt8 = try command.unsigned(0)
        let index = try userIndex(command, 1)
        let uniqueID: UInt32? = try command.optionalUnsigned(3)
        let status = try DoorLockServer.status(try command.optionalUnsigned(4))
        let type = try DoorLockServer.type(try command.optionalUnsigned(5))
        let rule: UInt8? = try command.optionalUnsigned(6)
        var name: String?
        if let text = command[2]?.text { name = text }
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
        let index = try userIndex(command, 0)
        let user = database.users[index]
        return .response(
            Command.getUserResponse,
            [
                TLVElement(0, .number(index)), TLVElement(1, user.map { .string($0.name) } ?? .null),
                TLVElement(2, .nullable(user?.uniqueID)), TLVElement(3, .nullable(user?.status.rawValue)),
                TLVElement(4, .nullable(user?.type.rawValue)), TLVElement(5, .nullable(user?.rule)),
                TLVElement(
                    6, user.map { .array(of: $0.credentials.map(DoorLockServer.credentialStruct)) } ?? .null),
                TLVElement(7, .nullable(user?.creator)), TLVElement(8, .nullable(user?.modifier)),
                TLVElement(9, .nullable(database.nextUser(after: index))),
            ])
    }

    mutating func clearUser(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let index: UInt16 = try command.unsigned(0)
        if index == LockDatabase.allIndex {
            for user in database.users.keys { database.removeUser(user) }
        } else {
            database.removeUser(try userIndex(command, 0))
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
        guard let status = DoorLock.UserStatus(rawValue: number), status != .available else { throw .invalidCommand }
        return status
    }

    static func type(_ number: UInt8?) throws(ClusterFailure) -> DoorLock.UserType? {
        guard let number else { return nil }
        guard let type = DoorLock.UserType(rawValue: number) else { throw .invalidCommand }
        return type
    }
}
