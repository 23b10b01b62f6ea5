import MatterBase
import MatterState
import TestSupport
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

@Suite("Changes of access control lists")
struct AccessListEditTests {
    private typealias Entry = AccessControlEntry
    private typealias Target = AccessControlEntry.Target
    private typealias Privilege = AccessControlEntry.Privilege

    private static let node = NodeRecord(nodeID: NodeID(5), name: "lamp")
    private static let ours = Entry(Privilege.administer, subjects: [AccessScene.ownID])
    private static let light = Target(cluster: OnOff.id, endpoint: 1)
    private static let level = Target(cluster: LevelControl.id, endpoint: 1)

    private func edited(
        _ entries: [Entry], _ change: AccessListEdit.Change, _ limits: AccessListEdit.Limits = .init()
    ) throws -> [Entry] {
        try AccessListEdit(change, own: AccessScene.own(), of: Self.node).applied(to: entries, within: limits)
    }

    private func code(_ body: () throws -> [Entry]) -> ControllerError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? ControllerError)?.code
        }
    }

    private func operate(_ subjects: [UInt64], _ targets: [Target] = []) -> Entry {
        Entry(Privilege.operate, subjects: subjects.map { NodeID($0) }, targets: targets)
    }

    // MARK: Single changes

    @Test("a grant joins an entry that says the same of other subjects, or of other targets, and is given once")
    func grants() throws {
        var list = try edited([Self.ours], .grant([operate([7], [Self.light])]))
        #expect(list == [Self.ours, operate([7], [Self.light])])
        list = try edited(list, .grant([operate([8], [Self.light])]))
        #expect(list == [Self.ours, operate([7, 8], [Self.light])])
        list = try edited(list, .grant([operate([9], [Self.light, Self.level])]))
        list = try edited(list, .grant([operate([9], [Target(endpoint: 3)])]))
        #expect(list.count == 3 && list.last == operate([9], [Self.light, Self.level, Target(endpoint: 3)]))
        for given in [operate([7, 9], [Self.light]), operate([9], [Target(cluster: OnOff.id, endpoint: 3)])] {
            #expect(try edited(list, .grant([given])) == list)
        }
        let view = Entry(Privilege.view, subjects: [NodeID(7)], targets: [Self.light])
        #expect(try edited(list, .grant([view])) == list, "to operate is more than to view")
        #expect(try edited(list, .grant([Entry(Privilege.manage, subjects: [NodeID(7)])])).count == 4)
    }

    @Test("a grant that has no room in one entry takes several, and one that has none at all is refused")
    func room() throws {
        let list = try edited([Self.ours], .grant([operate([1, 2, 3, 4, 5, 6])]))
        #expect(list == [Self.ours, operate([1, 2, 3, 4]), operate([5, 6])])
        #expect(code { try edited(list, .grant([operate(Array(10...18))])) } == .accessListFull)
        #expect(code { try edited(list, .replace([Self.ours, operate(Array(1...5))])) } == .accessListFull)
        var limits = AccessListEdit.Limits()
        limits.subjects = 10
        #expect(try edited([Self.ours], .grant([operate(Array(1...9))]), limits).count == 2)
    }

    @Test("taking away divides an entry that says more, and never leaves one without subjects or targets")
    func withdrawals() throws {
        let list = [Self.ours, operate([7, 8], [Self.light, Self.level])]
        #expect(
            try edited(list, .withdraw([operate([7], [Self.light])])) == [
                Self.ours, operate([8], [Self.light, Self.level]), operate([7], [Self.level]),
            ])
        #expect(try edited(list, .withdraw([operate([7, 8], [Self.light, Self.level])])) == [Self.ours])
        for absent in [operate([9], [Self.light]), operate([7]), operate([7], [Target(endpoint: 1)])] {
            #expect(try edited(list, .withdraw([absent])) == list)
        }
        #expect(try edited(list, .revoke([AccessSubject(id: NodeID(7))])).last?.subjects == [NodeID(8)])
        #expect(
            try edited(list, .revoke([AccessSubject(id: NodeID(7)), AccessSubject(id: NodeID(8))])) == [Self.ours])
        #expect(code { try edited(list, .revoke([AccessSubject(id: NodeID(9))])) } == .unknownAccessEntry)
        #expect(try edited(list, .remove([2])) == [Self.ours])
        for place in [0, 3, -1] { #expect(code { try edited(list, .remove([place])) } == .unknownAccessEntry) }
        #expect(code { try edited([], .remove([1])) } == .unknownAccessEntry)
    }

    @Test("what would lock us out is refused, also if others could still administer")
    func lockout() throws {
        let other = Entry(Privilege.administer, subjects: [NodeID(9)])
        let list = [Self.ours, other]
        for change: AccessListEdit.Change in [
            .remove([1]), .revoke([AccessSubject(id: AccessScene.ownID)]), .replace([]), .replace([other]),
            .withdraw([Self.ours]),
        ] {
            #expect(code { try edited(list, change) } == .lockout, "\(change)")
        }
        let tagged = Entry(Privilege.administer, subjects: [AccessScene.tag.subject])
        #expect(try edited(list, .replace([other, tagged])) == [tagged, other], "our entry is written first")
    }

    @Test("an entry that no node may accept is refused; one that is there already is left alone")
    func rules() throws {
        let group = AccessControlEntry.AuthMode.group
        for entry in [
            Entry(Privilege.administer, authMode: group, subjects: [NodeID(2)]),
            Entry(.init(rawValue: 9), subjects: [NodeID(2)]),
            Entry(Privilege.view, authMode: .pase, subjects: []),
            Entry(Privilege.view, authMode: group, subjects: [NodeID(0)]),
            Entry(Privilege.view, authMode: group, subjects: [NodeID(0x1_0000)]), operate([0]),
            operate([CASEAuthenticatedTag(0x1234_0000).subject.rawValue]), operate([NodeID.group(2).rawValue]),
            operate([2], [Target()]), operate([2], [Target(endpoint: 1, deviceType: 0x0100)]),
            operate([2], [Target(endpoint: 0xFFFF)]),
        ] {
            #expect(code { try edited([Self.ours], .replace([Self.ours, entry])) } == .invalidAccessEntry, "\(entry)")
            #expect(
                try edited([Self.ours, entry], .grant([Entry(Privilege.manage, subjects: [NodeID(78)])])).count == 3)
        }
        #expect(
            try edited([Self.ours], .grant([Entry(Privilege.manage, authMode: group, subjects: [NodeID(2)])])).count
                == 2)
    }

    @Test("fields of later versions are written back as they were read")
    func futureFields() throws {
        let value: TLVValue = .structure([
            TLVElement(1, .uint(3)), TLVElement(2, .uint(2)), TLVElement(3, .array(of: [.uint(7)])),
            TLVElement(4, .null), TLVElement(5, .uint(1)), TLVElement(254, .uint(2)),
        ])
        let entry = try Entry(value)
        #expect(
            entry.tlv == .structure([1, 2, 3, 4, 5].compactMap { tag in value.field(tag).map { TLVElement(tag, $0) } }))
        let changed = try edited([Self.ours, entry], .grant([operate([8])]))
        #expect(changed.count == 3 && changed[1].tlv == entry.tlv, "an entry that says more is not joined")
    }

    // MARK: Random changes

    @Test("a number counts in a list that was shown before the command, or before its process if a change showed it")
    func shown() {
        let list = [Self.ours, operate([7])]
        let command = CommandStart(made: 100, taken: 200)
        func isMeant(_ time: UInt64, isResult: Bool, _ shown: [Entry]) -> Bool {
            SeenList(list, time: 0).isMeant(
                after: SeenList(shown, time: time, isResult: isResult), by: command)
        }
        #expect(isMeant(199, isResult: false, list) && !isMeant(200, isResult: false, list))
        #expect(isMeant(99, isResult: true, list) && !isMeant(100, isResult: true, list))
        #expect(!isMeant(1, isResult: false, [Self.ours]) && !isMeant(1, isResult: true, [Self.ours]))
        #expect(SeenList(list, time: 0).isMeant(after: nil, by: CommandStart(made: 0, taken: 0)))
    }

    @Test("random changes of random lists: what is accepted lets us administer, in any part, and gives what was asked")
    func random() throws {
        var scene = AccessScene(seed: 4_711)
        var (accepted, refused) = (0, [ControllerError.Code: Int]())
        for _ in 0..<3000 {
            var list = scene.list()
            for _ in 0..<4 {
                let change = scene.change(of: list)
                do throws(ControllerError) {
                    let result = try AccessListEdit(change, own: try AccessScene.sharedOwn(), of: Self.node).applied(
                        to: list, within: scene.limits)
                    accepted += 1
                    try expect(result, of: list, change, scene.limits)
                    list = result
                } catch {
                    refused[error.code, default: 0] += 1
                }
            }
        }
        #expect(accepted > 3000, "\(accepted)")
        for code in [ControllerError.Code.lockout, .invalidAccessEntry, .accessListFull, .unknownAccessEntry] {
            #expect(refused[code, default: 0] > 50, "\(refused)")
        }
    }

    private func expect(
        _ result: [Entry], of list: [Entry], _ change: AccessListEdit.Change, _ limits: AccessListEdit.Limits
    ) throws(ControllerError) {
        // Equal lists are not written.
        if !result.means(list) {
            for count in 1...max(result.count, 1) {
                #expect(AccessScene.admits(Array(result.prefix(count))), "\(change) of \(list): \(result)")
            }
            let new = result.filter { !list.contains($0) }
            #expect(new.allSatisfy { $0.fault == nil && $0.subjects.count <= limits.subjects }, "\(result)")
            #expect(
                result.count <= max(limits.entries, list.count) && new.allSatisfy { $0.targets.count <= limits.targets }
            )
        }
        let (before, after) = (AccessScene.rights(list), AccessScene.rights(result))
        switch change {
        case .grant(let grants):
            let asked = AccessScene.rights(grants)
            #expect(after.isSuperset(of: before) && after.isSubset(of: before.union(asked)), "\(change) of \(list)")
            #expect(
                asked.allSatisfy { right in after.contains { AccessScene.gives($0, right) } },
                "\(change) of \(list): \(result)")
        case .withdraw(let grants):
            // An entry for everyone, or without targets, is no sum of single rights.
            let asked = AccessScene.rights(grants)
            #expect(after == before.subtracting(asked.filter { $0.subject != nil }), "\(change) of \(list): \(result)")
        case .revoke(let subjects):
            #expect(after.isSubset(of: before))
            #expect(
                !after.contains { right in
                    subjects.contains { $0.authMode == right.mode && $0.id == right.subject }
                })
            #expect(
                before.subtracting(after).allSatisfy { right in
                    subjects.contains { $0.authMode == right.mode && $0.id == right.subject }
                })
        case .remove(let places):
            #expect(result.count == list.count - Set(places).count && after.isSubset(of: before))
        case .replace(let new):
            #expect(result.means(new))
        }
    }
}
