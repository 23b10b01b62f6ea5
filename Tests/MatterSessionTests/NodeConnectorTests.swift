import MatterCrypto
import MatterTestKit
import Testing

@testable import MatterNetwork
@testable import MatterState

/// Operational sessions over real sockets.
@Suite("Node connector", .virtualTime)
struct NodeConnectorTests {
    private static let node = NodeID(5)

    private func device(
        _ fabric: TestFabric, _ change: (inout LoopbackDevice.Plan) -> Void = { _ in }
    ) async throws -> LoopbackDevice {
        var plan = LoopbackDevice.Plan()
        plan.fabrics = [try fabric.node(Self.node.rawValue)]
        change(&plan)
        return try await .start(plan)
    }

    private func connect(
        _ nodes: NodeConnector, _ device: LoopbackDevice, within time: Duration = .seconds(60)
    ) async throws -> SecureSession {
        try await nodes.connect(
            to: Self.node, hints: [device.address], reliability: .quick, presumedActive: true, deadline: .testNow + time
        )
    }

    @Test("the first session is made from certificates, the next ones resume it, also in another process")
    func resumption() async throws {
        let (fabric, state, client) = (try TestFabric(), try TemporaryState(), try Client())
        let device = try await device(fabric)
        let store = ResumptionStore(state.directory, fabric: "home")
        let first = try await connect(client.nodes(fabric, resumptions: store), device)
        #expect(!first.isResumed && first.established.peerNodeID == 5)
        var last = try #require(store.load(Self.node))
        for count in 1...3 {
            // The device keeps what it needs to resume once it has our last message.
            try await eventually { await device.sessions.count == count }
            let again = try await connect(client.nodes(fabric, resumptions: store), device)
            #expect(again.isResumed && again.established.localNodeID == fabric.credentials.nodeID.rawValue)
            let next = try #require(store.load(Self.node))
            #expect(next.resumptionID != last.resumptionID && next.sharedSecret == last.sharedSecret)
            last = next
        }
        #expect(await device.handshakes.count == 4)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a device that has forgotten the session makes a new one within the same handshake")
    func forgottenResumption() async throws {
        let (fabric, state, client) = (try TestFabric(), try TemporaryState(), try Client())
        let device = try await device(fabric)
        let nodes = client.nodes(fabric, resumptions: ResumptionStore(state.directory, fabric: "home"))
        _ = try await connect(nodes, device)
        await device.change { $0.resumes = false }
        #expect(try await !connect(nodes, device).isResumed)
        #expect(await device.handshakes.count == 2)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a record that is wrong, and a device that stumbles over the offer, cost a full handshake")
    func brokenResumption() async throws {
        let (fabric, state, client) = (try TestFabric(), try TemporaryState(), try Client())
        let device = try await device(fabric)
        let store = ResumptionStore(state.directory, fabric: "home")
        let nodes = client.nodes(fabric, resumptions: store)
        _ = try await connect(nodes, device)
        var record = try #require(store.load(Self.node))
        record.sharedSecret = SecretBytes(Array(repeating: 7, count: 32))
        try store.save(record, of: Self.node)
        #expect(try await !connect(nodes, device).isResumed)
        #expect(store.load(Self.node)?.sharedSecret != record.sharedSecret)
        await device.change { $0.stumblesOverResumption = true }
        #expect(try await !connect(nodes, device).isResumed)
        #expect(await device.handshakes.count == 4)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a device that is not on our fabric refuses, and that is the end where the address was given")
    func strangers() async throws {
        let client = try Client()
        let device = try await device(try TestFabric())
        let start = testTime.now
        let error = await #expect(throws: SessionError.self) {
            _ = try await connect(client.nodes(try TestFabric()), device)
        }
        #expect(error?.code == .refused && error?.refusal?.code == .noSharedTrustRoots)
        #expect(error?.isUnknownToPeer == true && error?.phase == .case && .testNow - start < .prompt)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a clock that is behind our own certificate does not keep us from a node; one that is right still counts")
    func slowClock() async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let device = try await device(fabric)
        let days: UInt32 = 86_400
        _ = try await connect(client.nodes(fabric, time: .now(TestFabric.now - 400 * days)), device)
        let error = await #expect(throws: SessionError.self) {
            _ = try await connect(client.nodes(fabric, time: .now(TestFabric.now + 4000 * days)), device)
        }
        #expect(error?.refusal?.code == .invalidCredentials)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a slow device that has taken up a handshake is given time to finish it")
    func slowDevice() async throws {
        let (fabric, client) = (try TestFabric(), try Client(processing: .milliseconds(300)))
        let device = try await device(fabric) { $0.slowness = .milliseconds(900) }
        #expect(try await !connect(client.nodes(fabric), device).isResumed)
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    // MARK: Old addresses

    private func race(
        _ fabric: TestFabric, _ client: Client, hints: [PeerAddress],
        _ locate: @escaping @Sendable () -> AsyncThrowingStream<PeerLocation, any Error>
    ) async throws -> SecureSession {
        let credentials = CASECredentials(fabric.credentials)
        return try await client.connector.connect(
            to: .at(hints, phase: .case, locate: locate), deadline: .testNow + .seconds(60)
        ) { id, reliability in
            CASEInitiator(
                credentials: credentials, peer: Self.node, localSessionID: id, knownReliability: reliability,
                time: .now(TestFabric.now), random: SystemRandom())
        }
    }

    @Test("another device at the node's old address does not speak for the node")
    func staleHint() async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let (stranger, device) = (try await device(try TestFabric()), try await device(fabric))
        let session = try await race(
            fabric, client, hints: [stranger.address],
            Look.up(.wait(.milliseconds(300)), .find(device.address), .stay))
        #expect(session.address == device.address)
        // Even if both are known from the start.
        let again = try await race(fabric, client, hints: [stranger.address, device.address], Look.up(.stay))
        #expect(again.address == device.address)
        await client.shutDown()
        await stranger.shutDown()
        await device.shutDown()
    }

    @Test(
        "a refusal in the middle of a handshake is passed over if the handshake goes on",
        arguments: [StatusReport.noSharedTrustRoots, .busy(wait: .seconds(30)), .invalidParameter])
    func strayRefusal(stray: StatusReport) async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let device = try await device(fabric) { $0.stray = stray }
        _ = try await connect(client.nodes(fabric), device)
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a message that comes twice is taken once")
    func repetition() async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let device = try await device(fabric) { $0.repeatsItself = true }
        _ = try await connect(client.nodes(fabric), device)
        #expect(await device.handshakes.count == 1)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a report that the device ends every handshake with is a refusal")
    func realRefusal() async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let device = try await device(fabric) { $0.lastWord = .invalidParameter }
        let error = await #expect(throws: SessionError.self) { _ = try await connect(client.nodes(fabric), device) }
        #expect(error?.refusal?.code == .rejected)
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a refusal at an address that discovery names is final")
    func confirmedRefusal() async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let stranger = try await device(try TestFabric())
        for look in [
            Look.up(.find(stranger.address), .stay), Look.up(.wait(.milliseconds(300)), .find(stranger.address), .stay),
        ] {
            let start = testTime.now
            let error = await #expect(throws: SessionError.self) {
                _ = try await race(fabric, client, hints: [stranger.address], look)
            }
            #expect(error?.isUnknownToPeer == true && .testNow - start < .prompt)
        }
        await client.shutDown()
        await stranger.shutDown()
    }

    @Test("a refusal at an old address that nothing contradicts counts after a while")
    func uncontradictedRefusal() async throws {
        let (fabric, client) = (try TestFabric(), try Client())
        let stranger = try await device(try TestFabric())
        let start = testTime.now
        let error = await #expect(throws: SessionError.self) {
            _ = try await race(fabric, client, hints: [stranger.address], Look.up(.stay))
        }
        #expect(error?.code == .refused && error?.isUnknownToPeer == true && error?.tried == [stranger.address])
        #expect(.testNow - start >= .seconds(2) && .testNow - start < .prompt)
        #expect(await stranger.handshakes.count == 1)
        await client.shutDown()
        await stranger.shutDown()
    }
}
