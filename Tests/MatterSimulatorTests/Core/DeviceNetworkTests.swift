import Foundation
import MatterBase
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterSimulator
@testable import MatterState

/// The clock of this machine, whose time of day a test moves on.
private final class MovedTime: TimeSource {
    private let ahead = Mutex<UInt64>(0)

    var now: Instant { SystemTime().now }
    var eventLoop: any EventLoop { SystemTime().eventLoop }
    var executor: (any TaskExecutor)? { nil }
    var unixMicroseconds: UInt64 { WallClock.unixMicroseconds() + ahead.withLock { $0 } }
    func sleep(until deadline: Instant) async throws { try await SystemTime().sleep(until: deadline) }

    func move(seconds: UInt64) { ahead.withLock { $0 += seconds * 1_000_000 } }
}

/// A device on a real socket of this host, with a controller that talks to it.
private final class NetworkBench: Sendable {
    let device: SimulatedDevice
    let client: ExchangeManager
    let address: PeerAddress
    private let serving: Task<Void, Never>

    init(
        _ kind: String = "dimmable-light", _ change: (inout NodeConfiguration) -> Void = { _ in },
        store: DeviceStore? = nil, time: any TimeSource = SystemTime(),
        report: @escaping @Sendable (NodeReport) -> Void = { _ in }
    ) async throws {
        let kinds = [try SimulatedType.named(kind)]
        var surroundings = SimulatedDevice.Surroundings(port: 0, store: store, report: report)
        surroundings.time = time
        let device = try SimulatedDevice(
            try NodeBench.configuration(change), surroundings: surroundings,
            endpoints: { SimulatedType.plans(kinds) })
        let port = try await device.start()
        self.device = device
        address = try PeerAddress(parsing: "[::1]:\(port)")
        client = try ExchangeManager(random: SystemRandom()) { _, _, _ in false }
        serving = Task { await device.run() }
    }

    func stop() async {
        await client.shutDown()
        await device.stop()
        serving.cancel()
        await serving.value
    }

    /// Plays a handshake from the initiator's side.
    func handshake(_ make: (UInt16) -> any Handshake) async throws -> EstablishedSession {
        let id = try await client.reserveSessionID()
        let session = try await client.openUnsecuredSession(to: [address], presumedActive: true)
        let exchange = try await client.openExchange(on: session)
        var machine = make(id)
        var step = try machine.start()
        let deadline = Instant.now + patience
        while true {
            if let message = step.send {
                try await exchange.send(message.payload, opcode: message.opcode.rawValue, protocolID: .secureChannel)
            }
            if let established = step.established {
                await exchange.close()
                return established
            }
            let answer = try await exchange.receive(until: deadline)
            let opcode = try #require(SecureChannelOpcode(rawValue: answer.opcode))
            do {
                step = try machine.handle(HandshakeMessage(opcode, answer.payload))
            } catch {
                // The device is told, so that it does not wait for more.
                let reply = error.reply ?? .invalidParameter
                try await exchange.send(
                    reply.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue, protocolID: .secureChannel)
                // On its way; nothing comes back.
                try await Task.sleep(for: .milliseconds(50))
                throw error
            }
        }
    }

    func install(_ established: EstablishedSession) async throws -> SessionReference {
        try await client.install(
            SecureSessionParameters(
                localSessionID: established.localSessionID, peerSessionID: established.peerSessionID,
                role: .initiator, keys: established.keys, localNodeID: established.localNodeID,
                peerNodeID: established.peerNodeID, reliability: established.peerParameters.reliability,
                address: address))
    }

    func pase(_ passcode: UInt32 = NodeBench.passcode) async throws -> (SessionReference, [UInt8]) {
        let established = try await handshake {
            PASEInitiator(passcode: passcode, localSessionID: $0, random: SystemRandom())
        }
        return (try await install(established), established.keys.attestationChallenge.copyBytes())
    }

    func run<Transaction: InteractionTransaction>(
        _ transaction: Transaction, on session: SessionReference, within limit: Duration = patience
    ) async throws -> Transaction.Output {
        let client = client
        var transaction = transaction
        return try await InteractionClient(
            openExchange: { try await client.openExchange(on: session) },
            deliveryAllowance: { await client.longestDelivery(on: session) }
        ).run(&transaction, deadline: .now + limit)
    }

