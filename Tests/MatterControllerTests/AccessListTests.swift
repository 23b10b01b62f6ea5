import MatterBase
import MatterCrypto
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterModel

@Suite("Access control lists of nodes", .virtualTime)
struct AccessListTests {
    private static let ownID = NodeID(0x1000)
    private static let ours = AccessControlEntry(.administer, subjects: [ownID])
    private static let other = AccessControlEntry(.view, subjects: [NodeID(42)])
    private static let granted = AccessControlEntry(.operate, subjects: [NodeID(7)])

    private func bench(_ device: ListedDevice) async throws -> Bench {
        try await Bench { $0.model = device.model }
    }

    private func change(
        _ bench: Bench, _ change: AccessListEdit.Change
    ) async throws -> (list: FabricList<AccessControlEntry>, isChanged: Bool) {
        let edit = AccessListEdit(
            change, own: try bench.controller.context.credentials().identity,
            of: try bench.controller.nodes.record(of: "lamp"))
        return try await bench.link().change(accessListBy: edit, deadline: .testNow + .seconds(30))
    }

    private func failure(_ bench: Bench, _ change: AccessListEdit.Change) async throws -> ControllerError? {
        do {
            _ = try await self.change(bench, change)
            return nil
        } catch let error as ControllerError {
            return error
        }
    }

    @Test(
        "random changes: after each accepted one we can administer; what is refused is refused before anything is sent")
    func random() async throws {
        var scene = AccessScene(seed: 42, own: Self.ownID)
        let device = ListedDevice([])
        let bench = try await bench(device)
        var (accepted, refused) = (0, 0)
        for round in 0..<300 {
            if round.isMultiple(of: 3) { device.set(scene.list()) }
            let (before, writes) = (try device.entries, device.writes)
            let edit = scene.change(of: before)
            if let error = try await failure(bench, edit) {
                refused += 1
                #expect(try device.writes == writes && device.entries == before, "\(edit) of \(before): \(error)")
            } else {
                accepted += 1
                #expect(try AccessScene.admits(device.entries, Self.ownID), "\(edit) of \(before)")
            }
        }
        #expect(accepted > 50 && refused > 50)
        #expect(try device.past.allSatisfy { AccessScene.admits($0, Self.ownID) })
        await bench.end()
    }

    @Test("a change that another administrator makes at the same time is kept; one who never ends is an error")
    func rivals() async throws {
        let device = ListedDevice([Self.ours])
        device.state.withLock { $0.rivals = [Self.other.tlv] }
        let bench = try await bench(device)
        let result = try await change(bench, .grant([Self.granted]))
        #expect(result.isChanged && result.list.entries.means([Self.ours, Self.other, Self.granted]))
        #expect(device.writes == 2)
        #expect(try await !change(bench, .grant([Self.granted])).isChanged)
        #expect(device.writes == 2, "what is given already is not written")
        device.state.withLock { state in
            state.rivals = (100..<104).map { AccessControlEntry(.view, subjects: [NodeID($0)]).tlv }
        }
        device.state.withLock { $0.limits = [4, 3, 20] }
        let error = try await failure(bench, .revoke([AccessSubject(id: NodeID(7))]))
        #expect(error?.code == .status && error?.status?.status == .dataVersionMismatch, "\(error as Any)")
        #expect(try device.entries.count == 7)
        await bench.end()
    }

    @Test("a device that says yes and has another list is found out")
    func forgetful() async throws {
        let device = ListedDevice([Self.ours, Self.other])
        device.state.withLock { $0.isForgetful = true }
        let bench = try await bench(device)
        #expect(try await failure(bench, .grant([Self.granted]))?.code == .listDiffers)
        await bench.end()
    }

    @Test("a list that takes several messages begins with our entry, and is restored if a later one is refused")
    func chunks() async throws {
        let many = (0..<30).map { number in
            AccessControlEntry(
                .operate, subjects: (0..<4).map { NodeID(0xF000_0000_0000_0000 + UInt64(number * 4 + $0)) })
        }
        let device = ListedDevice([Self.other, Self.ours])
        device.state.withLock { $0.limits = [4, 3, 100] }
        let bench = try await bench(device)
        #expect(try await change(bench, .replace(many + [Self.ours])).isChanged)
        #expect(try device.past.count > 1 && device.past.allSatisfy { $0.first == Self.ours })
        #expect(try device.entries.means(many + [Self.ours]))
        let before = try device.entries
        device.state.withLock { $0.refusal = ($0.writes + 2, .resourceExhausted) }
        let error = try await failure(bench, .replace([Self.ours] + many.reversed() + [Self.granted]))
        #expect(error?.status?.status == .resourceExhausted, "\(error as Any)")
        #expect(try device.entries.means(before))
        #expect(try device.past.allSatisfy { AccessScene.admits($0, Self.ownID) })
        await bench.end()
    }

    @Test("a device that shows no list, or garbles it, is said so, and nothing is written")
    func hidden() async throws {
        let device = ListedDevice([])
        device.state.withLock { $0.entries = [.structure([TLVElement(1, .string("all"))])] }
        let bench = try await bench(device)
        let error = try await failure(bench, .grant([Self.granted]))
        #expect(error?.code == .status && error?.reason.contains("malformed") == true, "\(error as Any)")
        await bench.device.change {
            $0.model.read = { path, _ in
                [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAccess)))]
            }
        }
        #expect(try await failure(bench, .grant([Self.granted]))?.status?.status == .unsupportedAccess)
        #expect(device.writes == 0)
        await bench.end()
    }

    @Test("a write whose answer is lost is looked up, and is not repeated if the list is there")
    func lostAnswer() async throws {
        let device = ListedDevice([Self.ours])
        let bench = try await Bench(processing: .milliseconds(500)) { $0.model = device.model }
        _ = try await bench.connected()
        // From the write on nothing comes back on this session.
        let isLost = Mutex(false)
        device.state.withLock { $0.written = { isLost.withLock { $0 = true } } }
        bench.relay.treat { passing in
            passing.direction == .toClient && passing.session == 0 && isLost.withLock { $0 } ? .lose : .pass
        }
        let result = try await change(bench, .grant([Self.granted]))
        #expect(result.isChanged && result.list.entries.means([Self.ours, Self.granted]))
        #expect(device.writes == 1)
        await bench.end()
    }
}
