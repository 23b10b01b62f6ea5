import MatterBase
import MatterCrypto
import MatterState
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterNetwork
@testable import MatterSimulator

/// A virtual device that joins its network while it is commissioned, on virtual time.
@Suite("Joining a network", .virtualTime) struct NetworkJoinTests {
    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    private static func wifi(_ password: String = "simulated-password") throws -> NetworkCredential {
        .wifi(
            try WiFiCredential(
                ssid: Array("simulated".utf8), password: SecretBytes(Array(password.utf8))))
    }

    private func light(isConcurrent: Bool = true) async throws -> VirtualLight {
        try await VirtualLight(changing: {
            $0.network = .wifi
            $0.onboarding = .overIP
            $0.isConcurrent = isConcurrent
        })
    }

    private func controller(_ light: VirtualLight) throws -> Controller {
        var options = Controller.Options(
            state: state.directory, addresses: [try PeerAddress(parsing: light.address)], logger: .silent)
        options.time = testTime
        options.links = TestNetwork.links()
        return Controller(options)
    }

    private func commission(
        _ light: VirtualLight, _ wish: NetworkPreference, time: Duration = .seconds(120),
        progress: @escaping @Sendable (CommissioningProgress) -> Void = { _ in }
    ) async throws -> NodeRecord {
        let controller = try controller(light)
        var request = CommissioningRequest(try #require(try SetupPayload.parse(light.code).first))
        request.addresses = [try PeerAddress(parsing: light.address)]
        request.network = wish
        let outcome: Result<NodeRecord, any Error>
        do {
            outcome = .success(
                try await controller.commissioning.commission(
                    [request],
                    CommissioningService.CommissionOptions(trust: TrustPolicy(enforcement: .skip), progress: progress),
                    deadline: .testNow + time
                ).node)
        } catch {
            outcome = .failure(error)
        }
        await controller.close()
        return try outcome.get()
    }

    private func failure(
        _ light: VirtualLight, _ wish: NetworkPreference, time: Duration = .seconds(120)
    ) async throws -> CommissioningError {
        do {
            _ = try await commission(light, wish, time: time)
        } catch let error as CommissioningError {
            return error
        }
        throw TestFailure()
    }

    private struct TestFailure: Error {}

    private func isOnNetwork(_ light: VirtualLight) async -> Bool {
        await light.device.withNode { node, _ in node.isOnNetwork }
    }

    private func isForgotten(_ light: VirtualLight) async -> Bool { await light.isUntouched }

    @Test("a device is no node before it has joined, and is one afterwards", arguments: [true, false])
    func joins(isConcurrent: Bool) async throws {
        let light = try await light(isConcurrent: isConcurrent)
        #expect(await !isOnNetwork(light))
        let node = try await commission(light, NetworkPreference(given: [try Self.wifi()]))
        #expect(await isOnNetwork(light))
        #expect(node.nodeID == NodeID(1))
        await light.stop()
    }

    @Test("without a network to join, a device over IP is no node: it is not reached as one, and forgets")
    func unjoined() async throws {
        let light = try await light()
        let error = try await failure(light, NetworkPreference(), time: .seconds(40))
        #expect(error.code == .networkNeeded && error.reason.contains("it lists no Wi-Fi network"), "\(error)")
        try await testTime.sleep(for: .seconds(120))
        #expect(await isForgotten(light))
        await light.stop()
    }

    @Test("a wrong password is known at once, the device is open again, and the right one works")
    func wrongPassword() async throws {
        let light = try await light()
        let error = try await failure(light, NetworkPreference(given: [try Self.wifi("not-the-password")]))
        #expect(error.code == .networkRefused && error.network?.answer.errorValue == 15)
        #expect(error.aftermath == .rolledBack)
        #expect(await isForgotten(light))
        #expect(await !isOnNetwork(light))
        _ = try await commission(light, NetworkPreference(given: [try Self.wifi()]))
        #expect(await isOnNetwork(light))
        await light.stop()
    }

    @Test(
        "a device that leaves with a wrong password is missed; it forgets when its fail-safe ends, tells why, and joins then"
    )
    func silentFailure() async throws {
        let light = try await light(isConcurrent: false)
        let error = try await failure(light, NetworkPreference(given: [try Self.wifi("not-the-password")]))
        #expect(error.code == .notOnNetwork, "\(error)")
        guard case .pending(1, let within) = error.aftermath else {
            Issue.record("\(error.aftermath)")
            return
        }
        #expect(error.reason.hasPrefix("the device left to join Wi-Fi 'simulated' without saying whether it has"))
        try await testTime.sleep(for: within + .seconds(60))
        #expect(await isForgotten(light))
        let notes = Mutex<[String]>([])
        _ = try await commission(light, NetworkPreference(given: [try Self.wifi()])) { progress in
            if case .note(let text) = progress { notes.withLock { $0.append(text) } }
        }
        #expect(
            notes.withLock { $0 }.contains {
                $0 == "the device's last attempt to join 'simulated' failed: wrong password, error value 15"
            }, "\(notes.withLock { $0 })")
        #expect(await isOnNetwork(light))
        await light.stop()
    }

    @Test(
        "a commissioner that is gone at any stage leaves nothing half-done: the next one works",
        arguments: [
            CommissioningStage.armFailSafe, .attestation, .configure, .addNOC, .network, .operationalDiscovery, .case,
            .complete,
        ])
    func interrupted(stage: CommissioningStage) async throws {
        let light = try await light()
        let wish = NetworkPreference(given: [try Self.wifi()])
        let reached = Mutex(false)
        let task = inBackground {
            try await commission(light, wish) { progress in
                if progress == .began(stage) { reached.withLock { $0 = true } }
            }
        }
        try await eventually { reached.withLock { $0 } }
        task.cancel()
        _ = try? await task.value
        _ = try await commission(light, wish, time: .seconds(240))
        #expect(await isOnNetwork(light))
        let nodes = try NodeStore(state.directory, fabric: "home").all()
        #expect(nodes.count == 1)
        #expect(try CommissioningJournal(state.directory, fabric: "home").all().isEmpty)
        await light.stop()
    }

    @Test("a device that starts again while it joins has forgotten, and the next try works")
    func restarted() async throws {
        let light = try await light()
        let wish = NetworkPreference(given: [try Self.wifi()])
        let isJoining = Mutex(false)
        let task = inBackground {
            try await commission(light, wish, time: .seconds(60)) { progress in
                if case .note(let text) = progress, text.hasPrefix("the device is to join") {
                    isJoining.withLock { $0 = true }
                }
            }
        }
        try await eventually { isJoining.withLock { $0 } }
        await light.reboot()
        _ = try? await task.value
        #expect(await !isOnNetwork(light))
        _ = try await commission(light, wish, time: .seconds(240))
        #expect(await isOnNetwork(light))
        #expect(try NodeStore(state.directory, fabric: "home").all().count == 1)
        await light.stop()
    }
}
