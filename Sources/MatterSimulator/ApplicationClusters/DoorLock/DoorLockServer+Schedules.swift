import MatterBase
import MatterModel

/// Week-day and year-day schedules (Matter application cluster specification 5.2.10.5 to 5.2.10.13).
extension DoorLockServer {
    private static let lastHour: UInt8 = 23
    private static let lastMinute: UInt8 = 59
    private static let allDays: UInt8 = 0x7F

    /// Fields 0 and 1 of every command about schedules.
    ///
    /// - Throws: INVALID_COMMAND for an index out of range, FAILURE for a user who is not there.
    private func place(
        _ command: CommandCall, orAll: Bool = false
    ) throws(ClusterFailure) -> (schedule: UInt8, user: UInt16) {
        let schedule: UInt8 = try command.unsigned(DoorLock.SetWeekDaySchedule.Field.weekDayIndex)
        let user = try userIndex(command, 1)
        guard LockDatabase.isScheduleIndex(schedule) || orAll && schedule == LockDatabase.allSchedules else {
            throw .invalidCommand
        }
        guard database.users[user] != nil else { throw .failure }
        return (schedule, user)
    }

    private func answer<Schedule>(
        _ command: CommandCall, _ response: CommandID, _ schedules: KeyPath<LockUser, [UInt8: Schedule]>,
        _ fields: (Schedule) -> [TLVElement]
    ) throws(ClusterFailure) -> CommandAnswer {
        let index: UInt8 = try command.unsigned(DoorLock.GetWeekDaySchedule.Field.weekDayIndex)
        let userIndex: UInt16 = try command.unsigned(DoorLock.GetWeekDaySchedule.Field.userIndex)
        func answer(_ status: DoorLock.DlStatus, _ more: [TLVElement] = []) -> CommandAnswer {
            .response(
                response,
                [
                    TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.weekDayIndex, .number(index)),
                    TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.userIndex, .number(userIndex)),
                    TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.status, .number(status.rawValue)),
                ] + more)
        }
        guard LockDatabase.isScheduleIndex(index), LockDatabase.isIndex(userIndex) else {
            return answer(.invalidField)
        }
        guard let schedule = database.users[userIndex]?[keyPath: schedules][index] else { return answer(.notFound) }
        return answer(.success, fields(schedule))
    }

    // MARK: Week-day schedules

    mutating func setWeekDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let (index, user) = try place(command)
        let schedule = LockWeekDaySchedule(
            days: try command.unsigned(DoorLock.SetWeekDaySchedule.Field.daysMask),
            startHour: try command.unsigned(DoorLock.SetWeekDaySchedule.Field.startHour),
            startMinute: try command.unsigned(DoorLock.SetWeekDaySchedule.Field.startMinute),
            endHour: try command.unsigned(DoorLock.SetWeekDaySchedule.Field.endHour),
            endMinute: try command.unsigned(DoorLock.SetWeekDaySchedule.Field.endMinute))
        guard schedule.days != 0, schedule.days & ~Self.allDays == 0,
            !takesOneDay || schedule.days.nonzeroBitCount == 1,
            max(schedule.startHour, schedule.endHour) <= Self.lastHour,
            max(schedule.startMinute, schedule.endMinute) <= Self.lastMinute, schedule.start < schedule.end
        else { throw .invalidCommand }
        let isNew = database.users[user]?.weekDaySchedules.updateValue(schedule, forKey: index) == nil
        emitChange(.weekDaySchedule, isNew ? .add : .modify, user: user, data: UInt16(index), context)
    }

    func getWeekDaySchedule(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        try answer(command, Command.getWeekDayScheduleResponse, \.weekDaySchedules) { schedule in
            [
                TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.daysMask, .number(schedule.days)),
                TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.startHour, .number(schedule.startHour)),
                TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.startMinute, .number(schedule.startMinute)),
                TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.endHour, .number(schedule.endHour)),
                TLVElement(DoorLock.GetWeekDayScheduleResponse.Field.endMinute, .number(schedule.endMinute)),
            ]
        }
    }

    mutating func clearWeekDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let (index, user) = try place(command, orAll: true)
        if index == LockDatabase.allSchedules {
            database.users[user]?.weekDaySchedules = [:]
        } else {
            database.users[user]?.weekDaySchedules[index] = nil
        }
        emitChange(.weekDaySchedule, .clear, user: user, data: UInt16(index), context)
    }

    // MARK: Year-day schedules

    mutating func setYearDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let (index, user) = try place(command)
        let schedule = LockYearDaySchedule(
            start: try command.unsigned(DoorLock.SetYearDaySchedule.Field.localStartTime),
            end: try command.unsigned(DoorLock.SetYearDaySchedule.Field.localEndTime))
        guard schedule.start < schedule.end else { throw .invalidCommand }
        let isNew = database.users[user]?.yearDaySchedules.updateValue(schedule, forKey: index) == nil
        emitChange(.yearDaySchedule, isNew ? .add : .modify, user: user, data: UInt16(index), context)
    }

    func getYearDaySchedule(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        try answer(command, Command.getYearDayScheduleResponse, \.yearDaySchedules) { schedule in
            [
                TLVElement(DoorLock.GetYearDayScheduleResponse.Field.localStartTime, .number(schedule.start)),
                TLVElement(DoorLock.GetYearDayScheduleResponse.Field.localEndTime, .number(schedule.end)),
            ]
        }
    }

    mutating func clearYearDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let (index, user) = try place(command, orAll: true)
        if index == LockDatabase.allSchedules {
            database.users[user]?.yearDaySchedules = [:]
        } else {
            database.users[user]?.yearDaySchedules[index] = nil
        }
        emitChange(.yearDaySchedule, .clear, user: user, data: UInt16(index), context)
    }
}
