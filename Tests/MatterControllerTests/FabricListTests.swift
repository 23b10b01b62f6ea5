import MatterCrypto
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork

/// Edits of bindings and of the map of group keys while messages are lost, doubled or late, and while another administrator edits
/// too; the access control list has ``ListChangeTests``.
@Suite("Changes of bindings and of the map of group keys", .virtualTime)
struct FabricListTests {
    private static let bindings = ConcreteAttributePath(
        endpoint: 1, cluster: Binding.id, attribute: Binding.Attribute.binding)
    private static let keyMap = ConcreteAttributePath(
        endpoint: 0, cluster: GroupKeyManagement.id, attribute: GroupKeyManagement.Attribute.groupKeyMap)

    /// A list with the entries that are in it, one that is added and one that another administrator adds.
    private struct Scene<Entry: FabricListEntry> {
        let path: ConcreteAttributePath
        let before: [Entry]
        let new: Entry
        let rival: Entry

        /// The first entry is taken out, and the new one put in.
        func edited(_ entries: [Entry]) -> [Entry] {
            let kept = entries.map(\.unplaced).filter { $0 != before[0] }
            return kept.contains(new) ? kept : kept + [new]
        }

        /// Plays it, and expects that nothing else has changed.
        func play(
            rivals: Bool = false, _ what: String, _ treat: @escaping @Sendable (Relay.Passing) -> Relay.Fate
        ) async throws {
            let device = ListedDevice(of: before)
            if rivals { device.state.withLock { $0.rivals = [rival.tlv] } }
            let bench = try await Bench(processing: .milliseconds(500)) { $0.model = device.model }
            _ = try await bench.connected()
            bench.relay.treat(treat)
            let result = try await bench.link().change(
                path, "list", deadline: testTime.now + .seconds(60)
            ) { [self] (list: FabricList<Entry>) in edited(list.entries) }
            let expected = edited(before) + (rivals ? [rival] : [])
            #expect(result.isChanged && result.list.entries.means(expected), "\(what)")
            let now = try device.state.withLock { $0.entries }.map { try Entry($0) }
            #expect(now.means(expected), "\(what): \(now)")
            await bench.end()
        }

        func playAll() async throws {
            for rivals in [false, true] {
                for fate in [Relay.Fate.lose, .hold(.seconds(1)), .hold(.seconds(8)), .double(.milliseconds(700))] {
                    for direction in [Relay.Direction.toDevice, .toClient] {
                        for place in 0..<8 {
                            let seen = Mutex(0)
                            try await play(rivals: rivals, "\(fate) \(direction) \(place) \(rivals)") { passing in
                                guard passing.direction == direction else { return .pass }
                                return seen.withLock { count in
                                    defer { count += 1 }
                                    return count == place ? fate : .pass
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(
        "bindings: with any one message lost, late or doubled, and with a rival, an edit is made once"
    )
    func bindings() async throws {
        try await Scene(
            path: Self.bindings,
            before: [7, 8, 9].map { BindingEntry(node: NodeID($0), endpoint: 1, cluster: OnOff.id) },
            new: BindingEntry(group: 3), rival: BindingEntry(node: NodeID(99), endpoint: 2)
        ).playAll()
    }

    private static func mapping(_ group: UInt16) -> ListEntry<GroupKeyManagement.GroupKeyMap> {
        ListEntry(.init(groupId: group, groupKeySetID: group + 100))
    }

    @Test(
        "group keys: with any one message lost, late or doubled, and with a rival, an edit is made once"
    )
    func keyMap() async throws {
        try await Scene(
            path: Self.keyMap, before: [1, 2, 3].map { Self.mapping($0) },
            new: Self.mapping(4), rival: Self.mapping(9)
        ).playAll()
    }
}
