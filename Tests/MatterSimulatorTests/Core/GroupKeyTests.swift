import MatterBase
import MatterCrypto
import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("Group keys and groups", .beside)
struct GroupKeyTests {
    private static let cluster = GroupKeyManagement.id

    private func bench() throws -> (NodeBench, Caller) {
        let bench = try NodeBench()
        return (bench, try bench.commission(try NodeBench.Controller()))
    }

    /// Sixteen octets of a number.
    private static func key(_ number: UInt8, count: Int = 16) -> TLVValue {
        .octets([UInt8](repeating: number, count: count))
    }

    /// A GroupKeySetStruct; what is not given is null.
    private static func set(_ id: UInt64, policy: UInt64 = 0, _ slots: [UInt8: TLVValue]) -> TLVElement {
        var members = [TLVElement(0, .uint(id)), TLVElement(1, .uint(policy))]
        for tag: UInt8 in 2...7 { members.append(TLVElement(tag, slots[tag] ?? .null)) }
        return TLVElement(0, .structure(members))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var slots: [UInt8: TLVValue]
        var policy: UInt64 = 0
        var status: IMStatus
        var testDescription: String { "policy \(policy), \(slots.sorted { $0.key < $1.key }): \(status)" }
    }

    static let writes: [Case] = [
        Case(slots: [2: key(1), 3: .uint(1)], status: .success),
        Case(slots: [2: key(1), 3: .uint(1), 4: key(2), 5: .uint(2), 6: key(3), 7: .uint(3)], status: .success),
        Case(slots: [:], status: .invalidCommand), Case(slots: [2: key(1)], status: .invalidCommand),
        Case(slots: [3: .uint(1)], status: .invalidCommand),
        Case(slots: [2: key(1), 3: .uint(0)], status: .invalidCommand),
        Case(slots: [2: key(1, count: 15), 3: .uint(1)], status: .constraintError),
        Case(slots: [2: key(1), 3: .uint(1), 4: key(2, count: 17), 5: .uint(2)], status: .constraintError),
        Case(slots: [2: key(1), 3: .uint(1), 4: key(2)], status: .invalidCommand),
        Case(slots: [2: key(1), 3: .uint(1), 5: .uint(2)], status: .invalidCommand),
        Case(slots: [2: key(1), 3: .uint(2), 4: key(2), 5: .uint(2)], status: .invalidCommand),
        Case(slots: [2: key(1), 3: .uint(1), 6: key(3), 7: .uint(3)], status: .invalidCommand),
        Case(
            slots: [2: key(1), 3: .uint(1), 4: key(2), 5: .uint(3), 6: key(3), 7: .uint(2)], status: .invalidCommand),
        Case(slots: [2: key(1), 3: .uint(1)], policy: 1, status: .invalidCommand),
        Case(slots: [2: key(1), 3: .uint(1)], policy: 7, status: .constraintError),
    ]

    @Test("KeySetWrite says what is wrong with a set", arguments: writes)
    func write(_ write: Case) throws {
        let (bench, admin) = try bench()
        let status = try bench.invoke(
            0, Self.cluster, 0, [Self.set(7, policy: write.policy, write.slots)], by: admin
        ).status
        #expect(status == write.status)
        #expect(bench.node.fabrics[1]?.keySets.count == (write.status == .success ? 2 : 1))
    }

