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
    /// The user's rights; `nil` for a type that is not known.
    public let type: DoorLock.UserType?
    /// The credentials that open the lock for the user.
    public let credentials: [Credential]
    /// When the user may open the lock, if that is restricted.
    public var schedules: [LockSchedule] = []

    /// - Returns: `nil` if no user has this index.
    init?(_ answer: PartialStructure<DoorLock.GetUserResponse>?) {
        typealias Field = DoorLock.GetUserResponse.Field
        typealias Kept = DoorLock.Credential.Field
        guard let answer, let index = answer[Field.userIndex], let status = answer[Field.userStatus],
            status != .available
        else { return nil }
        self.index = index
        self.status = status
        name = answer[Field.userName] ?? ""
        type = answer[Field.userType]
        credentials = answer.partialMembers(Field.credentials).compactMap { credential in
            credential[Kept.credentialIndex].map { Credential(type: credential[Kept.credentialType], index: $0) }
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
