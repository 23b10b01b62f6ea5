import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterState

/// The members of a fabric as a value, and the changes of access control lists for them.
@Suite("Members") struct MemberTests {
    private static let old = CASEAuthenticatedTag(identifier: 0x1234, version: 4)
    private static let new = CASEAuthenticatedTag(identifier: 0x1234, version: 5)
    private static let foreign = CASEAuthenticatedTag(identifier: 0x4321, version: 2)
    private static let own = NodeID(1)
    private static let eve = NodeID(66)
    private static let ours = AccessControlEntry(.administer, subjects: [own])

    private static func member(_ name: String, _ id: UInt64, version: UInt16 = 4) throws -> MemberRoster.Member {
        let request = try JoinRequest(
            key: try P256PrivateKey.generate(), recipient: try AgeIdentity.generate(SystemRandom()).recipient,
            made: 1, host: nil)
        return MemberRoster.Member(name, request, nodeID: NodeID(id), version: version, at: 10)
    }

    private static func edit(_ tag: CASEAuthenticatedTag) throws -> MemberEdit {
        let fabric = try LocalFabric.create(nodeID: own, validity: .unlimited(from: 1000))
        return MemberEdit(own: fabric.credentials.identity, tag: tag, title: "the lamp", label: "lamp")
    }

    private static func limits(_ entries: Int = 4, subjects: Int = 4) -> AccessListEdit.Limits {
        var limits = AccessListEdit.Limits()
        (limits.entries, limits.subjects) = (entries, subjects)
        return limits
    }

    // MARK: The list of a node

