import MatterBase

/// The server's half of an invoke once the commands have run: their responses, in as many messages as they need.
///
/// A response that fits no message is reported as `RESOURCE_EXHAUSTED`.
package struct InvokeResponder: InteractionTransaction {
    private enum State { case ready, sending, finished, failed }

    private let request: InvokeRequest
    private let outcomes: [CommandResult.Outcome]
    private var blocks: ArraySlice<[UInt8]> = []
    private var room = 0
    private var state = State.ready

    /// - Parameters:
    ///   - request: the commands, as they came.
    ///   - outcomes: what came of each, in order; those that are missing count as failures.
    package init(answering request: InvokeRequest, with outcomes: [CommandResult.Outcome]) {
        self.request = request
        self.outcomes = outcomes
    }

    /// There once everything is sent.
    package var output: Void? { state == .finished ? () : nil }

    package mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        guard state == .ready else { throw .misused }
        guard maxPayload >= InteractionModel.smallestMaxPayload else {
            throw InteractionError(.invalidRequest, "messages of \(maxPayload) bytes are too short for responses")
        }
        let room = maxPayload - InvokeResponse(responses: [], hasMoreChunks: true).encoded().count
        let encoded = request.commands.enumerated().map { position, command in
            let outcome = position < outcomes.count ? outcomes[position] : .status(StatusIB(.failure))
            let whole = InvokeResponseIB(to: command, outcome).encodedMember()
            guard whole.count > room else { return whole }
            return InvokeResponseIB(to: command, .status(StatusIB(.resourceExhausted))).encodedMember()
        }
        blocks = encoded[...]
        self.room = room
        return sendNext()
    }

    package mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        guard state == .sending else { throw .notUnderWay(opcode) }
        state = .failed
        guard opcode == StatusResponse.opcode.rawValue else { throw .unexpected(opcode, waitingFor: .statusResponse) }
        let status = try StatusResponse(decoding: payload).status
        guard status == .success else { throw .refused(status, .invokeResponse) }
        return sendNext()
    }

    private mutating func sendNext() -> InteractionAction {
        var room = room
        var writer = TLVWriter()
        writer.begin(.anonymous, .structure)
        writer.write(.bool(0, false))
        writer.begin(.context(1), .array)
        while let block = blocks.first, block.count <= room {
            room -= block.count
            writer.append(encoded: block)
            blocks.removeFirst()
        }
        writer.end()
        if !blocks.isEmpty { writer.write(.bool(2, true)) }
        writer.write(InteractionModel.revisionField)
        writer.end()
        state = blocks.isEmpty ? .finished : .sending
        return .send(opcode: .invokeResponse, payload: writer.bytes, expectsReply: !blocks.isEmpty)
    }
}

extension InvokeResponseIB {
    /// The answer to a command, with its reference and, for a response, the id of that.
    init(to command: CommandDataIB, _ outcome: CommandResult.Outcome) {
        switch outcome {
        case .response(let id, let fields):
            var path = command.path
            path.command = id
            self = .command(CommandDataIB(path: path, fields: fields, reference: command.reference))
        case .status(let status):
            self = .status(CommandStatusIB(path: command.path, status: status, reference: command.reference))
        }
    }
}
