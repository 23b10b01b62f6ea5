/// The numbers of the Door Lock cluster (Matter application cluster specification 5.2.6 and 5.2.7).
enum LockAttribute {
    static let lockState: UInt32 = 0x00
    static let lockType: UInt32 = 0x01
    static let actuatorEnabled: UInt32 = 0x02
    static let numberOfTotalUsers: UInt32 = 0x11
    static let numberOfPINUsers: UInt32 = 0x12
    static let numberOfWeekDaySchedules: UInt32 = 0x14
    static let numberOfYearDaySchedules: UInt32 = 0x15
    static let maximumPINLength: UInt32 = 0x17
    static let minimumPINLength: UInt32 = 0x18
    static let credentialRules: UInt32 = 0x1B
    static let numberOfCredentialsPerUser: UInt32 = 0x1C
    static let autoRelockTime: UInt32 = 0x23
    static let operatingMode: UInt32 = 0x25
    static let supportedOperatingModes: UInt32 = 0x26
    static let wrongCodeEntryLimit: UInt32 = 0x30
    static let userCodeTemporaryDisableTime: UInt32 = 0x31
    static let requirePINForRemoteOperation: UInt32 = 0x33
    static let expiringUserTimeout: UInt32 = 0x35
}

enum LockCommand {
    static let lockDoor: UInt32 = 0x00
    static let unlockDoor: UInt32 = 0x01
    static let unlockWithTimeout: UInt32 = 0x03
    static let setWeekDaySchedule: UInt32 = 0x0B
    static let getWeekDaySchedule: UInt32 = 0x0C
    static let clearWeekDaySchedule: UInt32 = 0x0D
    static let setYearDaySchedule: UInt32 = 0x0E
    static let getYearDaySchedule: UInt32 = 0x0F
    static let clearYearDaySchedule: UInt32 = 0x10
    static let setUser: UInt32 = 0x1A
    static let getUser: UInt32 = 0x1B
    static let clearUser: UInt32 = 0x1D
    static let setCredential: UInt32 = 0x22
    static let getCredentialStatus: UInt32 = 0x24
    static let clearCredential: UInt32 = 0x26

    static let all: [UInt32] = [
        lockDoor, unlockDoor, unlockWithTimeout, setWeekDaySchedule, getWeekDaySchedule, clearWeekDaySchedule,
        setYearDaySchedule, getYearDaySchedule, clearYearDaySchedule, setUser, getUser, clearUser, setCredential,
        getCredentialStatus, clearCredential,
    ]
}

enum LockResponse {
    static let getWeekDaySchedule: UInt32 = 0x0C
    static let getYearDaySchedule: UInt32 = 0x0F
    static let getUser: UInt32 = 0x1C
    static let setCredential: UInt32 = 0x23
    static let getCredentialStatus: UInt32 = 0x25
}

enum LockEvent {
    static let doorLockAlarm: UInt32 = 0
    static let lockOperation: UInt32 = 2
    static let lockOperationError: UInt32 = 3
    static let lockUserChange: UInt32 = 4
}

enum LockState: UInt8 {
    case locked = 1
    case unlocked = 2
}

enum LockOperatingMode: UInt8 {
    case normal = 0
    case vacation = 1
    case privacy = 2
    case noRemoteLockUnlock = 3
}

enum LockStatus: UInt8 {
    case success = 0
    case failure = 1
    case duplicate = 2
    case occupied = 3
    case invalidField = 0x85
    case resourceExhausted = 0x89
    case notFound = 0x8B
}

enum LockOperationType: UInt8 {
    case lock = 0
    case unlock = 1
    case nonAccessUserEvent = 2
    case forcedUserEvent = 3
}

enum LockOperationSource: UInt8 {
    case manual = 1
    case keypad = 3
    case auto = 4
    case remote = 7
}

enum LockOperationError: UInt8 {
    case unspecified = 0
    case invalidCredential = 1
    case disabledUserDenied = 2
    case restricted = 3
}

enum LockAlarm: UInt8 {
    case wrongCodeEntryLimit = 4
    case forcedUser = 8
}

enum LockDataType: UInt8 {
    case userIndex = 2
    case weekDaySchedule = 3
    case yearDaySchedule = 4
    case pin = 6
}

enum LockDataOperation: UInt8 {
    case add = 0
    case clear = 1
    case modify = 2
}

enum LockUserStatus: UInt8 {
    case occupiedEnabled = 1
    case occupiedDisabled = 3
}

enum LockUserType: UInt8 {
    case unrestricted = 0
    case yearDaySchedule = 1
    case weekDaySchedule = 2
    case programming = 3
    case nonAccess = 4
    case forced = 5
    case disposable = 6
    case expiring = 7
    case scheduleRestricted = 8
    case remoteOnly = 9
}
