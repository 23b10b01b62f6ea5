import MatterBase
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// A device that takes updates, and a provider on its fabric.
private final class UpdateScene: Sendable {
    static let providerNode: UInt64 = 0x2000
    private static let deviceNode: UInt64 = 0x3000
    private static let requestor = OtaSoftwareUpdateRequestor.id

    let device: SimulatedDevice
    let provider: FakeProvider
    private let reports: Mutex<[NodeReport]>
    private let serving: Task<Void, any Error>

    private init(
        _ device: SimulatedDevice, _ provider: FakeProvider, _ reports: sending [NodeReport],
        _ serving: Task<Void, any Error>
    ) {
        self.device = device
        self.provider = provider
        self.reports = Mutex(reports)
        self.serving = serving
    }

    static func start(
        _ plan: FakeProvider.Plan = FakeProvider.Plan(), _ change: (inout UpdateBehaviour) -> Void = { _ in }
    ) async throws -> UpdateScene {
        let fabric = try TestFabric()
        let provider = try await FakeProvider.start(plan, on: fabric, node: providerNode)
        let own = try fabric.issuer().issueOwnCredentials(
            key: try P256PrivateKey.generate(SystemRandom()), nodeID: NodeID(deviceNode))
        let entry = FabricEntry(
            index: 1, operational: own, vendorID: 0xFFF1,
            access: [AccessControlEntry(.administer, .case, subjects: [providerNode])],
            keySets: [GroupKeySet(id: 0, keys: [.init(key: own.ipkEpochKey, start: 1)])])
        let seen = Seen()
        var surroundings = SimulatedDevice.Surroundings(
            port: 0, discovery: OneAddress(provider.device.address), report: { report in seen.add(report) })
        surroundings.time = testTime
        surroundings.links = TestNetwork.links()
        let configuration = try NodeBench.configuration {
            var updates = UpdateBehaviour()
            change(&updates)
            $0.updates = updates
        }
        let kinds = [try SimulatedType.named("dimmable-light")]
        let device = try SimulatedDevice(
            configuration, surroundings: surroundings, endpoints: { SimulatedType.plans(kinds) })
        await device.withNode { node, _ in node.fabrics = FabricTable([entry]) }
        try await device.start()
        let scene = UpdateScene(device, provider, [], inBackground { await device.run() })
        seen.forward { report in scene.reports.withLock { $0.append(report) } }
        return scene
    }

    /// Hands the reports of a device on to a scene that is there later than it.
    private final class Seen: Sendable {
        private let target = Mutex<(@Sendable (NodeReport) -> Void)?>(nil)

        func add(_ report: NodeReport) { target.withLock { $0 }?(report) }
        func forward(_ body: @escaping @Sendable (NodeReport) -> Void) { target.withLock { $0 = body } }
    }

    func stop() async {
        await device.stop()
        await provider.device.shutDown()
        serving.cancel()
        _ = try? await serving.value
    }

    func announce() async throws {
        let announcement = OtaSoftwareUpdateRequestor.AnnounceOTAProvider(
            providerNodeID: Self.providerNode, vendorID: 0xFFF1, announcementReason: .updateAvailable,
            endpoint: FakeProvider.endpoint)
        let path = CommandPath(
            endpoint: 0, cluster: Self.requestor, command: OtaSoftwareUpdateRequestor.Command.announceOTAProvider)
        let caller = Caller(.case(NodeID(Self.providerNode), tags: []), fabricIndex: 1)
        let outcomes = try await device.withNode { node, moment in
            try node.turn(at: moment) {
                try node.invoke(
                    InvokeRequest(isTimed: false, commands: [CommandDataIB(path: path, fields: announcement.tlv)]),
                    caller: caller)
            }
        }
        #expect(outcomes == [.status(StatusIB(.success))])
    }

    /// Announces the provider, and waits until the device has done with it.
    func update() async throws {
        try await announce()
        try await testTime.sleep(for: .seconds(3600))
        #expect(await state == .idle)
    }

    // MARK: The device

