import MatterModel

/// The commands about users, codes and schedules of a lock (Matter application cluster specification 5.2.10).
enum LockRequest {
    /// Stands for all schedules of a user.
    private static let allSchedules: UInt8 = 0xFE

    static func user(_ index: UInt16) -> DeviceRequest.Action { .command(DoorLock.GetUser(userIndex: index)) }

    static func credential(_ index: UInt16) -> DeviceRequest.Action {
        .command(DoorLock.GetCredentialStatus(credential: pin(index)))
    }

    /// - Parameter user: who gets the code; `nil` for a new user, whom the lock numbers.
    static func add(_ code: String, at index: UInt16, to user: UInt16?) -> DeviceRequest.Action {
        .command(
            DoorLock.SetCredential(
                operationType: .add, credential: pin(index), credentialData: Array(code.utf8), userIndex: user,
                userStatus: nil, userType: nil))
    }

    /// Changes what is given of a user.
    static func modify(
        _ user: UInt16, name: String? = nil, type: DoorLock.UserType? = nil
    ) -> DeviceRequest.Action {
        .command(
            DoorLock.SetUser(
                operationType: .modify, userIndex: user, userName: name, userUniqueID: nil, userStatus: nil,
                userType: type, credentialRule: nil))
    }

    static func clear(user: UInt16) -> DeviceRequest.Action { .command(DoorLock.ClearUser(userIndex: user)) }

    static func clear(credential index: UInt16) -> DeviceRequest.Action {
        .command(DoorLock.ClearCredential(credential: pin(index)))
    }

    static func schedule(_ kind: LockSchedule.Kind, _ index: UInt8, of user: UInt16) -> DeviceRequest.Action {
        switch kind {
        case .weekDays: .command(DoorLock.GetWeekDaySchedule(weekDayIndex: index, userIndex: user))
        case .dates: .command(DoorLock.GetYearDaySchedule(yearDayIndex: index, userIndex: user))
        }
    }

    static func set(_ schedule: LockSchedule, _ index: UInt8, of user: UInt16) -> DeviceRequest.Action {
        switch schedule {
        case .weekDays(let days, let from, let until):
            .command(
                DoorLock.SetWeekDaySchedule(
                    weekDayIndex: index, userIndex: user, daysMask: days,
                    startHour: from.hour, startMinute: from.minute, endHour: until.hour, endMinute: until.minute))
        case .dates(let from, let until):
            .command(
                DoorLock.SetYearDaySchedule(
                    yearDayIndex: index, userIndex: user, localStartTime: from, localEndTime: until))
        }
    }

    /// - Parameter index: `nil` for all of the kind.
    static func clear(
        _ kind: LockSchedule.Kind, _ index: UInt8? = nil, of user: UInt16
    ) -> DeviceRequest.Action {
        let index = index ?? allSchedules
        return switch kind {
        case .weekDays: .command(DoorLock.ClearWeekDaySchedule(weekDayIndex: index, userIndex: user))
        case .dates: .command(DoorLock.ClearYearDaySchedule(yearDayIndex: index, userIndex: user))
        }
    }

    private static func pin(_ index: UInt16) -> DoorLock.Credential {
        DoorLock.Credential(credentialType: .pin, credentialIndex: index)
    }
}
