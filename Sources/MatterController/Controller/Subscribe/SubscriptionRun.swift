import MatterNetwork

/// Follows one subscription over as many sessions as it takes.
struct SubscriptionRun: Sendable {
    /// How long a publisher may take over the next message of a report.
    private static let partPatience = Duration.seconds(10)
    /// How long a set-up keeps others waiting.
    private static let longestTurn = Duration.seconds(3)
    /// How long a node that may have been started again has to answer.
    private static let doubt = Duration.seconds(8)

    let link: NodeLink
    let reports: IncomingReports
    /// The set-ups of all nodes: a house of a thousand is not asked at once.
    let turns: Turns
    /// Says when the node is back; `nil` without discovery.
    let arrival: Arrival?
    let random: any RandomSource
    let setUp: Duration
    /// Whether a node that cannot be reached at first is waited for.
    let isPatient: Bool
    /// `nil` for a node that can be asked at any time.
    var sleeper: FollowedSleeper?
    let tell: @Sendable (SubscriptionEvent) -> Void

    /// - Throws: `CancellationError`; the error of the first set-up; an error that another try would not change.
    func follow(_ request: SubscribeRequest) async throws {
        var request = request
        // `nil` until the first subscription was alive, without patience.
        var attempts: Int? = isPatient ? 0 : nil
        var hasFollowed = false
        while true {
            var session: SecureSession?
            do {
                let turn = try await turns.take(for: Self.longestTurn, of: time)
                let connected = try await link.connect(deadline: time.now + setUp)
                session = connected
                try await follow(&request, on: connected) {
                    turn.pass()
                    attempts = 0
                    hasFollowed = true
                }
            } catch {
                try Task.checkCancellation()
                guard !reports.isEnded else { throw CancellationError() }
                if !hasFollowed, Self.isMisdirected(error) { throw error }
                if let sleeper,
                    attempts != nil ? Self.isPassing(error) : Self.isSilence(error) && !sleeper.isBounded
                {
                    // The time while it was awake is over; messages on a timer would not reach it.
                    tell(.lost(error, retryAfter: await sleeper.longestSleep()))
                    if let session, error is TransportError { await link.dropIfInUse(session) }
                    try await sleeper.awaken()
                    continue
                }
                guard let failed = attempts, Self.isPassing(error) else {
                    guard let session, await link.hasEnded(session, nodeIsFull: Self.isFull(error)) else { throw error }
                    reports.end(session.reference)
                    continue
                }
                let delay = ResubscribeBackoff.delay(attempt: failed, jitter: jitter)
                tell(.lost(error, retryAfter: delay))
                // A node that fell silent has lost the session.
                if let session, (error as? TransportError) != nil { await link.dropIfInUse(session) }
                attempts = failed + 1
                if let arrival { try await arrival.wait(atMost: delay) } else { try await time.sleep(for: delay) }
            }
        }
    }

    private var time: any TimeSource { link.time }

    private var jitter: Double { Double((try? random.integer(UInt16.self)) ?? 0) / Double(UInt16.max) }

    /// True if the node has no room for another subscription.
    private static func isFull(_ error: any Error) -> Bool {
        (error as? InteractionError)?.status == .resourceExhausted
    }

    /// True if no path leads to anything on the node (Matter core specification 8.5.3.3).
    private static func isMisdirected(_ error: any Error) -> Bool {
        (error as? InteractionError)?.status == .invalidAction
    }

    /// True if a node has not answered.
    private static func isSilence(_ error: any Error) -> Bool {
        error is TransportError || (error as? SessionError)?.isSilence ?? false
    }

    /// True if another try may succeed.
    private static func isPassing(_ error: any Error) -> Bool {
        switch error {
        case is SessionError, is TransportError, is InteractionError: true
        case let error as ControllerError: error.code == .sessionsInUse
        default: false
        }
    }

