import MatterTestKit
import Synchronization

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator

/// A provider of software that does as it is told.
final class FakeProvider: Sendable {
    typealias Cluster = OtaSoftwareUpdateProvider

    static let token = [UInt8](1...32)
    static let endpoint: EndpointID = 3

    /// The provider's experience with the device.
    struct Log {
        var queries: [Cluster.QueryImage] = []
        /// When they came.
        var queryTimes: [Instant] = []
        var applications: [Cluster.ApplyUpdateRequest] = []
        var notices: [Cluster.NotifyUpdateApplied] = []
        /// The reports with which the device ended transfers.
        var ends: [StatusReport] = []
        /// Transfers that came to their end.
        var transfers = 0
        var endpoints: Set<EndpointID?> = []
    }

    /// The provider's answers.
    struct Plan {
        var image: FirmwareImage = {
            var image = FirmwareImage()
            image.payload = [UInt8](repeating: 0x5A, count: 3000)
            return image
        }()
        /// To the first queries; after them the image is offered.
        var queries: [Cluster.QueryImageResponse] = []
        /// To the first requests; after them the device may proceed.
        var applications: [Cluster.ApplyUpdateResponse] = []
        /// The place of the image, if it is not the provider's own.
        var imageURI: String?
        /// The version that is offered, if it is not the image's.
        var offeredVersion: UInt32?
        /// An end of each transfer in place of its start.
        var refusal: BDXStatus?
    }

    let device: LoopbackDevice
    private let log: Mutex<Log>

    private init(_ device: LoopbackDevice, _ log: Log) {
        self.device = device
        self.log = Mutex(log)
    }

    var seen: Log { log.withLock { $0 } }

    static func start(_ plan: Plan, on fabric: TestFabric, node: UInt64) async throws -> FakeProvider {
        var loopback = LoopbackDevice.Plan()
        loopback.fabrics = [try fabric.node(node)]
        let device = try await LoopbackDevice.start(loopback)
        let provider = FakeProvider(device, Log())
        let rest = Rest(plan)
        await device.change { loopback in
            loopback.model.invoke = { command, _, _ in
                let uri = plan.imageURI ?? "bdx://\(NodeID(node))/\(Rest.designator)"
                return .outcome(provider.answer(command, rest, uri))
            }
            loopback.serveOther = { incoming, _ in await provider.serve(incoming, plan) }
        }
        return provider
    }

    /// The answers that are left.
    private final class Rest: Sendable {
        static let designator = "image-2.ota"

        let plan: Mutex<Plan>

        init(_ plan: Plan) { self.plan = Mutex(plan) }
    }

    private func answer(_ command: CommandDataIB, _ rest: Rest, _ uri: String) -> CommandResult.Outcome {
        let fields = command.fields ?? .structure([])
        log.withLock { _ = $0.endpoints.insert(command.path.endpoint) }
        switch command.path.command {
        case Cluster.Command.queryImage:
            guard let query = Cluster.QueryImage(tlv: fields) else { return .status(StatusIB(.invalidCommand)) }
            log.withLock {
                $0.queries.append(query)
                $0.queryTimes.append(device.manager.time.now)
            }
            let response = rest.plan.withLock { plan in
                guard plan.queries.isEmpty else { return plan.queries.removeFirst() }
                return Cluster.QueryImageResponse(
                    status: .updateAvailable, imageURI: uri, softwareVersion: plan.offeredVersion ?? plan.image.version,
                    softwareVersionString: plan.image.text, updateToken: Self.token)
            }
            return .response(command: Cluster.QueryImageResponse.id, fields: response.tlv)
        case Cluster.Command.applyUpdateRequest:
            guard let request = Cluster.ApplyUpdateRequest(tlv: fields) else {
                return .status(StatusIB(.invalidCommand))
            }
            log.withLock { $0.applications.append(request) }
            let response = rest.plan.withLock { plan in
                plan.applications.isEmpty
                    ? Cluster.ApplyUpdateResponse(action: .proceed, delayedActionTime: 0)
                    : plan.applications.removeFirst()
            }
            return .response(command: Cluster.ApplyUpdateResponse.id, fields: response.tlv)
        case Cluster.Command.notifyUpdateApplied:
            guard let notice = Cluster.NotifyUpdateApplied(tlv: fields) else {
                return .status(StatusIB(.invalidCommand))
            }
            log.withLock { $0.notices.append(notice) }
            return .status(StatusIB(.success))
        default:
            return .status(StatusIB(.unsupportedCommand))
        }
    }

    private func serve(_ incoming: ExchangeManager.Incoming, _ plan: Plan) async {
        let exchange = incoming.exchange
        let file = plan.image.octets
        var sender = BDXSender(size: UInt64(file.count), largestBlock: 512)
        var message = incoming.message
        do {
            while true {
                if message.protocolID == .secureChannel {
                    let report = try StatusReport(decoding: message.payload)
                    log.withLock { $0.ends.append(report) }
                    return await exchange.close()
                }
                if let refusal = plan.refusal { throw BDXError(refusal, "as it was told") }
                for action in try sender.handle(BDXMessage(opcode: message.opcode, payload: message.payload)) {
                    switch action {
                    case .send(let answer): try await send(answer, exchange)
                    case .sendBlock(let counter, let offset, let count, let isLast):
                        let data = Array(file.dropFirst(Int(offset)).prefix(count))
                        try await send(isLast ? .lastBlock(counter, data) : .block(counter, data), exchange)
                    case .finish:
                        log.withLock { $0.transfers += 1 }
                        return await exchange.close()
                    }
                }
                message = try await exchange.receive(until: device.manager.time.now + .seconds(300))
            }
        } catch {
            if let reply = (error as? BDXError)?.reply { try? await exchange.send(StatusReport(reply)) }
            await exchange.close()
        }
    }

    private func send(_ message: BDXMessage, _ exchange: Exchange) async throws {
        try await exchange.send(message.encoded(), opcode: message.opcode, protocolID: .bulkDataExchange)
    }
}

/// A network on which every node is at one address.
final class OneAddress: Discovery {
    private let address: PeerAddress

    init(_ address: PeerAddress) { self.address = address }

    func browseCommissionable(
        _ filter: CommissionableFilter, includingClosed: Bool
    ) -> AsyncThrowingStream<CommissionableEvent, any Error> { AsyncThrowingStream { $0.finish() } }

    func resolveOperational(
        compressedFabricID: UInt64, nodeID: UInt64
    ) -> AsyncThrowingStream<OperationalUpdate, any Error> {
        AsyncThrowingStream { continuation in
            guard let found = address.udp.flatMap({ ResolvedAddress(octets: $0.octets, port: $0.port) }) else { return }
            continuation.yield(
                .found(
                    OperationalNode(
                        instance: OperationalInstance(compressedFabricID: compressedFabricID, nodeID: nodeID),
                        host: "provider", port: found.port, addresses: [found], record: OperationalRecord())))
        }
    }

    func browseOperational(compressedFabricID: UInt64?) -> AsyncThrowingStream<OperationalEvent, any Error> {
        AsyncThrowingStream { _ in }
    }

    func check() {}
}
