import MatterBase
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterSimulator

@Suite("Access control", .beside)
struct AccessControlTests {
    private typealias Entry = AccessControlEntry

    private static let onOff = OnOff.id

    /// The rights of a subject with one entry: read, operate, manage (Identify), administer (the list itself).
    private func rights(_ bench: NodeBench, _ caller: Caller) throws -> [Bool] {
        [
            try bench.read(1, Self.onOff, 0, by: caller).first?.value != nil,
            try bench.invoke(1, Self.onOff, 0, by: caller).status == .success,
            try bench.invoke(1, Identify.id, 0, [TLVElement(0, .uint(0))], by: caller).status == .success,
            try bench.read(0, AccessControl.id, 0, by: caller).first?.value != nil,
        ]
    }

    private func bench(_ entries: [AccessControlEntry]) throws -> (NodeBench, NodeBench.Controller, UInt8) {
        let bench = try NodeBench()
        let controller = try NodeBench.Controller()
        let admin = try bench.commission(controller)
        bench.node.fabrics[admin.fabricIndex]?.access = entries
        return (bench, controller, admin.fabricIndex)
    }

    @Test(
        "a privilege includes those below it",
        arguments: [
            (AccessControlEntry.Privilege.view, [true, false, false, false]),
            (.proxyView, [true, false, false, false]),
            (.operate, [true, true, false, false]), (.manage, [true, true, true, false]),
            (.administer, [true, true, true, true]),
        ])
    func privileges(privilege: AccessControlEntry.Privilege, expected: [Bool]) throws {
        let (bench, controller, index) = try bench([Entry(privilege, .case, subjects: [0x77])])
        #expect(try rights(bench, controller.caller(index, node: 0x77)) == expected)
        #expect(try rights(bench, controller.caller(index, node: 0x78)) == [false, false, false, false])
    }

    @Test("an entry without subjects means every node of its own fabric, and none of another")
    func anybody() throws {
        let (bench, controller, index) = try bench([Entry(.operate, .case)])
        #expect(try rights(bench, controller.caller(index, node: 0x99))[1])
        #expect(try !rights(bench, controller.caller(index + 1, node: 0x99))[1])
    }

    @Test("a tag lets in who carries it in this version or a later one")
    func tags() throws {
        let subject = NodeID.tagged(CASEAuthenticatedTag(identifier: 0xABCD, version: 2)).rawValue
        let (bench, controller, index) = try bench([Entry(.operate, .case, subjects: [subject])])
        for (version, isIn) in [(UInt16(1), false), (2, true), (3, true)] {
            let tag = CASEAuthenticatedTag(identifier: 0xABCD, version: version)
            #expect(try rights(bench, controller.caller(index, node: 5, tags: [tag]))[1] == isIn)
        }
        let other = CASEAuthenticatedTag(identifier: 0xABCE, version: 2)
        #expect(try !rights(bench, controller.caller(index, node: 5, tags: [other]))[1])
    }

    @Test(
        "a target limits an entry to what it names",
        arguments: [
            (AccessControlEntry.Target(cluster: 6), true), (.init(cluster: 8), false), (.init(endpoint: 1), true),
            (.init(endpoint: 0), false), (.init(deviceType: 0x0101), true), (.init(deviceType: 0x0100), false),
            (.init(cluster: 6, endpoint: 1), true), (.init(cluster: 6, endpoint: 2), false),
        ])
    func targets(target: AccessControlEntry.Target, isIn: Bool) throws {
        let (bench, controller, index) = try bench([Entry(.operate, .case, subjects: [7], targets: [target])])
        #expect(try rights(bench, controller.caller(index, node: 7))[1] == isIn)
    }