    func invoke(
        _ endpoint: EndpointID, _ cluster: ClusterID, _ command: CommandID, _ fields: [TLVElement] = [],
        on session: SessionReference
    ) async throws -> CommandResult.Outcome {
        let results = try await run(
            InvokeTransaction([
                Command(endpoint: endpoint, cluster: cluster, command: command, fields: .structure(fields))
            ]),
            on: session)
        return try #require(results.first).outcome
    }

    /// Commissions the device over the network.
    ///
    /// - Parameter isCompleted: whether CommissioningComplete is sent.
    /// - Returns: how the operational session can be resumed.
    @discardableResult
    func commission(
        _ controller: NodeBench.Controller, completing isCompleted: Bool = true
    ) async throws -> ResumptionRecord? {
        let (session, challenge) = try await pase()
        _ = try await invoke(0, 0x30, 0, [TLVElement(0, .uint(60)), TLVElement(1, .uint(1))], on: session)
        let nonce = [UInt8](repeating: 5, count: 32)
        let answer = try await invoke(0, 0x3E, 4, [TLVElement(0, .octets(nonce))], on: session).response(5)
        let elements = try NOCSRElements(decoding: try #require(answer?.field(0)?.octetString))
        let key = try NodeBench.configuration().attestation.key.publicKey
        let csr = try elements.verify(
            nonce: nonce, signature: try #require(answer?.field(1)?.octetString), attestationKey: key,
            attestationChallenge: challenge)
        let root = controller.fabric.authority.root.tlv
        _ = try await invoke(0, 0x3E, 0x0B, [TLVElement(0, .octets(root))], on: session)
        let issued = try controller.issuer().issue(csr, nodeID: NodeID(0x1000))
        let added = try await invoke(
            0, 0x3E, 6,
            [
                TLVElement(0, .octets(issued.noc.tlv)),
                TLVElement(2, .octets(controller.fabric.credentials.ipkEpochKey.copyBytes())),
                TLVElement(3, .uint(controller.nodeID)), TLVElement(4, .uint(0xFFF1)),
            ], on: session
        ).response(8)
        #expect(added?.field(0) == .uint(0))
        let (operational, established) = try await connect(controller)
        guard isCompleted else { return established.resumption }
        let completed = try await invoke(0, 0x30, 4, on: operational).response(5)
        #expect(completed?.field(0) == .uint(0))
        return established.resumption
    }

    func connect(
        _ controller: NodeBench.Controller, resumption: ResumptionRecord? = nil
    ) async throws -> (SessionReference, EstablishedSession) {
        let established = try await handshake {
            CASEInitiator(
                credentials: CASECredentials(controller.fabric.credentials), peer: NodeID(0x1000), localSessionID: $0,
                resumption: resumption, time: .none, random: SystemRandom())
        }
        return (try await install(established), established)
    }

    func isOn(_ session: SessionReference, within limit: Duration = patience) async throws -> Bool? {
        let path = AttributePath(endpoint: 1, cluster: 6, attribute: 0)
        let result = try await run(ReadTransaction(ReadRequest(attributePaths: [path])), on: session, within: limit)
        return result.attributes.first?.value?.boolean
    }
}

@Suite("A device on the network", .beside, .serialized)
struct DeviceNetworkTests {
    @Test("it is commissioned, switched, asked and resumed")
    func life() async throws {
        let bench = try await NetworkBench()
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        let (session, established) = try await bench.connect(controller)
        #expect(try await bench.invoke(1, 6, 1, on: session).status == .success)
        #expect(try await bench.isOn(session) == true)
        let everything = try await bench.run(
            ReadTransaction(ReadRequest(attributePaths: [AttributePath()])), on: session)
        #expect(everything.attributes.count > 100)
        let (again, resumed) = try await bench.connect(controller, resumption: established.resumption)
        #expect(resumed.isResumed)
        #expect(try await bench.isOn(again) == true)
        await bench.stop()
    }

    @Test("its clock goes on while it is idle: a certificate that is valid from now on will do, a later one not")
    func idleClock() async throws {
        let time = MovedTime()
        let bench = try await NetworkBench(time: time)
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        // Ten minutes in which nothing happens on the device.
        time.move(seconds: 600)
        let now = try #require(MatterEpoch.seconds(unix: Int64(time.unixMicroseconds / 1_000_000)))
        func connect(validFrom start: UInt32) async throws {
            let issuer = try controller.fabric.issuer(adminVendorID: VendorID(0xFFF1)) {
                CertificateValidity(notBefore: start, notAfter: start + 86_400)
            }
            let own = try issuer.issueOwnCredentials(
                key: try P256PrivateKey.generate(SystemRandom()), nodeID: NodeID(0x2001))
            #expect(own.noc.notBefore == start)
            _ = try await bench.handshake {
                CASEInitiator(
                    credentials: CASECredentials(own), peer: NodeID(0x1000), localSessionID: $0, time: .none,
                    random: SystemRandom())
            }
        }
        try await connect(validFrom: now - 1)
        await #expect(throws: SecureChannelError.self) { try await connect(validFrom: now + 600) }
        await bench.stop()
    }

