import MatterModel

/// Week-day and year-day schedules (Matter application cluster specification 5.2.10.5 to 5.2.10.13).
extension DoorLockServer {
    private static let lastHour: UInt8 = 23
    private static let lastMinute: UInt8 = 59
    private static let allDays: UInt8 = 0x7F

    /// The arguments of every command about schedules.
    ///
    /// - Throws: INVALID_COMMAND for an index out of range, FAILURE for a user who is not there.
    private func place(
        _ schedule: UInt8, _ user: UInt16, orAll: Bool = false
    ) throws(ClusterFailure) -> (schedule: UInt8, user: UInt16) {
        guard LockDatabase.isIndex(user) else { throw .invalidCommand }
        guard LockDatabase.isScheduleIndex(schedule) || orAll && schedule == LockDatabase.allSchedules else {
            throw .invalidCommand
        }
        guard database.users[user] != nil else { throw .failure }
        return (schedule, user)
    }

    /// - Parameter response: makes it from index, user, status and the schedule that there is.
    private func answer<Schedule>(
        _ index: UInt8, _ userIndex: UInt16, _ schedules: KeyPath<LockUser, [UInt8: Schedule]>,
        _ response: (UInt8, UInt16, DoorLock.DlStatus, Schedule?) -> CommandAnswer
    ) -> CommandAnswer {
        guard LockDatabase.isScheduleIndex(index), LockDatabase.isIndex(userIndex) else {
            return response(index, userIndex, .invalidField, nil)
        }
        let schedule = database.users[userIndex]?[keyPath: schedules][index]
        return response(index, userIndex, schedule == nil ? .notFound : .success, schedule)
    }

    // MARK: Week-day schedules

    mutating func setWeekDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let request: DoorLock.SetWeekDaySchedule = try command.decoded()
        let (index, user) = try place(request.weekDayIndex, request.userIndex)
        let schedule = LockWeekDaySchedule(
            days: request.daysMask.rawValue, startHour: request.startHour, startMinute: request.startMinute,
            endHour: request.endHour, endMinute: request.endMinute)
        guard schedule.days != 0, schedule.days & ~Self.allDays == 0,
            !takesOneDay || schedule.days.nonzeroBitCount == 1,
            max(schedule.startHour, schedule.endHour) <= Self.lastHour,
            max(schedule.startMinute, schedule.endMinute) <= Self.lastMinute, schedule.start < schedule.end
        else { throw .invalidCommand }
        let isNew = database.users[user]?.weekDaySchedules.updateValue(schedule, forKey: index) == nil
        emitChange(.weekDaySchedule, isNew ? .add : .modify, user: user, data: UInt16(index), context)
    }

    func getWeekDaySchedule(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        let request: DoorLock.GetWeekDaySchedule = try command.decoded()
        return answer(request.weekDayIndex, request.userIndex, \.weekDaySchedules) { index, user, status, schedule in
            .response(
                DoorLock.GetWeekDayScheduleResponse(
                    weekDayIndex: index, userIndex: user, status: status,
                    daysMask: schedule.map { DoorLock.DaysMaskMap(rawValue: $0.days) }, startHour: schedule?.startHour,
                    startMinute: schedule?.startMinute, endHour: schedule?.endHour, endMinute: schedule?.endMinute))
        }
    }

    mutating func clearWeekDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let request: DoorLock.ClearWeekDaySchedule = try command.decoded()
        let (index, user) = try place(request.weekDayIndex, request.userIndex, orAll: true)
        if index == LockDatabase.allSchedules {
            database.users[user]?.weekDaySchedules = [:]
        } else {
            database.users[user]?.weekDaySchedules[index] = nil
        }
        emitChange(.weekDaySchedule, .clear, user: user, data: UInt16(index), context)
    }

    // MARK: Year-day schedules

    mutating func setYearDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let request: DoorLock.SetYearDaySchedule = try command.decoded()
        let (index, user) = try place(request.yearDayIndex, request.userIndex)
        let schedule = LockYearDaySchedule(start: request.localStartTime, end: request.localEndTime)
        guard schedule.start < schedule.end else { throw .invalidCommand }
        let isNew = database.users[user]?.yearDaySchedules.updateValue(schedule, forKey: index) == nil
        emitChange(.yearDaySchedule, isNew ? .add : .modify, user: user, data: UInt16(index), context)
    }

    func getYearDaySchedule(_ command: CommandCall) throws(ClusterFailure) -> CommandAnswer {
        let request: DoorLock.GetYearDaySchedule = try command.decoded()
        return answer(request.yearDayIndex, request.userIndex, \.yearDaySchedules) { index, user, status, schedule in
            .response(
                DoorLock.GetYearDayScheduleResponse(
                    yearDayIndex: index, userIndex: user, status: status, localStartTime: schedule?.start,
                    localEndTime: schedule?.end))
        }
    }

    mutating func clearYearDaySchedule(_ command: CommandCall, _ context: ClusterContext) throws(ClusterFailure) {
        let request: DoorLock.ClearYearDaySchedule = try command.decoded()
        let (index, user) = try place(request.yearDayIndex, request.userIndex, orAll: true)
        if index == LockDatabase.allSchedules {
            database.users[user]?.yearDaySchedules = [:]
        } else {
            database.users[user]?.yearDaySchedules[index] = nil
        }
        emitChange(.yearDaySchedule, .clear, user: user, data: UInt16(index), context)
    }
}
