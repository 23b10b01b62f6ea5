import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// Each service of a controller over a fabric context, and without the other ones.
@Suite("Services of a controller", .virtualTime)
struct ServiceTests {
    /// A fabric with one light, and no controller.
    private struct House {
        let light: VirtualLight
        let context: FabricContext
        let pool: LinkPool
        let links: NodeLinks
        let trust: TrustPolicy

        init(_ state: TemporaryState) async throws {
            light = try await VirtualLight()
            var options = Controller.Options(
                state: state.directory, addresses: [try PeerAddress(parsing: light.address)], logger: .silent)
            options.time = testTime
            options.links = TestNetwork.links()
            context = FabricContext(options)
            pool = LinkPool(context)
            links = NodeLinks(context, pool)
            trust = .folder(light.trust, testDevices: true)
        }

        var commissioning: CommissioningService { commissioning { _ in } }

        /// - Parameter registered: told of each device that is commissioned.
        func commissioning(_ registered: @escaping @Sendable (NodeID) -> Void) -> CommissioningService {
            CommissioningService(
                context, Issuers(context, links), Judges(context),
                CommissioningService.Aftercare(
                    register: { node, _ in registered(node.nodeID) },
                    remove: { _, _, _ in throw CancellationError() }))
        }

        func commission(by service: CommissioningService? = nil) async throws -> NodeRecord {
            let requests = try SetupPayload.parse(light.code).map { payload in
                var request = CommissioningRequest(payload)
                request.addresses = context.options.addresses
                request.name = "lamp"
                return request
            }
            return try await (service ?? commissioning).commission(
                requests, CommissioningService.CommissionOptions(trust: trust), deadline: .testNow + .seconds(60)
            ).node
        }

        func end() async {
            context.endReports()
            await pool.close()
            await context.close()
            await light.stop()
        }
    }

    /// Judges as the tests say.
    private struct Judges: AttestationJudging {
        let context: FabricContext

        init(_ context: FabricContext) { self.context = context }

        func judge(_ trust: TrustPolicy, ask: AskAboutDevice?) throws -> AttestationJudge {
            try AttestationJudge(
                trust, records: TrustRecords(context.options.state), time: context.validationTime, logger: .silent,
                warn: { _, _ in }, ask: ask)
        }
    }

    /// Knows one node, and where it serves groups.
    private struct OneNode: NodeFinding {
        let node: NodeRecord
        let link: NodeLink

        func place(of text: String, endpoint: EndpointID?) throws -> (node: NodeRecord, endpoint: EndpointID?) {
            (node, endpoint)
        }

        func endpoint(
            serving cluster: ClusterID, of node: NodeRecord, named: EndpointID?, budget: Budget
        ) async throws -> ServingEndpoint { ServingEndpoint(node: node, endpoint: 1, link: link) }
    }

    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    @Test("commissioning makes a fabric and a node, and hands the node to its aftercare")
    func commissioning() async throws {
        let house = try await House(state)
        let registered = Mutex<[NodeID]>([])
        let service = house.commissioning { id in registered.withLock { $0.append(id) } }
        let node = try await house.commission(by: service)
        #expect(try house.context.nodes().all().map(\.nodeID) == [node.nodeID])
        #expect(registered.withLock { $0 } == [node.nodeID])
        #expect(try house.context.journal().sound().nodes.isEmpty)
        await house.end()
    }

    @Test("nodes are found by name, asked what they are, and renamed")
    func nodes() async throws {
        let house = try await House(state)
        let node = try await house.commission()
        let service = NodeService(house.context, house.links, Issuers(house.context, house.links))
        #expect(try service.record(of: "lamp").nodeID == node.nodeID)
        let described = try await service.refreshed(node, deadline: .testNow + .seconds(30))
        #expect(described.endpoints.contains { $0.serverClusters.contains(OnOff.id.rawValue) })
        try await service.rename(node, bridged: nil, to: "desk", alsoAt: [], budget: Budget(nil))
        #expect(try service.targets(of: NodeQuery(["des*"]), in: .standard).map(\.node.nodeID) == [node.nodeID])
        #expect(throws: RecordError.self) { try service.record(of: "lamp") }
        await house.end()
    }

    @Test("a node joins a group and leaves it")
    func groups() async throws {
        let house = try await House(state)
        let node = try await house.commission()
        let finder = OneNode(node: node, link: try await house.links.link(to: node))
        let service = GroupService(house.context, house.links, finder)
        let hall = try await service.createGroup("hall", id: 7)
        let party = try #require(service.parties([("anything", nil)]).first)
        let joined = try await service.join(hall, party, budget: Budget(nil))
        #expect(joined.endpoints == [1] && joined.isChanged)
        #expect(try service.nodes(of: house.context.groups().find("hall")).map(\.nodeID) == [node.nodeID])
        let error = await #expect(throws: ControllerError.self) {
            try await service.send(Command(DoorLock.LockDoor(), at: nil), to: hall)
        }
        #expect(error?.code == .groupTarget)
        #expect(try await service.leave(house.context.groups().find("hall"), party, budget: Budget(nil)))
        #expect(try service.nodes(of: house.context.groups().find("hall")).isEmpty)
        await house.end()
    }

    @Test("a node that sleeps and is not registered with is met at once, and one that does not sleep is left alone")
    func sleepers() async throws {
        let house = try await House(state)
        var node = try await house.commission()
        let service = SleeperService(house.context, house.pool)
        #expect(try await service.register(with: node, title: "lamp", isForced: false, budget: Budget(nil)) == nil)
        #expect(try await !service.meet(node, for: .short))
        node.isLongIdleTime = true
        let kept = ICDRegistration(
            nodeID: node.nodeID, clientID: try house.context.credentials().nodeID,
            sleep: ICDRegistration.Sleep(idle: 3600, active: 300, threshold: 5000))
        try await house.context.registrations().save(kept)
        #expect(service.silence(of: [node]) == .seconds(3600))
        #expect(try service.longestSleep() >= .seconds(3600))
        await service.close()
        await house.end()
    }

    @Test("a subscription tells the first values, and ends with its reader")
    func subscriptions() async throws {
        let house = try await House(state)
        let node = try await house.commission()
        let service = SubscriptionService(house.context, house.pool, house.links)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: service.usualSilence(of: [node]),
            attributePaths: [AttributePath(Light.onOff)])
        var values: [TLVValue?] = []
        for try await event in service.follow(request, of: node) {
            guard case .established(_, _, let result) = event else { continue }
            values.append(result.attribute(Light.onOff)?.value)
            break
        }
        #expect(values == [.bool(false)])
        await house.end()
    }

    @Test("a node is judged by a policy of trust")
    func trust() async throws {
        let house = try await House(state)
        let node = try await house.commission()
        let service = TrustService(house.context, house.links)
        let device = try await service.attest(node, trust: house.trust, deadline: .testNow + .seconds(30))
        #expect(device.refusal == nil)
        let strict = try await service.attest(node, trust: TrustPolicy(), deadline: .testNow + .seconds(30))
        #expect(strict.refusal?.code == .attestationRefused)
        await house.end()
    }
}