    @Test("a wrong passcode is refused, and the right one still works")
    func wrongPasscode() async throws {
        let bench = try await NetworkBench()
        await #expect(throws: SecureChannelError.self) { try await bench.pase(11_223_344) }
        _ = try await bench.pase()
        await #expect(throws: SecureChannelError.self) { try await bench.pase() }
        await bench.stop()
    }

    @Test("its state survives, and so do fabrics and resumption")
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = DeviceStore(StateDirectory(path: folder), node: 0)
        let controller = try NodeBench.Controller()
        let first = try await NetworkBench(store: store)
        try await first.commission(controller)
        let (session, established) = try await first.connect(controller)
        #expect(try await first.invoke(1, 6, 1, on: session).status == .success)
        await first.stop()
        let second = try await NetworkBench(store: store)
        let (again, resumed) = try await second.connect(controller, resumption: established.resumption)
        #expect(resumed.isResumed)
        #expect(try await second.isOn(again) == true)
        await #expect(throws: SecureChannelError.self) { try await second.pase() }
        await second.stop()
    }

    @Test("what was written, and what a command has stored, is saved before the answer")
    func durable() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = DeviceStore(StateDirectory(path: folder), node: 0)
        let controller = try NodeBench.Controller()
        let bench = try await NetworkBench("door-lock", store: store)
        try await bench.commission(controller)
        let (session, _) = try await bench.connect(controller)
        for number: UInt16 in 1...8 {
            let label = TLVValue.string("label \(number)")
            let write = AttributeWrite(
                endpoint: 0, cluster: BasicInformation.id, attribute: 5, value: label)
            let results = try await bench.run(WriteTransaction([write]), on: session)
            #expect(results.allSatisfy { $0.status.isSuccess } && !results.isEmpty)
            let key = SavedClusters.Key(endpoint: 0, cluster: BasicInformation.id)
            #expect(try store.load().node.clusters.attributes[key]?[5] == label)
            let user = Command(
                endpoint: 1, cluster: DoorLock.id, command: DoorLock.Command.setUser,
                fields: .structure(
                    [TLVElement(0, .uint(0)), TLVElement(1, .uint(UInt64(number)))]
                        + (UInt8(2)...6).map { TLVElement($0, .null) }))
            let added = try await bench.run(InvokeTransaction([user], timeout: 5000), on: session)
            #expect(added.allSatisfy { $0.status.isSuccess } && !added.isEmpty)
            let lock = SavedClusters.Key(endpoint: 1, cluster: DoorLock.id)
            let users = try LockDatabase(tlv: try #require(try store.load().node.clusters.states[lock])).users
            #expect(users.count == Int(number))
        }
        await bench.stop()
    }

