import MatterTestKit
import Testing

@testable import MatterCrypto
@testable import MatterNetwork
@testable import MatterState

/// The effect of one wrong answer on a handshake: none, as long as the right one comes too.
@Suite("Interference", .virtualTime)
struct InterferenceTests {
    private static let node = NodeID(5)

    private func device(
        _ fabric: TestFabric? = nil, _ change: (inout LoopbackDevice.Plan) -> Void = { _ in }
    ) async throws -> LoopbackDevice {
        var plan = LoopbackDevice.Plan()
        plan.passcode = Client.passcode
        plan.fabrics = try fabric.map { [try $0.node(Self.node.rawValue)] } ?? []
        change(&plan)
        return try await .start(plan)
    }

    private func connect(
        _ client: Client, _ fabric: TestFabric, _ hints: [PeerAddress], resumptions: ResumptionStore? = nil
    ) async throws -> SecureSession {
        try await client.nodes(fabric, resumptions: resumptions).connect(
            to: Self.node, hints: hints, reliability: .quick, presumedActive: true, deadline: .testNow + .seconds(60))
    }

    /// An attacker at another address who answers every first message with a status report.
    private func liar(_ report: StatusReport) async throws -> (manager: ExchangeManager, address: PeerAddress) {
        let manager = try ExchangeManager(time: testTime, links: TestNetwork.links(), random: SystemRandom()) {
            _, _, _ in true
        }
        let address = try PeerAddress(parsing: "[::1]:\(try await manager.open())")
        testTime.start {
            for await incoming in manager.incoming {
                try? await incoming.exchange.send(
                    report.encoded(), opcode: SecureChannelOpcode.statusReport.rawValue, protocolID: .secureChannel)
                await incoming.exchange.close()
            }
        }
        return (manager, address)
    }

    private static let refusals = [
        StatusReport.invalidParameter, .noSharedTrustRoots, .sessionEstablished, .closeSession,
        StatusReport(generalCode: 65_535, protocolCode: 65_535),
    ]

    @Test("a refusal from another address does not keep the device from answering", arguments: refusals)
    func otherAddress(report: StatusReport) async throws {
        let (client, fabric) = (try Client(), try TestFabric())
        let liar = try await liar(report)
        // It thinks for longer than the liar needs.
        let device = try await device(fabric) { $0.slowness = .milliseconds(200) }
        #expect(try await connect(client, fabric, [liar.address, device.address]).address == device.address)
        let pase = try await client.pair(.at([liar.address, device.address]))
        #expect(pase.address == device.address)
        #expect(await device.handshakes.count == 2, "the same datagrams went to both")
        await client.shutDown()
        await liar.manager.shutDown()
        await device.shutDown()
    }

