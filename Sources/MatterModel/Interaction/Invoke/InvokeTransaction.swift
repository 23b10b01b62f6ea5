import MatterBase

/// The client's half of an invoke: one InvokeRequest, a timed one if asked for, and its responses (Matter core
/// specification, chapter 8).
///
/// The results of the commands are in ``output``, in order; a command that failed is not an error of the transaction.
public struct InvokeTransaction: ChangeTransaction {
    private enum State { case ready, announcing, invoking, finished, failed }

    private let commands: [Command]
    private let timeout: UInt16?
    private let isGroup: Bool
    private let maxPathsPerInvoke: Int
    private var state = State.ready
    private var outcomes: [CommandResult.Outcome?]
    private var messages = 0
    private var refusal: IMStatus?
    package private(set) var sentRequests = 0

    /// - Parameters:
    ///   - commands: one, or with different paths as many as the peer takes; see
    ///     ``batches(of:maxPathsPerInvoke:maxPayload:)``.
    ///   - timeout: makes the invoke a timed one, with so many milliseconds between announcement and command.
    ///   - isGroup: whether the command goes to a group, which answers nothing.
    ///   - maxPathsPerInvoke: the peer's MAX_PATHS_PER_INVOKE.
    public init(
        _ commands: [Command], timeout: UInt16? = nil, isGroup: Bool = false, maxPathsPerInvoke: Int = 1
    ) {
        self.commands = commands
        self.timeout = timeout
        self.isGroup = isGroup
        self.maxPathsPerInvoke = maxPathsPerInvoke
        outcomes = Array(repeating: nil, count: commands.count)
    }

    /// The outcomes in the order of the commands; none for a group.
    package var output: [CommandResult]? {
        guard state == .finished else { return nil }
        guard !isGroup else { return [] }
        return zip(commands, outcomes).map { command, outcome in
            CommandResult(path: command.path, outcome: outcome ?? .status(StatusIB(.noCommandResponse)))
        }
    }