    /// The states that the device has been in, in turn.
    var states: [OtaSoftwareUpdateRequestor.UpdateState] {
        reports.withLock { $0 }.compactMap { report in
            guard
                case .attribute(_, Self.requestor, OtaSoftwareUpdateRequestor.Attribute.updateState, let value) = report
            else { return nil }
            return OtaSoftwareUpdateRequestor.UpdateState(tlv: value)
        }
    }

    var state: OtaSoftwareUpdateRequestor.UpdateState? {
        get async {
            await value(Self.requestor, OtaSoftwareUpdateRequestor.Attribute.updateState)
                .flatMap { OtaSoftwareUpdateRequestor.UpdateState(tlv: $0) }
        }
    }

    func value(_ cluster: ClusterID, _ attribute: AttributeID) async -> TLVValue? {
        await device.withNode { node, _ in node.stored(0, cluster, attribute) }
    }

    var version: UInt32? {
        get async { await value(BasicInformation.id, BasicInformation.Attribute.softwareVersion)?.integer() }
    }

    func events(of cluster: ClusterID) -> [EventID] {
        reports.withLock { $0 }.compactMap { report in
            if case .event(_, cluster, let event, _) = report { event } else { nil }
        }
    }

    /// The steps that the device has told of.
    var steps: [String] {
        reports.withLock { $0 }.compactMap { report in
            if case .session(let what, _) = report, what.hasPrefix("update-") { what } else { nil }
        }
    }
}

@Suite("A device that takes updates", .virtualTime, .fewAtATime)
struct SoftwareUpdateTests {
    private typealias Event = OtaSoftwareUpdateRequestor.Event

