import MatterBase
import MatterCrypto
import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// A light that counts what it does.
final class Light: Sendable {
    private struct State {
        var executed: [Bool] = []
        var reads = 0
        var writes: [Bool] = []
        var answers: [@Sendable (DeviceModel.Context) async -> DeviceModel.Answer] = []
    }

    static let toggle = Command(endpoint: 1, cluster: 6, command: 2)
    static let on = Command(endpoint: 1, cluster: 6, command: 1)
    static let onOff = ConcreteAttributePath(endpoint: 1, cluster: 6, attribute: 0)

    private let state = Mutex(State())

    /// Commands that were run, each with whether it was a timed one.
    var executed: [Bool] { state.withLock { $0.executed } }
    var reads: Int { state.withLock { $0.reads } }
    var writes: [Bool] { state.withLock { $0.writes } }

    /// How the next command is answered; those after the last such answer succeed.
    func next(_ answer: @escaping @Sendable (DeviceModel.Context) async -> DeviceModel.Answer) {
        state.withLock { $0.answers.append(answer) }
    }

    var model: DeviceModel {
        var model = DeviceModel()
        model.invoke = { _, isTimed, context in
            let answer = self.state.withLock { state in
                state.executed.append(isTimed)
                return state.answers.isEmpty ? nil : state.answers.removeFirst()
            }
            return await answer?(context) ?? .outcome(.status(StatusIB(.success)))
        }
        model.read = { path, _ in
            let isOn = self.state.withLock { state in
                state.reads += 1
                return !state.executed.count.isMultiple(of: 2)
            }
            return [.value(path, .bool(isOn))]
        }
        model.write = { _, isTimed in
            self.state.withLock { $0.writes.append(isTimed) }
            return .success
        }
        return model
    }
}

/// A controller, a relay that may lose something, and a light behind it.
struct Bench {
    static let node = NodeID(5)

    let state: TemporaryState
    let fabric: TestFabric
    let light = Light()
    let device: LoopbackDevice
    let relay: Relay
    let controller: Controller

    /// - Parameters:
    ///   - processing: how long the light may take for a command.
    ///   - patience: the same once it has acknowledged, where the user said how long to wait.
    ///   - silence: how long it may say nothing to what only reads.
    init(
        processing: Duration = .seconds(10), patience: Duration? = nil, silence: SilenceLimit = .wholeTime,
        _ change: (inout LoopbackDevice.Plan) -> Void = { _ in }
    ) async throws {
        state = try TemporaryState()
        fabric = try TestFabric()
        var plan = LoopbackDevice.Plan()
        plan.fabrics = [try fabric.node(Self.node.rawValue)]
        plan.model = light.model
        change(&plan)
        device = try await .start(plan)
        relay = try Relay(to: device.address)
        var options = Controller.Options(
            state: state.directory, addresses: [relay.address], logger: .silent, unixTime: { TestFabric.unixTime })
        options.time = testTime
        options.silence = silence
        options.links = TestNetwork.links()
        options.processing = processing
        options.patience = patience
        controller = Controller(options)
        _ = try await controller.fabrics.add(fabric.local, name: "home", vendorID: VendorID(0xFFF1))
        try await controller.context.nodes().save(NodeRecord(nodeID: Self.node, name: "lamp"))
    }

    /// The link to the light, with a session that stands.
    func connected() async throws -> NodeLink {
        let link = try await link()
        try await link.connect(deadline: .testNow + .seconds(60))
        return link
    }

    func link() async throws -> NodeLink {
        try await controller.links.link(to: controller.nodes.record(of: "lamp"))
    }

    /// Another process, so to speak, which has its own way to the light.
    func secondController() -> Controller {
        var options = controller.options
        options.addresses = [device.address]
        return Controller(options)
    }

    var handshakes: Int { get async { await device.handshakes.count } }

    func end() async {
        await controller.close()
        await device.shutDown()
        relay.stop()
    }
}