    @Test("an entry for groups is not for nodes")
    func groups() throws {
        let (bench, controller, index) = try bench([Entry(.operate, .group, subjects: [7])])
        #expect(try !rights(bench, controller.caller(index, node: 7))[1])
        let group = Caller(.group(7), fabricIndex: index)
        #expect(try bench.invoke(1, Self.onOff, 0, by: group).status == .success)
        #expect(
            try bench.invoke(1, Self.onOff, 0, by: Caller(.group(8), fabricIndex: index)).status == .unsupportedAccess)
    }

    @Test("the commissioner with the passcode may do everything")
    func passcode() throws {
        let bench = try NodeBench()
        #expect(try rights(bench, bench.pase) == [true, true, true, true])
    }

    @Test("a wildcard leaves out what one may not see")
    func wildcard() throws {
        let (bench, controller, index) = try bench([Entry(.view, .case, subjects: [7], targets: [.init(cluster: 6)])])
        let reports = try bench.read(nil, nil, nil, by: controller.caller(index, node: 7))
        #expect(!reports.isEmpty)
        #expect(reports.allSatisfy { $0.path.cluster == 6 && $0.refusal == nil })
    }

    // MARK: The list itself

    private func entry(
        _ privilege: UInt64 = 5, _ mode: UInt64 = 2, subjects: TLVValue = .array(of: [.uint(0x2000)]),
        targets: TLVValue = .null
    ) -> TLVValue {
        .structure([
            TLVElement(1, .uint(privilege)), TLVElement(2, .uint(mode)), TLVElement(3, subjects),
            TLVElement(4, targets),
        ])
    }

    private func target(_ cluster: TLVValue, _ endpoint: TLVValue, _ deviceType: TLVValue) -> TLVValue {
        .array(of: [
            .structure([TLVElement(0, cluster), TLVElement(1, endpoint), TLVElement(2, deviceType)])
        ])
    }

    @Test("entries that no list may hold are refused, and the old list stays")
    func invalidEntries() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        let old = bench.value(0, AccessControl.id, 0)
        let wrong: [(TLVValue, IMStatus)] = [
            (entry(5, 1), .constraintError), (entry(5, 3), .constraintError), (entry(9), .constraintError),
            (entry(3, 2, subjects: .array(of: [.uint(0)])), .constraintError),
            (entry(3, 2, subjects: .array(of: [.uint(0xFFFF_FFFD_ABCD_0000)])), .constraintError),
            (entry(3, 3, subjects: .array(of: [.uint(0)])), .constraintError),
            (entry(3, 2, subjects: .array(of: (1...5).map { .uint($0) })), .resourceExhausted),
            (entry(3, 2, targets: target(.null, .null, .null)), .constraintError),
            (entry(3, 2, targets: target(.null, .uint(1), .uint(0x100))), .constraintError),
            (entry(3, 2, targets: target(.uint(0xFFFF_FFFF), .null, .null)), .constraintError),
        ]
        for (value, status) in wrong {
            let written = try bench.write(0, AccessControl.id, 0, .array(of: [value]), by: admin)
            #expect(written.status == status, "\(value)")
        }
        let many = Array(repeating: entry(), count: 5)
        #expect(
            try bench.write(0, AccessControl.id, 0, .array(of: many), by: admin).status == .resourceExhausted)
        #expect(bench.value(0, AccessControl.id, 0) == old)
    }

    @Test("each change of an entry is an event of its fabric")
    func events() throws {
        let bench = try NodeBench()
        let admin = try bench.commission(try NodeBench.Controller())
        let before = bench.node.events.nextNumber
        let list = TLVValue.array(of: [entry(), entry(3, 2, subjects: .array(of: [.uint(8)]))])
        #expect(try bench.write(0, AccessControl.id, 0, list, by: admin).isSuccess)
        #expect(try bench.write(0, AccessControl.id, 0, .array(of: [entry()]), by: admin).isSuccess)
        let changes = bench.node.events.records.filter { $0.number >= before && $0.path.cluster == 0x1F }
        #expect(changes.map { $0.data.field(3)?.integer(as: Int.self) } == [1, 2])
        #expect(changes.allSatisfy { $0.fabricIndex == admin.fabricIndex })
        let stranger = Caller(.case(NodeID(9), tags: []), fabricIndex: admin.fabricIndex + 1)
        #expect(bench.node.readEvents([EventPath(cluster: 0x1F)], from: 0, caller: stranger).isEmpty)
    }
}
