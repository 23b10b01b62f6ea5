import Logging
import MatterCrypto
import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterNetwork
@testable import MatterState

/// Our side of the connections in these tests.
///
/// Where a test says that something is prompt, it leaves room for a machine on which hundreds of other tests run at
/// the same time: what is not prompt takes a minute.
struct Client {
    static let passcode: UInt32 = 20_202_021

    let manager: ExchangeManager
    let connector: Connector

    init(
        random: any RandomSource = SystemRandom(), processing: Duration = .seconds(5),
        links: any LinkProvider = TestNetwork.links()
    ) throws {
        manager = try ExchangeManager(time: testTime, links: links, random: random) { protocolID, _, isSecure in
            isSecure && protocolID == .secureChannel
        }
        connector = Connector(manager: manager, processing: processing, logger: .silent)
    }

    /// Pairs with the passcode.
    func pair(
        _ target: PeerTarget, passcode: UInt32 = passcode, within time: Duration = .seconds(60)
    ) async throws -> SecureSession {
        try await connector.connect(to: target, deadline: .testNow + time) { id, reliability in
            PASEInitiator(
                passcode: passcode, localSessionID: id, knownReliability: reliability, random: SystemRandom())
        }
    }

    /// The same where it must fail.
    func pairingError(
        _ target: PeerTarget, passcode: UInt32 = passcode, within time: Duration = .seconds(60)
    ) async throws -> (error: SessionError, elapsed: Duration) {
        let start = testTime.now
        let error = await #expect(throws: SessionError.self) {
            _ = try await pair(target, passcode: passcode, within: time)
        }
        return (try #require(error), .testNow - start)
    }

    func nodes(
        _ fabric: TestFabric, resumptions: ResumptionStore? = nil, time: ValidationTime = .now(TestFabric.now)
    ) -> NodeConnector {
        NodeConnector(
            connector: connector, credentials: fabric.credentials, resumptions: resumptions, discovery: nil,
            time: time, random: SystemRandom(), logger: .silent)
    }

    func shutDown() async { await manager.shutDown() }
}

extension PeerTarget {
    /// Where a peer of these tests is.
    static func at(
        _ hints: [PeerAddress], phase: HandshakePhase = .pase,
        locate: (@Sendable () -> AsyncThrowingStream<PeerLocation, any Error>)? = nil
    ) -> PeerTarget {
        PeerTarget(phase: phase, hints: hints, reliability: .quick, presumedActive: true, locate: locate)
    }
}

/// A look-up that tells what it knows step by step.
enum Look: Sendable {
    case wait(Duration)
    case find(PeerAddress)
    case fail
    /// Goes on without an end, as discovery does.
    case stay

    struct Failure: Error {}

    static func up(_ steps: Look...) -> @Sendable () -> AsyncThrowingStream<PeerLocation, any Error> {
        {
            AsyncThrowingStream { continuation in
                let task = inBackground {
                    for step in steps {
                        switch step {
                        case .wait(let time): try? await testTime.sleep(for: time)
                        case .find(let address):
                            continuation.yield(PeerLocation(address: address, reliability: .quick))
                        case .fail: return continuation.finish(throwing: Failure())
                        case .stay: try? await testTime.sleep(for: .seconds(60))
                        }
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }
    }
}

/// Gives one session id, to see whether it is free again afterwards.
final class StickyRandom: RandomSource {
    private static let id: UInt16 = 0x1234
    private let left = Mutex(Int.max)

    func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        let isSticky = left.withLock { left in
            guard count == 2, left > 0 else { return false }
            left -= 1
            return true
        }
        return isSticky ? [0x12, 0x34] : try SystemRandom().bytes(count)
    }

    /// From now on gives the one id whenever it is asked.
    func stick() { left.withLock { $0 = .max } }

    /// Whether the id is free: if it is not, the manager asks for another.
    func isFree(in manager: ExchangeManager) async throws -> Bool {
        left.withLock { $0 = 1 }
        let id = try await manager.reserveSessionID()
        await manager.releaseSessionID(id)
        return id == Self.id
    }
}
