import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("The users of a lock as they are saved", .beside)
struct LockDatabaseTests {
    static var sample: LockDatabase {
        var database = LockDatabase()
        var user = LockUser()
        user.name = "Ada"
        user.uniqueID = 77
        user.status = .occupiedDisabled
        user.type = .scheduleRestrictedUser
        user.credentials = [3, 4]
        user.creator = 1
        user.modifier = 2
        user.weekDaySchedules = [
            1: LockWeekDaySchedule(days: 0x3E, startHour: 9, startMinute: 5, endHour: 17, endMinute: 30)
        ]
        user.yearDaySchedules = [2: LockYearDaySchedule(start: 100, end: 200)]
        user.firstUsed = 1000
        database.users[2] = user
        database.users[7] = LockUser()
        database.credentials[3] = LockCredential(pin: Array("1234".utf8), creator: 1, modifier: nil)
        database.credentials[4] = LockCredential(pin: Array("5678".utf8), creator: nil, modifier: 2)
        return database
    }

    @Test("everything comes back")
    func roundTrip() throws {
        #expect(try LockDatabase(tlv: Self.sample.tlv) == Self.sample)
        #expect(try LockDatabase(tlv: LockDatabase().tlv) == LockDatabase())
    }

    @Test("codes without a user and indices out of range are left out")
    func cleaned() throws {
        var database = Self.sample
        database.credentials[5] = LockCredential(pin: Array("9999".utf8))
        database.users[11] = LockUser()
        database.users[7]?.credentials = [9]
        #expect(try LockDatabase(tlv: database.tlv) == Self.sample)
    }

    @Test(
        "a schedule holds from its first to its last minute, on its days",
        arguments: [
            // 2000-01-01 was a Saturday.
            (9 * 3600 + 5 * 60 - 1, UInt8(0x40), false), (9 * 3600 + 5 * 60, 0x40, true),
            (17 * 3600 + 30 * 60 + 59, 0x40, true), (17 * 3600 + 31 * 60, 0x40, false), (10 * 3600, 0x01, false),
            (86_400 + 10 * 3600, 0x01, true), (2 * 86_400 + 10 * 3600, 0x02, true),
        ] as [(UInt32, UInt8, Bool)])
    func contains(_ time: UInt32, _ days: UInt8, _ isInside: Bool) {
        let schedule = LockWeekDaySchedule(days: days, startHour: 9, startMinute: 5, endHour: 17, endMinute: 30)
        #expect(schedule.contains(time) == isInside)
    }

    @Test("a damaged record is refused or read, and never more")
    func mutated() throws {
        let valid = TLVElement(.anonymous, Self.sample.tlv).encoded()
        var mutator = Mutator(seed: 11, corpus: [valid])
        var refused = 0
        for _ in 0..<Effort.inputs(20_000) {
            do {
                let database = try LockDatabase(tlv: try TLVElement(decoding: mutator.next()).value)
                #expect(database.users.keys.allSatisfy(LockDatabase.isIndex))
                #expect(try LockDatabase(tlv: database.tlv) == database)
            } catch {
                refused += 1
            }
        }
        #expect(refused > Effort.inputs(10_000))
    }
}
