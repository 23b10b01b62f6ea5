import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

extension ClusterBench {
    static let lock = DoorLock.id

    /// LockState: 1 locked, 2 unlocked.
    var lockState: Int? { number(Self.lock, 0) }

    func pin(_ digits: String) -> TLVValue { .octets(Array(digits.utf8)) }

    /// A user with a code; both at an index.
    func addUser(_ index: UInt64, pin digits: String, type: UInt64? = nil) throws {
        let user: [UInt8: TLVValue] = [
            0: .uint(0), 1: .uint(index), 2: .string("User \(index)"), 3: .null, 4: .null,
            5: type.map { .uint($0) } ?? .null, 6: .null,
        ]
        guard try status(Self.lock, 0x1A, user).isSuccess, try setPIN(0, index, digits, user: index) == [0, nil] else {
            throw ClusterFailure.failure
        }
    }

    /// SetCredential.
    ///
    /// - Returns: status and the created user.
    func setPIN(_ operation: UInt64, _ index: UInt64, _ digits: String, user: UInt64?) throws -> [Int?] {
        let fields = try response(
            Self.lock, 0x22,
            [
                0: .uint(operation), 1: Self.structure([0: .uint(1), 1: .uint(index)]), 2: pin(digits),
                3: user.map { .uint($0) } ?? .null, 4: .null, 5: .null,
            ])
        return [fields.field(0)?.integer(), fields.field(1)?.integer()]
    }

    func unlock(_ digits: String? = nil) throws -> IMStatus {
        try status(Self.lock, 1, digits.map { [0: pin($0)] } ?? [:]).status
    }

    func lockDoor(_ digits: String? = nil) throws -> IMStatus {
        try status(Self.lock, 0, digits.map { [0: pin($0)] } ?? [:]).status
    }
}

@Suite("Door Lock: locking and unlocking", .beside)
struct DoorLockOperationTests {
    typealias Event = ClusterBench.Event
    static let lock = DoorLock.id
    static let me = TLVValue.uint(ClusterBench.administrator)
    static let firstPIN = TLVValue.array(of: [ClusterBench.structure([0: .uint(1), 1: .uint(1)])])

    /// LockOperation.
    static func operation(
        _ type: UInt64, _ source: UInt64, user: UInt64? = nil, remote: Bool = true, pin: Bool = false
    ) -> Event {
        Event(
            2,
            [
                0: .uint(type), 1: .uint(source), 2: user.map { .uint($0) } ?? .null, 3: remote ? .uint(1) : .null,
                4: remote ? me : .null, 5: pin ? firstPIN : .null,
            ])
    }

    /// LockOperationError.
    static func error(_ type: UInt64, _ source: UInt64, _ error: UInt64, user: UInt64? = nil) -> Event {
        let isRemote = source == 7
        return Event(
            3,
            [
                0: .uint(type), 1: .uint(source), 2: .uint(error), 3: user.map { .uint($0) } ?? .null,
                4: isRemote ? .uint(1) : .null, 5: isRemote ? me : .null, 6: user == nil ? .null : firstPIN,
            ])
    }

    @Test("locking and unlocking need a timed interaction")
    func timed() throws {
        let bench = try ClusterBench("door-lock")
        for command: CommandID in [0, 1] {
            #expect(try bench.status(Self.lock, command, timed: false).status == .needsTimedInteraction)
        }
        #expect(try bench.status(Self.lock, 3, [0: .uint(5)], timed: false).status == .needsTimedInteraction)
        #expect(bench.lockState == 1)
    }

    @Test("unlocking and locking over the air, with events that say who")
    func remote() throws {
        let bench = try ClusterBench("door-lock")
        #expect(try bench.unlock() == .success)
        #expect(bench.lockState == 2)
        #expect(try bench.lockDoor() == .success)
        #expect(bench.lockState == 1)
        #expect(bench.events(Self.lock) == [Self.operation(1, 7), Self.operation(0, 7)])
    }