    /// Follows a subscription until it is lost.
    private func follow(
        _ request: inout SubscribeRequest, on session: SecureSession, established: () -> Void
    ) async throws {
        let inbox = reports.listen(on: session.reference)
        defer { inbox.close() }
        var (state, maxInterval) = try await begin(request, on: session, inbox, established)
        let largest = session.manager.link.largestPayload
        defer {
            if let next = state.nextEventNumber { request.eventFilters = [EventFilter(minimum: next)] }
            request.dataVersionFilters = Self.fitting(state.dataVersionFilters, request, largest)
        }
        inbox.watch(until: state.deadline, of: time)
        arrival?.tell { inbox.doubt() }
        defer { arrival?.tell(nil) }
        for await event in inbox.events {
            switch event {
            case .report(let first):
                if let report = try await take(first, &state) {
                    tell(.report(report))
                    await sleeper?.noteReport(next: maxInterval)
                }
                inbox.watch(until: state.deadline, of: time)
            case .closed:
                throw TransportError(.closed, "the session of the subscription has ended")
            case .overdue:
                guard state.isExpired(at: time.now) else { continue }
                throw TransportError(.noReply, "the next report of the subscription is overdue")
            case .doubtful:
                try await check(session)
            }
        }
        throw CancellationError()
    }

    /// Sets a subscription up. The values of its first report do not outlive this.
    private func begin(
        _ request: SubscribeRequest, on session: SecureSession, _ inbox: ReportInbox,
        _ established: () -> Void
    ) async throws -> (state: SubscriptionState<Instant>, maxInterval: Duration) {
        var transaction = SubscribeTransaction(request)
        let subscription = try await link.client(session).run(
            &transaction, deadline: time.now + setUp, processing: link.patience.usual)
        inbox.settle(on: subscription.id)
        if let count: UInt16 = subscription.reports.attribute(Self.rebootCount)?.value?.integer() {
            await link.note(rebootCount: count, on: session)
        }
        established()
        let maxInterval = Duration.seconds(Int64(subscription.maxInterval))
        tell(.established(id: subscription.id, maxInterval: maxInterval, subscription.reports))
        await sleeper?.noteReport(next: maxInterval)
        let state = SubscriptionState(
            subscription, maximumRoundTrip: await session.responseAllowance(processing: .zero), now: time.now)
        return (state, maxInterval)
    }

    private static let rebootCount = ConcreteAttributePath(
        endpoint: 0, cluster: GeneralDiagnostics.id, attribute: GeneralDiagnostics.Attribute.rebootCount)

    /// Asks the node for something, whatever it answers: one that was started again does not know the session.
    private func check(_ session: SecureSession) async throws {
        let path = AttributePath(
            endpoint: 0, cluster: BasicInformation.id, attribute: BasicInformation.Attribute.dataModelRevision)
        let turn = try await turns.take(for: Self.longestTurn, of: time)
        defer { turn.pass() }
        var transaction = ReadTransaction(ReadRequest(attributePaths: [path]))
        do {
            _ = try await link.client(session).run(
                &transaction, deadline: time.now + Self.doubt, processing: link.patience.usual)
        } catch is InteractionError {
            // It is alive.
        }
    }

    /// The filters, unless they make the request too long; then everything is reported again.
    private static func fitting(
        _ filters: [DataVersionFilter], _ request: SubscribeRequest, _ largest: Int
    ) -> [DataVersionFilter] {
        var filtered = request
        filtered.dataVersionFilters = filters
        return filtered.encoded().count <= largest ? filters : []
    }

    /// Takes a whole report.
    ///
    /// - Returns: `nil` for a report that broke off, or that was another subscription's.
    private func take(
        _ incoming: ExchangeManager.Incoming, _ state: inout SubscriptionState<Instant>
    ) async throws -> ReadResult? {
        let exchange = incoming.exchange
        var message = incoming.message
        state.beginReport()
        do {
            while true {
                guard message.protocolID == .interactionModel else {
                    throw InteractionError.notUnderWay(message.opcode)
                }
                let (action, report) = try state.handle(opcode: message.opcode, payload: message.payload, at: time.now)
                if case .send(let opcode, let payload, _) = action {
                    try await exchange.send(payload, opcode: opcode.rawValue, protocolID: .interactionModel)
                }
                if let report {
                    await exchange.close()
                    return report
                }
                message = try await exchange.receive(until: time.now + Self.partPatience)
            }
        } catch let error as InteractionError {
            if let status = error.statusForPeer {
                try? await exchange.send(
                    StatusResponse(status).encoded(), opcode: InteractionModelOpcode.statusResponse.rawValue,
                    protocolID: .interactionModel)
            }
            await exchange.close()
            if error.code == .invalidSubscription { return nil }
            throw error
        } catch {
            await exchange.abandon()
            throw error
        }
    }
}
