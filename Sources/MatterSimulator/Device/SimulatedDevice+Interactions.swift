import MatterNetwork

/// The Interaction Model on the device's exchanges.
extension SimulatedDevice {
    /// How long a peer may take for the next message of an interaction.
    private static let limit = Duration.seconds(30)
    /// How long a peer may take to say that it has a piece of a report.
    private static let confirmationLimit = Duration.seconds(10)
    /// How long the sender's half of an interaction may take, however many pieces its peer takes.
    private static let interactionLimit = Duration.seconds(300)
    /// How long an ending session waits for its last acknowledgement.
    private static let drainLimit = Duration.seconds(5)

    func interact(_ exchange: Exchange, _ message: ReceivedMessage) async {
        let reference = exchange.session
        guard let session = sessions[reference], !session.isClosing else { return await exchange.close() }
        sessions[reference]?.lastUsed = time.now
        sessions[reference]?.users += 1
        do {
            if message.protocolID == .secureChannel {
                await handleStatusReport(message, reference)
            } else {
                try await converse(exchange, message)
            }
        } catch let error as InteractionError {
            if let status = error.statusForPeer { try? await send(StatusResponse(status), exchange) }
        } catch {
            // The peer is gone, or the session is; there is no peer to tell.
        }
        if let users = sessions[reference]?.users { sessions[reference]?.users = users - 1 }
        sessions[reference]?.lastUsed = time.now
        if let ended = sessions[reference], ended.isClosing, ended.users <= 0 {
            // The peer is to have our last message.
            await exchange.drain(until: time.now + Self.drainLimit)
            forget(reference)
            await manager.remove(reference)
            afterTurn()
        } else {
            await exchange.close()
        }
    }

    private func handleStatusReport(_ message: ReceivedMessage, _ reference: SessionReference) async {
        guard let report = try? StatusReport(decoding: message.payload), report.isCloseSession else { return }
        forget(reference)
        await manager.remove(reference)
        afterTurn()
    }

    // MARK: Conversation

    private func converse(_ exchange: Exchange, _ first: ReceivedMessage) async throws {
        var timed = TimedInteraction<Instant>()
        var message = first
        var deadline = time.now + Self.limit
        while true {
            guard message.protocolID == .interactionModel else { return }
            node.load.messagesReceived &+= 1
            if faults.ignores(message) {
                surroundings.report(.fault("ignore"))
                return
            }
            // The session may have been given a fabric, or be gone.
            guard let caller = sessions[exchange.session]?.caller else { return }
            switch try InteractionRequest(opcode: message.opcode, payload: message.payload) {
            case .timed(let request):
                timed.announce(request, at: time.now)
                deadline = time.now + .milliseconds(Int64(request.timeout)) + Self.limit
                try await send(StatusResponse(.success), exchange)
                message = try await exchange.receive(until: deadline)
            case .read(let request):
                return try await read(request, caller, exchange, message)
            case .subscribe(let request):
                return try await subscribe(request, caller, exchange)
            case .write(let request):
                return try await write(request, message, &timed, caller, exchange)
            case .invoke(let request):
                return try await invoke(request, message, &timed, caller, exchange)
            case .report:
                return try await send(StatusResponse(.invalidSubscription), exchange)
            }
        }
    }

    private func send(_ message: some InteractionMessage, _ exchange: Exchange) async throws {
        node.load.messagesSent &+= 1
        try await exchange.send(
            message.encoded(), opcode: type(of: message).opcode.rawValue, protocolID: .interactionModel)
    }

    /// Plays the sender's half of an interaction to its end.
    private func play(_ transaction: some InteractionTransaction, _ exchange: Exchange) async throws {
        var machine = CountedTransaction(transaction)
        defer { node.load.add(machine) }
        let run = InteractionRun(
            exchange: exchange, deadline: time.now + Self.interactionLimit, processing: Self.confirmationLimit,
            delivery: .zero)
        _ = try await run.carryOut(&machine)
    }

    private func read(
        _ request: ReadRequest, _ caller: Caller, _ exchange: Exchange, _ message: ReceivedMessage
    ) async throws {
        let outcome: Result<ReportResponder, any Error> = Result {
            let (attributes, events) = try node.turn(at: moment) { try node.read(request, caller: caller) }
            return ReportResponder.read(attributes: attributes, events: events)
        }
        if faults.mutes(message) {
            surroundings.report(.fault("mute"))
            return
        }
        switch outcome {
        case .success(let responder): try await play(responder, exchange)
        case .failure(let refusal as SimulatedNode.Refusal): try await send(StatusResponse(refusal.status), exchange)
        case .failure(let error): throw error
        }
    }

