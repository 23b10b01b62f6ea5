import MatterBase
import MatterTestKit
import Testing

@testable import MatterController
@testable import MatterCrypto
@testable import MatterModel

/// Refusals of devices and issuers, and their effect.
@Suite("Commissioning flow: refusals")
struct FlowRefusalTests {
    private static let stages: [String: CommissioningStage] = [
        "ArmFailSafe": .armFailSafe, "CertificateChainRequest (PAI)": .attestation,
        "CertificateChainRequest (DAC)": .attestation, "AttestationRequest": .attestation, "CSRRequest": .csr,
        "SetRegulatoryConfig": .configure, "AddTrustedRootCertificate": .trustedRoot, "AddNOC": .addNOC,
        "CommissioningComplete": .complete,
    ]

    /// A message that is on its way with a command, and may be refused later.
    private static let partners = [
        "CertificateChainRequest (PAI)": "CertificateChainRequest (DAC)", "AttestationRequest": "CSRRequest",
        "SetRegulatoryConfig": "AddTrustedRootCertificate",
    ]

    private func error(_ name: String, _ outcome: CommandResult.Outcome) throws -> CommissioningError {
        let journey = try Journey.run {
            $0.verdict = .afterEverythingElse
            $0.device.oddities[name] = outcome
        }
        let error = try #require(journey.error, "\(name) with \(outcome)")
        #expect(journey.names.last == Self.partners[name] ?? name && journey.result == nil)
        return error
    }

    private static func code(_ code: UInt64, _ text: String? = nil) -> CommandResult.Outcome {
        .response(
            command: 1,
            fields: .structure(
                [TLVElement(0, .uint(code))] + (text.map { [TLVElement(1, .string($0))] } ?? [])))
    }

    // MARK: Defects

    @Test("a step that cannot come at this point is a defect, and not taken in silence")
    func impossible() throws {
        let events: [CommissioningFlow.Event] = [
            .verified, .recorded, .connecting, .connected, .endpoints(ReadResult()),
            .unanswered(.commissioningComplete),
        ]
        for event in events {
            var flow = CommissioningFlow(try Journey().configuration)
            _ = try flow.handle(.began)
            let error = #expect(throws: CommissioningError.self) { _ = try flow.handle(event) }
            #expect(error?.code == .impossibleStep, "\(event)")
            #expect(error?.reason.hasSuffix("came in the stage arm-fail-safe") == true)
        }
    }

    // MARK: Codes of General Commissioning

    @Test(
        "an error code of General Commissioning is named, with the device's own words",
        arguments: ["ArmFailSafe", "SetRegulatoryConfig", "CommissioningComplete"],
        [
            (1, "valueOutsideRange"), (2, "invalidAuthentication"), (5, "requiredTCNotAccepted"),
            (6, "tcAcknowledgementsNotReceived"), (7, "tcMinVersionNotMet"), (99, "error 99"),
        ] as [(UInt64, String)])
    func errorCodes(command: String, code: (number: UInt64, name: String)) throws {
        let error = try error(command, Self.code(code.number, "out of cheese"))
        #expect(error.code == .deviceRefused && error.stage == Self.stages[command])
        #expect(error.reason.contains(command) && error.reason.contains(code.name))
        #expect(error.reason.contains("(out of cheese)"))
        #expect((error.hint == .step("terms.refused")) == (5...7).contains(code.number))
    }

    @Test("a fail-safe that another administrator holds is told apart")
    func busy() throws {
        for command in ["ArmFailSafe", "SetRegulatoryConfig", "CommissioningComplete"] {
            let error = try error(command, Self.code(4))
            #expect(error.code == .failSafeBusy && error.stage == Self.stages[command] && error.hint != nil)
        }
        let journey = try Journey.run { $0.device.oddities["ArmFailSafe"] = Self.code(4) }
        #expect(journey.undo == .nothing, "it is not ours to disarm")
    }

