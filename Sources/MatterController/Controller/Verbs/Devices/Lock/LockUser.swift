public import MatterModel

/// A user of a lock (Matter application cluster specification).
public struct LockUser: Sendable, Hashable {
    /// A credential of a user: a code, a tag or a finger.
    public struct Credential: Sendable, Hashable {
        /// The type; `nil` for one that is not known.
        public let type: DoorLock.CredentialType?
        /// The place in the lock, from 1 on.
        public let index: UInt16
    }

    /// The place in the lock, from 1 on.
    public let index: UInt16
    /// Empty if the user has none.
    public let name: String
    /// Whether the user may use the lock; `nil` for a status that is not known.
    public let status: DoorLock.UserStatus?
    /// What the user may do; `nil` for a type that is not known.
    public let type: DoorLock.UserType?
    /// What opens the lock for the user.
    public let credentials: [Credential]
    /// When the user may open the lock, if that is restricted.
    public var schedules: [LockSchedule] = []

    /// - Parameter fields: of GetUserResponse.
    /// - Returns: `nil` if no user has this index.
    init?(_ fields: TLVValue?) {
        typealias Field = DoorLock.GetUserResponse.Field
        guard let index: UInt16 = fields?.field(Field.userIndex)?.integer(),
            let status: UInt8 = fields?.field(Field.userStatus)?.integer(),
            status != DoorLock.UserStatus.available.rawValue
        else { return nil }
        self.index = index
        name = fields?.field(Field.userName)?.text ?? ""
        self.status = DoorLock.UserStatus(rawValue: status)
        type = fields?.field(Field.userType).flatMap { DoorLock.UserType(tlv: $0) }
        credentials = (fields?.field(Field.credentials)?.items ?? []).compactMap {
            credential in
            credential.field(DoorLock.Credential.Field.credentialIndex)?.integer().map {
                Credential(
                    type: credential.field(DoorLock.Credential.Field.credentialType).flatMap {
                        DoorLock.CredentialType(tlv: $0)
                    }, index: $0)
            }
        }
    }

    /// The schedules that restrict a user of this type.
    var scheduleKinds: [LockSchedule.Kind] {
        switch type {
        case .yearDayScheduleUser: [.dates]
        case .weekDayScheduleUser: [.weekDays]
        case .scheduleRestrictedUser: [.weekDays, .dates]
        default: []
        }
    }
}
