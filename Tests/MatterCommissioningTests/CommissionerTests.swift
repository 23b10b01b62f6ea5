import Foundation
import MatterBase
import MatterTestKit
import Synchronization
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel
@testable import MatterNetwork
@testable import MatterState

/// The driver with real sessions over the loopback interface.
@Suite("Commissioner", .virtualTime)
struct CommissionerTests {
    private static let everything = [
        "ArmFailSafe", "CertificateChainRequest (PAI)", "CertificateChainRequest (DAC)", "AttestationRequest",
        "CSRRequest", "SetRegulatoryConfig", "AddTrustedRootCertificate", "AddNOC", "ArmFailSafe",
        "*CommissioningComplete",
    ]

    private func failure(
        _ body: () async throws -> CommissionedNode, _ location: SourceLocation = #_sourceLocation
    ) async throws -> CommissioningError {
        let error = await #expect(throws: CommissioningError.self, sourceLocation: location) { _ = try await body() }
        return try #require(error, sourceLocation: location)
    }

    // MARK: Success

    @Test("the judgement gets what the setup code and the mDNS record say; at an address there is no record")
    func claims() async throws {
        for isFound in [true, false] {
            let lamp = try await Commissionee()
            let address = lamp.device.address
            let discovery = FakeDiscovery([
                .init(instance: "A", addresses: [address], vendorID: FakeDevice.vendorID)
            ])
            var workshop = try Workshop(discovery: isFound ? discovery : nil)
            let seen = Mutex<AttestationEvidence?>(nil)
            workshop.environment.attest = { evidence in
                seen.withLock { $0 = evidence }
                return AttestationSummary(AttestationReport(verdict: .test))
            }
            _ = try await workshop.commission(
                workshop.request(isFound ? nil : address) {
                    $0.code.discriminator = try SetupDiscriminator(long: 3840)
                    ($0.vendorID, $0.productID) = (FakeDevice.vendorID, 0)
                })
            let evidence = try #require(seen.withLock { $0 })
            #expect(evidence.vendorID == VendorID(FakeDevice.vendorID))
            #expect(evidence.setupCode == VendorAndProduct(vendorID: VendorID(FakeDevice.vendorID)))
            #expect(evidence.advertised?.vendorID == (isFound ? VendorID(FakeDevice.vendorID) : nil))
            #expect((evidence.advertised == nil) == !isFound)
            await workshop.end()
            await lamp.end()
        }
    }

    @Test("a device becomes a node, and the journal knows of it before its certificate leaves")
    func success() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let journal = workshop.journal
        let pending = Seen()
        lamp.on("AddNOC") { _ in
            pending.note("then", (try? journal.all()) ?? [])
            return nil
        }
        let node = try await workshop.commission(
            workshop.request(lamp.device.address) {
                $0.name = "lamp"
                $0.room = "attic"
                $0.code.discriminator = try SetupDiscriminator(long: 3840)
            })
        #expect(node.nodeID == NodeID(7) && node.address == lamp.device.address && !node.wasPending)
        #expect(node.information.vendorID == FakeDevice.vendorID && node.attestation?.report.verdict == .test)
        #expect(node.endpoints.map(\.endpoint) == [1] && node.endpoints.map(\.deviceTypes) == [[0x101]])
        #expect(node.endpoints.map(\.serverClusters) == [[6]])
        #expect(node.reliability == .quick)
        // Datagrams that go out together may arrive in any order.
        #expect(lamp.log.sorted() == Self.everything.sorted() && lamp.isComplete)
        #expect(lamp.log.suffix(5) == Self.everything.suffix(5) && lamp.log.first == "ArmFailSafe")
        let record = try #require(pending.records("then").first)
        #expect(record.nodeID == NodeID(7) && record.name == "lamp" && record.room == "attic")
        #expect(record.addresses == [lamp.device.address] && record.discriminator?.long == 3840)
        #expect(try journal.pending(SetupCode(passcode: SetupPasscode(Commissionee.passcode))) == [record])
        // The owner of the node's record removes the pending one.
        #expect(try journal.all().map(\.nodeID) == [NodeID(7)])
        #expect(workshop.issuer.log == ["prepare", "issue"])
        try await eventually { await lamp.device.closed == 2 }
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that asks for a longer fail-safe gets it before anything costly is asked of it")
    func longFailSafe() async throws {
        let workshop = try Workshop()
        let lamp = try await Commissionee {
            $0.attributes[FakeDevice.general(1)] = .structure([TLVElement(0, .uint(300)), TLVElement(1, .uint(200))])
        }
        _ = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(lamp.log.sorted() == (["ArmFailSafe"] + Self.everything).sorted())
        #expect(lamp.failSafes.prefix(2) == [60, 200])
        await workshop.end()
        await lamp.end()
    }