    @Test("the right code names its user; a wrong one is refused")
    func codes() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        _ = bench.events(Self.lock)
        #expect(try bench.unlock("9999") == .failure)
        #expect(bench.lockState == 1)
        #expect(try bench.unlock("1234") == .success)
        #expect(bench.events(Self.lock) == [Self.error(1, 7, 1), Self.operation(1, 7, user: 1, pin: true)])
    }

    @Test("RequirePINforRemoteOperation makes the code mandatory")
    func required() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        #expect(bench.write(Self.lock, 0x33, .bool(true)).isSuccess)
        #expect(try bench.unlock() == .failure)
        #expect(try bench.unlock("1234") == .success)
        #expect(try bench.lockDoor() == .failure)
        #expect(bench.lockState == 2)
    }

    @Test("three wrong codes lock everyone out for UserCodeTemporaryDisableTime")
    func lockout() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        _ = bench.events(Self.lock)
        for _ in 0..<3 { #expect(try bench.unlock("0000") == .failure) }
        #expect(
            bench.events(Self.lock) == [
                Self.error(1, 7, 1), Self.error(1, 7, 1), Self.error(1, 7, 1), Event(0, [0: .uint(4)]),
            ])
        bench.wait(.seconds(9))
        #expect(try bench.unlock("1234") == .failure)
        #expect(try bench.unlock() == .failure)
        #expect(bench.lockState == 1)
        #expect(bench.events(Self.lock) == [Self.error(1, 7, 0), Self.error(1, 7, 0)])
        bench.wait(.seconds(1))
        #expect(try bench.unlock("1234") == .success)
    }

    @Test("a right code forgives the wrong ones before it")
    func forgiven() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        for _ in 0..<3 {
            #expect(try bench.unlock("0000") == .failure)
            #expect(try bench.unlock("0000") == .failure)
            #expect(try bench.unlock("1234") == .success)
        }
    }

    @Test("WrongCodeEntryLimit can be written, not to 0")
    func limit() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        #expect(bench.write(Self.lock, 0x30, .uint(0)).status == .constraintError)
        #expect(bench.write(Self.lock, 0x30, .uint(1)).isSuccess)
        #expect(bench.write(Self.lock, 0x31, .uint(60)).isSuccess)
        #expect(try bench.unlock("0000") == .failure)
        bench.wait(.seconds(59))
        #expect(try bench.unlock("1234") == .failure)
        bench.wait(.seconds(1))
        #expect(try bench.unlock("1234") == .success)
    }

    @Test("AutoRelockTime locks again; locking by hand ends it")
    func relock() throws {
        let bench = try ClusterBench("door-lock")
        #expect(bench.write(Self.lock, 0x23, .uint(30)).isSuccess)
        #expect(try bench.unlock() == .success)
        bench.wait(.seconds(29))
        #expect(bench.lockState == 2)
        bench.wait(.seconds(1))
        #expect(bench.lockState == 1)
        #expect(bench.events(Self.lock) == [Self.operation(1, 7), Self.operation(0, 4, remote: false)])
        #expect(try bench.unlock() == .success)
        #expect(try bench.lockDoor() == .success)
        bench.wait(.seconds(60))
        #expect(bench.events(Self.lock).count == 2)
    }

    @Test("UnlockWithTimeout locks again after its own time")
    func unlockWithTimeout() throws {
        let bench = try ClusterBench("door-lock")
        #expect(bench.write(Self.lock, 0x23, .uint(30)).isSuccess)
        #expect(try bench.status(Self.lock, 3, [0: .uint(5)]).isSuccess)
        bench.wait(.seconds(4))
        #expect(bench.lockState == 2)
        bench.wait(.seconds(1))
        #expect(bench.lockState == 1)
    }

    @Test(
        "OperatingMode decides who may unlock",
        arguments: [
            // Normal, Vacation, Privacy, NoRemoteLockUnlock: remote and keypad.
            (0, IMStatus.success, true), (1, .success, false), (2, .failure, false), (3, .failure, true),
        ] as [(UInt64, IMStatus, Bool)])
    func modes(_ mode: UInt64, _ remote: IMStatus, _ keypad: Bool) throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        #expect(bench.write(Self.lock, 0x25, .uint(mode)).isSuccess)
        _ = bench.events(Self.lock)
        #expect(try bench.unlock() == remote)
        #expect(bench.lockState == (remote == .success ? 2 : 1))
        if remote != .success { #expect(bench.events(Self.lock) == [Self.error(1, 7, 3)]) }
        #expect(bench.type("1 door-lock lock"))
        #expect(bench.type("1 door-lock keypad 1234"))
        #expect(bench.lockState == (keypad ? 2 : 1))
    }

    @Test("a mode that the lock lacks is refused")
    func passage() throws {
        let bench = try ClusterBench("door-lock")
        #expect(bench.write(Self.lock, 0x25, .uint(4)).status == .constraintError)
    }

    @Test("knob and keypad have events without a fabric")
    func atTheDoor() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        _ = bench.events(Self.lock)
        #expect(bench.type("1 door-lock unlock"))
        #expect(bench.type("1 door-lock keypad 1234 lock"))
        #expect(bench.type("1 door-lock keypad 4321"))
        #expect(
            bench.events(Self.lock) == [
                Self.operation(1, 1, remote: false), Self.operation(0, 3, user: 1, remote: false, pin: true),
                Self.error(1, 3, 1),
            ])
        #expect(!bench.type("1 door-lock kick"))
    }

    @Test("the bolt stays where it was over a restart, and relocks")
    func restart() throws {
        let bench = try ClusterBench("door-lock")
        #expect(bench.write(Self.lock, 0x23, .uint(30)).isSuccess)
        #expect(try bench.unlock() == .success)
        let after = try bench.restarted()
        #expect(after.lockState == 2)
        after.wait(.seconds(30))
        #expect(after.lockState == 1)
    }
}

