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

    static let failSafeSeconds = FailSafeTimer.leastSeconds

    let configuration: Configuration
    /// All that the flow remembers.
    var state = State.idle

    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// The stage that the flow is in.
    package var stage: CommissioningStage { state.stage }
    /// The steps that a failure undoes.
    var undo: Undo { state.undo }
    /// The device's description of itself; empty until it has.
    package var information: DeviceInformation { state.known.information }
    /// The last breadcrumb that the device was given.
    package var breadcrumb: UInt64 { state.known.breadcrumb }

    package mutating func handle(_ event: Event) throws(CommissioningError) -> [Action] {
        switch event {
        case .began:
            return try enter(.arming(Known(), early: nil)) + [
                .invoke(armFailSafe(Self.failSafeSeconds)), .read(DeviceInformation.paths),
            ]
        case .read(let result):
            if case .arming(let known, _) = state {
                state = .arming(known, early: DeviceInformation(result))
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
                refused(error)
                throw error
            }
        case .verified:
            guard case .judging(let known, let shown, let earlyCSR) = state else { throw impossible("a verdict") }
            let stage = try enter(.verified(known, shown))
            return try stage + (earlyCSR.map { (answer) throws(CommissioningError) in try handle(answer) } ?? [])
        case .issued(let issued, let requested):
            return try take(issued, requestedNodeID: requested)
        case .recorded:
            return try prepare("a pending record") { $0.isRecorded = true }
        case .connecting:
            return try enter(.connecting(state.known, try issued("the way to the node")))
        case .connected:
            return try enter(.completing(state.known, try issued("a session"), isRefused: false)) + [
                .invoke(.commissioningComplete)
            ]
        case .endpoints(let result):
            return [.finish(try finished(result))]
        }
    }

    // MARK: Steps

    /// The consequence of a refusal for the steps to undo.
    private mutating func refused(_ error: CommissioningError) {
        switch state {
        // Another administrator's fail-safe is not ours to disarm.
        case .arming(let known, _) where error.code == .failSafeBusy: state = .busy(known)
        // A refused command did not run; the meaning of a malformed answer is unknown.
        case .completing(let known, let issued, _) where error.code != .malformedAnswer:
            state = .completing(known, issued, isRefused: true)
        default: break
        }
    }

    /// A defect: this cannot come at this point.
    private func impossible(_ what: String) -> CommissioningError {
        CommissioningError(.impossibleStep, stage: stage, "\(what) came in the stage \(stage.rawValue)")
    }

    /// The certificate, which there has to be.
    private func issued(_ what: String) throws(CommissioningError) -> IssuedNOC {
        guard let issued = state.issued else { throw impossible(what) }
        return issued
    }

    /// Puts aside an answer to CSRRequest that has come before the verdict.
    private mutating func isEarly(_ answer: Event) -> Bool {
        switch state {
        case .collecting(let known, var chain):
            chain.earlyCSR = answer
            state = .collecting(known, chain)
            return true
        case .judging(let known, let shown, _):
            state = .judging(known, shown, earlyCSR: answer)
            return true
        default:
            return false
        }
    }

    /// A certificate of the chain. The request for the CSR does not wait for the verdict; everything after it does.
    private mutating func take(
        _ certificate: NodeOperationalCredentials.CertificateChainType, _ octets: [UInt8]
    ) throws(CommissioningError) -> [Action] {
        guard case .collecting(let known, var chain) = state else { throw impossible("a certificate of the chain") }
        if certificate == .paiCertificate { chain.pai = octets } else { chain.dac = octets }
        state = .collecting(known, chain)
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
            guard case .arming(let known, let early) = state else { throw impossible("the fail-safe") }
            let stage = try enter(.describing(known))
            return try stage + (early.map { (early) throws(CommissioningError) in try take(early) } ?? [])
        case .certificateChain(let certificate):
            return try take(
                certificate, try answer.required(NodeOperationalCredentials.CertificateChainResponse.Field.certificate))
        case .attestation:
            guard case .collecting(let known, let chain) = state, let dac = chain.dac, let pai = chain.pai else {
                throw impossible("the attestation")
            }
            var evidence = AttestationEvidence(
                dac: dac, pai: pai,
                response: try answer.attestation(),
                nonce: configuration.attestationNonce, attestationChallenge: configuration.attestationChallenge,
                vendorID: VendorID(information.vendorID ?? 0), productID: information.productID ?? 0)
            evidence.setupCode = configuration.expectedProduct.named
            evidence.advertised = configuration.advertised
            state = .judging(known, Shown(dac: dac, pai: pai), earlyCSR: chain.earlyCSR)
            return [.verify(evidence)]
        case .csr:
            return try request(
                elements: try answer.required(NodeOperationalCredentials.CSRResponse.Field.nocsrElements),
                signature: try answer.required(NodeOperationalCredentials.CSRResponse.Field.attestationSignature))
        case .csrForUpdate, .updateNOC: throw impossible("an update")
        case .setRegulatoryConfig(_, let country, _) where answer.isValueOutsideRange:
            if country != Self.unknownCountry, case .preparing(let known, let issued, var preparation) = state,
                !preparation.hasDroppedCountry
            {
                preparation.hasDroppedCountry = true
                state = .preparing(known, issued, preparation)
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
                + beginJoining()
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
            return try beginJoining()
        case .commissioningComplete:
            // Without a fail-safe our fabric stands already: an earlier CommissioningComplete got through.
            try answer.requireOK(tolerating: .noFailSafe)
            let issued = try issued("the end")
            // The device is a node for good: what there is to stop is the rest.
            if configuration.until == .complete {
                state = .standing(state.known, issued, isOver: true)
                return [.finish(try finished(nil))]
            }
            let post = try enter(.standing(state.known, issued, isOver: false))
            return post + (configuration.readsEndpoints ? [.readEndpoints] : [.finish(try finished(nil))])
        }
    }

    private mutating func take(_ information: DeviceInformation) throws(CommissioningError) -> [Action] {
        guard case .describing(var known) = state else { throw impossible("a description") }
        known.information = information
        state = .describing(known)
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
        if let demand = information.termsDemand { known.acknowledgement = try acknowledge(demand) }
        let (plan, remarks) = try planNetwork(information)
        known.plan = plan
        let notes = remarks + [configuration.expectedProduct.mismatch(information)].compactMap { $0 }
        return try notes.map { .note($0) } + enter(.collecting(known, Chain())) + [
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
        guard case .verified(let known, let shown) = state else {
            throw impossible("a certificate signing request")
        }
        let csr: CertificateSigningRequest
        let decoded: NOCSRElements
        do {
            decoded = try NOCSRElements(decoding: elements)
            let dac = try AttestationCertificate(der: shown.dac)
            csr = try decoded.verify(
                nonce: configuration.csrNonce, signature: signature, attestationKey: dac.publicKey,
                attestationChallenge: configuration.attestationChallenge)
        } catch {
            throw CommissioningError(
                .invalidCSR, stage: .csr, "the device's certificate signing request is not valid: \(error)",
                hint: "this is a fault of the device; restart it and try again", underlying: error)
        }
        let context = NOCIssueContext(
            attestation: DeviceAttestationInfo(
                dac: shown.dac, pai: shown.pai, vendorID: VendorID(information.vendorID ?? 0),
                productID: information.productID ?? 0),
            csrAttestation: CSRAttestation(
                elements: decoded, attestationSignature: signature,
                attestationChallenge: configuration.attestationChallenge))
        // A person may have to look for a password: before the certificate, that costs the device nothing.
        if case .search(let interface) = known.plan { return search(interface, then: csr, context) }
        return try enter(.requested(known, csr)) + [.issue(csr, context)]
    }

    private mutating func take(
        _ issued: IssuedNOC, requestedNodeID: NodeID?
    ) throws(CommissioningError) -> [Action] {
        guard case .requested(_, let csr) = state else { throw impossible("a certificate") }
        do {
            _ = try issued.validate(
                csr: csr, root: configuration.fabric.rootCertificate, fabricID: configuration.fabricID,
                requestedNodeID: requestedNodeID, at: configuration.validationTime)
        } catch {
            throw CommissioningError(
                .issuedCertificateInvalid, stage: .issueNOC, "the issuer's certificate is not valid: \(error)",
                underlying: error)
        }
        let commands = configurationCommands()
        let stage = try enter(.preparing(state.known, issued, Preparation(commands: commands.count)))
        // The device works while the record becomes durable; AddNOC waits for both.
        return stage + [
            .invokeAll(commands + [.addTrustedRoot(configuration.fabric.rootCertificate.tlv)]), .record(issued),
        ]
    }

    /// The device has answered a command of the configuration.
    private mutating func configured() throws(CommissioningError) -> [Action] {
        try prepare("the end of the configuration") { $0.commands -= 1 }
    }

    /// Takes note of something that AddNOC waits for, and sends it if that was the last.
    private mutating func prepare(
        _ what: String, _ note: (inout Preparation) -> Void
    ) throws(CommissioningError) -> [Action] {
        guard case .preparing(let known, let issued, var preparation) = state else { throw impossible(what) }
        note(&preparation)
        let announced = try enter(.preparing(known, issued, preparation))
        guard preparation.isDone else { return announced }
        return try announced + enter(.certified(known, issued)) + [.invoke(addNOC(issued))]
    }

    mutating func connect() throws(CommissioningError) -> [Action] {
        let issued = try issued("the end of the fail-safe's extension")
        return try enter(.discovering(state.known, issued)) + [.connect(issued.nodeID)]
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

    /// Goes on to a state, which may be of a later stage.
    mutating func enter(_ next: State) throws(CommissioningError) -> [Action] {
        let later = next.stage
        guard later != stage else {
            state = next
            return []
        }
        if let until = configuration.until, later > until {
            throw CommissioningError(.stopped, stage: stage, "stopped after the stage \(until.rawValue), as asked")
        }
        state = next
        return [.enter(later)]
    }
}
