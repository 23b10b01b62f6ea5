import MatterState
import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterSimulator

/// A virtual light straight out of its box, with Bluetooth in memory, and a controller that has both ways to it.
final class BluetoothScene: Sendable {
    static let address = "AA:BB:CC:DD:EE:01"

    /// A network on which the light shows up as a node some time after it has its certificate.
    final class Network: Discovery {
        private let state: Mutex<(node: PeerAddress?, commissionable: PeerAddress?, delay: Duration)>

        init() { state = Mutex((nil, nil, .zero)) }

        func place(node: PeerAddress?, commissionable: PeerAddress? = nil, after delay: Duration = .zero) {
            state.withLock { $0 = (node, commissionable, delay) }
        }

        func browseCommissionable(
            _ filter: CommissionableFilter, includingClosed: Bool
        ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
            AsyncThrowingStream { continuation in
                guard let found = state.withLock(\.commissionable)?.resolved else { return }
                continuation.yield(
                    .found(
                        CommissionableDevice(
                            instance: "0123456789ABCDEF", host: "light", port: found.port, addresses: [found],
                            record: CommissionableRecord(longDiscriminator: 3840, commissioningMode: .basic))))
            }
        }

        func resolveOperational(
            compressedFabricID: UInt64, nodeID: UInt64
        ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
            AsyncThrowingStream { continuation in
                let (node, delay) = state.withLock { ($0.node?.resolved, $0.delay) }
                guard let node else { return }
                let task = inBackground {
                    try await testTime.sleep(for: delay)
                    continuation.yield(
                        .found(
                            OperationalNode(
                                instance: OperationalInstance(
                                    compressedFabricID: compressedFabricID, nodeID: nodeID),
                                host: "light", port: node.port, addresses: [node], record: OperationalRecord())))
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
            AsyncThrowingStream { _ in }
        }

        func check() {}
    }

    let air: MemoryBluetooth
    let light: VirtualLight
    let network = Network()
    let controller: Controller
    /// The outcome of the commissionings.
    let progress = Mutex<[CommissioningProgress]>([])
    private let state: TemporaryState

    init(
        _ judge: @escaping MemoryBluetooth.Judge = { _, _, _ in .carry(after: .milliseconds(15)) },
        report: @escaping @Sendable (NodeReport, MemoryBluetooth) -> Void = { _, _ in }
    ) async throws {
        let air = MemoryBluetooth(time: testTime, judge: judge)
        self.air = air
        light = try await VirtualLight(
            bluetooth: air.peripheral(Self.address), report: { report($0, air) })
        state = try TemporaryState()
        var options = Controller.Options(state: state.directory, logger: .silent)
        options.time = testTime
        options.links = TestNetwork.links()
        options.discovery = network
        options.bluetooth = { air.central() }
        controller = Controller(options)
        network.place(node: try PeerAddress(parsing: light.address))
    }

    /// Commissions the light.
    func commission(
        within time: Duration = .seconds(120), _ change: (inout CommissioningRequest) throws -> Void = { _ in }
    ) async throws -> (node: NodeRecord, result: CommissionedNode) {
        let requests = try SetupPayload.parse(light.code).map { payload in
            var request = CommissioningRequest(payload)
            try change(&request)
            return request
        }
        var options = CommissioningService.CommissionOptions(trust: .folder(light.trust, testDevices: true)) { event in
            self.progress.withLock { $0.append(event) }
        }
        // Not shared by a task that runs beside the virtual time.
        options.discovery = network
        return try await controller.commissioning.commission(requests, options, deadline: .testNow + time)
    }

    /// The stages that were begun, in order.
    var stages: [CommissioningStage] {
        progress.withLock { $0.compactMap { if case .began(let stage) = $0 { stage } else { nil } } }
    }

    /// Waits until something holds.
    func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<400 {
            if try await condition() { return true }
            try await testTime.sleep(for: .seconds(1))
        }
        return false
    }

    func end() async {
        await controller.close()
        await light.stop()
    }
}

extension PeerAddress {
    var resolved: ResolvedAddress? {
        udp.flatMap { ResolvedAddress(octets: $0.octets, port: $0.port) }
    }
}
