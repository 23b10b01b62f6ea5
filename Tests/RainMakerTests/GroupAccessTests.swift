import MatterBase
import MatterController
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import RainMaker

@Suite(.timed) struct GroupAccessTests {
    private static let admin = CASEAuthenticatedTag(0x01A2_0001)
    private static let operate = CASEAuthenticatedTag(0x06D9_0001)

    private func entry(
        _ privilege: UInt8, _ subjects: [UInt64], targets: [AccessControlEntry.Target] = []
    ) -> AccessControlEntry {
        AccessControlEntry(.init(rawValue: privilege), subjects: subjects.map { NodeID($0) }, targets: targets)
    }

    private func own(_ cats: [CASEAuthenticatedTag], node: UInt64 = 77) throws -> NodeIdentity {
        NodeIdentity(
            nodeID: NodeID(node), fabricID: FabricID(1), cats: cats, publicKey: try P256PrivateKey.generate().publicKey)
    }

    private func applied(
        _ entries: [AccessControlEntry], admin: CASEAuthenticatedTag = admin, operate: CASEAuthenticatedTag = operate,
        own cats: [CASEAuthenticatedTag]? = nil
    ) throws -> [AccessControlEntry] {
        try GroupAccess(admin: admin, operate: operate).applied(to: entries, own: own(cats ?? [admin]))
    }

    @Test("the subjects are those of the reference")
    func subjects() {
        #expect(Self.operate.subject.rawValue == 18_446_744_060_939_534_337)
        #expect(Self.admin.subject.rawValue == 18_446_744_060_852_043_777)
    }

    @Test("the operate entry is added once, and everything else stays")
    func adds() throws {
        let before = [entry(5, [Self.admin.subject.rawValue]), entry(3, [9])]
        let after = try applied(before)
        #expect(after.count == 3)
        #expect(Array(after.prefix(2)) == before)
        #expect(after[2] == entry(3, [Self.operate.subject.rawValue]))
        #expect(try applied(after) == after)
    }

    @Test("older versions of a tag are replaced, and doubled entries become one")
    func replaces() throws {
        let old = Self.operate.subject.rawValue
        let newOperate = CASEAuthenticatedTag(0x06D9_0002)
        let newAdmin = CASEAuthenticatedTag(0x01A2_0003)
        let before = [entry(5, [Self.admin.subject.rawValue, 5]), entry(3, [old]), entry(3, [old])]
        let after = try applied(before, admin: newAdmin, operate: newOperate)
        #expect(after == [entry(5, [newAdmin.subject.rawValue, 5]), entry(3, [newOperate.subject.rawValue])])
    }

    @Test("a list that would lock us out is refused")
    func lockOut() throws {
        let newAdmin = CASEAuthenticatedTag(0x01A2_0002)
        #expect(throws: RainMakerError.self) {
            try applied([entry(5, [Self.admin.subject.rawValue])], admin: newAdmin, own: [Self.admin])
        }
        #expect(throws: RainMakerError.self) { try applied([entry(3, [77])]) }
        #expect(throws: RainMakerError.self) {
            try applied([entry(5, [Self.admin.subject.rawValue], targets: [.init(endpoint: 1)])])
        }
        // By our node id alone.
        #expect(try applied([entry(5, [77])], own: []).count == 2)
    }
}
