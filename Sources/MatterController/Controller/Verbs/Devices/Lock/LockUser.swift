package import MatterModel

/// A user of a lock.
package struct LockUser: Sendable, Hashable {
    package struct Credential: Sendable, Hashable {
        package let type: DoorLock.CredentialType?
        package let index: UInt16
    }

    package let index: UInt16
    /// Empty if the user has none.
    package let name: String
    package let status: DoorLock.UserStatus?
    package let type: DoorLock.UserType?
    package let credentials: [Credential]
    /// When the user may open the lock, if that is restricted.
    package var schedules: [LockSchedule] = []

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