    package mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        guard state == .ready else { throw .misused }
        state = .failed
        try check(maxPayload: maxPayload)
        guard let timeout else { return sendRequest() }
        state = .announcing
        return TimedRequest(timeout: timeout).sent(expectsReply: true)
    }

    package mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        switch state {
        case .announcing:
            state = .failed
            try TimedRequest.checkAnswer(opcode: opcode, payload: payload)
            return sendRequest()
        case .invoking:
            state = .failed
            guard opcode == InvokeResponse.opcode.rawValue else {
                let error = InteractionError.insteadOf(
                    .invokeResponse, to: .invokeRequest, opcode: opcode, payload: payload)
                refusal = error.status
                throw error
            }
            let response = try InvokeResponse(decoding: payload)
            try record(response)
            guard response.hasMoreChunks else {
                state = .finished
                return .finished
            }
            state = .invoking
            return StatusResponse(.success).sent(expectsReply: true)
        case .ready, .finished, .failed:
            throw .notUnderWay(opcode)
        }
    }

    /// A timed transaction, for a new exchange, with the commands that the peer wants timed; `nil` if there are none or
    /// this one was timed already.
    ///
    /// Those commands are known not to have run, so that they can be sent again.
    package func timedRetry(timeout: UInt16) -> InvokeTransaction? {
        guard self.timeout == nil else { return nil }
        let needsTimed = CommandResult.Outcome.status(StatusIB(.needsTimedInteraction))
        let again = zip(commands, outcomes).filter { _, outcome in
            refusal == .needsTimedInteraction || outcome == needsTimed
        }
        guard !again.isEmpty else { return nil }
        return InvokeTransaction(again.map(\.0), timeout: timeout, maxPathsPerInvoke: maxPathsPerInvoke)
    }

    package func timed(timeout: UInt16) -> InvokeTransaction? {
        guard self.timeout == nil, !isGroup else { return nil }
        return InvokeTransaction(commands, timeout: timeout, maxPathsPerInvoke: maxPathsPerInvoke)
    }

    /// Commands in the order given, in as few invokes as the peer's and the protocol's limits allow.
    ///
    /// - Parameters:
    ///   - maxPathsPerInvoke: how many commands the peer takes at a time.
    ///   - maxPayload: how many bytes a message may hold without its headers.
    public static func batches(
        of commands: [Command], maxPathsPerInvoke: Int, maxPayload: Int
    ) -> [[Command]] {
        var batches: [[Command]] = []
        for command in commands {
            if let batch = batches.last, batch.count < maxPathsPerInvoke,
                !batch.contains(where: { $0.path == command.path }),
                request(batch + [command], isGroup: false, isTimed: true).encoded().count <= maxPayload
            {
                batches[batches.count - 1].append(command)
            } else {
                batches.append([command])
            }
        }
        return batches
    }

    private static func request(_ commands: [Command], isGroup: Bool, isTimed: Bool) -> InvokeRequest {
        InvokeRequest(
            suppressesResponse: isGroup, isTimed: isTimed,
            commands: commands.enumerated().map { position, command in
                CommandDataIB(
                    path: command.path, fields: command.fields,
                    reference: commands.count > 1 ? UInt16(truncatingIfNeeded: position) : nil)
            })
    }

    private func check(maxPayload: Int) throws(InteractionError) {
        func refuse(_ reason: String) -> InteractionError { InteractionError(.invalidRequest, reason) }
        guard !commands.isEmpty else { throw refuse("an invoke without commands") }
        guard commands.count == 1 || (commands.count <= min(maxPathsPerInvoke, Int(UInt16.max)) && !isGroup) else {
            throw refuse("\(commands.count) commands in one invoke, where \(isGroup ? 1 : maxPathsPerInvoke) may be")
        }
        guard Set(commands.map(\.path)).count == commands.count else { throw refuse("an invoke with a command twice") }
        guard isGroup || commands.allSatisfy({ $0.path.endpoint != nil }) else {
            throw refuse("a command to all endpoints is for groups only")
        }
        guard !isGroup || timeout == nil else { throw refuse("a timed command to a group") }
        let size = Self.request(commands, isGroup: isGroup, isTimed: timeout != nil).encoded().count
        guard size <= maxPayload else {
            throw InteractionError(
                .requestTooLarge, "an InvokeRequest of \(size) bytes, where \(maxPayload) fit a message")
        }
    }

    private mutating func sendRequest() -> InteractionAction {
        state = isGroup ? .finished : .invoking
        sentRequests += 1
        return Self.request(commands, isGroup: isGroup, isTimed: timeout != nil).sent(expectsReply: !isGroup)
    }

    private mutating func record(_ message: InvokeResponse) throws(InteractionError) {
        messages += 1
        // Each message brings an answer to at least one command, save perhaps the last.
        guard messages <= commands.count + 1 else {
            throw InteractionError(
                .limitExceeded, "more InvokeResponses than commands", opcode: InvokeResponse.opcode.rawValue)
        }
        guard !(message.suppressesResponse && message.hasMoreChunks) else {
            throw .violation("an InvokeResponse that has more to come and wants no answer", .invokeResponse)
        }
        for response in message.responses {
            let position = try position(of: response)
            guard outcomes[position] == nil else {
                throw .violation("two responses to the command \(commands[position].path)", .invokeResponse)
            }
            outcomes[position] =
                switch response {
                case .command(let command): .response(command: command.path.command, fields: command.fields)
                case .status(let status): .status(status.status)
                }
        }
    }

    /// Which command a response belongs to.
    private func position(of response: InvokeResponseIB) throws(InteractionError) -> Int {
        var position = 0
        if commands.count > 1 {
            guard let reference = response.reference else {
                throw .violation("a response without the reference that says to which command", .invokeResponse)
            }
            position = Int(reference)
        }
        guard position < commands.count else {
            throw .violation("a response to a command that was not sent", .invokeResponse)
        }
        let (sent, path) = (commands[position].path, response.path)
        guard path.cluster == sent.cluster, path.endpoint == nil || path.endpoint == sent.endpoint else {
            throw .violation("a response from \(path) to the command \(sent)", .invokeResponse)
        }
        if case .status = response, path.command != sent.command {
            throw .violation("a status for \(path) as the answer to \(sent)", .invokeResponse)
        }
        return position
    }
}
