/// Plays one handshake over one exchange to its end.
///
/// Until the peer has proved itself, anyone who saw our messages can answer in its name. What does not lead on is
/// therefore put aside: the exchange stays open and our message is repeated for a while longer, and a valid answer wins,
/// whenever it comes.
struct HandshakeRun: Sendable {
    /// How long the run waits for what.
    struct Patience: Sendable {
        /// For the peer's cryptography, once it has our first message.
        var processing: Duration
        /// For later messages. The peer has taken up this handshake and has the costly part before it; a new one would only
        /// find it busy.
        var laterProcessing: Duration
        /// For an answer that contradicts a refusal.
        var grace: Duration
    }

    /// The findings of an earlier attempt of the same race.
    struct Experience: Sendable {
        /// The earlier objection: it needs less confirmation.
        var objections: Set<SecureChannelError.Code> = []
        /// Attempts in which there were several answers of which only one could be followed.
        var contested = 0
    }

    /// How long to wait for further answers to choose from where there were several before.
    private static let gathering = Duration.milliseconds(500)
    /// Proofs of a passcode that are looked at in one run: each forged proof is a guess.
    private static let proofs = 8

    let exchange: Exchange
    let patience: Patience
    let experience: Experience
    let deadline: Instant
    /// Told of every objection at once.
    let objected: @Sendable (Objection) -> Void

    private var time: any TimeSource { exchange.manager.time }

    private struct Progress {
        var machine: any Handshake
        var objections = Objections()
        /// The end of the wait for something better than the objections.
        var objectionsStand: Instant?
        /// The messages that are still to be judged.
        var backlog: [ReceivedMessage] = []
        var hasAccepted = false
        var hasProof = false
    }

    /// - Throws: ``Objections``, `SecureChannelError` if we cannot begin at all, `TransportError`, `CancellationError`.
    func play(_ initiator: any Handshake) async throws -> EstablishedSession {
        var progress = Progress(machine: initiator)
        return try await exchange.playHandshake(from: try progress.machine.start()) {
            if experience.contested > 0, !progress.hasAccepted { try await gather(&progress) }
            let step = try await next(&progress)
            if let parameters = progress.machine.peerParameters {
                await exchange.manager.setReliability(parameters.reliability, of: exchange.session)
            }
            return step
        }
    }

    /// The step that the next message leads to which leads on.
    private func next(_ progress: inout Progress) async throws -> HandshakeStep {
        while true {
            let message = try await receive(&progress)
            // A report on an earlier message is none on the last one, least of all the success at the end.
            if message.isLate, message.opcode != SecureChannelOpcode.pbkdfParamResponse.rawValue { continue }
            var trial = progress.machine
            do {
                let step = try trial.handle(HandshakeMessage(message))
                progress.machine = trial
                guard step.send != nil || step.established != nil else {
                    // Another answer that may turn out to be the peer's.
                    await exchange.acknowledge(message)
                    continue
                }
                await exchange.accept(message)
                progress.hasAccepted = true
                progress.objectionsStand = nil
                if Self.isProof(message) {
                    progress.hasProof = true
                    progress.objections.forget()
                }
                return step
            } catch {
                if progress.hasAccepted, Self.turnsDownFirst(message) { continue }
                let objection = Objection(
                    address: message.from, error: error, message: message, receivedAt: time.now,
                    isAfterProof: progress.hasProof)
                try await put(objection, aside: &progress)
            }
        }
    }

    private func receive(_ progress: inout Progress) async throws -> ReceivedMessage {
        if !progress.backlog.isEmpty { return progress.backlog.removeFirst() }
        do {
            return try await exchange.receive(
                until: min(deadline, progress.objectionsStand ?? deadline),
                afterAcknowledgement: progress.hasAccepted ? patience.laterProcessing : patience.processing)
        } catch let error as TransportError where !progress.objections.isEmpty && error.code != .closed {
            throw await conclude(progress.objections)
        }
    }

    private func put(_ objection: Objection, aside progress: inout Progress) async throws {
        progress.objections.note(objection)
        objected(objection)
        let isWrongProof = objection.error.code == .wrongPasscode
        if isWrongProof, progress.objections.isContested || progress.objections.count >= Self.proofs {
            throw await conclude(progress.objections)
        }
        let wait: Duration =
            switch objection.error.code {
            case .busy: min(objection.error.wait ?? .zero, patience.grace)
            case .contradicted: max(patience.processing, patience.grace)
            case let code: experience.objections.contains(code) ? patience.grace / 4 : patience.grace
            }
        progress.objectionsStand = progress.objectionsStand ?? time.now + wait
    }

    /// Nothing better has come: the objector gets our status report, or an acknowledgement.
    private func conclude(_ objections: Objections) async -> Objections {
        let answerable = objections.list.last { $0.error.reply != nil }
        if let last = answerable ?? objections.list.last {
            await exchange.accept(last.message)
            if let reply = last.error.reply {
                // The peer should know; whether it hears it does not change our result.
                try? await exchange.send(reply)
            }
        }
        return objections
    }

    /// Collects what answers there are to our first message, and begins with another one than the attempt before.
    private func gather(_ progress: inout Progress) async throws {
        var answers: [ReceivedMessage] = []
        var others: [ReceivedMessage] = []
        var end: Instant?
        while end.map({ $0 > time.now }) ?? true {
            let message: ReceivedMessage
            do {
                message = try await exchange.receive(
                    until: min(deadline, end ?? deadline), afterAcknowledgement: patience.processing)
            } catch let error as TransportError where end != nil && error.code != .closed {
                break
            }
            end = end ?? time.now + Self.gathering
            var trial = progress.machine
            let isAnswer = (try? trial.handle(try HandshakeMessage(message)))?.send != nil
            if !isAnswer {
                others.append(message)
            } else if !answers.contains(where: { $0.payload == message.payload }) {
                answers.append(message)
            }
        }
        if !answers.isEmpty {
            answers.swapAt(0, experience.contested % answers.count)
        }
        progress.backlog = answers + others
    }

    /// True if only the peer itself can have sent a message that was accepted.
    private static func isProof(_ message: ReceivedMessage) -> Bool {
        switch SecureChannelOpcode(rawValue: message.opcode) {
        case .sigma2, .sigma2Resume, .pake2: true
        default: false
        }
    }

    /// True if a status report can only be an answer to the first message of a handshake.
    private static func turnsDownFirst(_ message: ReceivedMessage) -> Bool {
        guard message.opcode == SecureChannelOpcode.statusReport.rawValue,
            let report = try? StatusReport(decoding: message.payload)
        else { return false }
        return report.secureChannelCode == .noSharedTrustRoots || report.busyWait != nil
    }
}