    private func write(
        _ first: WriteRequest, _ message: ReceivedMessage, _ timed: inout TimedInteraction<Instant>, _ caller: Caller,
        _ exchange: Exchange
    ) async throws {
        let verdict = timed.check(isTimed: first.isTimed, at: time.now)
        guard verdict == .success else { return try await send(StatusResponse(verdict), exchange) }
        var receiver = WriteReceiver()
        var progress = SimulatedNode.WriteProgress()
        var request = first
        while true {
            let chunk = try receiver.receive(request)
            let statuses = node.turn(at: moment) { node.write(chunk, progress: &progress, caller: caller) }
            afterTurn()
            await saved()
            guard !chunk.suppressesResponse, !faults.mutes(message) else { return }
            try await send(chunk.response(statuses), exchange)
            guard !chunk.isLast else { return }
            let next = try await exchange.receive(until: time.now + Self.limit)
            guard next.protocolID == .interactionModel, next.opcode == WriteRequest.opcode.rawValue else {
                throw InteractionError(.unexpectedMessage, "something other than the rest of a write")
            }
            node.load.messagesReceived &+= 1
            request = try WriteRequest(decoding: next.payload)
        }
    }

    private func invoke(
        _ request: InvokeRequest, _ message: ReceivedMessage, _ timed: inout TimedInteraction<Instant>,
        _ caller: Caller, _ exchange: Exchange
    ) async throws {
        let verdict = timed.check(isTimed: request.isTimed, at: time.now)
        guard verdict == .success else { return try await send(StatusResponse(verdict), exchange) }
        if let delay = configuration.faults.slowCrypto, request.commands.contains(where: \.path.needsCryptography) {
            try await time.sleep(for: delay)
        }
        let node = node
        var outcomes: [CommandResult.Outcome]
        do throws(SimulatedNode.Refusal) {
            outcomes = try node.turn(at: moment) { () throws(SimulatedNode.Refusal) in
                try node.invoke(request, caller: caller)
            }
        } catch {
            return try await send(StatusResponse(error.status), exchange)
        }
        let pending = node.takePendingCommands()
        let delay = node.takeAnswerDelay()
        let reboots = faults.isAboutToReboot(node)
        afterTurn()
        if reboots { return }
        for command in pending {
            let result = await command.work()
            // The device may have started again meanwhile.
            guard node === self.node else { return }
            outcomes[command.index] = node.finish(command, with: result, at: moment)
            afterTurn()
        }
        if hasUnsavedStates { await saved() }
        await groupsFollowed()
        guard !request.suppressesResponse else { return }
        if faults.mutes(message) {
            surroundings.report(.fault("mute"))
            return
        }
        let slowness = delay + faults.slowAnswer
        if slowness > .zero { try await time.sleep(for: slowness) }
        if faults.garbles(message) {
            surroundings.report(.fault("garble"))
            let opcode = InteractionModelOpcode.invokeResponse.rawValue
            return try await exchange.send([0x15], opcode: opcode, protocolID: .interactionModel)
        }
        try await play(InvokeResponder(answering: request, with: outcomes), exchange)
    }

    // MARK: Subscriptions

    private func subscribe(_ request: SubscribeRequest, _ caller: Caller, _ exchange: Exchange) async throws {
        let new: NewSubscription
        do throws(SimulatedNode.Refusal) {
            new = try node.turn(at: moment) { () throws(SimulatedNode.Refusal) in
                try node.subscribe(request, caller: caller)
            }
        } catch {
            return try await send(StatusResponse(error.status), exchange)
        }
        do {
            try await play(
                ReportResponder.subscribe(new.response, attributes: new.attributes, events: new.events), exchange)
            node.subscriptionEstablished(new.response.subscriptionID, at: moment)
            report(
                "subscribed",
                [
                    ("subscriptionId", .uint(UInt64(new.response.subscriptionID))),
                    ("maxInterval", .uint(UInt64(new.response.maxInterval))),
                    ("fabricIndex", .uint(UInt64(caller.fabricIndex))),
                ])
            afterTurn()
        } catch {
            node.dropSubscription(new.response.subscriptionID)
            throw error
        }
    }

    /// Sends a report that is due. A subscriber that does not take it loses the subscription.
    func publish(_ due: DueReport) async {
        // A session that carries reports is in use.
        sessions[due.session]?.lastUsed = time.now
        noteActivity()
        do {
            let exchange = try await manager.openExchange(on: due.session)
            do {
                try await play(
                    ReportResponder.report(
                        subscriptionID: due.subscription, attributes: due.attributes, events: due.events), exchange)
                await exchange.close()
            } catch {
                await exchange.close()
                throw error
            }
            node.reportDelivered(due.subscription)
        } catch {
            node.dropSubscription(due.subscription)
            report(
                "subscription-ended",
                [("subscriptionId", .uint(UInt64(due.subscription))), ("reason", .string("\(error)"))])
        }
        afterTurn()
    }
}

extension CommandPath {
    /// Commands that a slow processor takes long over.
    fileprivate var needsCryptography: Bool {
        cluster == NodeOperationalCredentials.id && [0x00, 0x04, 0x06, 0x07].contains(command)
    }
}