    @Test("a fail-safe that is gone is an error where the device needs one")
    func noFailSafe() throws {
        for command in ["ArmFailSafe", "SetRegulatoryConfig"] {
            #expect(try error(command, Self.code(3)).code == .deviceRefused)
        }
    }

    // MARK: Codes of Operational Credentials

    @Test(
        "a NOC status is named",
        arguments: [
            (1, .nocRejected, "InvalidPublicKey"), (2, .nocRejected, "InvalidNodeOpId"),
            (3, .nocRejected, "InvalidNOC"),
            (4, .nocRejected, "MissingCsr"), (5, .fabricTableFull, "TableFull"),
            (6, .nocRejected, "InvalidAdminSubject"), (9, .alreadyOnFabric, "FabricConflict"),
            (10, .nocRejected, "LabelConflict"), (11, .nocRejected, "InvalidFabricIndex"),
            (77, .nocRejected, "status 77"),
        ] as [(UInt64, CommissioningError.Code, String)])
    func nocStatus(number: UInt64, code: CommissioningError.Code, name: String) throws {
        let fields: TLVValue = .structure([TLVElement(0, .uint(number)), TLVElement(2, .string("because"))])
        let journey = try Journey.run { $0.device.oddities["AddNOC"] = .response(command: 8, fields: fields) }
        let error = try #require(journey.error)
        #expect(error.code == code && error.stage == .addNOC && error.hint != nil)
        #expect(error.reason.contains(name) && error.reason.contains("(because)"), "\(error.reason)")
        #expect(journey.undo == .disarmPending)
    }

    // MARK: Statuses of the Interaction Model

    @Test(
        "a status of the Interaction Model ends the flow with that status",
        arguments: stages.keys.sorted(), [IMStatus.failsafeRequired, .unsupportedCommand, .busy, .constraintError])
    func statuses(command: String, status: IMStatus) throws {
        let error = try error(command, .status(StatusIB(status, clusterStatus: 3)))
        #expect(error.code == .commandFailed && error.stage == Self.stages[command])
        // Only certificates have a time that a wrong clock spoils.
        let hasCertificate = ["AddTrustedRootCertificate", "AddNOC"].contains(command)
        #expect((error.hint == .step("certificate.rejected")) == hasCertificate)
        #expect(error.status == StatusIB(status, clusterStatus: 3))
        #expect(error.reason.contains(command) && error.reason.contains(status.description))
    }

    // MARK: Answers without sense

    @Test(
        "an answer that does not decode ends the flow",
        arguments: stages.keys.filter { $0 != "AddTrustedRootCertificate" }.sorted(),
        [
            .status(StatusIB(.success)), .response(command: 1, fields: nil),
            .response(command: 1, fields: .structure([])), .response(command: 1, fields: .uint(0)),
            .response(command: 1, fields: .array([])),
            .response(command: 1, fields: .structure([TLVElement(0, .string("x")), TLVElement(1, .uint(1))])),
            .response(command: 1, fields: .structure([TLVElement(0, .null), TLVElement(1, .null)])),
        ] as [CommandResult.Outcome])
    func malformed(command: String, outcome: CommandResult.Outcome) throws {
        let error = try error(command, outcome)
        #expect(error.code == .malformedAnswer && error.stage == Self.stages[command])
        #expect(error.reason.contains(command), "\(error.reason)")
    }

    @Test("a signature that is missing ends the flow")
    func missingSignature() throws {
        for command in ["AttestationRequest", "CSRRequest"] {
            let half = CommandResult.Outcome.response(
                command: 1, fields: .structure([TLVElement(0, .octets([0x15, 0x18]))]))
            #expect(try error(command, half).code == .malformedAnswer)
        }
    }

    // MARK: What the device says of itself

