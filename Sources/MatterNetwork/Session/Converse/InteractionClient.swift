package import MatterModel

/// Carries transactions of the Interaction Model over the exchanges of one secure session.
package struct InteractionClient: Sendable {
    /// The responder's time for its own work beyond message delivery (Matter core specification 4.10.2.1).
    package static let standardProcessing = Duration.seconds(2)

    private let openExchange: @Sendable () async throws -> Exchange
    private let deliveryAllowance: @Sendable () async -> Duration

    /// - Parameters:
    ///   - openExchange: opens an exchange on the session.
    ///   - deliveryAllowance: how long delivery to the peer and back may take by the rules of the session.
    package init(
        openExchange: @escaping @Sendable () async throws -> Exchange,
        deliveryAllowance: @escaping @Sendable () async -> Duration
    ) {
        self.openExchange = openExchange
        self.deliveryAllowance = deliveryAllowance
    }

    /// Runs a transaction to its end on an exchange of its own.
    ///
    /// - Parameters:
    ///   - deadline: the end of the caller's budget.
    ///   - processing: how long the peer may work on one message.
    /// - Throws: ``InteractionError``, ``TransportError``, `CancellationError`.
    package func run<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction, deadline: Instant, processing: Duration = standardProcessing
    ) async throws -> Transaction.Output {
        let run = InteractionRun(
            exchange: try await openExchange(), deadline: deadline, processing: processing,
            delivery: await deliveryAllowance())
        return try await run.play(&transaction)
    }

    /// Runs a transaction that must not happen twice: a message that was given up goes on being sent, byte for byte,
    /// for a while. A peer that has it only acknowledges.
    ///
    /// - Parameter rescue: how long it goes on being sent; a peer that is still silent then has lost the session.
    package func runPersistently<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction, deadline: Instant, processing: Duration = standardProcessing,
        rescue: Duration
    ) async throws -> Transaction.Output {
        let run = try await begin(deadline: deadline, processing: processing)
        do {
            return try await run.playKeepingExchange(&transaction)
        } catch let failure as TransportError where failure.code == .notAcknowledged {
            let time = run.exchange.manager.time
            var fate = CommandFate(.thisSession(repeatUntil: time.now + rescue), deadline: deadline)
            _ = fate.handle(.connected(delivery: .zero, processing: processing), now: time.now)
            var actions = fate.handle(.failed(failure, mayHaveRun: true), now: time.now)
            while let action = actions.first {
                do {
                    if let output = try await run.perform(action, &transaction) { return output }
                    actions.removeFirst()
                } catch {
                    if case .fail = action { throw error }
                    actions = fate.handle(.failed(error, mayHaveRun: true), now: time.now)
                }
            }
            throw failure
        }
    }

    /// Opens an exchange for a caller that wants to see to a failed delivery itself.
    package func begin(deadline: Instant, processing: Duration = standardProcessing) async throws -> InteractionRun {
        InteractionRun(
            exchange: try await openExchange(), deadline: deadline, processing: processing,
            delivery: await deliveryAllowance())
    }
}