    @Test("a code of another product is no obstacle, but the user is told")
    func anotherProduct() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let request = try workshop.request(lamp.device.address) {
            $0.vendorID = FakeDevice.vendorID
            $0.productID = 0x1234
        }
        _ = try await workshop.commission(request)
        #expect(
            workshop.progress.notes == [
                "the setup code is for VID FFF1, PID 1234, but the device reports VID FFF1, PID 8001"
            ])
        await workshop.end()
        await lamp.end()
    }

    @Test("stages are reported in their order, each with its time")
    func stages() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let node = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(workshop.progress.began == CommissioningStage.allCases)
        #expect(node.stages.map(\.stage) == CommissioningStage.allCases && workshop.progress.failed == [])
        #expect(node.stages.allSatisfy { $0.duration >= .zero })
        #expect(node.total >= node.stages.reduce(.zero) { $0 + $1.duration } - .milliseconds(100))
        await workshop.end()
        await lamp.end()
    }

    @Test("a node that cannot be described now is a node all the same")
    func withoutDescription() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        lamp.garbleDescriptor()
        let node = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(node.nodeID == NodeID(7) && node.endpoints == [] && lamp.isComplete)
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that takes several commands in a message gets its configuration and the root in one, in order")
    func together() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee(together: 10) { $0.timeFeatures = 0 })
        _ = try await workshop.commission(workshop.request(lamp.device.address))
        let start = try #require(lamp.log.firstIndex(of: "SetRegulatoryConfig"))
        #expect(
            lamp.log[start...].starts(with: [
                "SetRegulatoryConfig", "SetUTCTime", "AddTrustedRootCertificate", "AddNOC",
            ]))
        #expect(lamp.isComplete)
        await workshop.end()
        await lamp.end()
    }

    @Test("one that says so and refuses several gets them one by one")
    func refusedTogether() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee(together: 2))
        let seen = Seen()
        lamp.on("AddTrustedRootCertificate") { _ in
            guard !seen.has("together") else { return nil }
            seen.note("together", [])
            return .refusal(.invalidAction)
        }
        _ = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(lamp.isComplete && lamp.log.count { $0 == "SetRegulatoryConfig" } == 2, "\(lamp.log)")
        #expect(lamp.log.count { $0 == "AddTrustedRootCertificate" } == 2)
        await workshop.end()
        await lamp.end()
    }

    // MARK: Refusals

    private static let refusal = CommandResult.Outcome.status(StatusIB(.constraintError))

    @Test(
        "whatever the device refuses, it is told to forget the rest, and nothing stays behind",
        arguments: everything.dropFirst().map { $0.replacing("*", with: "") }.filter { $0 != "ArmFailSafe" })
    func refusals(command: String) async throws {
        let workshop = try Workshop()
        let lamp = try await Commissionee { $0.oddities[command] = Self.refusal }
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(error.code == .commandFailed && error.aftermath == .rolledBack)
        #expect(lamp.log.last == "disarm" && !lamp.isPending)
        #expect(try workshop.journal.all() == [])
        let wasIssued = Self.everything.prefix(while: { !$0.hasSuffix(command) }).contains("CSRRequest")
        #expect(workshop.issuer.log == (wasIssued ? ["prepare", "issue", "abandon"] : ["prepare"]))
        #expect(workshop.progress.failed.count == 1)
        try await eventually { await lamp.device.sessions.isEmpty }
        await workshop.end()
        await lamp.end()
    }

    @Test("a fail-safe of another commissioner is left alone")
    func busyFailSafe() async throws {
        let workshop = try Workshop()
        let lamp = try await Commissionee {
            $0.oddities["ArmFailSafe"] = .response(command: 1, fields: .structure([TLVElement(0, .uint(4))]))
        }
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(error.code == .failSafeBusy && error.aftermath == .untouched && lamp.log == ["ArmFailSafe"])
        await workshop.end()
        await lamp.end()
    }

    @Test("a refused attestation keeps everything of ours from the device")
    func refusedAttestation() async throws {
        var workshop = try Workshop()
        let lamp = try await Commissionee()
        workshop.environment.attest = { _ throws(CommissioningError) in
            throw CommissioningError(.attestationRefused, stage: .attestation, "not this one")
        }
        let ready = workshop
        let error = try await failure { try await ready.commission(ready.request(lamp.device.address)) }
        #expect(error.code == .attestationRefused && error.aftermath == .rolledBack)
        #expect(lamp.log.filter { $0 != "CSRRequest" }.sorted() == (Self.everything.prefix(4) + ["disarm"]).sorted())
        #expect(workshop.issuer.log == ["prepare"])
        await workshop.end()
        await lamp.end()
    }

    @Test("an issuer that cannot work is found out before the device hears of us")
    func unpreparedIssuer() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        workshop.issuer.fail(at: "prepare")
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(error.code == .issuerFailed && error.aftermath == .untouched)
        #expect(await lamp.device.handshakes.isEmpty)
        await workshop.end()
        await lamp.end()
    }

    @Test("an issuer that fails ends the commissioning")
    func failedIssuer() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        workshop.issuer.fail(at: "issue")
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(error.code == .issuerFailed && error.stage == .issueNOC && error.aftermath == .rolledBack)
        #expect(lamp.log.sorted() == (Self.everything.prefix(5) + ["disarm"]).sorted() && lamp.log.last == "disarm")
        await workshop.end()
        await lamp.end()
    }

    @Test("a journal that cannot be written keeps the certificate from leaving")
    func brokenJournal() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        // A folder where the record has to be.
        let path = workshop.state.directory.path + "/fabrics/home/pending/0000000000000007.json"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let error = await #expect(throws: InterruptedCommissioning.self) {
            _ = try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(error?.underlying is StoreError && error?.aftermath == .rolledBack)
        // The device may have begun with its configuration by then.
        #expect(lamp.log.last == "disarm" && !lamp.log.contains("AddNOC") && !lamp.isPending)
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that cannot arm its fail-safe while it takes down an earlier one is asked once more")
    func armAgain() async throws {
        let (workshop, lamp, seen) = (try Workshop(), try await Commissionee(), Seen())
        lamp.on("ArmFailSafe") { _ in
            guard !seen.has("arm") else { return nil }
            seen.note("arm", [])
            return .outcome(.status(StatusIB(.failure)))
        }
        let node = try await workshop.commission(workshop.request(lamp.device.address))
        #expect(node.nodeID == NodeID(7) && seen.has("arm"))
        await workshop.end()
        await lamp.end()
    }

    @Test("a wrong passcode and a closed window are told apart")
    func pairing() async throws {
        let workshop = try Workshop()
        let lamp = try await Commissionee(passcode: 20_202_022)
        let wrong = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address))
        }
        #expect(wrong.code == .wrongPasscode && wrong.stage == .pase && wrong.aftermath == .untouched)
        #expect(wrong.reason.contains("\(lamp.device.address)") && wrong.hint != nil)
        let closed = try await Commissionee(passcode: nil)
        let error = try await failure {
            try await workshop.commission(workshop.request(closed.device.address))
        }
        #expect(error.code == .windowClosed && error.stage == .pase)
        #expect(workshop.progress.failed == [.pase, .pase])
        await workshop.end()
        await lamp.end()
        await closed.end()
    }

    @Test(
        "an end that was asked for takes everything back",
        arguments: [CommissioningStage.csr, .trustedRoot, .addNOC, .case])
    func until(stage: CommissioningStage) async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address) { $0.until = stage })
        }
        #expect(error.code == .stopped && error.aftermath == .rolledBack && lamp.log.last == "disarm")
        #expect(lamp.log.contains("AddNOC") == (stage >= .addNOC) && !lamp.isPending)
        #expect(try workshop.journal.all() == [] && workshop.progress.failed == [])
        await workshop.end()
        await lamp.end()
    }

    // MARK: Interruptions

    @Test(
        "an interruption takes back what was done, wherever it comes",
        arguments: ["ArmFailSafe", "AttestationRequest", "CSRRequest", "SetRegulatoryConfig", "AddNOC"])
    func interruption(command: String) async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let reached = Seen()
        lamp.on(command) { _ in
            reached.note(command, [])
            return .acknowledgement
        }
        let request = try workshop.request(lamp.device.address)
        let task = inBackground { try await workshop.commission(request) }
        try await eventually { reached.has(command) }
        // The fail-safe answers again when it is to be disarmed.
        lamp.on(command) { _ in nil }
        let start = testTime.now
        task.cancel()
        let error = try await failure { try await task.value }
        #expect(error.code == .interrupted && error.aftermath == .rolledBack && .testNow - start < .seconds(20))
        #expect(lamp.log.last == "disarm" && !lamp.isPending)
        #expect(try workshop.journal.all() == [])
        await workshop.end()
        await lamp.end()
    }

    /// The opcode of a datagram of a handshake.
    private static func opcode(_ datagram: [UInt8]) -> UInt8? {
        guard let flags = datagram.first else { return nil }
        // After flags, session, security flags and counter come the node ids, and then the flags of the exchange.
        let source = flags & 0x04 == 0 ? 0 : 8
        let destination = flags & 0x03 == 1 ? 8 : flags & 0x03 == 2 ? 2 : 0
        return datagram.dropFirst(8 + source + destination + 1).first
    }

    @Test(
        "an interruption of the pairing says what is known of the device: nothing was changed until it has the proof",
        arguments: [(SecureChannelOpcode.pake1, false), (.pake3, true)])
    func interruptedPairing(message: SecureChannelOpcode, isDoubtful: Bool) async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let relay = try Relay(to: lamp.device.address)
        let reached = Seen()
        relay.meddle { direction, datagram in
            if direction == .toDevice, Self.opcode(datagram) == message.rawValue { reached.note("message", []) }
            // The device's answer is not heard here.
            return direction == .toClient && reached.has("message") ? [] : [(direction, datagram)]
        }
        let request = try workshop.request(relay.address)
        let task = inBackground { try await workshop.commission(request) }
        try await eventually { reached.has("message") }
        try await testTime.sleep(for: .milliseconds(100))
        task.cancel()
        let error = try await failure { try await task.value }
        #expect(error.code == .interrupted && error.aftermath == .untouched && error.stage == .pase)
        #expect(error.reason.contains("it is not known whether it has opened a session") == isDoubtful)
        #expect(error.reason.contains("interrupted; nothing was changed") == !isDoubtful)
        #expect(error.hint.map { "\($0)".contains("up to 60 s") } == (isDoubtful ? true : nil))
        relay.stop()
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that may be complete is not forgotten by an interruption")
    func interruptedCompletion() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        let reached = Seen()
        lamp.on("CommissioningComplete") { _ in
            reached.note("complete", [])
            return .acknowledgement
        }
        let request = try workshop.request(lamp.device.address)
        let task = inBackground { try await workshop.commission(request) }
        try await eventually { reached.has("complete") }
        task.cancel()
        let error = try await failure { try await task.value }
        guard case .pending(7, _) = error.aftermath else { return #expect(Bool(false), "\(error.aftermath)") }
        #expect(error.code == .interrupted && !lamp.log.contains("disarm"))
        #expect(try workshop.journal.all().map(\.nodeID) == [NodeID(7)] && workshop.issuer.log.last == "issue")
        // The same command again finds the node.
        lamp.on("CommissioningComplete") { _ in
            .outcome(.response(command: 5, fields: .structure([TLVElement(0, .uint(3))])))
        }
        let node = try await workshop.commission(request)
        #expect(node.wasPending && node.nodeID == NodeID(7))
        await workshop.end()
        await lamp.end()
    }

    @Test("a device that vanishes before it has a certificate forgets by itself")
    func vanishedEarly() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        lamp.on("SetRegulatoryConfig") { context in
            await context.device.manager.shutDown()
            return .nothing
        }
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address), within: .seconds(3))
        }
        #expect(error.code == .noAnswer && error.stage == .configure)
        #expect(error.aftermath == .rollsBack(within: .seconds(60)))
        #expect(try workshop.journal.all() == [] && workshop.issuer.log == ["prepare", "issue", "abandon"])
        await workshop.end()
    }

    @Test("a device that vanishes with its certificate is pending")
    func vanishedLate() async throws {
        let (workshop, lamp) = (try Workshop(), try await Commissionee())
        lamp.on("AddNOC") { context in
            await context.device.manager.shutDown()
            return .nothing
        }
        let error = try await failure {
            try await workshop.commission(workshop.request(lamp.device.address), within: .seconds(3))
        }
        #expect(error.code == .goneAfterNOC)
        guard case .pending(7, let within) = error.aftermath else { return #expect(Bool(false), "\(error.aftermath)") }
        #expect(within > .zero && within <= .seconds(120))
        #expect(try workshop.journal.all().count == 1 && workshop.issuer.log == ["prepare", "issue"])
        await workshop.end()
    }
}
