import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterLedger
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// Firmware for a virtual device that fetches it, with its network, its time and its faults.
@Suite("Firmware updates", .virtualTime)
struct UpdateTests {
    /// A network on which services are found as soon as they are published.
    private final class Announcements: Discovery, Advertiser {
        private let ports = Mutex<[String: UInt16]>([:])

        private struct Entry: PublishedService {
            let name: String
            let withdrawing: @Sendable () -> Void

            var instance: String? { get async { name } }
            func established() async throws {}
            func update(txt: TXTRecord, subtypes: [String]?) async throws(DiscoveryError) {}
            func withdraw() async { withdrawing() }
        }

        var names: [String] { ports.withLock { Array($0.keys) } }

        func publish(_ service: ServicePublication) async throws(DiscoveryError) -> any PublishedService {
            let name = service.instance ?? ""
            ports.withLock { $0[name] = service.port }
            return Entry(name: name) { self.ports.withLock { $0[name] = nil } }
        }

        func browseCommissionable(
            _ filter: CommissionableFilter, includingClosed: Bool
        ) -> AsyncThrowingStream<CommissionableEvent, any Error> { AsyncThrowingStream { $0.finish() } }

        func resolveOperational(
            compressedFabricID: UInt64, nodeID: UInt64
        ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
            AsyncThrowingStream { continuation in
                let instance = OperationalInstance(compressedFabricID: compressedFabricID, nodeID: nodeID)
                let port = ports.withLock { $0[instance.name] ?? $0["*"] }
                guard let port, let found = try? PeerAddress(parsing: "[::1]:\(port)").resolved else { return }
                continuation.yield(
                    .found(
                        OperationalNode(
                            instance: instance, host: "host", port: port, addresses: [found],
                            record: OperationalRecord())))
            }
        }

        func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
            AsyncThrowingStream { _ in }
        }

        func check() {}