    @Test("a forged status report from the device's own address ends no handshake", arguments: refusals)
    func ownAddress(report: StatusReport) async throws {
        let (client, fabric, meddler) = (try Client(), try TestFabric(), Meddler())
        let device = try await device(fabric)
        let relay = try Relay(to: device.address)
        relay.meddle(meddler.report(report))
        #expect(try await connect(client, fabric, [relay.address]).address == relay.address)
        #expect(try await client.pair(.at([relay.address])).address == relay.address)
        #expect(meddler.forged >= 4)
        #expect(await device.handshakes.count == 2)
        relay.stop()
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a forged report with the counter of the device's answer does not suppress that answer")
    func sameCounter() async throws {
        let (client, fabric, meddler) = (try Client(), try TestFabric(), Meddler())
        let device = try await device(fabric)
        let relay = try Relay(to: device.address)
        relay.meddle(meddler.reportWithCounterOfAnswer(.invalidParameter))
        _ = try await connect(client, fabric, [relay.address])
        _ = try await client.pair(.at([relay.address]))
        #expect(meddler.forged >= 4)
        #expect(await device.handshakes.count == 2)
        relay.stop()
        await client.shutDown()
        await device.shutDown()
    }

    @Test("a forged acknowledgement costs another attempt at most")
    func forgedAcknowledgement() async throws {
        let (client, fabric, meddler) = (try Client(processing: .milliseconds(500)), try TestFabric(), Meddler())
        let device = try await device(fabric)
        let relay = try Relay(to: device.address)
        relay.meddle(meddler.acknowledgeAndLoseFirst())
        _ = try await connect(client, fabric, [relay.address])
        relay.stop()
        await client.shutDown()
        await device.shutDown()
    }

    /// A message that is damaged, and where.
    struct Damage: CustomTestStringConvertible, Sendable {
        let opcode: SecureChannelOpcode
        let name: String
        let place: @Sendable ([UInt8]) -> Int?

        var testDescription: String { "\(opcode), \(name)" }
    }

    private static let damages = [
        Damage(opcode: .sigma2, name: "structure") { _ in 0 },
        Damage(opcode: .sigma2, name: "random") { _ in 10 },
        Damage(opcode: .sigma2, name: "proof") { $0.count / 2 },
        Damage(opcode: .sigma2, name: "parameters") { $0.count - 4 },
        Damage(opcode: .pbkdfParamResponse, name: "structure") { _ in 0 },
        Damage(opcode: .pbkdfParamResponse, name: "our random") { _ in 10 },
        Damage(opcode: .pbkdfParamResponse, name: "its random") { _ in 45 },
        Damage(opcode: .pbkdfParamResponse, name: "salt") { payload in
            payload.indices.first { payload[$0...].starts(with: LoopbackDevice.pbkdf.salt) }
        },
        Damage(opcode: .pake2, name: "share") { _ in 30 },
        Damage(opcode: .pake2, name: "confirmation") { $0.count - 10 },
    ]

    @Test("a message that is damaged on the way does not count, and its repetition does", arguments: damages)
    func damage(_ damage: Damage) async throws {
        let (client, fabric, meddler) = (try Client(), try TestFabric(), Meddler())
        let device = try await device(fabric)
        let relay = try Relay(to: device.address)
        relay.meddle(meddler.damageFirst(damage.opcode, at: damage.place))
        if damage.opcode == .sigma2 {
            _ = try await connect(client, fabric, [relay.address])
        } else {
            _ = try await client.pair(.at([relay.address]))
        }
        #expect(meddler.forged == 1)
        // A fact that only the device's keys show needs another handshake.
        #expect(await device.handshakes.count == (["salt", "parameters"].contains(damage.name) ? 2 : 1))
        relay.stop()
        await client.shutDown()
        await device.shutDown()
    }

    @Test("the record of a session stays, and is used, until the device itself has made another")
    func resumptionRecord() async throws {
        let (client, fabric, state) = (try Client(), try TestFabric(), try TemporaryState())
        let store = ResumptionStore(state.directory, fabric: "home")
        let device = try await device(fabric)
        _ = try await connect(client, fabric, [device.address], resumptions: store)
        let record = try #require(store.load(Self.node))
        let liar = try await liar(.invalidParameter)
        await #expect(throws: SessionError.self) {
            _ = try await connect(client, fabric, [liar.address], resumptions: store)
        }
        #expect(store.load(Self.node)?.resumptionID == record.resumptionID)
        try await eventually { await device.sessions.count == 1 }
        #expect(try await connect(client, fabric, [device.address], resumptions: store).isResumed)
        await client.shutDown()
        await liar.manager.shutDown()
        await device.shutDown()
    }

    @Test("if every address refuses, the refusal is the result, and answers that contradict each other are named")
    func allRefuse() async throws {
        let (client, fabric) = (try Client(), try TestFabric())
        let liars = [try await liar(.noSharedTrustRoots), try await liar(.noSharedTrustRoots)]
        let other = try await liar(.invalidParameter)
        let start = testTime.now
        let same = await #expect(throws: SessionError.self) {
            _ = try await connect(client, fabric, liars.map(\.address))
        }
        #expect(same?.code == .refused && same?.isUnknownToPeer == true && same?.isContradicted == false)
        #expect(.testNow - start < .seconds(20))
        let contradicted = await #expect(throws: SessionError.self) {
            _ = try await connect(client, fabric, [liars[0].address, other.address])
        }
        #expect(contradicted?.code == .refused && contradicted?.isUnknownToPeer == false)
        #expect(contradicted?.reason.contains("possible interference") == true)
        await client.shutDown()
        for liar in liars + [other] { await liar.manager.shutDown() }
    }

    @Test("a refusal beside an address that stays silent is reported long before the time is up")
    func refusalBesideSilence() async throws {
        let (client, fabric, dead) = (try Client(), try TestFabric(), Blackhole())
        let liar = try await liar(.noSharedTrustRoots)
        let start = testTime.now
        let error = await #expect(throws: SessionError.self) {
            _ = try await connect(client, fabric, [liar.address, dead.address])
        }
        #expect(error?.isUnknownToPeer == true && .testNow - start < .seconds(30))
        await client.shutDown()
        await liar.manager.shutDown()
    }

    @Test("a pairing that is interrupted tells the device, which can take another one at once")
    func interruption() async throws {
        let client = try Client()
        let device = try await device { $0.slowness = .seconds(3) }
        let task = inBackground { try await client.pair(.at([device.address])) }
        try await eventually { await device.handshakes.count == 1 }
        // The device has given its parameters, and thinks about our share.
        try await testTime.sleep(for: .milliseconds(300))
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        try await eventually { await device.reported == [.invalidParameter] }
        await client.shutDown()
        await device.shutDown()
    }
}
