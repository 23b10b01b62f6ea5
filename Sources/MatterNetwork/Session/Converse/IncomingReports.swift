import MatterModel
import Synchronization

/// Exchanges that peers begin on our sessions: the reports of subscriptions, and the end of a session.
package final class IncomingReports: Sendable {
    /// An event of a subscription.
    package enum Event: Sendable {
        /// The first message of a report.
        case report(ExchangeManager.Incoming)
        /// The session has ended.
        case closed
        /// Nothing was heard for as long as the subscriber wanted to wait.
        case overdue
        /// The peer may have been started again.
        case doubtful
    }

    /// The events that wait for a subscription that is busy. A publisher that keeps to the protocol sends no report before
    /// the one before it is answered.
    static let mostWaiting = 16

    private struct Listener {
        /// `nil` until the peer has agreed to the subscription.
        var subscription: UInt32?
        var events: AsyncStream<Event>.Continuation
    }

    private struct State {
        /// By session, and the number of the inbox.
        var listeners: [SessionReference: [UInt64: Listener]] = [:]
        var next: UInt64 = 0
        var isEnded = false
        /// That of the manager who is served.
        var time: any TimeSource = SystemTime()
    }

    private let state = Mutex(State())

    package init() {}

    /// True if a peer may have something to report.
    package var isListening: Bool { state.withLock { !$0.listeners.isEmpty } }

    fileprivate var time: any TimeSource { state.withLock { $0.time } }

    /// Begins to listen, before the peer is asked for the subscription: its first report may follow at once.
    package func listen(on session: SessionReference) -> ReportInbox {
        let (events, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.mostWaiting))
        let id = state.withLock { state in
            state.next += 1
            if state.isEnded { continuation.finish() }
            state.listeners[session, default: [:]][state.next] = Listener(events: continuation)
            return state.next
        }
        return ReportInbox(id: id, session: session, events: events, continuation: continuation, reports: self)
    }

    /// Ends all subscriptions, and those that are set up from now on.
    package func end() {
        state.withLock { state in
            state.isEnded = true
            for listener in state.listeners.values.joined().sorted(by: { $0.key < $1.key }) {
                listener.value.events.finish()
            }
        }
    }

    /// True after ``end()``.
    package var isEnded: Bool { state.withLock { $0.isEnded } }

    fileprivate func settle(_ id: UInt64, of session: SessionReference, on subscription: UInt32) {
        state.withLock { $0.listeners[session]?[id]?.subscription = subscription }
    }

    fileprivate func remove(_ id: UInt64, of session: SessionReference) {
        state.withLock { state in
            state.listeners[session]?.removeValue(forKey: id)?.events.finish()
            if state.listeners[session]?.isEmpty == true { state.listeners[session] = nil }
        }
    }

    /// Serves what peers begin, until the manager is shut down.
    ///
    /// - Parameter commands: gets what nodes invoke.
    package func serve(_ manager: ExchangeManager, _ commands: IncomingCommands = IncomingCommands()) async {
        state.withLock { $0.time = manager.time }
        for await incoming in manager.incoming {
            let (message, session) = (incoming.message, incoming.exchange.session)
            if message.isReport {
                switch deliver(incoming) {
                case .taken: break
                case .lost(let exchange): await exchange.abandon()
                case .unwanted: manager.time.start { await Self.refuse(incoming.exchange) }
                }
            } else if message.invokes {
                await commands.take(incoming, from: await manager.peer(of: session))
            } else if message.closesSession {
                await manager.remove(session)
                end(session)
            } else {
                await incoming.exchange.abandon()
            }
        }
    }

    private enum Delivery {
        case taken
        /// Something had to go for it, or it came too late: that exchange would never be closed.
        case lost(Exchange)
        case unwanted
    }

    private func deliver(_ incoming: ExchangeManager.Incoming) -> Delivery {
        let id = ReportData.subscription(of: incoming.message.payload)
        return state.withLock { state in
            guard let here = state.listeners[incoming.exchange.session]?.values else { return .unwanted }
            // The report of a subscription that is just being agreed upon may overtake the agreement.
            guard
                let listener = here.first(where: { $0.subscription == id })
                    ?? here.first(where: { $0.subscription == nil })
            else { return .unwanted }
            return listener.events.tell(.report(incoming)).map { .lost($0) } ?? .taken
        }
    }

    /// Tells the subscriptions on a session that it has ended.
    package func end(_ session: SessionReference) {
        state.withLock { state in
            for (_, listener) in (state.listeners[session] ?? [:]).sorted(by: { $0.key < $1.key }) {
                listener.events.tellAlone(.closed)
            }
        }
    }

    /// Tells a publisher that there is no such subscription, so that it stops.
    private static func refuse(_ exchange: Exchange) async {
        try? await exchange.send(
            StatusResponse(.invalidSubscription).encoded(), opcode: InteractionModelOpcode.statusResponse.rawValue,
            protocolID: .interactionModel)
        await exchange.close()
    }
}

/// The reports of one subscription.
package final class ReportInbox: Sendable {
    private let id: UInt64
    private let session: SessionReference
    package let events: AsyncStream<IncomingReports.Event>
    private let continuation: AsyncStream<IncomingReports.Event>.Continuation
    private let reports: IncomingReports
    private let watch = Mutex<Task<Void, Never>?>(nil)

    fileprivate init(
        id: UInt64, session: SessionReference, events: AsyncStream<IncomingReports.Event>,
        continuation: AsyncStream<IncomingReports.Event>.Continuation, reports: IncomingReports
    ) {
        self.id = id
        self.session = session
        self.events = events
        self.continuation = continuation
        self.reports = reports
    }

    /// Takes the reports of the subscription that the peer has agreed to.
    package func settle(on subscription: UInt32) { reports.settle(id, of: session, on: subscription) }

    /// Lets ``events`` say when nothing more was heard until then; the last call counts.
    package func watch(until deadline: Instant, of time: any TimeSource) {
        let task = time.start { [continuation] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            continuation.tellAlone(.overdue)
        }
        let last = watch.withLock { watch in
            defer { watch = task }
            return watch
        }
        last?.cancel()
    }

    /// Lets ``events`` say that the peer may have been started again.
    package func doubt() { continuation.tellAlone(.doubtful) }

    /// Stops listening, and drops the reports that are left.
    package func close() {
        watch.withLock { $0 }?.cancel()
        reports.remove(id, of: session)
        reports.time.start { [events] in
            for await case .report(let left) in events { await left.exchange.abandon() }
        }
    }
}

extension AsyncStream<IncomingReports.Event>.Continuation {
    /// - Returns: the exchange of a report that is not going to be served: an older one that made room, or that of the
    ///   event itself.
    fileprivate func tell(_ event: IncomingReports.Event) -> Exchange? {
        switch (yield(event), event) {
        case (.dropped(.report(let lost)), _): lost.exchange
        case (.terminated, .report(let late)): late.exchange
        default: nil
        }
    }

    /// Tells of an event that is no report.
    fileprivate func tellAlone(_ event: IncomingReports.Event) {
        guard let lost = tell(event) else { return }
        lost.manager.time.start { await lost.abandon() }
    }
}

extension ReceivedMessage {
    fileprivate var isReport: Bool {
        protocolID == .interactionModel && opcode == InteractionModelOpcode.reportData.rawValue
    }

    fileprivate var invokes: Bool {
        protocolID == .interactionModel && opcode == InteractionModelOpcode.invokeRequest.rawValue
    }

    fileprivate var closesSession: Bool {
        protocolID == .secureChannel && (try? StatusReport(decoding: payload))?.isCloseSession ?? false
    }
}
