import TestSupport
import Testing

@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

@Suite("OTA Software Update Requestor", .beside)
struct SoftwareUpdateRequestorTests {
    private typealias Cluster = OtaSoftwareUpdateRequestor
    private typealias News = SoftwareUpdateRequestorServer.News

    private static let provider = UpdateProvider(fabricIndex: 1, node: NodeID(0x2000), endpoint: 3)
    private static let token = [UInt8](repeating: 9, count: 8)
    private static let errand = UpdateErrand.notify(provider, token: token, version: 7)

    private func bench(_ change: @escaping (inout UpdateBehaviour) -> Void = { _ in }) throws -> ClusterBench {
        try ClusterBench(changing: {
            var updates = UpdateBehaviour()
            change(&updates)
            $0.updates = updates
        }) { [] }
    }

    private func announce(_ bench: ClusterBench) throws -> StatusIB {
        let announcement = Cluster.AnnounceOTAProvider(
            providerNodeID: 0x2000, vendorID: 0xFFF1, announcementReason: .urgentUpdateAvailable, endpoint: 3)
        let outcome = try bench.invoke(
            Cluster.id, Cluster.Command.announceOTAProvider, announcement.tlv, endpoint: 0)
        if case .status(let status) = outcome { return status }
        return StatusIB(.failure)
    }

    private func errands(_ bench: ClusterBench) -> [UpdateErrand] {
        bench.node.takeEffects().compactMap { if case .update(let errand) = $0 { errand } else { nil } }
    }

    private func tell(_ bench: ClusterBench, _ news: News...) {
        for news in news {
            bench.node.turn(at: bench.moment) { bench.node.enqueue(news, endpoint: 0, cluster: Cluster.id) }
        }
    }

    private func transition(
        _ previous: Cluster.UpdateState, _ new: Cluster.UpdateState, _ reason: Cluster.ChangeReason,
        _ target: UInt32? = nil
    ) -> ClusterBench.Event {
        ClusterBench.Event(
            Cluster.Event.stateTransition,
            [0: previous.tlv, 1: new.tlv, 2: reason.tlv, 3: target.map { .number($0) } ?? .null])
    }

    @Test("a device without updates has neither the cluster nor the device type")
    func off() throws {
        let bench = try ClusterBench("dimmable-light")
        #expect(bench.read(Cluster.id, Cluster.Attribute.updateState, endpoint: 0) == nil)
        let types = bench.read(Descriptor.id, Descriptor.Attribute.deviceTypeList, endpoint: 0)?.items
        #expect(types?.count == 1)
        #expect(bench.read(Descriptor.id, Descriptor.Attribute.clientList, endpoint: 0)?.items == [])
    }