    @Test("a node admits members by an entry for the tag, or a subject of ours, or not at all where neither has room")
    func admitting() throws {
        let edit = try Self.edit(Self.old)
        let tagged = AccessControlEntry(.administer, subjects: [Self.old.subject])
        #expect(try edit.admitting([Self.ours], within: Self.limits()) == [Self.ours, tagged])
        #expect(try edit.admitting([Self.ours, tagged], within: Self.limits(2)) == [Self.ours, tagged])
        #expect(
            try edit.admitting([Self.ours], within: Self.limits(1))
                == [AccessControlEntry(.administer, subjects: [Self.own, Self.old.subject])])
        let error = #expect(throws: JobError.self) {
            try edit.admitting([Self.ours], within: Self.limits(1, subjects: 1))
        }
        #expect(error?.code == .listFull)
        // Less than administering the whole node is not enough.
        let view = AccessControlEntry(.view, subjects: [Self.old.subject])
        #expect(try edit.admitting([Self.ours, view], within: Self.limits()).contains(tagged))
        // Raising is not for one that admits.
        let newer = AccessControlEntry(.administer, subjects: [Self.new.subject])
        #expect(try edit.admitting([Self.ours, newer], within: Self.limits()) == [Self.ours, newer])
    }

    @Test("older versions of the tag are raised in all entries; ours and other tags stay, and the one who goes is out")
    func raising() throws {
        let edit = try Self.edit(Self.new)
        let list = [
            Self.ours, AccessControlEntry(.administer, subjects: [Self.old.subject, Self.eve]),
            AccessControlEntry(.operate, subjects: [Self.foreign.subject, Self.old.subject, Self.new.subject]),
            AccessControlEntry(.view, subjects: [Self.eve]),
        ]
        let raised = try edit.raising(list, without: Self.eve, within: Self.limits())
        #expect(
            raised == [
                Self.ours, AccessControlEntry(.administer, subjects: [Self.new.subject]),
                AccessControlEntry(.operate, subjects: [Self.foreign.subject, Self.new.subject]),
            ])
        #expect(try edit.raising(raised, without: Self.eve, within: Self.limits()) == raised)
        // A commissioning that began before would add the old version otherwise.
        #expect(
            try edit.raising([Self.ours], without: Self.eve, within: Self.limits())
                == [Self.ours, AccessControlEntry(.administer, subjects: [Self.new.subject])])
        #expect(try edit.raising([Self.ours], without: Self.eve, within: Self.limits(1, subjects: 1)) == [Self.ours])
        let error = #expect(throws: JobError.self) {
            try edit.raising([Self.ours], without: Self.own, within: Self.limits())
        }
        #expect(error?.code == .lastAdministrator)
    }

    @Test("entries for the member's node id and for everyone are found")
    func findings() throws {
        var roster = MemberRoster(tag: Self.old)
        roster.beginRemoval(of: try Self.member("eve", Self.eve.rawValue), leavingBehind: [], at: 5)
        let removal = try #require(roster.removal)
        let found = try Self.edit(Self.new).findings(
            [
                Self.ours, AccessControlEntry(.operate, subjects: [Self.eve]), AccessControlEntry(.view, subjects: []),
                AccessControlEntry(.operate, authMode: .group, subjects: []),
            ], of: removal, on: NodeID(7))
        #expect(found.map(\.kind) == [.entry, .everyone] && found.map(\.isRemoved) == [true, false])
    }

    // MARK: The members

    @Test("certificates get the new version when a removal begins, entries only when all who stay have them")
    func versions() throws {
        var roster = MemberRoster(tag: Self.old)
        for (name, id) in [("anna", 64), ("bob", 65), ("eve", 66)] as [(String, UInt64)] {
            roster.add(try Self.member(name, id))
        }
        #expect(roster.issuedTag == Self.old && roster.entryTag == Self.old && roster.waitedFor.isEmpty)
        roster.beginRemoval(of: try #require(roster.member("eve")), leavingBehind: [], at: 20)
        #expect(roster.issuedTag == Self.new && roster.entryTag == Self.old)
        #expect(roster.waitedFor.map(\.name) == ["anna", "bob"])
        // One who comes now has the new version from the first.
        roster.add(try Self.member("carl", 67, version: roster.issuedTag.version))
        roster.confirm("anna", version: 5)
        roster.confirm("anna", version: 4)
        #expect(roster.waitedFor.map(\.name) == ["bob"])
        roster.beginRemoval(of: try #require(roster.member("eve")), leavingBehind: ["bob"], at: 30)
        #expect(roster.waitedFor.isEmpty && roster.removal?.beganAt == 20)
        roster.raise()
        #expect(roster.entryTag == Self.new)
        let bob = try #require(roster.member("bob"))
        #expect(roster.isBehind(bob))
        roster.note([MemberRoster.Finding(node: NodeID(7), kind: .fabric, text: "fabric 2")])
        roster.note([MemberRoster.Finding(node: NodeID(7), kind: .fabric, text: "fabric 2")])
        roster.endRemoval(at: 40)
        #expect(roster.tag == Self.new && roster.removal == nil)
        #expect(roster.members.map(\.name) == ["anna", "bob", "carl"])
        #expect(roster.former.map(\.name) == ["eve"] && roster.former.first?.findings.count == 1)
        #expect(roster.isBehind(bob))
        roster.confirm("bob", version: 5)
        let confirmed = try #require(roster.member("bob"))
        #expect(!roster.isBehind(confirmed))
    }

    @Test("a record is read as it was written")
    func record() throws {
        var roster = MemberRoster(tag: Self.old)
        for (name, id) in [("anna", 64), ("eve", 66), ("mallory", 67)] as [(String, UInt64)] {
            roster.add(try Self.member(name, id))
        }
        roster.beginRemoval(of: try #require(roster.member("mallory")), leavingBehind: ["anna", "eve"], at: 20)
        roster.endRemoval(at: 30)
        roster.beginRemoval(of: try #require(roster.member("eve")), leavingBehind: ["anna"], at: 40)
        roster.raise()
        roster.raise(by: 7)
        roster.note([MemberRoster.Finding(node: NodeID(7), kind: .window, text: "a window")])
        let read = try MemberRoster(decoding: roster.encoded(), "members.json")
        #expect(read == roster)
    }
}
