import MatterCredentials
package import MatterTLV
import MatterTransport

/// Door Lock (Matter application cluster specification 5.2): users with PIN codes, week-day and year-day schedules, a limit
/// on wrong codes, operating modes, and a bolt that locks itself again.
///
/// A person at the door types `lock`, `unlock` (the knob), or `keypad 1234` to unlock and `keypad 1234 lock`.
package struct DoorLockServer: ClusterServer {
    enum Timer {
        static let relock = "relock"
    }

    package let id = ClusterID.doorLock
    /// PIN, WDSCH, COTA, USR and YDSCH.
    package let featureMap: UInt32 = 1 << 0 | 1 << 4 | 1 << 7 | 1 << 8 | 1 << 10
    package let acceptedCommands = LockCommand.all
    /// The lock answers fields out of range in its own words: INVALID_COMMAND, or a status in the response.
    package let selfCheckedCommands = Set(LockCommand.all)
    package let persistentAttributes: Set<UInt32> = [
        LockAttribute.lockState, LockAttribute.autoRelockTime, LockAttribute.operatingMode,
        LockAttribute.wrongCodeEntryLimit, LockAttribute.userCodeTemporaryDisableTime,
        LockAttribute.requirePINForRemoteOperation, LockAttribute.expiringUserTimeout,
    ]
    package let initialAttributes: [UInt32: TLVValue] = [
        LockAttribute.lockState: .number(LockState.locked.rawValue), LockAttribute.lockType: .uint(0),
        LockAttribute.actuatorEnabled: .bool(true),
        LockAttribute.numberOfTotalUsers: .number(LockDatabase.capacity),
        LockAttribute.numberOfPINUsers: .number(LockDatabase.capacity),
        LockAttribute.numberOfWeekDaySchedules: .number(LockDatabase.schedulesPerUser),
        LockAttribute.numberOfYearDaySchedules: .number(LockDatabase.schedulesPerUser),
        LockAttribute.maximumPINLength: .uint(UInt64(LockDatabase.pinLengths.upperBound)),
        LockAttribute.minimumPINLength: .uint(UInt64(LockDatabase.pinLengths.lowerBound)),
        // Single.
        LockAttribute.credentialRules: .uint(1),
        LockAttribute.numberOfCredentialsPerUser: .uint(UInt64(LockDatabase.credentialsPerUser)),
        // Off.
        LockAttribute.autoRelockTime: .uint(0), LockAttribute.operatingMode: .uint(0),
        // Bits of modes that are not supported are set: Passage, and those that do not exist.
        LockAttribute.supportedOperatingModes: .uint(0xFFF0),
        LockAttribute.wrongCodeEntryLimit: .uint(3), LockAttribute.userCodeTemporaryDisableTime: .uint(10),
        LockAttribute.requirePINForRemoteOperation: .bool(false),
        // Minutes: two days.
        LockAttribute.expiringUserTimeout: .uint(2880),
    ]

    var database = LockDatabase()
    var wrongCodes: UInt8 = 0
    var lockedOutUntil: Instant?

    package init() {}

    package var savedState: TLVValue? { database.tlv }

    package mutating func restore(_ state: TLVValue) throws(TLVError) { database = try LockDatabase(tlv: state) }

    package mutating func start(_ context: ClusterContext) {
        // A timer that the end of the last run cut short starts anew.
        if context.number(LockAttribute.lockState) == LockState.unlocked.rawValue {
            scheduleRelock(after: nil, context)
        }
    }

    package mutating func write(
        _ attribute: UInt32, _ value: TLVValue, _ context: ClusterContext
    ) throws(ClusterFailure) {
        if attribute == LockAttribute.operatingMode {
            guard let mode = value.integer(as: UInt8.self), LockOperatingMode(rawValue: mode) != nil else {
                throw .constraintError
            }
        }
        context[attribute] = value
    }

    package mutating func invoke(
        _ command: CommandCall, _ context: ClusterContext
    ) throws(ClusterFailure) -> CommandAnswer {
        switch command.id {
        case LockCommand.lockDoor: try remote(.lock, pin: try command.optionalOctets(0), context)
        case LockCommand.unlockDoor: try remote(.unlock, pin: try command.optionalOctets(0), context)
        case LockCommand.unlockWithTimeout:
            let seconds: UInt16 = try command.unsigned(0)
            try remote(.unlock, pin: try command.optionalOctets(1), timeout: UInt32(seconds), context)
        case LockCommand.setUser: try setUser(command, context)
        case LockCommand.getUser: return try getUser(command)
        case LockCommand.clearUser: try clearUser(command, context)
        case LockCommand.setCredential: return try setCredential(command, context)
        case LockCommand.getCredentialStatus: return try getCredentialStatus(command)
        case LockCommand.clearCredential: try clearCredential(command, context)
        case LockCommand.setWeekDaySchedule: try setWeekDaySchedule(command, context)
        case LockCommand.getWeekDaySchedule: return try getWeekDaySchedule(command)
        case LockCommand.clearWeekDaySchedule: try clearWeekDaySchedule(command, context)
        case LockCommand.setYearDaySchedule: try setYearDaySchedule(command, context)
        case LockCommand.getYearDaySchedule: return try getYearDaySchedule(command)
        case LockCommand.clearYearDaySchedule: try clearYearDaySchedule(command, context)
        default: throw .unsupportedCommand
        }
        return .success
    }

    package mutating func timerFired(_ timer: String, _ context: ClusterContext) {
        actuate(LockOperation(.lock, from: .auto), timeout: nil, context)
    }

    package mutating func fabricRemoved(_ fabricIndex: UInt8, _ context: ClusterContext) {
        database.forgetFabric(fabricIndex)
        context.markUnsaved()
    }

    package mutating func input(_ words: [Substring], _ context: ClusterContext) -> Bool {
        switch (words.first, words.count) {
        case ("lock", 1): actuate(LockOperation(.lock, from: .manual), timeout: nil, context)
        case ("unlock", 1): actuate(LockOperation(.unlock, from: .manual), timeout: nil, context)
        case ("keypad", 2), ("keypad", 3):
            guard words.count == 2 || words[2] == "lock" || words[2] == "unlock" else { return false }
            keypad(words.last == "lock" ? .lock : .unlock, pin: Array(words[1].utf8), context)
        default: return false
        }
        return true
    }

    /// LockUserChange, by the caller of a command.
    func emitChange(
        _ type: LockDataType, _ operation: LockDataOperation, user: UInt16?, data: UInt16?, _ context: ClusterContext
    ) {
        context.markUnsaved()
        context.emit(
            event: LockEvent.lockUserChange,
            [
                TLVElement(0, .number(type.rawValue)), TLVElement(1, .number(operation.rawValue)),
                TLVElement(2, .number(LockOperationSource.remote.rawValue)), TLVElement(3, .nullable(user)),
                TLVElement(4, .nullable(context.caller.lockFabric)),
                TLVElement(5, .nullable(context.caller.nodeID?.rawValue)), TLVElement(6, .nullable(data)),
            ])
    }
}

extension Caller {
    /// The fabric to note, if there is one.
    var lockFabric: UInt8? { fabricIndex == 0 ? nil : fabricIndex }
}