    private func entry(
        root: [UInt8], fabric: UInt64, node: UInt64 = 42
    ) -> TLVElement {
        TLVElement(
            .anonymous,
            .structure([
                TLVElement(1, .octets(root)), TLVElement(2, .uint(0xFFF1)), TLVElement(3, .uint(fabric)),
                TLVElement(4, .uint(node)), TLVElement(5, .string("")), TLVElement(254, .uint(1)),
            ]))
    }

    @Test("a device on our fabric is not commissioned again")
    func alreadyOnFabric() throws {
        let journey = try Journey.run {
            let root = $0.fabric.local.authority.root.publicKey.x963
            let other = try P256PrivateKey.generate(SystemRandom()).publicKey.x963
            let id = $0.fabric.local.fabricID.rawValue
            $0.device.attributes[FakeDevice.credentials(1)] = .array([
                entry(root: other, fabric: id), entry(root: root, fabric: id),
            ])
        }
        let error = try #require(journey.error)
        #expect(error.code == .alreadyOnFabric && error.stage == .readInfo)
        #expect(error.reason.contains("node 42") && error.hint == .step("node.already-here", "42"))
        #expect(journey.names == ["ArmFailSafe"] && journey.undo == .disarm)
    }

    @Test("other fabrics are no obstacle: another root with our id, our root with another id, nonsense")
    func otherFabrics() throws {
        let journey = try Journey.run {
            let root = $0.fabric.local.authority.root.publicKey.x963
            let id = $0.fabric.local.fabricID.rawValue
            $0.device.attributes[FakeDevice.credentials(1)] = .array([
                entry(root: [UInt8](repeating: 4, count: 65), fabric: id), entry(root: root, fabric: id &+ 1),
                TLVElement(.anonymous, .uint(7)), TLVElement(.anonymous, .structure([])),
            ])
        }
        #expect(journey.error == nil && journey.result?.information.fabrics.count == 2)
    }