    @Test("a subscriber hears of a change, and its session may go")
    func subscription() async throws {
        let bench = try await NetworkBench()
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        let (session, _) = try await bench.connect(controller)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath(endpoint: 1, cluster: 6)])
        let subscription = try await bench.run(SubscribeTransaction(request), on: session)
        #expect(subscription.maxInterval == 60)
        #expect(await bench.device.withNode { node, _ in node.subscriptions.count } == 1)
        // This client takes no reports: the device gives the subscription up.
        _ = try await bench.invoke(1, 6, 2, on: session)
        try await awaitEvent("the end of the subscription") {
            await bench.device.withNode { node, _ in node.subscriptions.isEmpty }
        }
        await bench.stop()
    }

    @Test("a fabric that has all its sessions loses the one it used least recently, silently")
    func eviction() async throws {
        let seen = Mutex<[String]>([])
        let bench = try await NetworkBench(
            "dimmable-light", { $0.limits.sessionsPerFabric = 2 },
            report: { report in
                if case .session(let what, _) = report { seen.withLock { $0.append(what) } }
            })
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        let minima = AttributePath(endpoint: 0, cluster: BasicInformation.id, attribute: 0x13)
        let (first, _) = try await bench.connect(controller)
        let read = try await bench.run(ReadTransaction(ReadRequest(attributePaths: [minima])), on: first)
        #expect(read.attributes.first?.value?.field(0) == .uint(2))
        let (second, evicted) = try await bench.connect(controller)
        // The first is now the one that was used last.
        #expect(try await bench.isOn(first) == false)
        let (third, _) = try await bench.connect(controller)
        #expect(try await bench.isOn(first) == false)
        #expect(try await bench.isOn(third) == false)
        await #expect(throws: TransportError.self) {
            _ = try await bench.isOn(second, within: .milliseconds(400))
        }
        // One with the commissioning's, one with the third.
        #expect(seen.withLock { $0.count { $0 == "evicted" } } == 2)
        let left = await bench.device.sessions.all.values.filter { !$0.isPASE }.map(\.reference)
        #expect(left.count == 2 && !left.contains(.secure(evicted.peerSessionID)))
        await bench.stop()
    }

    @Test("reports of a subscription are use of its session")
    func subscriptionIsUse() async throws {
        let bench = try await NetworkBench("dimmable-light", { $0.limits.sessionsPerFabric = 2 })
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        let (subscribed, reporting) = try await bench.connect(controller)
        let request = SubscribeRequest(
            minIntervalFloor: 0, maxIntervalCeiling: 60, attributePaths: [AttributePath(endpoint: 1, cluster: 6)])
        _ = try await bench.run(SubscribeTransaction(request), on: subscribed)
        let (commanding, _) = try await bench.connect(controller)
        let before = Instant.now
        _ = try await bench.invoke(1, 6, 2, on: commanding)
        try await eventually {
            let used = await bench.device.sessions[.secure(reporting.peerSessionID)]?.lastUsed
            return used.map { $0 > before } ?? false
        }
        await bench.stop()
    }

    @Test("BUSY is said as often as was asked for")
    func busy() async throws {
        let bench = try await NetworkBench { $0.faults.busySigma1 = 1 }
        let controller = try NodeBench.Controller()
        await #expect(throws: SecureChannelError.self) { try await bench.commission(controller) }
        let (session, _) = try await bench.connect(controller)
        #expect(try await bench.invoke(0, 0x30, 4, on: session).response(5)?.field(0) == .uint(0))
        await bench.stop()
    }

    @Test("handshakes that are left half done are bounded: the next one hears BUSY", arguments: [1, 16])
    func abandonedHandshakes(limit: Int) async throws {
        let bench = try await NetworkBench("dimmable-light", { $0.limits.handshakes = limit })
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        for number in 1...(limit + 1) {
            let session = try await bench.client.openUnsecuredSession(to: [bench.address], presumedActive: true)
            let exchange = try await bench.client.openExchange(on: session)
            var initiator = CASEInitiator(
                credentials: CASECredentials(controller.fabric.credentials), peer: NodeID(0x1000),
                localSessionID: UInt16(number), time: .none, random: SystemRandom())
            let sigma1 = try #require(try initiator.start().send)
            try await exchange.send(
                sigma1.payload, opcode: SecureChannelOpcode.sigma1.rawValue, protocolID: .secureChannel)
            let answer = try await exchange.receive(until: .now + .seconds(20))
            if number <= limit {
                #expect(answer.opcode == SecureChannelOpcode.sigma2.rawValue)
            } else {
                #expect(answer.opcode == SecureChannelOpcode.statusReport.rawValue)
                #expect(try StatusReport(decoding: answer.payload) == .busy(wait: .seconds(1)))
            }
        }
        await bench.stop()
    }

    @Test("a reboot in the middle forgets what was not complete")
    func reboot() async throws {
        let bench = try await NetworkBench { $0.faults.rebootStep = "noc-added" }
        let controller = try NodeBench.Controller()
        await #expect(throws: (any Error).self) { try await bench.commission(controller) }
        #expect(await bench.device.withNode { node, _ in node.fabrics.isEmpty && node.isCommissionable })
        try await bench.commission(controller)
        await bench.stop()
    }

    @Test(
        "who never completed cannot resume his session on the fabric of the next owner, whatever stopped the device",
        arguments: [true, false])
    func lostFabricIsNotResumed(byPowerCut: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sim-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = DeviceStore(StateDirectory(path: folder), node: 0)
        let (stranger, owner) = (try NodeBench.Controller(nodeID: 0x3000), try NodeBench.Controller())
        let first = try await NetworkBench(store: store)
        let record = try #require(try await first.commission(stranger, completing: false))
        if !byPowerCut { await first.device.reboot() }
        // The first process is there no more, as far as the second one knows.
        let second = byPowerCut ? try await NetworkBench(store: store) : first
        try await second.commission(owner)
        #expect(await second.device.withNode { node, _ in node.fabrics.all.map(\.index) } == [1])
        await #expect(throws: (any Error).self) { try await second.connect(stranger, resumption: record) }
        await first.stop()
        if byPowerCut { await second.stop() }
    }

    @Test("commissioning succeeds over a network that loses, repeats and reorders", .timeLimit(.minutes(5)))
    func badNetwork() async throws {
        let bench = try await NetworkBench { configuration in
            configuration.faults =
                (try? FaultPlan(parsing: "drop:0.1,duplicate:0.2,reorder:0.2,delay:2")) ?? FaultPlan()
        }
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        let (session, _) = try await bench.connect(controller)
        for index in 1...10 {
            #expect(try await bench.invoke(1, 6, 2, on: session).status == .success)
            #expect(try await bench.isOn(session) == !index.isMultiple(of: 2), "each toggle ran once")
        }
        await bench.stop()
    }

    @Test("ten thousand damaged datagrams do it no harm", .timeLimit(.minutes(5)))
    func mutatedDatagrams() async throws {
        let bench = try await NetworkBench()
        let controller = try NodeBench.Controller()
        try await bench.commission(controller)
        let (session, _) = try await bench.connect(controller)
        var mutator = Mutator(seed: 2026, corpus: try Self.corpus())
        let socket = try RawSocket(to: bench.address)
        // Memory settles while the tables for strangers fill.
        for _ in 0..<2000 { socket.send(mutator.next()) }
        _ = try await bench.isOn(session)
        let before = Self.residentKilobytes()
        for index in 0..<Effort.inputs(10_000) {
            socket.send(mutator.next())
            // The kernel would drop what comes faster than it is read.
            if index.isMultiple(of: 100) { _ = try await bench.isOn(session) }
        }
        #expect(try await bench.invoke(1, 6, 1, on: session).status == .success)
        #expect(try await bench.isOn(session) == true)
        let growth = Self.residentKilobytes() - before
        #expect(growth < 16_384, "\(growth) KiB more")
        let (again, _) = try await bench.connect(controller)
        #expect(try await bench.isOn(again) == true)
        await bench.stop()
    }

    /// Valid first messages of strangers, and whatever else may reach a port.
    private static func corpus() throws -> [[UInt8]] {
        func unsecured(_ opcode: SecureChannelOpcode, _ payload: [UInt8], counter: UInt32, source: UInt64) -> [UInt8] {
            MessageHeader(sessionID: 0, counter: counter, source: source, destination: .none).encoded()
                + ProtocolHeader(
                    isFromInitiator: true, needsAck: true, opcode: opcode.rawValue, exchangeID: UInt16(counter),
                    protocolID: .secureChannel
                ).encoded() + payload
        }
        var pase = PASEInitiator(passcode: 1234, localSessionID: 7, random: SystemRandom())
        let request = try #require(try pase.start().send)
        let controller = try NodeBench.Controller()
        var sigma = CASEInitiator(
            credentials: CASECredentials(controller.fabric.credentials), peer: NodeID(0x1000), localSessionID: 9,
            time: .none, random: SystemRandom())
        let sigma1 = try #require(try sigma.start().send)
        var datagrams: [[UInt8]] = []
        for counter: UInt32 in 1...20 {
            datagrams.append(unsecured(.pbkdfParamRequest, request.payload, counter: counter, source: UInt64(counter)))
            datagrams.append(unsecured(.sigma1, sigma1.payload, counter: counter, source: 100 + UInt64(counter)))
            datagrams.append(unsecured(.statusReport, StatusReport.closeSession.encoded(), counter: counter, source: 7))
            datagrams.append(
                MessageHeader(sessionID: UInt16(counter), counter: counter).encoded()
                    + [UInt8](repeating: 0xA5, count: 60))
        }
        return datagrams
    }

    private static func residentKilobytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
    }
}

/// A socket for datagrams that no protocol made.
private final class RawSocket: Sendable {
    private let descriptor: Int32
    private let port: UInt16

    init(to address: PeerAddress) throws {
        descriptor = socket(AF_INET6, Int32(SOCK_DGRAM.rawValue), 0)
        port = address.udp?.port ?? 0
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    func send(_ datagram: [UInt8]) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        address.sin6_port = port.bigEndian
        _ = withUnsafeBytes(of: &address) {
            sendto(
                descriptor, datagram, datagram.count, 0, $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t($0.count))
        }
    }
}
