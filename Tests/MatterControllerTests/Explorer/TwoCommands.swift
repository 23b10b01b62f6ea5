import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// Two commands for one light.
struct TwoCommands: Play {
    enum Opening: String, CaseIterable, Sendable {
        /// A process has left its session some seconds ago.
        case kept
        /// The same, more than a minute ago.
        case stale
        /// There is no session.
        case fresh
    }

    enum Order: String, CaseIterable, Sendable {
        /// A process for each, one after the other.
        case oneByOne
        /// A process for each, at once.
        case sideBySide
        /// One process, which sends them at once.
        case together
    }

    /// The outcome for the user of a command.
    private enum Outcome: Hashable, Sendable {
        case done
        /// It may have run.
        case unknown
        /// It has not run.
        case failed(String)
        /// Nothing: the process was killed.
        case killed
    }

    /// How long a command may take.
    private static let budget = Duration.seconds(15)
    /// The time that a process takes longer to say goodbye.
    private static let goodbye = Duration.seconds(3)
    private static let someSeconds = Duration.seconds(10)
    private static let aMinute = Duration.seconds(61)

    static let all = Opening.allCases.flatMap { opening in
        Order.allCases.flatMap { order in
            [NodeLink.Repeatability.atMostOnce, .absolute].map {
                TwoCommands(opening: opening, order: order, rule: $0)
            }
        }
    }

    var opening: Opening
    var order: Order
    var rule: NodeLink.Repeatability

    var description: String { "\(opening.rawValue) \(order.rawValue) \(rule)" }
    var faults: Set<Fault> { Set(Fault.allCases).subtracting([.edited]) }

    /// One fabric for all runs: its keys are expensive.
    private static let members = Result {
        let fabric = try TestFabric()
        return (fabric: fabric, node: try fabric.node(Bench.node.rawValue))
    }

    /// A light that counts its starts, and notes the marks of the commands that it does.
    private final class Lamp: Sendable {
        private struct State {
            var done: [UInt64] = []
            var starts: UInt64 = 5
            var up: Instant
        }

        private let state: Mutex<State>
        private let stage: Stage

        init(on stage: Stage) {
            self.stage = stage
            state = Mutex(State(up: stage.time.now - .seconds(500)))
        }

        var done: [UInt64] { state.withLock { $0.done } }

        func restart() {
            let now = stage.time.now
            state.withLock { state in
                state.starts += 1
                state.up = now
            }
        }

