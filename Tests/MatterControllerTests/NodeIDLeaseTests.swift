import MatterCrypto
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// In a fabric whose ids are random, the network is asked whether a device has the id.
@Suite("The node id of one commissioning")
struct NodeIDLeaseTests {
    /// Gives out ids from 100 on, and writes down which the network was asked about and what was said.
    private final class Office: Sendable {
        private let state = Mutex<(next: UInt64, asked: [UInt64], notes: [String])>((100, [], []))
        private let returned = Seen()
        private let folder: TemporaryState
        private let kind: FabricRecord.NodeIDs
        private let onNetwork: Set<UInt64>

        init(_ kind: FabricRecord.NodeIDs, onNetwork: Set<UInt64>) throws {
            folder = try TemporaryState()
            (self.kind, self.onNetwork) = (kind, onNetwork)
        }

        var asked: [UInt64] { state.withLock { $0.asked } }
        /// Whether an id was given back.
        func hasBack(_ id: UInt64) -> Bool { returned.has("\(id)") }
        var notes: [String] { state.withLock { $0.notes } }

        func lease() -> NodeIDLease {
            NodeIDLease(
                take: { requested in
                    let id =
                        requested
                        ?? NodeID(
                            self.state.withLock { state in
                                defer { state.next += 1 }
                                return state.next
                            })
                    guard let reservation = try self.folder.directory.reserve("reserved/\(id)") else {
                        throw RecordError(.nodeExists, "taken")
                    }
                    return TakenNodeID(
                        id: id, reservation: reservation, nodeIDs: self.kind, doubt: id.rawValue == 100 ? "a copy" : nil
                    )
                },
                giveBack: { self.returned.note("\($0.id.rawValue)", []) },
                lookUp: { id in
                    self.state.withLock { $0.asked.append(id.rawValue) }
                    return self.onNetwork.contains(id.rawValue)
                },
                note: { text in self.state.withLock { $0.notes.append(text) } })
        }
    }

    @Test("an id for later is taken where the commissioning runs, so that virtual time waits for it", .virtualTime)
    func place() async throws {
        let places = Mutex<[Bool]>([])
        let lease = NodeIDLease(
            take: { _ in
                places.withLock { places in
                    places.append(withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil })
                }
                throw RecordError(.nodeExists, "taken")
            }, lookUp: { _ in false }, note: { _ in }, time: testTime)
        await lease.prepare()
        await #expect(throws: RecordError.self) { try await lease.choose(nil) }
        #expect(places.withLock { $0 } == [true])
    }

    @Test("a random id that a device on the network has is passed over")
    func passedOver() async throws {
        let office = try Office(.random, onNetwork: [100, 101])
        #expect(try await office.lease().choose(nil) == NodeID(102))
        #expect(office.asked == [100, 101, 102])
        #expect(office.notes == ["a copy: new nodes get random ids from now on"])
    }

    @Test("the look-up begins before the device is found, and is made once")
    func early() async throws {
        let office = try Office(.random, onNetwork: [])
        let lease = office.lease()
        await lease.prepare()
        let first = try await lease.choose(nil)
        #expect(first == NodeID(100))
        #expect(try await lease.choose(nil) == first && office.asked == [100])
    }

    @Test("an id that was taken ahead and not chosen is given back, and one that was chosen is not")
    func givenBack() async throws {
        let office = try Office(.sequential, onNetwork: [])
        let refused = office.lease()
        await refused.prepare()
        await refused.release()
        #expect(office.hasBack(100))
        let lease = office.lease()
        await lease.prepare()
        #expect(try await lease.choose(nil) == NodeID(101))
        await lease.release()
        #expect(!office.hasBack(101))
    }

    @Test("a requested id that a device on the network has is refused")
    func requested() async throws {
        let office = try Office(.random, onNetwork: [7])
        let error = await #expect(throws: RecordError.self) { _ = try await office.lease().choose(NodeID(7)) }
        #expect(error?.code == .nodeExists && error?.reason.contains("already has a node 7") == true)
        #expect(try await office.lease().choose(NodeID(8)) == NodeID(8))
    }

    @Test("ids in order cost no look-up")
    func inOrder() async throws {
        let office = try Office(.sequential, onNetwork: [100])
        #expect(try await office.lease().choose(nil) == NodeID(100) && office.asked == [])
    }
}
