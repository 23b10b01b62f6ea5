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
        let user = try userIndex(command, DoorLock.SetWeekDaySchedule.Field.userIndex)
        guard LockDatabase.isScheduleIndex(schedule) || orAll && schedule == LockDatabase.allSchedules else {
            throw .invalidCommand
        }
        guard database.users[user] != nil else { throw .failure }
        return (schedule, user)
    }

    /// - Parameter response: makes it from index, user, status and the schedule that there is.
    private func answer<Schedule>(
        _ command: CommandCall, _ schedules: KeyPath<LockUser, [UInt8: Schedule]>,
        _ response: (UInt8, UInt16, DoorLock.DlStatus, Schedule?) -> CommandAnswer
    ) throws(ClusterFailure) -> CommandAnswer {
        let index: UInt8 = try command.unsigned(DoorLock.GetWeekDaySchedule.Field.weekDayIndex)
        let userIndex: UInt16 = try command.unsigned(DoorLock.GetWeekDaySchedule.Field.userIndex)
        guard LockDatabase.isScheduleIndex(index), LockDatabase.isIndex(userIndex) else {
            return response(index, userIndex, .invalidField, nil)
        }
        let schedule = database.users[userIndex]?[keyPath: schedules][index]
        return response(index, userIndex, schedule == nil ? .notFound : .success, schedule)
    }

    // MARK: Week-day schedules

    mutating func setWeekDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        typealias Field = DoorLock.SetWeekDaySchedule.Field
        let (index, user) = try place(command)
        let schedule = LockWeekDaySchedule(
            days: try command.unsigned(Field.daysMask),
            startHour: try command.unsigned(Field.startHour),
            startMinute: try command.unsigned(Field.startMinute),
            endHour: try command.unsigned(Field.endHour),
            endMinute: try command.unsigned(Field.endMinute))
        guard schedule.days != 0, schedule.days & ~Self.allDays == 0,
            !takesOneDay || schedule.days.nonzeroBitCount == 1,
            max(schedule.startHour, schedule.endHour) <= Self.lastHour,
            max(schedule.startMinute, schedule.endMinute) <= Self.lastMinute, schedule.start < schedule.end
        else { throw .invalidCommand }
        let isNew = database.users[user]?.weekDaySchedules.updateValue(schedule, forKey: index) == nil
        emitChange(.weekDaySchedule, isNew ? .add : .modify, user: user, data: UInt16(index), context)
    }

    func getWeekDaySchedule(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        try answer(command, \.weekDaySchedules) { index, user, status, schedule in
            .response(
                DoorLock.GetWeekDayScheduleResponse(
                    weekDayIndex: index, userIndex: user, status: status,
                    daysMask: schedule.map { DoorLock.DaysMaskMap(rawValue: $0.days) }, startHour: schedule?.startHour,
                    startMinute: schedule?.startMinute, endHour: schedule?.endHour, endMinute: schedule?.endMinute))
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
        try answer(command, \.yearDaySchedules) { index, user, status, schedule in
            .response(
                DoorLock.GetYearDayScheduleResponse(
                    yearDayIndex: index, userIndex: user, status: status, localStartTime: schedule?.start,
                    localEndTime: schedule?.end))
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