        var model: DeviceModel {
            var model = DeviceModel()
            model.invoke = { [self] command, _, _ in
                let mark: UInt64 =
                    command.fields.flatMap { try? TLVFields(structure: $0, "the command")[0] }?.integer() ?? 0
                state.withLock { $0.done.append(mark) }
                stage.tell("does \(mark)")
                return .outcome(.status(StatusIB(.success)))
            }
            model.read = { [self] path, _ in
                let now = stage.time.now
                return state.withLock { state in
                    switch path.attribute {
                    case GeneralDiagnostics.Attribute.rebootCount: [.value(path, .uint(state.starts))]
                    case GeneralDiagnostics.Attribute.upTime:
                        [.value(path, .uint(UInt64((now - state.up).components.seconds)))]
                    default: [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAttribute)))]
                    }
                }
            }
            return model
        }
    }

    func perform(on stage: Stage) async throws {
        let members = try Self.members.get()
        let lamp = Lamp(on: stage)
        var plan = LoopbackDevice.Plan()
        plan.fabrics = [members.node]
        plan.sessionLimit = 3
        plan.random = SeededRandom(0)
        plan.model = lamp.model
        let life = stage.time.process()
        let device = try await LoopbackDevice.start(plan, time: life)
        stage.set(
            Stage.Device(
                address: device.address,
                restart: {
                    lamp.restart()
                    await device.restart()
                }, evict: { await device.evict() },
                inside: Stage.Device.Inside(life: life, manager: device.manager)))
        let owner = Controller(stage.options(stage.time))
        _ = try await owner.fabrics.add(members.fabric.local, name: "home", vendorID: VendorID(0xFFF1))
        try await owner.context.nodes().save(NodeRecord(nodeID: Bench.node, name: "lamp"))

        if opening != .fresh {
            let first = await process(stage, [1], .atMostOnce)
            guard first == [.done] else { return stage.complain("the first command: \(first)") }
            try await stage.time.sleep(for: opening == .stale ? Self.aMinute : Self.someSeconds)
        }
        stage.beginFaults()
        let outcomes: [Outcome]
        switch order {
        case .oneByOne:
            let first = await process(stage, [2], rule)
            outcomes = await first + process(stage, [3], rule, isLast: true)
        case .sideBySide:
            async let first = process(stage, [2], rule, isAlone: false, isLast: true)
            // They differ in nothing but their order, so it is enough to kill one of them.
            async let second = process(stage, [3], rule, isAlone: false, canBeKilled: false, isLast: true)
            outcomes = await first + second
        case .together:
            outcomes = await process(stage, [2, 3], rule, isLast: true)
        }
        stage.endFaults()
        try await stage.time.sleep(for: Stage.aftermath)
        let last = await process(stage, [4], .absolute)
        if last != [.done] { stage.complain("there is no way out: \(last)") }
        judge(outcomes, lamp.done, stage)
        await device.shutDown()
    }

    private func process(
        _ stage: Stage, _ marks: [UInt64], _ rule: NodeLink.Repeatability, isAlone: Bool = true,
        canBeKilled: Bool = true, isLast: Bool = false
    ) async -> [Outcome] {
        await stage.process(
            isAlone: isAlone, canBeKilled: canBeKilled, isLast: isLast, atMost: Self.budget + Self.goodbye
        ) {
            controller, began in
            await withTaskGroup(of: (Int, Outcome).self) { group in
                for (place, mark) in marks.enumerated() {
                    group.addTask {
                        (place, await Self.outcome(of: mark, rule, controller, until: began + Self.budget))
                    }
                }
                var found: [Int: Outcome] = [:]
                for await (place, outcome) in group { found[place] = outcome }
                return marks.indices.compactMap { found[$0] }
            }
        } ?? marks.map { _ in .killed }
    }

    private static func outcome(
        of mark: UInt64, _ rule: NodeLink.Repeatability, _ controller: Controller, until deadline: Instant
    ) async -> Outcome {
        let command = Command(
            endpoint: 1, cluster: OnOff.id, command: OnOff.Command.toggle,
            fields: .structure([TLVElement(.context(0), .uint(mark))]))
        do {
            let link = try await controller.links.link(to: controller.nodes.record(of: "lamp"))
            _ = try await link.invoke(command, rule, deadline: deadline)
            return .done
        } catch let error as ControllerError where error.code == .outcomeUnknown {
            return .unknown
        } catch {
            return .failed("\(error)")
        }
    }

    /// Whether what the users heard is true.
    private func judge(_ outcomes: [Outcome], _ done: [UInt64], _ stage: Stage) {
        for (mark, outcome) in zip([2, 3] as [UInt64], outcomes) {
            let times = done.count { $0 == mark }
            switch (outcome, rule) {
            case (.done, .atMostOnce) where times != 1:
                stage.complain("a command ran \(times) times and counts as done")
            case (.done, .absolute) where times == 0: stage.complain("a command did not run and counts as done")
            case (.failed, _) where times > 0: stage.complain("a command ran and counts as failed")
            case (_, .atMostOnce) where times > 1: stage.complain("a command ran \(times) times")
            default: break
            }
        }
        // A command that is announced first costs nothing if the session is lost already.
        if opening == .stale, outcomes.contains(.unknown),
            stage.faults.allSatisfy({ $0.step < 2 && [.restarted, .evicted].contains($0.fault) })
        {
            stage.complain("a session that was lost before has cost a command its outcome")
        }
        guard order == .oneByOne, outcomes == [.done, .done] else { return }
        // Where the closing messages are held up together with the command, nothing helps.
        if stage.faults.count > 1, stage.faults.contains(where: { $0.fault == .heldUp }) { return }
        if let last = done.lastIndex(of: 2), let first = done.firstIndex(of: 3), last > first {
            stage.complain("a late copy undid a later command")
        }
    }
}
