import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterNetwork
@testable import MatterSimulator

/// A virtual camera on a fabric, and its controller.
final class CameraScene: Sendable {
    let light: VirtualLight
    let controller: Controller
    let node: NodeRecord
    private let state: TemporaryState
    private let steps: Steps

    private final class Steps: Sendable {
        let all = Mutex<[(what: String, status: String)]>([])
    }

    init() async throws {
        let steps = Steps()
        self.steps = steps
        light = try await VirtualLight(
            report: { report in
                guard case .session(let what, let members) = report, what.hasPrefix("command-") else { return }
                let status = members.first { $0.key == "status" }?.value
                steps.all.withLock { $0.append((what, status.map { "\($0)" } ?? "")) }
            }, planning: { $0.addCamera() })
        let address = try PeerAddress(parsing: light.address)
        state = try TemporaryState()
        var options = Controller.Options(state: state.directory, addresses: [address], logger: .silent)
        options.time = testTime
        options.links = TestNetwork.links()
        controller = Controller(options)
        let requests = try SetupPayload.parse(light.code).map { payload in
            var request = CommissioningRequest(payload)
            request.addresses = [address]
            return request
        }
        _ = try await controller.commissioning.commission(
            requests, CommissioningService.CommissionOptions(trust: .folder(light.trust, testDevices: true)),
            deadline: .testNow + .seconds(60))
        node = try #require(try controller.context.nodes().all().first)
    }

    /// The statuses that the camera got.
    var statuses: [String] { steps.all.withLock { $0.map(\.status) } }

    func awaitStep(_ what: String, count: Int) async throws {
        let end = Instant.testNow + .seconds(60)
        while steps.all.withLock({ $0.count { $0.what == what } }) < count {
            try #require(Instant.testNow < end, "\(what): \(steps.all.withLock { $0 })")
            try await testTime.sleep(for: .milliseconds(10))
        }
    }

    func close() async {
        await controller.close()
        await light.stop()
    }
}
