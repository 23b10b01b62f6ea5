import MatterModel

/// A time of the week in which a user may unlock; minutes of the day, the last one included.
struct LockWeekDaySchedule: Equatable, Sendable {
    /// Bit 0 is Sunday.
    var days: UInt8
    var startHour: UInt8
    var startMinute: UInt8
    var endHour: UInt8
    var endMinute: UInt8

    /// - Parameter time: local seconds since 2000-01-01, which was a Saturday.
    func contains(_ time: UInt32) -> Bool {
        let weekday = (time / 86_400 + 6) % 7
        let minute = time % 86_400 / 60
        let range = (start, end)
        return days >> weekday & 1 == 1 && minute >= range.0 && minute <= range.1
    }

    var start: UInt32 { UInt32(startHour) * 60 + UInt32(startMinute) }
    var end: UInt32 { UInt32(endHour) * 60 + UInt32(endMinute) }
}

/// A span of local time, in seconds since 2000-01-01.
struct LockYearDaySchedule: Equatable, Sendable {
    var start: UInt32
    var end: UInt32

    func contains(_ time: UInt32) -> Bool { time >= start && time < end }
}

struct LockUser: Equatable, Sendable {
    var name = ""
    var uniqueID: UInt32?
    var status = DoorLock.UserStatus.occupiedEnabled
    var type = DoorLock.UserType.unrestrictedUser
    var rule: UInt8 = 0
    /// Indices of PIN credentials, in the order of their addition.
    var credentials: [UInt16] = []
    /// `nil` once the fabric is gone.
    var creator: UInt8?
    var modifier: UInt8?
    var weekDaySchedules: [UInt8: LockWeekDaySchedule] = [:]
    var yearDaySchedules: [UInt8: LockYearDaySchedule] = [:]
    /// When an expiring user's time began, in local seconds since 2000-01-01.
    var firstUsed: UInt32?
}

struct LockCredential: Equatable, Sendable {
    var pin: [UInt8]
    var creator: UInt8?
    var modifier: UInt8?
}

/// The users of a lock with their PIN codes and schedules. Indices count from 1.
struct LockDatabase: Equatable, Sendable {
    static let capacity: UInt16 = 10
    static let credentialsPerUser = 5
    static let schedulesPerUser: UInt8 = 10
    static let pinLengths: ClosedRange<Int> = 4...8
    /// Stands for all users or all credentials.
    static let allIndex: UInt16 = 0xFFFE
    /// Stands for all schedules of a user.
    static let allSchedules: UInt8 = 0xFE

    var users: [UInt16: LockUser] = [:]
    var credentials: [UInt16: LockCredential] = [:]

    static func isIndex(_ index: UInt16) -> Bool { (1...capacity).contains(index) }
    static func isScheduleIndex(_ index: UInt8) -> Bool { (1...schedulesPerUser).contains(index) }

    var firstFreeUser: UInt16? { (1...Self.capacity).first { users[$0] == nil } }

    func nextUser(after index: UInt16) -> UInt16? { users.keys.filter { $0 > index }.min() }
    func nextCredential(after index: UInt16) -> UInt16? { credentials.keys.filter { $0 > index }.min() }

    func nextFreeCredential(after index: UInt16) -> UInt16? {
        guard index < Self.capacity else { return nil }
        return (index + 1...Self.capacity).first { credentials[$0] == nil }
    }

    func owner(of credential: UInt16) -> UInt16? {
        users.first { $0.value.credentials.contains(credential) }?.key
    }

    /// The credential with a code.
    func credential(with pin: [UInt8]) -> UInt16? { credentials.first { $0.value.pin == pin }?.key }

    /// Removes a user with credentials and schedules.
    mutating func removeUser(_ index: UInt16) {
        for credential in users[index]?.credentials ?? [] { credentials[credential] = nil }
        users[index] = nil
    }

    /// Removes a credential, and its user if that was the last one.
    ///
    /// - Returns: the user, if it is gone too.
    mutating func removeCredential(_ index: UInt16) -> UInt16? {
        credentials[index] = nil
        guard let owner = owner(of: index) else { return nil }
        users[owner]?.credentials.removeAll { $0 == index }
        guard users[owner]?.credentials.isEmpty ?? false else { return nil }
        users[owner] = nil
        return owner
    }

    mutating func forgetFabric(_ fabric: UInt8) {
        for index in users.keys {
            if users[index]?.creator == fabric { users[index]?.creator = nil }
            if users[index]?.modifier == fabric { users[index]?.modifier = nil }
        }
        for index in credentials.keys {
            if credentials[index]?.creator == fabric { credentials[index]?.creator = nil }
            if credentials[index]?.modifier == fabric { credentials[index]?.modifier = nil }
        }
    }
}
