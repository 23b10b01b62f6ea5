import MatterBase
import MatterState
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork

/// Edits of lists while messages are lost, doubled or late, and while another administrator edits too.
@Suite("Changes of lists of nodes", .virtualTime)
struct ListChangeTests {
    private static let ownID = NodeID(0x1000)
    private static let ours = AccessControlEntry(.administer, subjects: [ownID])
    private static func entry(_ id: UInt64) -> AccessControlEntry {
        AccessControlEntry(.operate, subjects: [NodeID(id)])
    }
    private static let before = [ours, entry(42), entry(43), entry(44)]

    private func bench(_ device: ListedDevice) async throws -> Bench {
        let bench = try await Bench(processing: .milliseconds(500)) { $0.model = device.model }
        _ = try await bench.connected()
        return bench
    }

    private func run(_ change: AccessListEdit.Change, _ bench: Bench) async throws -> ControllerError.Code? {
        let edit = AccessListEdit(
            change, own: try bench.controller.context.credentials().identity,
            of: try bench.controller.nodes.record(of: "lamp"))
        do {
            _ = try await bench.link().change(accessListBy: edit, deadline: testTime.now + .seconds(60))
            return nil
        } catch let error as ControllerError {
            return error.code
        }
    }

    /// The device's entries by subject, so that entries that were merged compare with those that were not.
    private func subjects(_ entries: [AccessControlEntry]) -> Set<UInt64> {
        Set(entries.flatMap { $0.subjects.map(\.rawValue) })
    }

    private func wanted(_ change: AccessListEdit.Change) -> Set<UInt64> {
        if case .grant = change { return [0x1000, 42, 43, 44, 45] }
        return [0x1000, 43, 44]
    }

    private static let changes: [AccessListEdit.Change] = [
        .remove([2]), .revoke([AccessSubject(id: NodeID(42))]), .withdraw([entry(42)]), .grant([entry(45)]),
        .replace([ours, entry(43), entry(44)]),
    ]

    @Test("with the answer to the write lost, each edit is made once and ends well", arguments: 0..<5)
    func lostAnswer(_ number: Int) async throws {
        let change = Self.changes[number]
        let device = ListedDevice(Self.before)
        let bench = try await bench(device)
        let isLost = Mutex(false)
        device.state.withLock { $0.written = { isLost.withLock { $0 = true } } }
        bench.relay.treat { passing in
            passing.direction == .toClient && passing.session == 0 && isLost.withLock { $0 } ? .lose : .pass
        }
        #expect(try await run(change, bench) == nil)
        #expect(try subjects(device.entries) == wanted(change))
        #expect(device.writes == 1)
        await bench.end()
    }

    @Test(
        "with any one message lost, late or doubled, each edit takes and gives what it names and nothing else",
        arguments: 0..<5)
    func anyMessage(_ number: Int) async throws {
        let change = Self.changes[number]
        for fate in [Relay.Fate.lose, .hold(.seconds(1)), .hold(.seconds(8)), .double(.milliseconds(700))] {
            for direction in [Relay.Direction.toDevice, .toClient] {
                for place in 0..<8 {
                    let device = ListedDevice(Self.before)
                    let bench = try await bench(device)
                    let seen = Mutex(0)
                    bench.relay.treat { passing in
                        guard passing.direction == direction else { return .pass }
                        return seen.withLock { count in
                            defer { count += 1 }
                            return count == place ? fate : .pass
                        }
                    }
                    #expect(try await run(change, bench) == nil, "\(fate) \(direction) \(place)")
                    #expect(try subjects(device.entries) == wanted(change), "\(fate) \(direction) \(place)")
                    await bench.end()
                }
            }
        }
    }

    @Test(
        "with all messages of one direction lost from any one on, no edit takes more than it names", arguments: 0..<5)
    func silence(_ number: Int) async throws {
        let change = Self.changes[number]
        for direction in [Relay.Direction.toDevice, .toClient] {
            for place in 0..<6 {
                let device = ListedDevice(Self.before)
                let bench = try await bench(device)
                let seen = Mutex(0)
                bench.relay.treat { passing in
                    guard passing.direction == direction, passing.session == 0 else { return .pass }
                    return seen.withLock { count in
                        defer { count += 1 }
                        return count >= place ? .lose : .pass
                    }
                }
                #expect(try await run(change, bench) == nil, "\(direction) \(place)")
                #expect(try subjects(device.entries) == wanted(change), "\(direction) \(place)")
                await bench.end()
            }
        }
    }

    @Test("another administrator between reading and writing: edits of the list that was seen fail, others are made")
    func rival() async throws {
        for change in Self.changes {
            let device = ListedDevice(Self.before)
            device.state.withLock { $0.rivals = [Self.entry(99).tlv] }
            let bench = try await bench(device)
            let code = try await run(change, bench)
            let now = try subjects(device.entries)
            switch change {
            case .remove, .replace:
                #expect(code == .listChanged)
                #expect(now == [0x1000, 42, 43, 44, 99])
            default:
                #expect(code == nil)
                #expect(now == wanted(change).union([99]))
            }
            await bench.end()
        }
    }

    @Test("a subject that another administrator has taken meanwhile is gone; one that never was there is an error")
    func absent() throws {
        var edit = try AccessListEdit(
            .revoke([AccessSubject(id: NodeID(42))]), own: AccessScene.own(),
            of: NodeRecord(nodeID: NodeID(5), name: "lamp"))
        let own = AccessControlEntry(.administer, subjects: [try AccessScene.own().nodeID])
        let rest = [own, Self.entry(43)]
        #expect(throws: ControllerError.self) { try edit.applied(to: rest) }
        edit.seen = rest + [Self.entry(42)]
        #expect(try edit.applied(to: rest) == rest)
    }
}
