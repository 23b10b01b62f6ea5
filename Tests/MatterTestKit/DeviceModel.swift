package import MatterBase
package import MatterModel
package import MatterNetwork

/// The behaviour of a loopback device.
package struct DeviceModel: Sendable {
    /// The outcome of an interaction.
    package enum Answer: Sendable {
        case outcome(CommandResult.Outcome)
        /// A StatusResponse to the whole message.
        case refusal(IMStatus)
        /// An InvokeResponse of these octets.
        case octets([UInt8])
        /// The message is acknowledged, and that is all.
        case acknowledgement
        /// Not even that; the answer of a device that has no session any more.
        case nothing
    }

    /// The session that something was asked on.
    package struct Context: Sendable {
        package let device: LoopbackDevice
        package let session: SessionReference
        package let established: EstablishedSession
    }

    /// Whether a TimedRequest gets its go-ahead; if not, it is only acknowledged.
    package var announce: @Sendable () async -> Bool = { true }
    package var invoke: @Sendable (_ command: CommandDataIB, _ isTimed: Bool, Context) async -> Answer = { _, _, _ in
        .outcome(.status(StatusIB(.success)))
    }
    package var read: @Sendable (AttributePath, Context) async -> [AttributeReportIB]? = { path, _ in
        [.status(AttributeStatusIB(path: path, status: StatusIB(.unsupportedAttribute)))]
    }
    package var write: @Sendable (WriteOperation, _ isTimed: Bool) async -> IMStatus = { _, _ in .success }

    package init() {}

    func serve(
        _ incoming: ExchangeManager.Incoming, on established: EstablishedSession?, of device: LoopbackDevice
    ) async {
        guard let established else { return await incoming.exchange.abandon() }
        let context = Context(device: device, session: incoming.exchange.session, established: established)
        do {
            try await serve(incoming.message, on: incoming.exchange, context, isAnnounced: false)
        } catch {
            await incoming.exchange.abandon()
        }
    }

    private func serve(
        _ message: ReceivedMessage, on exchange: Exchange, _ context: Context, isAnnounced: Bool
    ) async throws {
        switch InteractionModelOpcode(rawValue: message.opcode) {
        case .timedRequest:
            guard await announce() else { return await exchange.close() }
            try await send(.statusResponse, StatusResponse(.success).encoded(), on: exchange)
            let next = try await exchange.receive(until: exchange.manager.time.now + .seconds(10))
            try await serve(next, on: exchange, context, isAnnounced: true)
        case .invokeRequest:
            try await serve(InvokeRequest(decoding: message.payload), on: exchange, context, isAnnounced: isAnnounced)
        case .writeRequest:
            try await serve(
                write: message, on: exchange, isAnnounced: isAnnounced)
        case .readRequest:
            try await serve(ReadRequest(decoding: message.payload), on: exchange, context)
        default:
            await exchange.close()
        }
    }

    private func serve(
        _ request: InvokeRequest, on exchange: Exchange, _ context: Context, isAnnounced: Bool
    ) async throws {
        guard request.isTimed == isAnnounced else {
            return try await end(exchange, .statusResponse, StatusResponse(.timedRequestMismatch).encoded())
        }
        var outcomes: [CommandResult.Outcome] = []
        for command in request.commands {
            switch await invoke(command, isAnnounced, context) {
            case .outcome(let outcome): outcomes.append(outcome)
            case .refusal(let status):
                return try await end(exchange, .statusResponse, StatusResponse(status).encoded())
            case .octets(let octets): return try await end(exchange, .invokeResponse, octets)
            case .acknowledgement: return await exchange.close()
            case .nothing: return await exchange.abandon()
            }
        }
        var responder = InvokeResponder(answering: request, with: outcomes)
        try await run(&responder, on: exchange)
    }

    private func serve(_ request: ReadRequest, on exchange: Exchange, _ context: Context) async throws {
        var reports: [AttributeReportIB] = []
        for path in request.attributePaths {
            guard let more = await read(path, context) else { return await exchange.close() }
            reports += more
        }
        var responder = ReportResponder.read(attributes: reports)
        try await run(&responder, on: exchange)
    }

    private func serve(write message: ReceivedMessage, on exchange: Exchange, isAnnounced: Bool) async throws {
        var receiver = WriteReceiver()
        var next = message
        while true {
            let chunk = try receiver.receive(next.payload)
            var statuses: [StatusIB] = []
            for operation in chunk.operations { statuses.append(StatusIB(await write(operation, isAnnounced))) }
            try await send(.writeResponse, chunk.response(statuses).encoded(), on: exchange)
            guard !chunk.isLast else { return await exchange.close() }
            next = try await exchange.receive(until: exchange.manager.time.now + .seconds(10))
        }
    }

    private func run<Transaction: InteractionTransaction>(
        _ transaction: inout Transaction, on exchange: Exchange
    ) async throws {
        var action = try transaction.start(maxPayload: exchange.manager.link.largestPayload)
        while true {
            switch action {
            case .send(let opcode, let payload, let expectsReply):
                try await send(opcode, payload, on: exchange)
                guard expectsReply else { return await exchange.close() }
                fallthrough
            case .wait:
                let message = try await exchange.receive(until: exchange.manager.time.now + .seconds(10))
                action = try transaction.handle(opcode: message.opcode, payload: message.payload)
            case .finished:
                return await exchange.close()
            }
        }
    }

    private func end(_ exchange: Exchange, _ opcode: InteractionModelOpcode, _ payload: [UInt8]) async throws {
        try await send(opcode, payload, on: exchange)
        await exchange.close()
    }

    private func send(_ opcode: InteractionModelOpcode, _ payload: [UInt8], on exchange: Exchange) async throws {
        try await exchange.send(payload, opcode: opcode.rawValue, protocolID: .interactionModel)
    }
}

extension AttributeReportIB {
    /// The value of one attribute.
    package static func value(_ path: AttributePath, _ value: TLVValue) -> AttributeReportIB {
        .data(AttributeDataIB(dataVersion: 1, path: path, data: value))
    }
}