        /// Every other node is there.
        func standIn(at address: PeerAddress) { ports.withLock { $0["*"] = address.resolved?.port } }
    }

    /// A device on a fabric, its controller, and the progress of an update.
    private final class Scene: Sendable {
        let light: VirtualLight
        let controller: Controller
        let network = Announcements()
        let node: NodeRecord
        private let told = Mutex<[UpdateProgress]>([])
        private let state: TemporaryState

        init(isRequestor: Bool = true, _ change: (inout UpdateBehaviour) -> Void = { _ in }) async throws {
            var behaviour = UpdateBehaviour()
            change(&behaviour)
            light = try await VirtualLight(discovery: network, changing: { $0.updates = isRequestor ? behaviour : nil })
            let address = try PeerAddress(parsing: light.address)
            network.standIn(at: address)
            state = try TemporaryState()
            var options = Controller.Options(state: state.directory, logger: .silent)
            options.time = testTime
            options.links = TestNetwork.links()
            options.discovery = network
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

        var progress: [UpdateProgress] { told.withLock { $0 } }

        /// The parts of the progress without their numbers.
        var phases: [String] {
            progress.reduce(into: []) { phases, progress in
                let word = "\(progress)".prefix { $0 != "(" }
                if phases.last != String(word) { phases.append(String(word)) }
            }
        }

        func update(_ octets: [UInt8], limits: UpdateWatch.Patience = UpdateWatch.Patience()) async throws {
            var updates = controller.updates
            updates.limits = limits
            try await updates.update(node, title: "lamp", with: UpdateImage(octets)) { progress in
                self.told.withLock { $0.append(progress) }
            }
        }

        func version() async throws -> UInt32? {
            let path = ConcreteAttributePath(
                endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.softwareVersion)
            let link = try await controller.links.link(to: node)
            return try await link.read([AttributePath(path)], deadline: .testNow + .seconds(60))
                .attribute(path)?.value?.integer()
        }

        func close() async {
            await controller.close()
            await light.stop()
        }
    }

    /// A sound image of so many octets of payload.
    private static func image(_ count: Int = 5000, _ change: (inout FirmwareImage) -> Void = { _ in }) -> [UInt8] {
        var image = FirmwareImage()
        image.payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        change(&image)
        return image.octets
    }

    @Test("a device fetches an image of any size, starts again and runs the new version", arguments: [0, 1, 900, 5000])
    func wholeWay(count: Int) async throws {
        let scene = try await Scene()
        let image = Self.image(count)
        try await scene.update(image)
        #expect(try await scene.version() == 2)
        #expect(scene.phases == ["announced", "asked", "downloading", "applying"], "\(scene.progress)")
        let size = UInt64(image.count)
        #expect(scene.progress.contains(.downloading(sent: size, of: size)))
        // Nothing of the provider is left.
        #expect(scene.network.names == ["*"])
        await scene.close()
    }

    @Test("a device that never says that it is done is done all the same")
    func silent() async throws {
        let scene = try await Scene { $0.neverNotifies = true }
        try await scene.update(Self.image())
        #expect(try await scene.version() == 2)
        await scene.close()
    }

    @Test("a device that loses its power in the middle begins again")
    func powerLoss() async throws {
        let scene = try await Scene { $0.powerLossAfter = 3000 }
        try await scene.update(Self.image())
        #expect(try await scene.version() == 2)
        #expect(scene.progress.count { $0 == .asked } == 2, "\(scene.progress)")
        await scene.close()
    }

    private func fails(
        _ scene: Scene, _ image: [UInt8], limits: UpdateWatch.Patience = UpdateWatch.Patience()
    ) async -> UpdateError? {
        await #expect(throws: UpdateError.self) { try await scene.update(image, limits: limits) }
    }

    @Test("a device that goes back to its old firmware has rolled back")
    func rollBack() async throws {
        let scene = try await Scene { $0.rollsBack = true }
        let error = await fails(scene, Self.image())
        #expect(error?.code == .rolledBack, "\(String(describing: error))")
        #expect(try await scene.version() == 1)
        await scene.close()
    }

    @Test("a device that gives its transfer up is given up, and the error says why")
    func refusal() async throws {
        let scene = try await Scene { $0.refusesDownload = true }
        let error = await fails(scene, Self.image())
        #expect(
            error?.code == .stalled && error?.reason.contains("transferFailed") ?? false, "\(String(describing: error))"
        )
        #expect(scene.network.names == ["*"])
        await scene.close()
    }

    @Test("an image for another product or another version is refused before the device hears of it")
    func notApplicable() async throws {
        let scene = try await Scene()
        for image in [
            Self.image { $0.productID = 0x8002 }, Self.image { $0.version = 1 }, Self.image { $0.least = 7 },
            Self.image { $0.vendorID = 0xFFF2 },
        ] {
            #expect(await fails(scene, image)?.code == .notApplicable)
        }
        #expect(scene.progress == [])
        await scene.close()
    }

    @Test("a device without the cluster takes no firmware")
    func notPossible() async throws {
        let scene = try await Scene(isRequestor: false)
        #expect(await fails(scene, Self.image())?.code == .notPossible)
        await scene.close()
    }

    // MARK: The offer alone

    private static let provider = NodeID(0x10)
    private static let requestor = NodeID(0x20)

    private func offer() throws -> FirmwareOffer {
        FirmwareOffer(
            try UpdateImage(Self.image()), by: Self.provider, for: Self.requestor,
            token: [UInt8](repeating: 7, count: 32))
    }

    private func ask(
        _ offer: FirmwareOffer, from node: NodeID = requestor, version: UInt32 = 1, product: UInt16 = 0x8001,
        protocols: [OtaSoftwareUpdateProvider.DownloadProtocol] = [.bdxSynchronous]
    ) -> (OtaSoftwareUpdateProvider.QueryImageResponse?, FirmwareOffer.Event?) {
        let query = OtaSoftwareUpdateProvider.QueryImage(
            vendorID: 0xFFF1, productID: product, softwareVersion: version, protocolsSupported: protocols)
        let path = CommandPath(
            endpoint: 0, cluster: OtaSoftwareUpdateProvider.id, command: OtaSoftwareUpdateProvider.Command.queryImage)
        let answer = offer.answer(path, query.tlv, from: node)
        guard case .response(_, let fields?) = answer.outcome else { return (nil, answer.event) }
        return (OtaSoftwareUpdateProvider.QueryImageResponse(tlv: fields), answer.event)
    }

    @Test("a node is offered an image of its provider, and only what fits it")
    func offered() throws {
        let (answer, event) = ask(try offer())
        #expect(event == .asked && answer?.status == .updateAvailable && answer?.softwareVersion == 2)
        #expect(answer?.imageURI?.hasPrefix("bdx://0000000000000010/") ?? false, "\(String(describing: answer))")
        #expect(answer?.updateToken?.count == 32 && answer?.userConsentNeeded == false)
        for (answer, _) in [
            ask(try offer(), version: 2), ask(try offer(), product: 0x8002), ask(try offer(), from: NodeID(0x21)),
        ] {
            #expect(answer?.status == .notAvailable && answer?.imageURI == nil && answer?.updateToken == nil)
        }
        #expect(ask(try offer(), protocols: [.https]).0?.status == .downloadProtocolNotSupported)
        var busy = try offer()
        busy.isBeingFetched = true
        #expect(ask(busy).0?.status == .busy && ask(busy).0?.delayedActionTime ?? 0 >= 120)
    }

    @Test("a file is served by its name and to its node alone, and a stranger changes nothing")
    func strangers() throws {
        let offer = try offer()
        let name = Array(offer.designator.utf8)
        #expect(offer.serves(name, to: Self.requestor))
        #expect(!offer.serves(name, to: NodeID(0x21)) && !offer.serves(name + [0x2F], to: Self.requestor))
        #expect(!offer.serves(Array("../\(offer.designator)".utf8), to: Self.requestor))
        let request = OtaSoftwareUpdateProvider.ApplyUpdateRequest(
            updateToken: [UInt8](repeating: 7, count: 32), newVersion: 2)
        let notice = OtaSoftwareUpdateProvider.NotifyUpdateApplied(
            updateToken: [UInt8](repeating: 7, count: 32), softwareVersion: 2)
        for (command, fields) in [
            (OtaSoftwareUpdateProvider.Command.applyUpdateRequest, request.tlv),
            (OtaSoftwareUpdateProvider.Command.notifyUpdateApplied, notice.tlv),
        ] {
            let path = CommandPath(endpoint: 0, cluster: OtaSoftwareUpdateProvider.id, command: command)
            #expect(offer.answer(path, fields, from: NodeID(0x21)).event == nil)
            #expect(offer.answer(path, fields, from: Self.requestor).event != nil)
            #expect(offer.answer(path, nil, from: Self.requestor).outcome == .status(StatusIB(.invalidCommand)))
        }
        let other = CommandPath(endpoint: 0, cluster: OnOff.id, command: OnOff.Command.toggle)
        #expect(offer.answer(other, nil, from: Self.requestor).outcome == .status(StatusIB(.unsupportedCluster)))
    }

    @Test("an update that is interrupted leaves nothing behind, and the next one goes through")
    func interrupted() async throws {
        let scene = try await Scene()
        let first = inBackground { try await scene.update(Self.image(200_000)) }
        try await eventually { scene.phases.contains("downloading") }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(scene.network.names == ["*"])
        try await testTime.sleep(for: .seconds(400))
        try await scene.update(Self.image())
        #expect(try await scene.version() == 2)
        await scene.close()
    }
}
