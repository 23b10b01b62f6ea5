import MatterBase
import MatterModel

/// The commands about users, codes and schedules of a lock (Matter application cluster specification 5.2.10).
enum LockRequest {
    private typealias Command = DoorLock.Command

    /// Stands for all schedules of a user.
    private static let allSchedules: UInt8 = 0xFE

    static func user(_ index: UInt16) -> DeviceRequest.Action { .command(Command.getUser, [index.tlv]) }

    static func credential(_ index: UInt16) -> DeviceRequest.Action {
        .command(Command.getCredentialStatus, [pin(index)])
    }

    /// - Parameter user: who gets the code; `nil` for a new user, whom the lock numbers.
    static func add(_ code: String, at index: UInt16, to user: UInt16?) -> DeviceRequest.Action {
        .command(
            Command.setCredential,
            [
                DoorLock.DataOperationType.add.tlv, pin(index), .octets(Array(code.utf8)), user?.tlv ?? .null, .null,
                .null,
            ])
    }

    /// Changes what is given of a user.
    static func modify(
        _ user: UInt16, name: String? = nil, type: DoorLock.UserType? = nil
    ) -> DeviceRequest.Action {
        .command(
            Command.setUser,
            [
                DoorLock.DataOperationType.modify.tlv, user.tlv, name.map { .string($0) } ?? .null, .null, .null,
                type?.tlv ?? .null, .null,
            ])
    }

    static func clear(user: UInt16) -> DeviceRequest.Action { .command(Command.clearUser, [user.tlv]) }

    static func clear(credential index: UInt16) -> DeviceRequest.Action {
        .command(Command.clearCredential, [pin(index)])
    }

    static func schedule(_ kind: LockSchedule.Kind, _ index: UInt8, of user: UInt16) -> DeviceRequest.Action {
        .command(
            kind == .weekDays ? Command.getWeekDaySchedule : Command.getYearDaySchedule, [index.tlv, user.tlv])
    }

    static func set(_ schedule: LockSchedule, _ index: UInt8, of user: UInt16) -> DeviceRequest.Action {
        switch schedule {
        case .weekDays(let days, let from, let until):
            .command(
                Command.setWeekDaySchedule,
                [index.tlv, user.tlv, days.tlv] + [from.hour, from.minute, until.hour, until.minute].map(\.tlv))
        case .dates(let from, let until):
            .command(Command.setYearDaySchedule, [index.tlv, user.tlv, from.tlv, until.tlv])
        }
    }

    /// - Parameter index: `nil` for all of the kind.
    static func clear(
        _ kind: LockSchedule.Kind, _ index: UInt8? = nil, of user: UInt16
    ) -> DeviceRequest.Action {
        .command(
            kind == .weekDays ? Command.clearWeekDaySchedule : Command.clearYearDaySchedule,
            [(index ?? allSchedules).tlv, user.tlv])
    }

    /// A CredentialStruct of a PIN code.
    private static func pin(_ index: UInt16) -> TLVValue {
        .structure([TLVElement(0, DoorLock.CredentialType.pin.tlv), TLVElement(1, index.tlv)])
    }
}