@Suite("Door Lock: who may when", .beside)
struct DoorLockAuthorizationTests {
    static let lock = DoorLock.id

    @Test("a disabled user is refused")
    func disabled() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        let modify: [UInt8: TLVValue] = [
            0: .uint(2), 1: .uint(1), 2: .null, 3: .null, 4: .uint(3), 5: .null, 6: .null,
        ]
        #expect(try bench.status(Self.lock, 0x1A, modify).isSuccess)
        _ = bench.events(Self.lock)
        #expect(try bench.unlock("1234") == .failure)
        #expect(bench.events(Self.lock) == [DoorLockOperationTests.error(1, 7, 2, user: 1)])
    }

    /// The bench begins on a Monday at ten o'clock.
    @Test(
        "a week-day user comes in on the days and at the times of the schedule",
        arguments: [
            // Days, start, end, hours to wait, result.
            (0b0000010, 9, 11, 0, IMStatus.success), (0b0000010, 11, 12, 0, .failure),
            (0b0000010, 11, 12, 1, .success), (0b0000100, 9, 11, 0, .failure), (0b0000100, 9, 11, 24, .success),
            (0b0111110, 9, 17, 72, .success), (0b0111110, 9, 17, 120, .failure), (0b1000001, 9, 17, 144, .success),
        ] as [(UInt64, UInt64, UInt64, Int, IMStatus)])
    func weekDays(_ days: UInt64, _ start: UInt64, _ end: UInt64, _ hours: Int, _ result: IMStatus) throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234", type: 2)
        let schedule: [UInt8: TLVValue] = [
            0: .uint(1), 1: .uint(1), 2: .uint(days), 3: .uint(start), 4: .uint(0), 5: .uint(end), 6: .uint(0),
        ]
        #expect(try bench.status(Self.lock, 0x0B, schedule).isSuccess)
        bench.wait(.seconds(3600 * hours))
        #expect(try bench.unlock("1234") == result)
    }

    @Test("a user with schedules and none set never comes in")
    func noSchedule() throws {
        for type: UInt64 in [1, 2, 8] {
            let bench = try ClusterBench("door-lock")
            try bench.addUser(1, pin: "1234", type: type)
            _ = bench.events(Self.lock)
            #expect(try bench.unlock("1234") == .failure)
            #expect(bench.events(Self.lock) == [DoorLockOperationTests.error(1, 7, 3, user: 1)])
        }
    }

    @Test("a year-day user comes in between start and end")
    func yearDays() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234", type: 1)
        let now = UInt64(ClusterBench.Fixture.now)
        let schedule: [UInt8: TLVValue] = [
            0: .uint(1), 1: .uint(1), 2: .uint(now + 100), 3: .uint(now + 200),
        ]
        #expect(try bench.status(Self.lock, 0x0E, schedule).isSuccess)
        #expect(try bench.unlock("1234") == .failure)
        bench.wait(.seconds(100))
        #expect(try bench.unlock("1234") == .success)
        bench.wait(.seconds(100))
        #expect(try bench.unlock("1234") == .failure)
    }

    @Test(
        "types of users",
        arguments: [
            // Type, status of the first and second unlocking, bolt after the first.
            (0, IMStatus.success, IMStatus.success, 2), (4, .failure, .failure, 1), (5, .success, .success, 2),
            (6, .success, .failure, 2), (7, .success, .success, 2), (9, .success, .success, 2),
        ] as [(UInt64, IMStatus, IMStatus, Int)])
    func types(_ type: UInt64, _ first: IMStatus, _ second: IMStatus, _ state: Int) throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234", type: type)
        #expect(try bench.unlock("1234") == first)
        #expect(bench.lockState == state)
        #expect(try bench.unlock("1234") == second)
    }

    @Test("an expiring user has ExpiringUserTimeout minutes from the first use on")
    func expiring() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234", type: 7)
        #expect(bench.write(Self.lock, 0x35, .uint(10)).isSuccess)
        bench.wait(.seconds(7200))
        #expect(try bench.unlock("1234") == .success)
        bench.wait(.seconds(599))
        #expect(try bench.unlock("1234") == .success)
        bench.wait(.seconds(1))
        #expect(try bench.unlock("1234") == .failure)
        #expect(try bench.restarted().unlock("1234") == .success)
    }

    @Test("a user for remote access only is refused at the keypad")
    func remoteOnly() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234", type: 9)
        #expect(bench.type("1 door-lock keypad 1234"))
        #expect(bench.lockState == 1)
        #expect(try bench.unlock("1234") == .success)
    }
}
