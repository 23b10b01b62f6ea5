import Logging
import MatterState
import MatterTestKit
import Synchronization

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork

/// A commissioner with everything that it needs, on a state directory of its own.
struct Workshop {
    let state: TemporaryState
    let fabric: TestFabric
    let issuer: RecordingIssuer
    let manager: ExchangeManager
    let progress = Progress()
    var environment: Commissioner.Environment

    var journal: CommissioningJournal { environment.journal }

    init(state: TemporaryState? = nil, fabric: TestFabric? = nil, discovery: (any Discovery)? = nil) throws {
        self.state = try state ?? TemporaryState()
        let fabric = try fabric ?? TestFabric()
        self.fabric = fabric
        issuer = RecordingIssuer(try fabric.issuer())
        manager = try ExchangeManager(time: testTime, links: TestNetwork.links(), random: SystemRandom()) { _, _, _ in
            false
        }
        let connector = Connector(manager: manager, processing: .seconds(2), logger: .silent)
        let nextID = Mutex<UInt64>(7)
        environment = Commissioner.Environment(
            connector: connector,
            nodeConnector: NodeConnector(
                connector: connector, credentials: fabric.credentials, resumptions: nil, discovery: discovery,
                time: .now(TestFabric.now), random: SystemRandom(), logger: .silent),
            discovery: discovery, fabric: fabric.credentials, issuer: issuer,
            journal: CommissioningJournal(self.state.directory, fabric: "home"),
            chooseNodeID: { requested in
                requested
                    ?? nextID.withLock { id in
                        defer { id += 1 }
                        return NodeID(id)
                    }
            },
            attest: { _ in AttestationSummary(AttestationReport(verdict: .test)) },
            random: SystemRandom(), logger: .silent, unixTime: { TestFabric.unixTime }, timeZone: { .utc })
    }

    func request(
        _ address: PeerAddress? = nil, _ change: (inout CommissioningRequest) throws -> Void = { _ in }
    ) throws -> CommissioningRequest {
        var request = CommissioningRequest(SetupCode(passcode: try SetupPasscode(Commissionee.passcode)))
        request.addresses = address.map { [$0] } ?? []
        try change(&request)
        return request
    }

    func commission(
        _ request: CommissioningRequest, within time: Duration = .seconds(60)
    ) async throws -> CommissionedNode {
        try await Commissioner(environment) { progress.note($0) }.commission(request, deadline: .testNow + time)
    }

    func end() async { await manager.shutDown() }
}

/// The messages of a commissioning to its user.
final class Progress: Sendable {
    private let events = Mutex<[CommissioningProgress]>([])

    func note(_ event: CommissioningProgress) { events.withLock { $0.append(event) } }

    var began: [CommissioningStage] {
        events.withLock { $0.compactMap { if case .began(let stage) = $0 { stage } else { nil } } }
    }
    var failed: [CommissioningStage] {
        events.withLock { $0.compactMap { if case .failed(let stage, _) = $0 { stage } else { nil } } }
    }
    var notes: [String] { events.withLock { $0.compactMap { if case .note(let text) = $0 { text } else { nil } } } }
}

/// A network on which some devices advertise themselves.
final class FakeDiscovery: Discovery {
    /// When something is announced, counted from the start of the search.
    struct Announcement: Sendable {
        var delay = Duration.zero
        var instance: String
        var addresses: [PeerAddress]
        var discriminator: UInt16 = 3840
        var vendorID: UInt16?
    }

    private let announcements: [Announcement]
    private let nodes: [PeerAddress]

    init(_ announcements: [Announcement], nodes: [PeerAddress] = []) {
        self.announcements = announcements
        self.nodes = nodes
    }

    func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> {
        AsyncThrowingStream { continuation in
            let announcements = announcements
            let task = inBackground {
                for announcement in announcements {
                    try? await testTime.sleep(for: announcement.delay)
                    let record = CommissionableRecord(
                        longDiscriminator: announcement.discriminator, commissioningMode: .basic,
                        vendorID: announcement.vendorID)
                    guard filter.matches(record, hasSubtype: true) else { continue }
                    continuation.yield(
                        .found(
                            CommissionableDevice(
                                instance: announcement.instance, host: "device.local", port: 5540,
                                addresses: announcement.addresses.compactMap(ResolvedAddress.init), record: record)))
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
        AsyncThrowingStream { continuation in
            guard !nodes.isEmpty else { return }
            continuation.yield(
                .found(
                    OperationalNode(
                        instance: OperationalInstance(compressedFabricID: compressedFabricID, nodeID: nodeID),
                        host: "node.local", port: 5540, addresses: nodes.compactMap(ResolvedAddress.init),
                        record: OperationalRecord())))
        }
    }

    func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
        AsyncThrowingStream { $0.finish() }
    }

    func check() {}
}

extension ResolvedAddress {
    init?(_ address: PeerAddress) {
        guard let address = address.udp else { return nil }
        self.init(octets: address.octets, port: address.port)
    }
}
