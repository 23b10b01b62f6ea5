package import MatterCrypto
package import MatterModel

/// Commissioning from the PASE session on, as a pure state machine: answers in, requests out
/// (Matter core specification 5.5; the order is reference 07).
///
/// Before the attestation verdict nothing but reads, CSRRequest and the fail-safe goes to the device, and nothing to
/// the issuer. A thrown error ends the flow; what then has to be undone is in ``undo``.
package struct CommissioningFlow: Sendable {
    package enum Action: Sendable {
        /// A stage begins; for progress.
        case enter(CommissioningStage)
        case read([AttributePath])
        case invoke(CommissioningCommand)
        /// In this order, in as few messages as the device takes; each answer is an event.
        case invokeAll([CommissioningCommand])
        /// Judge the device's attestation, while the flow goes on.
        case verify(AttestationEvidence)
        case issue(CertificateSigningRequest, NOCIssueContext)
        /// Ask a person which network the device is to join, while the fail-safe is kept armed.
        case choose(NetworkChoice)
        /// Make the pending record durable, while the device works.
        case record(IssuedNOC)
        /// Find the node and set up CASE; from here on commands go over that session.
        case connect(NodeID)
        case readEndpoints
        case finish(Result)
        /// Something that the user should know.
        case note(String)
    }

    package enum Event: Sendable {
        case began
        case read(ReadResult)
        case answered(CommissioningCommand, CommandResult)
        /// The PASE session is lost, and the fate of the command is unknown.
        case unanswered(CommissioningCommand)
        /// The verdict allows to go on.
        case verified
        /// The certificate, and the node id that the issuer was asked for, if any.
        case issued(IssuedNOC, requested: NodeID?)
        case recorded
        /// The answer of the person; `nil` for none.
        case chosen(NetworkCredential?)
        /// The address of PASE is tried at once, while discovery looks for better ones.
        case connecting
        case connected
        case endpoints(ReadResult)
    }

    package struct Result: Sendable {
        package var nodeID: NodeID
        package var information: DeviceInformation
        package var endpoints: ReadResult?
    }

    /// The changes that a failure has to undo.
    enum Undo: Equatable, Sendable {
        case nothing
        /// The fail-safe is armed; disarming it makes the device forget.
        case disarm
        /// The same, and the device may have our certificate by now.
        case disarmPending
        /// CommissioningComplete was sent: disarming proves nothing any more, since the device may be done.
        case leavePending
    }

    /// The device's attestation certificates, and what it said before its turn.
    private struct Chain {
        var pai: [UInt8]?
        var dac: [UInt8]?
        /// An answer to CSRRequest without a verdict. Only that tells whether the device's key counts for anything.
        var earlyCSR: Event?
    }

    /// What AddNOC waits for.
    private struct Preparation {
        /// The commands of the configuration that the device has not answered.
        var commands: Int
        var hasRoot = false
        var isRecorded = false
        /// Whether the device has refused the country, and was told that it is unknown.
        var hasDroppedCountry = false

        init(commands: Int) { self.commands = commands }

        var isDone: Bool { commands == 0 && hasRoot && isRecorded }
    }

    /// How far the way to the fabric has come.
    private enum State {
        /// The device has not said that its fail-safe is armed. It may have described itself.
        case arming(early: DeviceInformation?)
        /// It has not described itself.
        case describing
        /// The attestation is being asked for.
        case collecting(Chain)
        /// There is no verdict yet.
        case judging(dac: [UInt8], pai: [UInt8], earlyCSR: Event?)
        /// The verdict allows to ask for a certificate.
        case verified(dac: [UInt8], pai: [UInt8])
        case requested(CertificateSigningRequest)
        /// There is a certificate, and the device is made ready for it.
        case preparing(IssuedNOC, Preparation)
        /// The device was sent its certificate.
        case certified(IssuedNOC)
    }

    static let failSafeSeconds = FailSafeTimer.leastSeconds

    let configuration: Configuration
    package private(set) var stage = CommissioningStage.pase
    private(set) var undo = Undo.nothing
    package private(set) var information = DeviceInformation()
    private var state = State.arming(early: nil)
    /// The user's answer to the manufacturer's terms, where the device asks for one.
    var acknowledgement: TermsAcknowledgement?
    /// What there is to do for the network of the device.
    var network = NetworkStep()
    /// The last one that the device was given.
    package internal(set) var breadcrumb: UInt64 = 0

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    package mutating func handle(_ event: Event) throws(CommissioningError) -> [Action] {
        switch event {
        case .began:
            undo = .disarm
            return try enter(.armFailSafe) + [
                .invoke(armFailSafe(Self.failSafeSeconds)), .read(DeviceInformation.paths),
            ]
        case .read(let result):
            if case .arming = state {
                state = .arming(early: DeviceInformation(result))
                return []
            }
            return try take(DeviceInformation(result))
        case .answered(.armFailSafe, _) where stage == .network:
            // A device that grants no extension may still be quick enough.
            return try joinOrConnect()
        case .unanswered:
            // A device that fell silent over PASE after it was sent its certificate shows by CASE whether it has it. One
            // that was told of a network may have gone there.
            return try connect()
        case .chosen(let credential):
            return try take(credential)
        case .answered(let command, let result):
            if case .csr = command, isEarly(event) { return [] }
            do throws(CommissioningError) {
                return try answered(
                    command, try CommissioningAnswer(result, to: command, stage: stage(of: command)))
            } catch {
                // Another administrator's fail-safe is not ours to disarm.
                if error.code == .failSafeBusy, stage == .armFailSafe { undo = .nothing }
                // What a device refuses it has not done; the meaning of a malformed answer is unknown.
                if undo == .leavePending, error.code != .malformedAnswer { undo = .disarmPending }
                throw error
            }
        case .verified:
            guard case .judging(let dac, let pai, let earlyCSR) = state else { throw impossible("a verdict") }
            state = .verified(dac: dac, pai: pai)
            let stage = try enter(.csr)
            return try stage + (earlyCSR.map { (answer) throws(CommissioningError) in try handle(answer) } ?? [])
        case .issued(let issued, let requested):
            return try take(issued, requestedNodeID: requested)
        case .recorded:
            return try prepare("a pending record") { $0.isRecorded = true }
        case .connecting:
            return try enter(.case)
        case .connected:
            _ = try issued("a session")
            let stage = try enter(.complete)
            undo = .leavePending
            return stage + [.invoke(.commissioningComplete)]
        case .endpoints(let result):
            return [.finish(try finished(result))]
        }
    }

    // MARK: Steps

    /// A defect: this cannot come at this point.
    private func impossible(_ what: String) -> CommissioningError {
        CommissioningError(.impossibleStep, stage: stage, "\(what) came in the stage \(stage.rawValue)")
    }

    /// The certificate, which there has to be.
    private func issued(_ what: String) throws(CommissioningError) -> IssuedNOC {
        switch state {
        case .preparing(let issued, _), .certified(let issued): return issued
        case .arming, .describing, .collecting, .judging, .verified, .requested: throw impossible(what)
        }
    }

    /// Puts aside an answer to CSRRequest that has come before the verdict.
    private mutating func isEarly(_ answer: Event) -> Bool {
        switch state {
        case .collecting(var chain):
            chain.earlyCSR = answer
            state = .collecting(chain)
            return true
        case .judging(let dac, let pai, _):
            state = .judging(dac: dac, pai: pai, earlyCSR: answer)
            return true
        case .arming, .describing, .verified, .requested, .preparing, .certified:
            return false
        }
    }

    /// A certificate of the chain. The request for the CSR does not wait for the verdict; everything after it does.
    private mutating func take(
        _ certificate: NodeOperationalCredentials.CertificateChainType, _ octets: [UInt8]
    ) throws(CommissioningError) -> [Action] {
        guard case .collecting(var chain) = state else { throw impossible("a certificate of the chain") }
        if certificate == .paiCertificate { chain.pai = octets } else { chain.dac = octets }
        state = .collecting(chain)
        guard chain.pai != nil, chain.dac != nil else { return [] }
        return [
            .invoke(.attestation(nonce: configuration.attestationNonce)),
            .invoke(.csr(nonce: configuration.csrNonce)),
        ]
    }

    private mutating func answered(
        _ command: CommissioningCommand, _ answer: CommissioningAnswer
    ) throws(CommissioningError) -> [Action] {
        switch command {
        case .armFailSafe:
            try answer.requireOK()
            var early: DeviceInformation?
            if case .arming(let description) = state {
                early = description
                state = .describing
            }
            let stage = try enter(.readInfo)
            return try stage + (early.map { (early) throws(CommissioningError) in try take(early) } ?? [])
        case .certificateChain(let certificate):
            return try take(
                certificate, try answer.required(NodeOperationalCredentials.CertificateChainResponse.Field.certificate))
        case .attestation:
            guard case .collecting(let chain) = state, let dac = chain.dac, let pai = chain.pai else {
                throw impossible("the attestation")
            }
            var evidence = AttestationEvidence(
                dac: dac, pai: pai,
                response: try answer.attestation(),
                nonce: configuration.attestationNonce, attestationChallenge: configuration.attestationChallenge,
                vendorID: VendorID(information.vendorID ?? 0), productID: information.productID ?? 0)
            evidence.setupCode = configuration.expectedProduct.named
            evidence.advertised = configuration.advertised
            state = .judging(dac: dac, pai: pai, earlyCSR: chain.earlyCSR)
            return [.verify(evidence)]
        case .csr:
            return try request(
                elements: try answer.required(NodeOperationalCredentials.CSRResponse.Field.nocsrElements),
                signature: try answer.required(NodeOperationalCredentials.CSRResponse.Field.attestationSignature))
        case .setRegulatoryConfig(_, let country, _) where answer.isValueOutsideRange:
            if country != Self.unknownCountry, case .preparing(let issued, var preparation) = state,
                !preparation.hasDroppedCountry
            {
                preparation.hasDroppedCountry = true
                state = .preparing(issued, preparation)
                return [
                    .note("the device does not take the country \(country); it is told that the country is unknown"),
                    .invoke(regulation(country: Self.unknownCountry)),
                ]
            }
            try answer.requireOK()
            return try configured()
        case .setRegulatoryConfig, .setTCAcknowledgements:
            try answer.requireOK()
            return try configured()
        case .setDefaultNTP:
            return try (answer.refusal.map { [.note("the device does not take the time server: \($0)")] } ?? [])
                + configured()
        case .setTrustedTimeSource:
            return try (answer.refusal.map { [.note("the device does not take the time source: \($0)")] } ?? [])
                + enter(.network) + [.invoke(armFailSafe(operationalSeconds))]
        case .network(let command, _, _, _):
            return try answered(command, answer)
        case .setUTCTime, .setDSTOffset:
            // TimeNotAccepted only means that the device has a better source.
            return try configured()
        case .setTimeZone:
            guard (try? answer.required(TimeSynchronization.SetTimeZoneResponse.Field.dstOffsetRequired)) ?? false
            else {
                return try configured()
            }
            return [.invoke(.setDSTOffset(Array(configuration.timeZone.periods.prefix(information.dstListSize))))]
        case .addTrustedRoot:
            return try prepare("the root certificate") { $0.hasRoot = true }
        case .addNOC:
            try answer.requireNOCAccepted()
            if let command = timeSourceCommand { return [.invoke(command)] }
            return try enter(.network) + [.invoke(armFailSafe(operationalSeconds))]
        case .commissioningComplete:
            // Without a fail-safe our fabric stands already: an earlier CommissioningComplete got through.
            try answer.requireOK(tolerating: .noFailSafe)
            undo = .nothing
            // The device is a node for good: what there is to stop is the rest.
            if configuration.until == .complete { return [.finish(try finished(nil))] }
            let post = try enter(.post)
            return post + (configuration.readsEndpoints ? [.readEndpoints] : [.finish(try finished(nil))])
        }
    }

    private mutating func take(_ information: DeviceInformation) throws(CommissioningError) -> [Action] {
        self.information = information
        let ours = configuration.fabric.rootCertificate.publicKey.x963
        if let entry = information.fabrics.first(where: {
            $0.rootPublicKey == ours && $0.fabricID == configuration.fabricID.rawValue
        }) {
            throw CommissioningError(
                .alreadyOnFabric, stage: stage, "the device is already on this fabric, as node \(entry.nodeID)",
                hint: .step("node.already-here", "\(entry.nodeID)"))
        }
        if information.isFabricTableFull {
            throw CommissioningError(
                .fabricTableFull, stage: stage,
                "the device is on \(information.commissionedFabrics ?? 0) fabrics, its maximum",
                hint: "remove it from one of the apps or hubs that have it, or reset it")
        }
        if let demand = information.termsDemand { acknowledgement = try acknowledge(demand) }
        state = .collecting(Chain())
        let notes = try planNetwork() + [configuration.expectedProduct.mismatch(information)].compactMap { $0 }
        return try notes.map { .note($0) } + enter(.attestation) + [
            .invoke(.certificateChain(.paiCertificate)), .invoke(.certificateChain(.dacCertificate)),
        ]
    }

    /// The answer is needed before anything is asked of the device or an issuer: a person may take any time to give it.
    private func acknowledge(_ demand: TermsDemand) throws(CommissioningError) -> TermsAcknowledgement {
        let answer = configuration.terms(demand)
        if let answer, answer.version >= demand.minimumVersion { return answer }
        var error = CommissioningError(
            .termsRequired, stage: stage,
            "the manufacturer of this device wants its terms accepted, version \(demand.minimumVersion) or later"
                + (answer.map { ", not \($0.version)" } ?? ""), hint: .step("terms.accept"))
        error.terms = demand
        throw error
    }

    private mutating func request(elements: [UInt8], signature: [UInt8]) throws(CommissioningError) -> [Action] {
        guard case .verified(let dacOctets, let pai) = state else {
            throw impossible("a certificate signing request")
        }
        let csr: CertificateSigningRequest
        let decoded: NOCSRElements
        do {
            decoded = try NOCSRElements(decoding: elements)
            let dac = try AttestationCertificate(der: dacOctets)
            csr = try decoded.verify(
                nonce: configuration.csrNonce, signature: signature, attestationKey: dac.publicKey,
                attestationChallenge: configuration.attestationChallenge)
        } catch {
            throw CommissioningError(
                .invalidCSR, stage: .csr, "the device's certificate signing request is not valid: \(error)",
                hint: "this is a fault of the device; restart it and try again", underlying: error)
        }
        state = .requested(csr)
        let context = NOCIssueContext(
            attestation: DeviceAttestationInfo(
                dac: dacOctets, pai: pai, vendorID: VendorID(information.vendorID ?? 0),
                productID: information.productID ?? 0),
            csrAttestation: CSRAttestation(
                elements: decoded, attestationSignature: signature,
                attestationChallenge: configuration.attestationChallenge))
        // A person may have to look for a password: before the certificate, that costs the device nothing.
        if let search = searchFirst(then: csr, context) { return search }
        return try enter(.issueNOC) + [.issue(csr, context)]
    }

    private mutating func take(
        _ issued: IssuedNOC, requestedNodeID: NodeID?
    ) throws(CommissioningError) -> [Action] {
        guard case .requested(let csr) = state else { throw impossible("a certificate") }
        do {
            _ = try issued.validate(
                csr: csr, root: configuration.fabric.rootCertificate, fabricID: configuration.fabricID,
                requestedNodeID: requestedNodeID, at: configuration.validationTime)
        } catch {
            throw CommissioningError(
                .issuedCertificateInvalid, stage: .issueNOC, "the issuer's certificate is not valid: \(error)",
                underlying: error)
        }
        let stage = try enter(.configure)
        let commands = configurationCommands()
        state = .preparing(issued, Preparation(commands: commands.count))
        // The device works while the record becomes durable; AddNOC waits for both.
        return stage + [
            .invokeAll(commands + [.addTrustedRoot(configuration.fabric.rootCertificate.tlv)]), .record(issued),
        ]
    }

    /// The device has answered a command of the configuration.
    private mutating func configured() throws(CommissioningError) -> [Action] {
        var isLast = false
        let next = try prepare("the end of the configuration") { preparation in
            preparation.commands -= 1
            isLast = preparation.commands == 0
        } announcing: { flow throws(CommissioningError) in
            isLast ? try flow.enter(.trustedRoot) : []
        }
        return next
    }

    /// Takes note of something that AddNOC waits for, and sends it if that was the last.
    ///
    /// - Parameter announcing: what is said before.
    private mutating func prepare(
        _ what: String, _ note: (inout Preparation) -> Void,
        announcing: (inout CommissioningFlow) throws(CommissioningError) -> [Action] = { _ in [] }
    ) throws(CommissioningError) -> [Action] {
        guard case .preparing(let issued, var preparation) = state else { throw impossible(what) }
        note(&preparation)
        state = .preparing(issued, preparation)
        let announced = try announcing(&self)
        guard preparation.isDone else { return announced }
        let stage = try enter(.addNOC)
        undo = .disarmPending
        state = .certified(issued)
        return announced + stage + [.invoke(addNOC(issued))]
    }

    mutating func connect() throws(CommissioningError) -> [Action] {
        let id = try issued("the end of the fail-safe's extension").nodeID
        return try enter(.operationalDiscovery) + [.connect(id)]
    }

    private func finished(_ endpoints: ReadResult?) throws(CommissioningError) -> Result {
        Result(nodeID: try issued("the end").nodeID, information: information, endpoints: endpoints)
    }

    // MARK: Helpers

    /// The stage that a command belongs to: some are sent while an earlier stage goes on.
    private func stage(of command: CommissioningCommand) -> CommissioningStage {
        switch command {
        case .csr: .csr
        case .addTrustedRoot: .trustedRoot
        default: stage
        }
    }

    mutating func enter(_ next: CommissioningStage) throws(CommissioningError) -> [Action] {
        if let until = configuration.until, next > until {
            throw CommissioningError(.stopped, stage: stage, "stopped after the stage \(until.rawValue), as asked")
        }
        stage = next
        return [.enter(next)]
    }
}
