import MatterBase
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterSimulator

@Suite("Door Lock: users, codes and schedules", .beside)
struct DoorLockUserTests {
    typealias Event = ClusterBench.Event
    static let lock = DoorLock.id

    static func user(
        _ operation: UInt64, _ index: UInt64, name: String? = nil, uniqueID: UInt64? = nil, status: UInt64? = nil,
        type: UInt64? = nil, rule: UInt64? = nil
    ) -> [UInt8: TLVValue] {
        func nullable(_ number: UInt64?) -> TLVValue { number.map { .uint($0) } ?? .null }
        return [
            0: .uint(operation), 1: .uint(index), 2: name.map { .string($0) } ?? .null, 3: nullable(uniqueID),
            4: nullable(status), 5: nullable(type), 6: nullable(rule),
        ]
    }

    static func change(_ type: UInt64, _ operation: UInt64, user: UInt64, data: UInt64) -> Event {
        Event(
            4,
            [
                0: .uint(type), 1: .uint(operation), 2: .uint(7), 3: .uint(user), 4: .uint(1),
                5: .uint(ClusterBench.administrator), 6: .uint(data),
            ])
    }

    static func credential(_ type: UInt64, _ index: UInt64) -> TLVValue {
        ClusterBench.structure([0: .uint(type), 1: .uint(index)])
    }

    @Test(
        "SetUser refuses what it should",
        arguments: [
            (user(0, 0), IMStatus.invalidCommand), (user(0, 11), .invalidCommand), (user(1, 1), .invalidCommand),
            (user(2, 2), .invalidCommand), (user(0, 1, name: "elevenchars"), .invalidCommand),
            (user(0, 1, status: 0), .invalidCommand), (user(0, 1, status: 2), .invalidCommand),
            (user(0, 1, type: 10), .invalidCommand), (user(0, 1, rule: 1), .invalidCommand),
        ])
    func refuses(_ fields: [UInt8: TLVValue], _ status: IMStatus) throws {
        let bench = try ClusterBench("door-lock")
        #expect(try bench.status(Self.lock, 0x1A, fields).status == status)
        #expect(try bench.status(Self.lock, 0x1A, Self.user(0, 1), timed: false).status == .needsTimedInteraction)
        #expect(bench.events(Self.lock).isEmpty)
    }

