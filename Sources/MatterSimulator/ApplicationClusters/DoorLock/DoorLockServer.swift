import MatterNetwork

/// Door Lock (Matter application cluster specification 5.2): users with PIN codes, week-day and year-day schedules, a limit
/// on wrong codes, operating modes, and a bolt that locks itself again.
///
/// A person at the door types `lock`, `unlock` (the knob), or `keypad 1234` to unlock and `keypad 1234 lock`.
struct DoorLockServer: ClusterServer {
    enum Timer {
        static let relock = "relock"
    }

    let id = DoorLock.id
    /// PIN, WDSCH, COTA, USR and YDSCH.
    let featureMap: FeatureMap = [
        DoorLock.Feature.pinCredential, DoorLock.Feature.weekDayAccessSchedules,
        DoorLock.Feature.credentialsOverTheAirAccess, DoorLock.Feature.user, DoorLock.Feature.yearDayAccessSchedules,
    ]
    typealias Attribute = DoorLock.Attribute
    typealias Command = DoorLock.Command
    typealias Event = DoorLock.Event

    private static let commands = [
        Command.lockDoor, Command.unlockDoor, Command.unlockWithTimeout, Command.setWeekDaySchedule,
        Command.getWeekDaySchedule, Command.clearWeekDaySchedule, Command.setYearDaySchedule,
        Command.getYearDaySchedule,
        Command.clearYearDaySchedule, Command.setUser, Command.getUser, Command.clearUser, Command.setCredential,
        Command.getCredentialStatus, Command.clearCredential,
    ]

    let acceptedCommands = DoorLockServer.commands
    /// The lock answers fields out of range in its own words: INVALID_COMMAND, or a status in the response.
    let selfCheckedCommands = Set(DoorLockServer.commands)
    let persistentAttributes: Set<AttributeID> = [
        Attribute.lockState, Attribute.autoRelockTime, Attribute.operatingMode,
        Attribute.wrongCodeEntryLimit, Attribute.userCodeTemporaryDisableTime,
        Attribute.requirePINforRemoteOperation, Attribute.expiringUserTimeout,
    ]
    let initialAttributes: [AttributeID: TLVValue] = [
        Attribute.lockState: .number(DoorLock.DlLockState.locked.rawValue), Attribute.lockType: .uint(0),
        Attribute.actuatorEnabled: .bool(true),
        Attribute.numberOfTotalUsersSupported: .number(LockDatabase.capacity),
        Attribute.numberOfPINUsersSupported: .number(LockDatabase.capacity),
        Attribute.numberOfWeekDaySchedulesSupportedPerUser: .number(LockDatabase.schedulesPerUser),
        Attribute.numberOfYearDaySchedulesSupportedPerUser: .number(LockDatabase.schedulesPerUser),
        Attribute.maxPINCodeLength: .uint(UInt64(LockDatabase.pinLengths.upperBound)),
        Attribute.minPINCodeLength: .uint(UInt64(LockDatabase.pinLengths.lowerBound)),
        // Single.
        Attribute.credentialRulesSupport: .uint(1),
        Attribute.numberOfCredentialsSupportedPerUser: .uint(UInt64(LockDatabase.credentialsPerUser)),
        // Off.
        Attribute.autoRelockTime: .uint(0), Attribute.operatingMode: .uint(0),
        // Bits of modes that are not supported are set: Passage, and those that do not exist.
        Attribute.supportedOperatingModes: .uint(0xFFF0),
        Attribute.wrongCodeEntryLimit: .uint(3), Attribute.userCodeTemporaryDisableTime: .uint(10),
        Attribute.requirePINforRemoteOperation: .bool(false),
        // Minutes: two days.
        Attribute.expiringUserTimeout: .uint(2880),
    ]

    var database = LockDatabase()
    var wrongCodes: UInt8 = 0
    /// As locks of Matter 1.0: a schedule is for one day of the week.
    var takesOneDay = false
    var lockedOutUntil: Instant?

    init() {}

    var savedState: TLVValue? { database.tlv }

    mutating func restore(_ state: TLVValue) throws(TLVError) { database = try LockDatabase(tlv: state) }

    mutating func start(_ context: ClusterContext) {
        // A timer that the end of the last run cut short starts again.
        if context.number(Attribute.lockState) == DoorLock.DlLockState.unlocked.rawValue {
            scheduleRelock(after: nil, context)
        }
    }

    mutating func write(
        _ attribute: AttributeID, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        if attribute == Attribute.operatingMode {
            guard let number = value.integer(as: UInt8.self), let mode = DoorLock.OperatingMode(known: number),
                mode != .passage
            else {
                throw .constraintError
            }
        }
        context[attribute] = value
    }

    mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case Command.lockDoor:
            try remote(.lock, pin: try command.decoded(as: DoorLock.LockDoor.self).pinCode, context)
        case Command.unlockDoor:
            try remote(.unlock, pin: try command.decoded(as: DoorLock.UnlockDoor.self).pinCode, context)
        case Command.unlockWithTimeout:
            let request: DoorLock.UnlockWithTimeout = try command.decoded()
            try remote(.unlock, pin: request.pinCode, timeout: UInt32(request.timeout), context)
        case Command.setUser: try setUser(command, context)
        case Command.getUser: return try getUser(command)
        case Command.clearUser: try clearUser(command, context)
        case Command.setCredential: return try setCredential(command, context)
        case Command.getCredentialStatus: return try getCredentialStatus(command)
        case Command.clearCredential: try clearCredential(command, context)
        case Command.setWeekDaySchedule: try setWeekDaySchedule(command, context)
        case Command.getWeekDaySchedule: return try getWeekDaySchedule(command)
        case Command.clearWeekDaySchedule: try clearWeekDaySchedule(command, context)
        case Command.setYearDaySchedule: try setYearDaySchedule(command, context)
        case Command.getYearDaySchedule: return try getYearDaySchedule(command)
        case Command.clearYearDaySchedule: try clearYearDaySchedule(command, context)
        default: throw .unsupportedCommand
        }
        return .success
    }

    mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        actuate(LockOperation(.lock, from: .auto), timeout: nil, context)
    }

    mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        database.forgetFabric(fabricIndex)
        context.markUnsaved()
    }

    mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch (words.first, words.count) {
        case ("lock", 1): actuate(LockOperation(.lock, from: .manual), timeout: nil, context)
        case ("unlock", 1): actuate(LockOperation(.unlock, from: .manual), timeout: nil, context)
        case ("keypad", 2), ("keypad", 3):
            guard words.count == 2 || words[2] == "lock" || words[2] == "unlock" else { return false }
            keypad(words.last == "lock" ? .lock : .unlock, pin: Array(words[1].utf8), context)
        case ("one-day", 1): takesOneDay = true
        default: return false
        }
        return true
    }

    /// LockUserChange, by the caller of a command.
    func emitChange(
        _ type: DoorLock.LockDataType, _ operation: DoorLock.DataOperationType, user: UInt16?, data: UInt16?,
        _ context: ClusterContext
    ) {
        context.markUnsaved()
        context.emit(
            DoorLock.LockUserChange(
                lockDataType: type, dataOperationType: operation, operationSource: .remote, userIndex: user,
                fabricIndex: context.caller.lockFabric, sourceNode: context.caller.nodeID?.rawValue, dataIndex: data))
    }
}

extension Caller {
    /// The fabric to note, if there is one.
    var lockFabric: UInt8? { fabricIndex == 0 ? nil : fabricIndex }
}
