import MatterCrypto
import MatterTestKit
import Synchronization
import Testing

@testable import MatterModel
@testable import MatterNetwork

@Suite("What peers begin on our sessions", .virtualTime)
struct IncomingReportsTests {
    private static let subscription: UInt32 = 7

    /// Our side and that of a node, with a session between them.
    private struct Scene {
        let ours: ExchangeManager
        let node: ExchangeManager
        let session: SessionReference
        let theirs: SessionReference
        let reports = IncomingReports()

        init() async throws {
            func manager(admits: Bool) throws -> ExchangeManager {
                try ExchangeManager(time: testTime, links: TestNetwork.links(), random: SystemRandom()) { _, _, _ in
                    admits
                }
            }
            ours = try manager(admits: true)
            node = try manager(admits: false)
            let here = try PeerAddress(parsing: "[::1]:\(try await ours.open())")
            let there = try PeerAddress(parsing: "[::1]:\(try await node.open())")
            let keys = SessionKeys(
                i2r: SecretBytes([UInt8](0x10..<0x20)), r2i: SecretBytes([UInt8](0x20..<0x30)),
                attestationChallenge: SecretBytes([UInt8](0x30..<0x40)))
            func parameters(_ role: Role, at address: PeerAddress) -> SecureSessionParameters {
                let isInitiator = role == .initiator
                return SecureSessionParameters(
                    localSessionID: isInitiator ? 1 : 2, peerSessionID: isInitiator ? 2 : 1, role: role, keys: keys,
                    localNodeID: isInitiator ? 5 : 6, peerNodeID: isInitiator ? 6 : 5, reliability: .standard,
                    address: address)
            }
            session = try await ours.install(parameters(.initiator, at: there))
            theirs = try await node.install(parameters(.responder, at: here))
            testTime.start { [reports, ours] in await reports.serve(ours) }
        }

        /// Sends a report on an exchange of its own.
        func report() async throws {
            let exchange = try await node.openExchange(on: theirs)
            try await exchange.send(
                ReportData(subscriptionID: IncomingReportsTests.subscription).encoded(),
                opcode: InteractionModelOpcode.reportData.rawValue, protocolID: .interactionModel)
        }

        /// Remaining jobs are dropped by tasks of the virtual time.
        func waitForNoExchange() async throws {
            let end = testTime.now + .seconds(60)
            while await ours.exchangeCount > 0, testTime.now < end {
                try await testTime.sleep(for: .milliseconds(100))
            }
            #expect(await ours.exchangeCount == 0)
        }

        func end() async {
            reports.end()
            await ours.shutDown()
            await node.shutDown()
        }
    }

    @Test("a node that floods us with reports is held to a few exchanges, and none is left when the subscription ends")
    func flood() async throws {
        let scene = try await Scene()
        let inbox = scene.reports.listen(on: scene.session)
        inbox.settle(on: Self.subscription)
        for _ in 0..<40 {
            for _ in 0..<50 { try await scene.report() }
            try await testTime.sleep(for: .milliseconds(300))
            #expect(await scene.ours.exchangeCount <= IncomingReports.mostWaiting)
        }
        #expect(await scene.ours.exchangeCount == IncomingReports.mostWaiting)
        inbox.close()
        try await scene.waitForNoExchange()
        await scene.end()
    }

    @Test("reports of no subscription are refused, and cost no more exchanges than a session has room for")
    func unwanted() async throws {
        let scene = try await Scene()
        for _ in 0..<10 {
            for _ in 0..<50 { try await scene.report() }
            try await testTime.sleep(for: .milliseconds(20))
            #expect(await scene.ours.exchangeCount <= 128)
        }
        try await scene.waitForNoExchange()
        await scene.end()
    }
}