    @Test("it asks, downloads, applies, starts again with the new version and tells the provider")
    func whole() async throws {
        let scene = try await UpdateScene.start()
        try await scene.update()
        let seen = scene.provider.seen
        let query = try #require(seen.queries.first)
        #expect(seen.queries.count == 1 && seen.transfers == 1 && seen.ends.isEmpty)
        #expect(query.vendorID == 0xFFF1 && query.productID == 0x8001 && query.softwareVersion == 1)
        #expect(query.protocolsSupported == [.bdxSynchronous] && query.requestorCanConsent == false)
        #expect(seen.applications.map(\.newVersion) == [2])
        #expect(seen.applications.map(\.updateToken) == [FakeProvider.token])
        #expect(seen.notices.map(\.softwareVersion) == [2])
        #expect(seen.notices.map(\.updateToken) == [FakeProvider.token])
        #expect(seen.endpoints == [FakeProvider.endpoint])
        // One session until the restart, and one after it.
        #expect(await scene.provider.device.handshakes.count == 2)
        #expect(await scene.version == 2)
        let name = await scene.value(BasicInformation.id, BasicInformation.Attribute.softwareVersionString)
        #expect(name == .string("2.0"))
        #expect(scene.states == [.querying, .downloading, .applying])
        #expect(
            scene.events(of: OtaSoftwareUpdateRequestor.id)
                == [Event.stateTransition, Event.stateTransition, Event.stateTransition]
                + [Event.stateTransition, Event.versionApplied])
        #expect(scene.events(of: BasicInformation.id).suffix(1) == [BasicInformation.StartUp.id])
        #expect(scene.steps == ["update-queried", "update-downloaded", "update-applied", "update-notified"])
        await scene.stop()
    }

    @Test("messages that are lost cost it nothing but time")
    func badNetwork() async throws {
        let scene = try await UpdateScene.start()
        let count = Mutex(0)
        TestNetwork.current.treat { _, _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number.isMultiple(of: 4) ? [] : [TestNetwork.latency]
        }
        try await scene.update()
        #expect(scene.provider.seen.transfers == 1 && scene.provider.seen.notices.count == 1)
        #expect(await scene.version == 2)
        await scene.stop()
    }

    @Test("a device that is up to date asks again when it is told to, and is not updated twice")
    func again() async throws {
        let scene = try await UpdateScene.start()
        try await scene.update()
        try await scene.update()
        #expect(scene.provider.seen.queries.map(\.softwareVersion) == [1, 2])
        #expect(scene.provider.seen.transfers == 1)
        #expect(scene.steps.last == "update-failed")
        await scene.stop()
    }

    @Test("a busy provider is asked again after its time, and no sooner than after two minutes")
    func busy() async throws {
        var plan = FakeProvider.Plan()
        plan.queries = [5, 300].map { FakeProvider.Cluster.QueryImageResponse(status: .busy, delayedActionTime: $0) }
        let scene = try await UpdateScene.start(plan)
        try await scene.update()
        let times = scene.provider.seen.queryTimes
        try #require(times.count == 3)
        #expect((119...125).contains((times[1] - times[0]) / .seconds(1)))
        #expect((299...305).contains((times[2] - times[1]) / .seconds(1)))
        #expect(scene.states.prefix(3) == [.querying, .delayedOnQuery, .querying])
        #expect(await scene.version == 2)
        await scene.stop()
    }

    @Test("the shortest wait can be set, and an announcement meanwhile changes nothing")
    func shortWait() async throws {
        var plan = FakeProvider.Plan()
        plan.queries = [FakeProvider.Cluster.QueryImageResponse(status: .busy)]
        let scene = try await UpdateScene.start(plan) { $0.shortestDelay = .seconds(10) }
        try await scene.announce()
        try await testTime.sleep(for: .seconds(5))
        #expect(await scene.state == .delayedOnQuery)
        try await scene.announce()
        try await testTime.sleep(for: .seconds(3))
        #expect(scene.provider.seen.queries.count == 1)
        try await testTime.sleep(for: .seconds(60))
        #expect(scene.provider.seen.queries.count == 2)
        #expect(await scene.version == 2)
        await scene.stop()
    }

    @Test(
        "there is nothing for it",
        arguments: [.notAvailable, .downloadProtocolNotSupported] as [FakeProvider.Cluster.Status])
    func nothing(_ status: FakeProvider.Cluster.Status) async throws {
        var plan = FakeProvider.Plan()
        plan.queries = [FakeProvider.Cluster.QueryImageResponse(status: status)]
        let scene = try await UpdateScene.start(plan)
        try await scene.update()
        #expect(scene.states == [.querying, .idle])
        #expect(scene.events(of: OtaSoftwareUpdateRequestor.id) == [Event.stateTransition, Event.stateTransition])
        #expect(await scene.version == 1)
        await scene.stop()
    }

    @Test("it waits to apply what it has, and asks again on a new session")
    func later() async throws {
        var plan = FakeProvider.Plan()
        plan.applications = [
            FakeProvider.Cluster.ApplyUpdateResponse(action: .awaitNextAction, delayedActionTime: 600)
        ]
        let scene = try await UpdateScene.start(plan)
        try await scene.update()
        #expect(scene.states == [.querying, .downloading, .delayedOnApply, .applying])
        #expect(scene.provider.seen.applications.count == 2 && scene.provider.seen.transfers == 1)
        #expect(await scene.provider.device.handshakes.count == 3)
        #expect(await scene.version == 2)
        await scene.stop()
    }

    @Test("it drops what it is told to drop")
    func discontinued() async throws {
        var plan = FakeProvider.Plan()
        plan.applications = [FakeProvider.Cluster.ApplyUpdateResponse(action: .discontinue, delayedActionTime: 0)]
        let scene = try await UpdateScene.start(plan)
        try await scene.update()
        #expect(scene.states == [.querying, .downloading, .idle])
        #expect(await scene.version == 1)
        await scene.stop()
    }

    // MARK: Failures

    private static let bad: [(String, FakeProvider.Plan)] = {
        func plan(_ change: (inout FakeProvider.Plan) -> Void) -> FakeProvider.Plan {
            var plan = FakeProvider.Plan()
            change(&plan)
            return plan
        }
        return [
            ("digest", plan { $0.image.digest = [UInt8](repeating: 0, count: 32) }),
            ("digest type", plan { $0.image.digestType = .sha512 }),
            ("product", plan { $0.image.productID = 0x8002 }),
            ("vendor", plan { $0.image.vendorID = 0xFFF2 }),
            ("version", plan { $0.offeredVersion = 3 }),
            ("too new for us", plan { $0.image.least = 2 }),
            ("longer than it says", plan { $0.image.surplus = 1 }),
            ("unknown", plan { $0.refusal = .designatorUnknown }),
        ]
    }()

    @Test("an image that is not right is not applied, and the download counts as failed", arguments: bad.map(\.0))
    func badImage(_ name: String) async throws {
        let plan = try #require(Self.bad.first { $0.0 == name }?.1)
        let scene = try await UpdateScene.start(plan)
        try await scene.update()
        #expect(scene.states == [.querying, .downloading, .idle])
        #expect(scene.events(of: OtaSoftwareUpdateRequestor.id).contains(Event.downloadError))
        #expect(scene.provider.seen.applications.isEmpty)
        #expect(scene.steps.last == "update-failed")
        #expect(await scene.version == 1)
        await scene.stop()
    }

    @Test(
        "an image elsewhere is not fetched",
        arguments: [
            "bdx://0000000000002001/image", "bdx://0000000000002000/", "bdx://2000/image", "https://example.org/image",
            "bdx://0000000000002000",
        ])
    func elsewhere(_ uri: String) async throws {
        var plan = FakeProvider.Plan()
        plan.imageURI = uri
        let scene = try await UpdateScene.start(plan)
        try await scene.update()
        #expect(scene.states == [.querying, .idle])
        #expect(scene.provider.seen.transfers == 0)
        await scene.stop()
    }

    @Test("a provider that is not there is given up")
    func silent() async throws {
        let scene = try await UpdateScene.start()
        await scene.provider.device.shutDown()
        try await scene.update()
        #expect(scene.states == [.querying, .idle])
        await scene.stop()
    }

    // MARK: Faults

    @Test("a device can refuse the download")
    func refusesDownload() async throws {
        let scene = try await UpdateScene.start { $0.refusesDownload = true }
        try await scene.update()
        #expect(scene.provider.seen.ends == [StatusReport(.transferFailed)])
        #expect(scene.states == [.querying, .downloading, .idle])
        #expect(scene.events(of: OtaSoftwareUpdateRequestor.id).contains(Event.downloadError))
        #expect(await scene.version == 1)
        await scene.stop()
    }

    @Test("a device that loses its power during the download asks again, and has the update in the end")
    func powerLoss() async throws {
        let scene = try await UpdateScene.start { $0.powerLossAfter = 1000 }
        try await scene.update()
        #expect(scene.provider.seen.queries.map(\.softwareVersion) == [1, 1])
        #expect(scene.provider.seen.transfers == 1 && scene.provider.seen.ends.isEmpty)
        #expect(scene.provider.seen.notices.count == 1)
        #expect(await scene.version == 2)
        await scene.stop()
    }

    @Test("a device can keep to itself that it has the update")
    func neverNotifies() async throws {
        let scene = try await UpdateScene.start { $0.neverNotifies = true }
        try await scene.update()
        #expect(scene.provider.seen.notices.isEmpty)
        #expect(scene.events(of: OtaSoftwareUpdateRequestor.id).contains(Event.versionApplied))
        #expect(await scene.version == 2)
        await scene.stop()
    }

    @Test("a device can go back to the old version")
    func rollsBack() async throws {
        let scene = try await UpdateScene.start { $0.rollsBack = true }
        try await scene.update()
        #expect(scene.provider.seen.applications.count == 1 && scene.provider.seen.notices.isEmpty)
        #expect(!scene.events(of: OtaSoftwareUpdateRequestor.id).contains(Event.versionApplied))
        #expect(await scene.version == 1)
        // It can be tried again.
        try await scene.update()
        #expect(scene.provider.seen.queries.count == 2)
        await scene.stop()
    }
}