    @Test("a full fabric table is seen before anything is changed")
    func fullTable() throws {
        for (supported, commissioned, isFull) in [(5, 4, false), (5, 5, true), (5, 6, true)] as [(UInt64, UInt64, Bool)]
        {
            let journey = try Journey.run {
                $0.device.attributes[FakeDevice.credentials(2)] = .uint(supported)
                $0.device.attributes[FakeDevice.credentials(3)] = .uint(commissioned)
            }
            #expect((journey.error?.code == .fabricTableFull) == isFull && (journey.error == nil) == !isFull)
            if isFull { #expect(journey.names == ["ArmFailSafe"] && journey.error?.hint != nil) }
        }
        let silent = try Journey.run { $0.device.attributes[FakeDevice.credentials(2)] = nil }
        #expect(silent.error == nil)
    }

    @Test("a device that tells nothing of itself is commissioned all the same")
    func silentDevice() throws {
        let journey = try Journey.run { $0.device.attributes = [:] }
        #expect(journey.error == nil && journey.evidence?.vendorID == VendorID(0))
    }

    // MARK: The certificate signing request

    private func csrError(
        _ outcome: (FakeDevice) throws -> CommandResult.Outcome
    ) throws -> CommissioningError {
        let journey = try Journey.run {
            $0.verdict = .afterEverythingElse
            $0.device.oddities["CSRRequest"] = try outcome($0.device)
        }
        #expect(!journey.log.contains("issue") && journey.undo == .disarm)
        return try #require(journey.error)
    }

    @Test("a CSR that does not answer our question, or was not signed by the attested device, is refused")
    func wrongCSR() throws {
        let stranger = try P256PrivateKey.generate(SystemRandom())
        let nonce = Journey.csrNonce
        let bad: [(FakeDevice) throws -> CommandResult.Outcome] = [
            { try $0.csr(nonce: Journey.attestationNonce) },
            { try $0.csr(nonce: nonce, signer: stranger) },
            { try $0.csr(nonce: nonce, challenge: [UInt8](repeating: 0, count: 16)) },
            { _ in FakeDevice.signed(command: 5, [], [UInt8](repeating: 1, count: 64)) },
            { _ in FakeDevice.signed(command: 5, [0x15, 0x18], [UInt8](repeating: 1, count: 64)) },
            { device in
                guard case .response(_, .structure(let fields)?) = try device.csr(nonce: nonce),
                    case .octets(let elements) = fields[0].value, case .octets(let signature) = fields[1].value
                else { throw CancellationError() }
                return FakeDevice.signed(command: 5, elements, Array(signature.dropLast()))
            },
            { device in
                // The attested device vouches for a request whose own signature is broken.
                var der = try CertificateSigningRequest(key: device.key).der
                der[der.count - 1] ^= 1
                let elements = TLVElement(
                    .anonymous, .structure([TLVElement(1, .octets(der)), TLVElement(2, .octets(nonce))])
                ).encoded()
                return FakeDevice.signed(
                    command: 5, elements, try device.attestation.key.sign(elements + device.challenge))
            },
        ]
        for outcome in bad {
            let error = try csrError(outcome)
            #expect(error.code == .invalidCSR && error.stage == .csr && error.hint != nil)
            #expect(error.underlying is CredentialsError)
        }
    }

    @Test("a DAC that is no certificate makes the CSR worthless")
    func brokenDAC() throws {
        let journey = try Journey.run {
            $0.verdict = .afterEverythingElse
            $0.device.oddities["CertificateChainRequest (DAC)"] = .response(
                command: 3, fields: .structure([TLVElement(0, .octets([0x30, 0x00]))]))
        }
        #expect(journey.error?.code == .invalidCSR && journey.evidence?.dac == [0x30, 0x00])
    }

    // MARK: The issuer

    private func issuerError(_ change: (inout Journey) throws -> Void) throws -> CommissioningError {
        let journey = try Journey.run(change)
        #expect(journey.names.last == "CSRRequest" && journey.undo == .disarm)
        return try #require(journey.error)
    }

    @Test("a certificate for another key, fabric, root or node never reaches the device")
    func wrongCertificate() throws {
        let changes: [(inout Journey) throws -> Void] = [
            { journey in
                journey.issue = { _, _, fabric in
                    let other = try CertificateSigningRequest(key: try P256PrivateKey.generate(SystemRandom()))
                    return try fabric.issuer().issue(other, nodeID: NodeID(7))
                }
            },
            { $0.requestedNodeID = NodeID(8) },
            { journey in
                journey.issue = { csr, _, fabric in
                    let issued = try fabric.issuer().issue(csr, nodeID: NodeID(7))
                    return IssuedNOC(noc: issued.noc, icac: nil, nodeID: NodeID(9), receipt: issued.receipt)
                }
                journey.requestedNodeID = nil
            },
            { journey in
                let other = try TestFabric()
                journey.issue = { csr, _, _ in try other.issuer().issue(csr, nodeID: NodeID(7)) }
            },
            { $0.configuration.fabricID = FabricID(0xF00D) },
            { journey in
                journey.issue = { csr, _, fabric in
                    let past = CertificateValidity(notBefore: 1, notAfter: 2)
                    return try fabric.local.issuer(adminVendorID: VendorID(0xFFF1)) { past }
                        .issue(csr, nodeID: NodeID(7))
                }
            },
        ]
        for (number, change) in changes.enumerated() {
            let error = try issuerError(change)
            #expect(error.code == .issuedCertificateInvalid && error.stage == .issueNOC, "\(number): \(error)")
            #expect(error.underlying is CredentialsError)
        }
    }

    @Test("an issuer that was asked for no id may choose one")
    func issuersChoice() throws {
        let journey = try Journey.run {
            $0.requestedNodeID = nil
            $0.issue = { csr, _, fabric in try fabric.issuer().issue(csr, nodeID: NodeID(0x1234_5678)) }
        }
        #expect(journey.error == nil && journey.result?.nodeID == NodeID(0x1234_5678))
    }
}