    @Test("a user is added, changed, read and cleared")
    func life() throws {
        let bench = try ClusterBench("door-lock")
        let add = Self.user(0, 3, name: "Ada", uniqueID: 77)
        #expect(try bench.status(Self.lock, 0x1A, add).isSuccess)
        // OCCUPIED.
        #expect(try bench.status(Self.lock, 0x1A, add) == StatusIB(.failure, clusterStatus: 3))
        #expect(try bench.status(Self.lock, 0x1A, Self.user(2, 3, name: "Bob", status: 3)).isSuccess)
        let answer = try bench.response(Self.lock, 0x1B, [0: .uint(3)])
        #expect(
            answer
                == ClusterBench.structure([
                    0: .uint(3), 1: .string("Bob"), 2: .uint(77), 3: .uint(3), 4: .uint(0), 5: .uint(0), 6: .array([]),
                    7: .uint(1), 8: .uint(1), 9: .null,
                ]))
        #expect(try bench.status(Self.lock, 0x1D, [0: .uint(3)]).isSuccess)
        let empty = try bench.response(Self.lock, 0x1B, [0: .uint(3)])
        #expect(empty.field(0) == .uint(3))
        for tag: UInt8 in 1...9 { #expect(empty.field(tag) == .null) }
        #expect(
            bench.events(Self.lock) == [
                Self.change(2, 0, user: 3, data: 3), Self.change(2, 2, user: 3, data: 3),
                Self.change(2, 1, user: 3, data: 3),
            ])
    }

    @Test("GetUser names the next user, and refuses indices out of range", arguments: [0, 11] as [UInt64])
    func next(_ outside: UInt64) throws {
        let bench = try ClusterBench("door-lock")
        for index: UInt64 in [2, 7] { #expect(try bench.status(Self.lock, 0x1A, Self.user(0, index)).isSuccess) }
        #expect(try bench.response(Self.lock, 0x1B, [0: .uint(1)]).field(9) == .uint(2))
        #expect(try bench.response(Self.lock, 0x1B, [0: .uint(2)]).field(9) == .uint(7))
        #expect(try bench.response(Self.lock, 0x1B, [0: .uint(7)]).field(9) == .null)
        #expect(try bench.status(Self.lock, 0x1B, [0: .uint(outside)]).status == .invalidCommand)
        #expect(try bench.status(Self.lock, 0x1D, [0: .uint(outside)]).status == .invalidCommand)
    }

    @Test("what another fabric named stays as it is")
    func otherFabric() throws {
        let bench = try ClusterBench("door-lock")
        #expect(try bench.status(Self.lock, 0x1A, Self.user(0, 1, name: "Ada")).isSuccess)
        bench.caller = Caller(.pase, fabricIndex: 2)
        #expect(try bench.status(Self.lock, 0x1A, Self.user(2, 1, name: "Eve")).status == .invalidCommand)
        #expect(try bench.status(Self.lock, 0x1A, Self.user(2, 1, uniqueID: 1)).status == .invalidCommand)
        #expect(try bench.status(Self.lock, 0x1A, Self.user(2, 1, status: 3)).isSuccess)
        let answer = try bench.response(Self.lock, 0x1B, [0: .uint(1)])
        #expect(answer.field(7) == .uint(1))
        #expect(answer.field(8) == .uint(2))
    }

    @Test("SetCredential without a user makes one")
    func createsUser() throws {
        let bench = try ClusterBench("door-lock")
        #expect(try bench.setPIN(0, 2, "123456", user: nil) == [0, 1])
        let user = try bench.response(Self.lock, 0x1B, [0: .uint(1)])
        #expect(user.field(6) == .array(of: [Self.credential(1, 2)]))
        #expect(
            bench.events(Self.lock) == [
                Self.change(2, 0, user: 1, data: 1), Self.change(6, 0, user: 1, data: 2),
            ])
        #expect(try bench.unlock("123456") == .success)
    }

    struct Set: Sendable {
        var operation: UInt64 = 0
        var index: UInt64 = 2
        var pin = "5678"
        var user: UInt64?
        var status: Int
    }

    @Test(
        "SetCredential answers with its own statuses",
        arguments: [
            Set(index: 0, status: 0x85), Set(index: 11, status: 0x85), Set(pin: "123", status: 0x85),
            Set(pin: "123456789", status: 0x85), Set(pin: "12a4", status: 0x85), Set(pin: "1234", status: 2),
            Set(index: 1, status: 3), Set(user: 9, status: 0x85), Set(user: 1, status: 0),
            Set(operation: 1, index: 1, status: 0x85), Set(operation: 2, index: 2, user: 1, status: 0x85),
            Set(operation: 2, index: 1, status: 0x85), Set(operation: 2, index: 1, user: 2, status: 0x85),
            Set(operation: 2, index: 1, user: 1, status: 0),
        ])
    func set(_ set: Set) throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        let answer = try bench.setPIN(set.operation, set.index, set.pin, user: set.user)
        #expect(answer[0] == set.status)
    }

    @Test("a changed code replaces the old one")
    func modifies() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        _ = bench.events(Self.lock)
        #expect(try bench.setPIN(2, 1, "8765", user: 1) == [0, nil])
        #expect(bench.events(Self.lock) == [Self.change(6, 2, user: 1, data: 1)])
        #expect(try bench.unlock("1234") == .failure)
        #expect(try bench.unlock("8765") == .success)
    }

    @Test("a user has room for five codes, the lock for ten users")
    func full() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1001")
        for index: UInt64 in 2...5 { #expect(try bench.setPIN(0, index, "100\(index)", user: 1)[0] == 0) }
        #expect(try bench.setPIN(0, 6, "1006", user: 1)[0] == 0x89)
        for index: UInt64 in 2...10 { #expect(try bench.status(Self.lock, 0x1A, Self.user(0, index)).isSuccess) }
        #expect(try bench.setPIN(0, 6, "1006", user: nil) == [0x89, nil])
        let response = try bench.response(
            Self.lock, 0x22,
            [
                0: .uint(0), 1: Self.credential(1, 5), 2: bench.pin("9999"), 3: .uint(2), 4: .null, 5: .null,
            ])
        // OCCUPIED; the next free slot is 6.
        #expect(response == ClusterBench.structure([0: .uint(3), 1: .null, 2: .uint(6)]))
    }

    @Test("kinds of credentials that the lock lacks", arguments: [0, 2, 5] as [UInt64])
    func otherKinds(_ type: UInt64) throws {
        let bench = try ClusterBench("door-lock")
        let fields: [UInt8: TLVValue] = [
            0: .uint(0), 1: Self.credential(type, 1), 2: bench.pin("1234"), 3: .null, 4: .null, 5: .null,
        ]
        #expect(try bench.status(Self.lock, 0x22, fields).status == .unsupportedCommand)
        #expect(try bench.status(Self.lock, 0x24, [0: Self.credential(type, 1)]).status == .unsupportedCommand)
        #expect(try bench.status(Self.lock, 0x26, [0: Self.credential(type, 1)]).status == .invalidCommand)
    }

    @Test("GetCredentialStatus tells whose a code is, never the code")
    func credentialStatus() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(2, pin: "1234")
        try bench.addUser(4, pin: "5678")
        #expect(
            try bench.response(Self.lock, 0x24, [0: Self.credential(1, 2)])
                == ClusterBench.structure([0: .bool(true), 1: .uint(2), 2: .uint(1), 3: .uint(1), 4: .uint(4)]))
        #expect(
            try bench.response(Self.lock, 0x24, [0: Self.credential(1, 3)])
                == ClusterBench.structure([0: .bool(false), 1: .null, 2: .null, 3: .null, 4: .uint(4)]))
    }

    @Test("the last code takes its user with it")
    func clearsCredential() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        #expect(try bench.setPIN(0, 2, "5678", user: 1)[0] == 0)
        _ = bench.events(Self.lock)
        #expect(try bench.status(Self.lock, 0x26, [0: Self.credential(1, 1)]).isSuccess)
        #expect(try bench.response(Self.lock, 0x1B, [0: .uint(1)]).field(3) == .uint(1))
        #expect(try bench.status(Self.lock, 0x26, [0: Self.credential(1, 2)]).isSuccess)
        #expect(try bench.response(Self.lock, 0x1B, [0: .uint(1)]).field(3) == .null)
        #expect(
            bench.events(Self.lock) == [
                Self.change(6, 1, user: 1, data: 1), Self.change(6, 1, user: 1, data: 2),
                Self.change(2, 1, user: 1, data: 1),
            ])
        #expect(try bench.status(Self.lock, 0x26, [0: Self.credential(1, 2)]).isSuccess)
        #expect(try bench.status(Self.lock, 0x26, [0: Self.credential(1, 11)]).status == .invalidCommand)
    }

    @Test("everything can be cleared at once", arguments: [false, true])
    func clearsAll(_ users: Bool) throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        try bench.addUser(2, pin: "5678")
        _ = bench.events(Self.lock)
        #expect(try bench.status(Self.lock, users ? 0x1D : 0x26, [0: users ? .uint(0xFFFE) : .null]).isSuccess)
        #expect(bench.events(Self.lock).first == Self.change(users ? 2 : 6, 1, user: 0xFFFE, data: 0xFFFE))
        #expect(try bench.unlock("1234") == .failure)
        #expect(try bench.response(Self.lock, 0x1B, [0: .uint(1)]).field(9) == .null)
    }

    @Test("the creator is forgotten with its fabric")
    func fabricRemoved() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        bench.node.turn(at: bench.moment) {
            _ = bench.node.call(1, Self.lock, .device) { $0.fabricRemoved(1, $1) }
        }
        bench.caller = Caller(.pase, fabricIndex: 2)
        let user = try bench.response(Self.lock, 0x1B, [0: .uint(1)])
        #expect(user.field(1) == .string("User 1"))
        #expect(user.field(7) == .null)
        #expect(user.field(8) == .null)
    }

    // MARK: Schedules

    static func weekDay(
        _ index: UInt64 = 1, user: UInt64 = 1, days: UInt64 = 2, times: [UInt64] = [9, 0, 17, 30]
    ) -> [UInt8: TLVValue] {
        [
            0: .uint(index), 1: .uint(user), 2: .uint(days), 3: .uint(times[0]), 4: .uint(times[1]), 5: .uint(times[2]),
            6: .uint(times[3]),
        ]
    }

    @Test(
        "schedules that make no sense are refused",
        arguments: [
            (weekDay(0), IMStatus.invalidCommand), (weekDay(11), .invalidCommand), (weekDay(user: 0), .invalidCommand),
            (weekDay(user: 2), .failure), (weekDay(days: 0), .invalidCommand), (weekDay(days: 0x80), .invalidCommand),
            (weekDay(times: [17, 0, 9, 0]), .invalidCommand), (weekDay(times: [9, 0, 9, 0]), .invalidCommand),
            (weekDay(times: [9, 60, 10, 0]), .invalidCommand), (weekDay(times: [9, 0, 24, 0]), .invalidCommand),
        ])
    func weekDayRefused(_ fields: [UInt8: TLVValue], _ status: IMStatus) throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        #expect(try bench.status(Self.lock, 0x0B, fields, timed: false).status == status)
    }

    @Test("a week-day schedule is set, read, replaced and cleared")
    func weekDayLife() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        _ = bench.events(Self.lock)
        let place: [UInt8: TLVValue] = [0: .uint(1), 1: .uint(1)]
        func read() throws -> TLVValue { try bench.response(Self.lock, 0x0C, place) }
        let absent = ClusterBench.structure([0: .uint(1), 1: .uint(1), 2: .uint(0x8B)])
        #expect(try read() == absent)
        #expect(try bench.status(Self.lock, 0x0B, Self.weekDay(), timed: false).isSuccess)
        #expect(
            try read()
                == ClusterBench.structure([
                    0: .uint(1), 1: .uint(1), 2: .uint(0), 3: .uint(2), 4: .uint(9), 5: .uint(0), 6: .uint(17),
                    7: .uint(30),
                ]))
        #expect(try bench.status(Self.lock, 0x0B, Self.weekDay(days: 0x7F)).isSuccess)
        #expect(try read().field(3) == .uint(0x7F))
        #expect(try bench.status(Self.lock, 0x0D, place).isSuccess)
        #expect(try read() == absent)
        #expect(
            bench.events(Self.lock) == [
                Self.change(3, 0, user: 1, data: 1), Self.change(3, 2, user: 1, data: 1),
                Self.change(3, 1, user: 1, data: 1),
            ])
    }

    @Test("reading says what is wrong with an index", arguments: [0x0C, 0x0F] as [CommandID])
    func readStatus(_ command: CommandID) throws {
        let bench = try ClusterBench("door-lock")
        func status(_ index: UInt64, _ user: UInt64) throws -> TLVValue? {
            try bench.response(Self.lock, command, [0: .uint(index), 1: .uint(user)]).field(2)
        }
        #expect(try status(0, 1) == .uint(0x85))
        #expect(try status(11, 1) == .uint(0x85))
        #expect(try status(1, 11) == .uint(0x85))
        #expect(try status(1, 1) == .uint(0x8B))
    }

    @Test("a year-day schedule is set, read and cleared with all others")
    func yearDayLife() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234")
        let place: [UInt8: TLVValue] = [0: .uint(2), 1: .uint(1)]
        func set(_ start: UInt64, _ end: UInt64) throws -> IMStatus {
            try bench.status(Self.lock, 0x0E, [0: .uint(2), 1: .uint(1), 2: .uint(start), 3: .uint(end)]).status
        }
        #expect(try set(200, 100) == .invalidCommand)
        #expect(try set(100, 100) == .invalidCommand)
        #expect(try set(100, 200) == .success)
        #expect(
            try bench.response(Self.lock, 0x0F, place)
                == ClusterBench.structure([0: .uint(2), 1: .uint(1), 2: .uint(0), 3: .uint(100), 4: .uint(200)]))
        #expect(try bench.status(Self.lock, 0x10, [0: .uint(0xFE), 1: .uint(1)]).isSuccess)
        #expect(try bench.response(Self.lock, 0x0F, place).field(2) == .uint(0x8B))
        #expect(try bench.status(Self.lock, 0x10, [0: .uint(11), 1: .uint(1)]).status == .invalidCommand)
        #expect(try bench.status(Self.lock, 0x10, [0: .uint(1), 1: .uint(2)]).status == .failure)
    }

    @Test("users, codes and schedules survive a restart; a cleared user's are gone")
    func restart() throws {
        let bench = try ClusterBench("door-lock")
        try bench.addUser(1, pin: "1234", type: 8)
        try bench.addUser(2, pin: "5678")
        #expect(try bench.status(Self.lock, 0x0B, Self.weekDay()).isSuccess)
        #expect(try bench.status(Self.lock, 0x1D, [0: .uint(2)]).isSuccess)
        let after = try bench.restarted()
        #expect(
            try after.response(Self.lock, 0x1B, [0: .uint(1)]) == bench.response(Self.lock, 0x1B, [0: .uint(1)]))
        #expect(try after.response(Self.lock, 0x0C, [0: .uint(1), 1: .uint(1)]).field(6) == .uint(17))
        #expect(try after.unlock("1234") == .success)
        #expect(try after.unlock("5678") == .failure)
    }
}