/// One transaction on one exchange, in either role.
package struct InteractionRun: Sendable {
    package let exchange: Exchange
    private let deadline: Instant
    /// How long the peer may work on one message.
    package let processing: Duration
    private let delivery: Duration
    private var maxPayload: Int { exchange.manager.link.largestPayload }

    /// - Parameters:
    ///   - deadline: the end of the caller's budget.
    ///   - processing: how long the peer may work on one message.
    ///   - delivery: how long delivery to the peer and back may take by the rules of the session.
    package init(exchange: Exchange, deadline: Instant, processing: Duration, delivery: Duration) {
        self.exchange = exchange
        self.deadline = deadline
        self.processing = processing
        self.delivery = delivery
    }

    /// Plays the transaction from its start; closes the exchange whatever happens.
    package func play<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction
    ) async throws -> Transaction.Output {
        try await finish(&transaction, keepingExchange: false) { try $0.start(maxPayload: maxPayload) }
    }

    /// Plays the transaction from its start, but a failed delivery leaves the exchange open, so that ``Exchange/resend()``
    /// and ``resume(_:until:)`` can go on with it.
    func playKeepingExchange<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction
    ) async throws -> Transaction.Output {
        try await finish(&transaction, keepingExchange: true) { try $0.start(maxPayload: maxPayload) }
    }

    /// Waits for the answer to a message that was sent again. If none comes, or a later message is not acknowledged, the
    /// exchange stays open.
    package func resume<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction, until deadline: Instant
    ) async throws -> Transaction.Output {
        let message = try await exchange.receive(until: deadline)
        return try await finish(&transaction, keepingExchange: true) { try handle(message, in: &$0) }
    }

    /// Goes on to the end of the transaction, and ends the exchange.
    ///
    /// - Parameter keepingExchange: whether the exchange stays open after a failed delivery.
    private func finish<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction, keepingExchange: Bool,
        from first: (inout Transaction) throws -> InteractionAction
    ) async throws -> Transaction.Output {
        do {
            let output = try await advance(&transaction, from: try first(&transaction))
            await exchange.close()
            return output
        } catch let error as TransportError where keepingExchange && error.code == .notAcknowledged {
            throw error
        } catch {
            await end(after: error)
            throw error
        }
    }

    /// Performs an action of a ``CommandFate`` on this exchange.
    ///
    /// - Returns: the answer, if the action is to wait for one.
    package func perform<Transaction: InteractionTransaction>(
        _ action: CommandFate.Action, _ transaction: inout Transaction
    ) async throws -> Transaction.Output? {
        switch action {
        case .send:
            return try await playKeepingExchange(&transaction)
        case .resend(let end):
            await exchange.resend()
            return try await resume(&transaction, until: end)
        case .wait(let end):
            return try await resume(&transaction, until: end)
        case .abandon:
            await exchange.abandon()
        case .fail(let error), .unknownOutcome(let error):
            throw error
        case .connect, .drop:
            break
        }
        return nil
    }

    /// Plays the transaction from its start and leaves the exchange to the caller, also after an error.
    package func carryOut<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction
    ) async throws -> Transaction.Output {
        try await advance(&transaction, from: try transaction.start(maxPayload: maxPayload))
    }

    private func advance<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction, from first: InteractionAction
    ) async throws -> Transaction.Output {
        var action = first
        while true {
            switch action {
            case .send(let opcode, let payload, let expectsReply):
                try await exchange.send(payload, opcode: opcode.rawValue, protocolID: .interactionModel)
                if !expectsReply {
                    guard let output = transaction.output else { throw InteractionError.notUnderWay(opcode.rawValue) }
                    return output
                }
                fallthrough
            case .wait:
                let message = try await exchange.receive(
                    until: min(deadline, exchange.manager.time.now + delivery + processing),
                    afterAcknowledgement: delivery / 2 + processing)
                action = try handle(message, in: &transaction)
            case .finished:
                guard let output = transaction.output else { throw InteractionError.notUnderWay(0) }
                return output
            }
        }
    }

    private func handle<Transaction: InteractionTransaction>(
        _ message: ReceivedMessage, in transaction: inout Transaction
    ) throws -> InteractionAction {
        guard message.protocolID == .interactionModel else {
            throw InteractionError.notUnderWay(message.opcode)
        }
        return try transaction.handle(opcode: message.opcode, payload: message.payload)
    }

    private func end(after error: any Error) async {
        guard let error = error as? InteractionError else {
            // Nothing that was given up, or interrupted, may still reach the peer later.
            await exchange.abandon()
            return
        }
        if let status = error.statusForPeer {
            // The peer ought to know why we stop; the failure stands either way.
            try? await exchange.send(
                StatusResponse(status).encoded(), opcode: InteractionModelOpcode.statusResponse.rawValue,
                protocolID: .interactionModel)
        }
        await exchange.close()
    }
}
