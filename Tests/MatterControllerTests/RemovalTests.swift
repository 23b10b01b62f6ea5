import Foundation
import MatterBase
import MatterCrypto
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

@Suite("Removal of nodes", .virtualTime)
struct RemovalTests {
    private static let fabricIndex = ConcreteAttributePath(endpoint: 0, cluster: 0x3E, attribute: 5)

    /// A bench whose light is on its third fabric and answers RemoveFabric.
    private func bench(
        index: TLVValue? = .uint(3),
        _ answer: @escaping @Sendable (CommandDataIB, DeviceModel.Context) async -> DeviceModel.Answer
    ) async throws -> Bench {
        try await Bench(processing: .milliseconds(500)) { plan in
            plan.model.read = { path, _ in index.map { [.value(path, $0)] } ?? [] }
            plan.model.invoke = { command, _, context in await answer(command, context) }
        }
    }

    private static func nocResponse(_ status: UInt64) -> DeviceModel.Answer {
        .outcome(.response(command: 8, fields: .structure([TLVElement(0, .uint(status))])))
    }

    private func remove(_ bench: Bench) async throws {
        try await bench.controller.administration.remove(
            bench.controller.nodes.record(of: "lamp"), deadline: .testNow + .seconds(8))
    }

    private func isKnown(_ bench: Bench) async throws -> Bool {
        try bench.controller.context.nodes().node(Bench.node) != nil
    }

    @Test("the device is told to remove our entry of its fabric table, then everything of it is forgotten")
    func removal() async throws {
        let told = Told()
        let bench = try await bench { command, _ in
            told.note(command)
            return Self.nocResponse(0)
        }
        let resumptions = ResumptionStore(bench.state.directory, fabric: "home")
        _ = try await bench.connected()
        #expect(resumptions.load(Bench.node) != nil)
        try await remove(bench)
        #expect(told.commands.map(\.path.command) == [0x0A] && told.commands.map(\.path.cluster) == [0x3E])
        #expect(told.commands.first?.fields == .structure([TLVElement(0, .uint(3))]))
        #expect(try await !isKnown(bench) && resumptions.load(Bench.node) == nil)
        await bench.end()
    }

    @Test("a device that drops our fabric with the answer has removed it", arguments: [true, false])
    func lostAnswer(acknowledges: Bool) async throws {
        let bench = try await bench { _, context in
            await context.device.change { $0.fabrics = [] }
            if acknowledges { return .acknowledgement }
            await context.device.restart()
            return .nothing
        }
        _ = try await bench.connected()
        try await remove(bench)
        #expect(try await !isKnown(bench))
        await bench.end()
    }

    @Test("a device that still knows us after a lost answer is not forgotten")
    func unknownOutcome() async throws {
        let bench = try await bench { _, _ in .acknowledgement }
        let error = await #expect(throws: ControllerError.self) { try await remove(bench) }
        #expect(error?.code == .outcomeUnknown)
        #expect(try await isKnown(bench))
        await bench.end()
    }

    @Test("a device that refuses is not forgotten")
    func refusals() async throws {
        let answers: [(DeviceModel.Answer, ControllerError.Code)] = [
            (Self.nocResponse(11), .removalRefused), (.outcome(.status(StatusIB(.unsupportedAccess))), .status),
            (.outcome(.response(command: 8, fields: nil)), .removalRefused),
            (.outcome(.response(command: 8, fields: .uint(0))), .removalRefused),
        ]
        for (answer, code) in answers {
            let bench = try await bench { _, _ in answer }
            let error = await #expect(throws: ControllerError.self) { try await remove(bench) }
            #expect(error?.code == code, "\(answer)")
            #expect(try await isKnown(bench))
            await bench.end()
        }
    }

    @Test(
        "a device that does not say which fabric is ours is asked for nothing",
        arguments: [nil, .uint(0), .null, .string("3")] as [TLVValue?])
    func noIndex(index: TLVValue?) async throws {
        let told = Told()
        let bench = try await bench(index: index) { command, _ in
            told.note(command)
            return Self.nocResponse(0)
        }
        let error = await #expect(throws: ControllerError.self) { try await remove(bench) }
        #expect(error?.code == .removalRefused && error?.hint != nil && told.commands.isEmpty)
        #expect(try await isKnown(bench))
        await bench.end()
    }

    @Test("forgetting ends with the record by which the node is found, so that it can be repeated")
    func interruptedForgetting() async throws {
        let bench = try await bench { _, _ in Self.nocResponse(0) }
        _ = try await bench.connected()
        let directory = bench.state.directory
        let resumptions = ResumptionStore(directory, fabric: "home")
        #expect(resumptions.has(Bench.node))
        // Deleting stops where this is no record.
        let done = directory.path + "/fabrics/home/commissioned"
        try Data().write(to: URL(fileURLWithPath: done))
        await #expect(throws: StoreError.self) { try await bench.controller.administration.forget(Bench.node) }
        #expect(try await isKnown(bench) && !resumptions.has(Bench.node))
        try FileManager.default.removeItem(atPath: done)
        try await bench.controller.administration.forget(Bench.node)
        #expect(try await !isKnown(bench))
        #expect(try !bench.controller.administration.hasRemains(of: Bench.node))
        // State that an earlier release left is found by its id.
        try directory.writeSecret("fabrics/home/sessions/\(Bench.node)", [1])
        #expect(try bench.controller.administration.hasRemains(of: Bench.node))
        try await bench.controller.administration.forget(Bench.node)
        #expect(!resumptions.has(Bench.node))
        await bench.end()
    }
}