    @Test("one with updates has both, and is idle")
    func on() throws {
        let bench = try bench()
        let types = bench.read(Descriptor.id, Descriptor.Attribute.deviceTypeList, endpoint: 0)?.items
        #expect(types?.count == 2)
        #expect(bench.read(Cluster.id, Cluster.Attribute.updatePossible, endpoint: 0) == .bool(true))
        #expect(
            bench.read(Cluster.id, Cluster.Attribute.updateState, endpoint: 0) == Cluster.UpdateState.idle.tlv)
        #expect(bench.read(Cluster.id, Cluster.Attribute.updateStateProgress, endpoint: 0) == .null)
    }

    @Test("an announcement leads to a query a little later; those meanwhile and during an update do not")
    func announcements() throws {
        let bench = try bench()
        #expect(try announce(bench).isSuccess)
        #expect(try announce(bench).isSuccess)
        #expect(errands(bench).isEmpty)
        bench.wait(.seconds(2))
        #expect(errands(bench) == [.query(Self.provider)])
        tell(bench, .querying(Self.provider))
        #expect(try announce(bench).isSuccess)
        bench.wait(.seconds(2))
        #expect(errands(bench).isEmpty)
        bench.caller = Caller(.pase)
        #expect(try announce(bench).status != .success)
        bench.wait(.seconds(2))
        #expect(errands(bench).isEmpty)
    }

    @Test("the default providers are one for each fabric, survive a restart and can be asked by hand")
    func defaults() throws {
        let bench = try bench()
        #expect(bench.type("0 ota-software-update-requestor query"))
        func location(_ node: UInt64) -> TLVValue {
            Cluster.ProviderLocation(providerNodeID: node, endpoint: 3, fabricIndex: 1).tlv
        }
        let attribute = Cluster.Attribute.defaultOTAProviders
        #expect(
            bench.write(Cluster.id, attribute, .array(of: [location(1), location(2)]), endpoint: 0).status
                == .constraintError)
        #expect(bench.write(Cluster.id, attribute, .array(of: [location(0x2000)]), endpoint: 0).isSuccess)
        bench.wait(.seconds(2))
        #expect(errands(bench).isEmpty)
        let after = try bench.restarted()
        #expect(after.type("0 ota-software-update-requestor query"))
        after.wait(.seconds(2))
        #expect(errands(after) == [.query(Self.provider)])
        #expect(!after.type("0 ota-software-update-requestor explode"))
    }

    @Test("each step is an event with its reason, and progress is there while it downloads")
    func transitions() throws {
        let bench = try bench()
        _ = bench.events(Cluster.id)
        tell(bench, .querying(Self.provider), .moved(.delayedOnQuery, .delayByProvider), .querying(Self.provider))
        tell(bench, .moved(.downloading, .success, target: 7))
        #expect(bench.number(Cluster.id, Cluster.Attribute.updateStateProgress, endpoint: 0) == 0)
        tell(bench, .progress(40))
        #expect(bench.number(Cluster.id, Cluster.Attribute.updateStateProgress, endpoint: 0) == 40)
        tell(bench, .downloadFailed(version: 7, received: 1234), .moved(.idle, .timeOut), .moved(.idle, .failure))
        #expect(bench.read(Cluster.id, Cluster.Attribute.updateStateProgress, endpoint: 0) == .null)
        let failure = ClusterBench.Event(
            Cluster.Event.downloadError, [0: .uint(7), 1: .uint(1234), 2: .uint(40), 3: .null])
        #expect(
            bench.events(Cluster.id) == [
                transition(.idle, .querying, .success), transition(.querying, .delayedOnQuery, .delayByProvider),
                transition(.delayedOnQuery, .querying, .success), transition(.querying, .downloading, .success, 7),
                failure, transition(.downloading, .idle, .timeOut),
            ])
    }

    private func restarted(_ bench: ClusterBench) throws -> (ClusterBench, [UpdateErrand], [ClusterBench.Event]) {
        let saved = try SavedClusters(tlv: bench.node.savedClusters.tlv)
        let node = try bench.restarted()
        // A bench begins where the start of its node is over.
        let fresh = try SimulatedNode(
            node.node.configuration, endpoints: [],
            saved: {
                var state = SavedNode()
                state.clusters = saved
                state.fabrics = bench.node.savedFabrics
                return state
            }(), random: SystemRandom(), at: bench.moment)
        let errands = fresh.takeEffects().compactMap { effect -> UpdateErrand? in
            if case .update(let errand) = effect { errand } else { nil }
        }
        let events = fresh.events.records.filter { $0.path.cluster == Cluster.id }.map(ClusterBench.Event.init)
        return (node, errands, events)
    }

    @Test("after the restart the new version runs, and the provider is to know; a later restart knows nothing of it")
    func applied() throws {
        let bench = try bench()
        _ = bench.node.takeEffects()
        tell(bench, .querying(Self.provider), .moved(.applying, .success, target: 7))
        tell(
            bench,
            .installed(
                Self.errand,
                BasicInformationServer.Installed(softwareVersion: 7, softwareVersionString: "seven")))
        #expect(bench.node.takeEffects().contains { if case .reboot = $0 { true } else { false } })
        // Until then the old one runs.
        let version = BasicInformation.Attribute.softwareVersion
        #expect(bench.number(BasicInformation.id, version, endpoint: 0) == 1)
        let (after, errands, events) = try restarted(bench)
        #expect(after.number(BasicInformation.id, version, endpoint: 0) == 7)
        let name = BasicInformation.Attribute.softwareVersionString
        #expect(after.read(BasicInformation.id, name, endpoint: 0) == .string("seven"))
        #expect(errands == [Self.errand])
        #expect(
            events == [
                transition(.applying, .idle, .success),
                ClusterBench.Event(Cluster.Event.versionApplied, [0: .uint(7), 1: .uint(0x8001)]),
            ])
        tell(after, .finished)
        let (last, none, nothing) = try restarted(after)
        #expect(none.isEmpty && nothing.isEmpty)
        #expect(last.number(BasicInformation.id, version, endpoint: 0) == 7)
    }

    @Test("a roll-back is a failure, and a device that lost its power asks again")
    func others() throws {
        let rolling = try bench { $0.rollsBack = true }
        tell(rolling, .querying(Self.provider), .moved(.applying, .success, target: 7))
        tell(
            rolling,
            .installed(
                Self.errand,
                BasicInformationServer.Installed(softwareVersion: 7, softwareVersionString: "seven")))
        let (after, errands, events) = try restarted(rolling)
        #expect(errands.isEmpty)
        #expect(events == [transition(.rollingBack, .idle, .failure)])
        #expect(after.number(BasicInformation.id, BasicInformation.Attribute.softwareVersion, endpoint: 0) == 1)
        let interrupted = try bench()
        tell(interrupted, .querying(Self.provider), .moved(.downloading, .success, target: 7))
        #expect(try restarted(interrupted).1 == [.query(Self.provider)])
    }
}