    @Test("sets are read without their keys, listed and removed; set 0 stays; there is room for three more")
    func sets() throws {
        let (bench, admin) = try bench()
        let slots: [UInt8: TLVValue] = [2: Self.key(1), 3: .uint(5), 4: Self.key(2), 5: .uint(6)]
        for id: UInt64 in 1...3 {
            #expect(try bench.invoke(0, Self.cluster, 0, [Self.set(id, slots)], by: admin).status == .success)
        }
        #expect(try bench.invoke(0, Self.cluster, 0, [Self.set(4, slots)], by: admin).status == .resourceExhausted)
        #expect(try bench.invoke(0, Self.cluster, 0, [Self.set(3, slots)], by: admin).status == .success, "replaced")
        let all = try bench.invoke(0, Self.cluster, 4, by: admin).response(5)?.field(0)
        #expect(all == .array(of: (UInt64(0)...3).map { .uint($0) }))
        let read = try bench.invoke(0, Self.cluster, 1, [TLVElement(0, .uint(2))], by: admin).response(2)?.field(0)
        #expect(
            read
                == .structure([
                    TLVElement(0, .uint(2)), TLVElement(1, .uint(0)), TLVElement(2, .null), TLVElement(3, .uint(5)),
                    TLVElement(4, .null), TLVElement(5, .uint(6)), TLVElement(6, .null), TLVElement(7, .null),
                ]))
        #expect(try bench.invoke(0, Self.cluster, 1, [TLVElement(0, .uint(9))], by: admin).status == .notFound)
        let map = TLVValue.structure([TLVElement(1, .uint(0x101)), TLVElement(2, .uint(2))])
        #expect(try bench.write(0, Self.cluster, 0, .array(of: [map]), by: admin).isSuccess)
        #expect(try bench.invoke(0, Self.cluster, 3, [TLVElement(0, .uint(2))], by: admin).status == .success)
        #expect(bench.value(0, Self.cluster, 0) == .array([]), "what used the set is gone with it")
        #expect(try bench.invoke(0, Self.cluster, 3, [TLVElement(0, .uint(2))], by: admin).status == .notFound)
        #expect(try bench.invoke(0, Self.cluster, 3, [TLVElement(0, .uint(0))], by: admin).status == .invalidCommand)
        try bench.restart()
        #expect(bench.node.fabrics[1]?.keySets.map(\.id) == [0, 1, 3])
    }

    @Test("only an administrator writes keys, and a peer without a fabric has none")
    func access() throws {
        let (bench, _) = try bench()
        let stranger = Caller(.case(NodeID(5), tags: []), fabricIndex: 1)
        #expect(try bench.invoke(0, Self.cluster, 4, by: stranger).status == .unsupportedAccess)
        let fresh = try NodeBench()
        #expect(try fresh.invoke(0, Self.cluster, 4, by: fresh.pase).status == .unsupportedAccess)
    }

    @Test("GroupKeyMap holds each group once, and neither group 0 nor key set 0")
    func map() throws {
        let (bench, admin) = try bench()
        func entry(_ group: UInt64, _ set: UInt64) -> TLVValue {
            .structure([TLVElement(1, .uint(group)), TLVElement(2, .uint(set))])
        }
        func write(_ entries: [TLVValue]) throws -> IMStatus {
            try bench.write(0, Self.cluster, 0, .array(of: entries), by: admin).status
        }
        #expect(try write([entry(0x101, 9)]) == .success, "the set may come later")
        #expect(try write([entry(0x101, 1), entry(0x101, 2)]) == .constraintError)
        #expect(try write([entry(0, 1)]) == .constraintError)
        #expect(try write([entry(0x101, 0)]) == .constraintError)
        #expect(try write((1...13).map { entry($0, 1) }) == .resourceExhausted)
        #expect(bench.value(0, Self.cluster, 0)?.items?.count == 1)
    }

    @Test("a group needs its key; members are listed, found, renamed and removed")
    func groups() throws {
        let (bench, admin) = try bench()
        func add(_ group: UInt64, _ name: String = "g") throws -> IMStatus? {
            try status(0, 0, [TLVElement(0, .uint(group)), TLVElement(1, .string(name))])
        }
        func status(_ command: CommandID, _ response: CommandID, _ fields: [TLVElement]) throws -> IMStatus? {
            try bench.invoke(1, Groups.id, command, fields, by: admin).response(response)?
                .field(0)?.integer(as: UInt8.self).flatMap(IMStatus.init(rawValue:))
        }
        #expect(try add(0x101) == .unsupportedAccess)
        let slots: [UInt8: TLVValue] = [2: Self.key(1), 3: .uint(1)]
        _ = try bench.invoke(0, Self.cluster, 0, [Self.set(7, slots)], by: admin)
        let entries = (UInt64(0x101)...0x103).map { group in
            TLVValue.structure([TLVElement(1, .uint(group)), TLVElement(2, .uint(7))])
        }
        #expect(try bench.write(0, Self.cluster, 0, .array(of: entries), by: admin).isSuccess)
        #expect(try add(0x101, "one") == .success)
        #expect(try add(0x102) == .success)
        #expect(try add(0x101, "first") == .success)
        #expect(try add(0) == .constraintError)
        #expect(try add(0x103, String(repeating: "x", count: 17)) == .constraintError)
        let view = try bench.invoke(1, Groups.id, 1, [TLVElement(0, .uint(0x101))], by: admin).response(1)
        #expect(view?.field(2) == .string("first"))
        #expect(try status(1, 1, [TLVElement(0, .uint(0x103))]) == .notFound)
        let some = try bench.invoke(
            1, Groups.id, 2, [TLVElement(0, .array(of: [.uint(0x102), .uint(0x103)]))], by: admin)
        #expect(some.response(2)?.field(1) == .array(of: [.uint(0x102)]))
        #expect(bench.value(0, Self.cluster, 1)?.items?.count == 2)
        #expect(try status(3, 3, [TLVElement(0, .uint(0x102))]) == .success)
        #expect(try status(3, 3, [TLVElement(0, .uint(0x102))]) == .notFound)
        #expect(try bench.invoke(1, Groups.id, 4, by: admin).status == .success)
        #expect(bench.value(0, Self.cluster, 1) == .array([]))
        // Only while it identifies itself.
        let fields = [TLVElement(0, .uint(0x103)), TLVElement(1, .string("x"))]
        #expect(try bench.invoke(1, Groups.id, 5, fields, by: admin).status == .success)
        #expect(bench.value(0, Self.cluster, 1) == .array([]))
        _ = try bench.invoke(1, Identify.id, 0, [TLVElement(0, .uint(10))], by: admin)
        #expect(try bench.invoke(1, Groups.id, 5, fields, by: admin).status == .success)
        #expect(bench.value(0, Self.cluster, 1)?.items?.count == 1)
    }

    @Test("another identity protection key takes the place of the first one, over a restart too")
    func identityProtection() throws {
        let (bench, admin) = try bench()
        let before = try #require(bench.node.fabrics[1])
        let slots: [UInt8: TLVValue] = [2: Self.key(1), 3: .uint(1), 4: Self.key(2), 5: .uint(2)]
        #expect(try bench.invoke(0, Self.cluster, 0, [Self.set(0, slots)], by: admin).status == .success)
        let expected = try [UInt8(1), 2].map { number in
            try before.operational.fabric.operationalIPK(
                epochKey: SecretBytes([UInt8](repeating: number, count: 16)))
        }
        #expect(bench.node.fabrics[1]?.credentials.identityProtectionKeys == expected)
        try bench.restart()
        #expect(bench.node.fabrics[1]?.credentials.identityProtectionKeys == expected)
        #expect(bench.node.fabrics[1]?.operational.nodeID == before.operational.nodeID)
    }
}
