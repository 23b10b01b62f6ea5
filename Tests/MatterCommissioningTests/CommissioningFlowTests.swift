import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

@Suite("Commissioning flow")
struct CommissioningFlowTests {
    private static let everything = [
        "[arm-fail-safe]", "ArmFailSafe", "read", "[read-info]", "[attestation]", "CertificateChainRequest (PAI)",
        "CertificateChainRequest (DAC)", "AttestationRequest", "CSRRequest", "verify", "[csr]", "[issue-noc]", "issue",
        "[configure]", "SetRegulatoryConfig", "AddTrustedRootCertificate", "record", "[trusted-root]", "[add-noc]",
        "AddNOC", "[network]", "ArmFailSafe", "[operational-discovery]", "connect 7", "[case]",
        "[complete]", "CommissioningComplete", "[post]", "read endpoints", "finish",
    ]

    @Test("the stages have the names of the contract, in its order")
    func stageNames() {
        #expect(
            CommissioningStage.allCases.map(\.rawValue) == [
                "discover", "pase", "arm-fail-safe", "read-info", "attestation", "csr", "issue-noc", "configure",
                "trusted-root", "add-noc", "network", "operational-discovery", "case", "complete", "post",
            ])
        #expect(CommissioningStage.allCases.sorted() == CommissioningStage.allCases)
    }

    // MARK: The whole way

    @Test(
        "a device is commissioned in the order of the specification, whenever the verdict comes",
        arguments: [Journey.Verdict.atOnce, .afterEverythingElse])
    func happyPath(verdict: Journey.Verdict) throws {
        let journey = try Journey.run { $0.verdict = verdict }
        #expect(journey.error == nil)
        #expect(journey.log == Self.everything)
        #expect(journey.result?.nodeID == NodeID(7))
        #expect(journey.result?.information.vendorID == FakeDevice.vendorID && journey.result?.endpoints != nil)
    }

    @Test("the certificate is sent when the configuration, the root and the pending record are done, whichever is last")
    func certificateWaits() throws {
        let journey = try Journey()
        for last in ["SetRegulatoryConfig", "AddTrustedRootCertificate", "record"] {
            var flow = CommissioningFlow(journey.configuration)
            var events: [CommissioningFlow.Event] = [.began]
            var held: CommissioningFlow.Event?
            var isSent = false
            while !events.isEmpty {
                for action in try flow.handle(events.removeFirst()) {
                    switch action {
                    case .read(let paths): events.append(.read(journey.device.read(paths)))
                    case .invoke(.addNOC): isSent = true
                    case .invoke(let command): events.append(.answered(command, try journey.device.answer(command)))
                    case .invokeAll(let commands):
                        for command in commands {
                            let event = CommissioningFlow.Event.answered(command, try journey.device.answer(command))
                            if command.name == last { held = event } else { events.append(event) }
                        }
                    case .verify: events.append(.verified)
                    case .issue(let csr, _):
                        events.append(
                            .issued(
                                try journey.fabric.issuer().issue(csr, nodeID: NodeID(7)), requested: NodeID(7)))
                    case .record: if last == "record" { held = .recorded } else { events.append(.recorded) }
                    default: break
                    }
                }
            }
            #expect(!isSent && flow.undo == .disarm, "\(last)")
            for action in try flow.handle(try #require(held)) { if case .invoke(.addNOC) = action { isSent = true } }
            #expect(isSent && flow.undo == .disarmPending, "\(last)")
        }
    }

    @Test("a description that comes before the fail-safe is armed waits for it")
    func earlyDescription() throws {
        let journey = try Journey()
        var flow = CommissioningFlow(journey.configuration)
        _ = try flow.handle(.began)
        let early = try flow.handle(.read(journey.device.read(DeviceInformation.paths)))
        #expect(early.isEmpty && flow.stage == .armFailSafe)
        let arm = CommissioningCommand.armFailSafe(seconds: 60, breadcrumb: 1)
        let actions = try flow.handle(.answered(arm, try journey.device.answer(arm)))
        #expect(actions.count == 4 && flow.stage == .attestation && flow.information.vendorID == FakeDevice.vendorID)
    }

    @Test("what the device signs and shows is what is judged")
    func evidence() throws {
        let journey = try Journey.run()
        let evidence = try #require(journey.evidence)
        #expect(evidence.dac == journey.device.attestation.dac && evidence.pai == journey.device.attestation.pai)
        #expect(evidence.nonce == Journey.attestationNonce && evidence.attestationChallenge == journey.device.challenge)
        #expect(evidence.vendorID == VendorID(FakeDevice.vendorID) && evidence.productID == FakeDevice.productID)
        let dac = try AttestationCertificate(der: evidence.dac)
        #expect(
            evidence.response.isSigned(by: dac.publicKey, attestationChallenge: evidence.attestationChallenge))
        let context = try #require(journey.context)
        #expect(context.attestation?.dac == evidence.dac && context.csrAttestation?.elements.nonce == Journey.csrNonce)
        #expect(journey.commands.contains(.attestation(nonce: Journey.attestationNonce)))
        #expect(journey.commands.contains(.csr(nonce: Journey.csrNonce)))
    }

    @Test("the device gets its certificate, the fabric's root and key, and its administrator")
    func certificates() throws {
        let journey = try Journey.run()
        let parameters = journey.configuration.fabric
        let issued = try #require(journey.issued)
        #expect(issued.noc.publicKey == journey.device.key.publicKey && issued.noc.nodeID == NodeID(7))
        #expect(journey.commands.contains(.addTrustedRoot(parameters.rootCertificate.tlv)))
        #expect(
            journey.commands.contains(
                .addNOC(
                    noc: issued.noc.tlv, icac: nil, ipk: parameters.ipk,
                    adminSubject: journey.fabric.credentials.nodeID.rawValue, adminVendor: 0xFFF1)))
    }

    @Test("an intermediate certificate goes along")
    func intermediate() throws {
        let local = try LocalFabric.create(withIntermediate: true, validity: TestFabric.validity)
        let journey = try Journey.run {
            let issuer = try local.issuer(adminVendorID: VendorID(0xFFF1)) { TestFabric.validity }
            $0.configuration.fabric = issuer.parameters
            $0.configuration.fabricID = local.fabricID
            $0.issue = { csr, _, _ in try issuer.issue(csr, nodeID: NodeID(7)) }
        }
        #expect(journey.error == nil)
        let sent = journey.commands.compactMap { if case .addNOC(_, let icac, _, _, _) = $0 { icac } else { nil } }
        #expect(sent == [try #require(local.authority.intermediate).tlv])
    }

    @Test("without a wish to read the endpoints the end is the end")
    func withoutPost() throws {
        let journey = try Journey.run { $0.configuration.readsEndpoints = false }
        #expect(journey.log == Self.everything.filter { $0 != "read endpoints" })
        #expect(journey.result?.endpoints == nil && journey.result?.nodeID == NodeID(7))
    }

    // MARK: Before the verdict

    @Test("without a verdict nothing is issued and nothing but questions goes to the device")
    func withoutVerdict() throws {
        let journey = try Journey.run { $0.verdict = .never }
        #expect(journey.error == nil && journey.result == nil)
        #expect(
            journey.names == [
                "ArmFailSafe", "CertificateChainRequest (PAI)", "CertificateChainRequest (DAC)", "AttestationRequest",
                "CSRRequest",
            ])
        #expect(!journey.log.contains("issue") && journey.undo == .disarm)
    }

    @Test("a verdict without a CSR issues nothing either")
    func withoutCSR() throws {
        let journey = try Journey()
        var flow = CommissioningFlow(journey.configuration)
        var events: [CommissioningFlow.Event] = [.began]
        while !events.isEmpty {
            for action in try flow.handle(events.removeFirst()) {
                switch action {
                case .read(let paths): events.append(.read(journey.device.read(paths)))
                case .invoke(.csr): break
                case .invoke(let command): events.append(.answered(command, try journey.device.answer(command)))
                default: break
                }
            }
        }
        let actions = try flow.handle(.verified)
        #expect(actions.count == 1 && actions.allSatisfy { if case .enter(.csr) = $0 { true } else { false } })
    }

    @Test("an answer to CSRRequest that does not hold says nothing before the verdict, which may be the reason")
    func earlyCSR() throws {
        let journey = try Journey()
        var flow = CommissioningFlow(journey.configuration)
        var events: [CommissioningFlow.Event] = [.began]
        while !events.isEmpty {
            for action in try flow.handle(events.removeFirst()) {
                switch action {
                case .read(let paths): events.append(.read(journey.device.read(paths)))
                case .invoke(.csr(let nonce)):
                    let command = CommissioningCommand.csr(nonce: nonce)
                    let outcome = try journey.device.csr(nonce: Journey.attestationNonce)
                    let path = try journey.device.answer(command).path
                    events.append(.answered(command, CommandResult(path: path, outcome: outcome)))
                case .invoke(let command): events.append(.answered(command, try journey.device.answer(command)))
                default: break
                }
            }
        }
        #expect(flow.stage == .attestation)
        let error = #expect(throws: CommissioningError.self) { _ = try flow.handle(.verified) }
        #expect(error?.code == .invalidCSR && error?.stage == .csr)
    }

    // MARK: Ending early

    @Test("a flow that is to end after a stage does nothing of a later one", arguments: CommissioningStage.allCases)
    func until(stage: CommissioningStage) throws {
        let journey = try Journey.run { $0.configuration.until = stage }
        let entered = journey.log.compactMap { entry in
            CommissioningStage.allCases.first { entry == "[\($0.rawValue)]" }
        }
        #expect(entered.allSatisfy { $0 <= stage })
        #expect(Self.everything.starts(with: journey.log.filter { $0 != "finish" || stage == .post }))
        guard stage < .complete else {
            // A complete commissioning cannot be taken back.
            #expect(journey.error == nil && (journey.result?.endpoints == nil) == (stage == .complete))
            return #expect(journey.result != nil && journey.undo == .nothing)
        }
        let error = try #require(journey.error)
        #expect(error.code == .stopped && error.reason.contains(stage.rawValue) && journey.result == nil)
        #expect(error.stage == (stage == .discover ? .pase : stage))
        let undo: CommissioningFlow.Undo =
            switch stage {
            // Nothing was sent.
            case .discover, .pase: .nothing
            case .armFailSafe, .readInfo, .attestation, .csr, .issueNOC, .configure, .trustedRoot:
                .disarm
            case .addNOC, .network, .operationalDiscovery, .case: .disarmPending
            case .complete, .post: .nothing
            }
        #expect(journey.undo == undo)
    }

    // MARK: Undoing

    @Test("what a failure has to take back grows with what was done")
    func undo() throws {
        #expect(CommissioningFlow(try Journey().configuration).undo == .nothing)
        #expect(
            try Journey.run().undos == [
                "began: disarm", "recorded: disarmPending", "connected: leavePending", "CommissioningComplete: nothing",
            ])
    }

    @Test("a refused CommissioningComplete can be taken back; one whose answer makes no sense cannot")
    func undoOfComplete() throws {
        func undo(_ outcome: CommandResult.Outcome) throws -> CommissioningFlow.Undo {
            let journey = try Journey.run { $0.device.oddities["CommissioningComplete"] = outcome }
            #expect(journey.error?.stage == .complete)
            return journey.undo
        }
        #expect(try undo(.response(command: 5, fields: .structure([TLVElement(0, .uint(2))]))) == .disarmPending)
        #expect(try undo(.status(StatusIB(.unsupportedAccess))) == .disarmPending)
        #expect(try undo(.status(StatusIB(.success))) == .leavePending)
        #expect(try undo(.response(command: 5, fields: .structure([]))) == .leavePending)
        #expect(try undo(.response(command: 5, fields: .uint(0))) == .leavePending)
    }

    @Test("a device whose fail-safe is over when it is to complete has completed before")
    func alreadyComplete() throws {
        let journey = try Journey.run {
            $0.device.oddities["CommissioningComplete"] = .response(
                command: 5, fields: .structure([TLVElement(0, .uint(3))]))
        }
        #expect(journey.error == nil && journey.result != nil && journey.undo == .nothing)
    }
}
