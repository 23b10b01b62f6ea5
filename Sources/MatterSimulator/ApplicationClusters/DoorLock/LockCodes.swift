import MatterDataModel

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
