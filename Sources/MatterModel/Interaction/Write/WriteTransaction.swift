import MatterBase

/// The client's half of a write: as many WriteRequests as the values need, a timed one first if asked for (Matter
/// core specification, chapter 8).
///
/// The outcome of each write is in ``output``, in order; a write that failed is not an error of the transaction. When the
/// first piece of a list fails, its other pieces are not sent.
public struct WriteTransaction: ChangeTransaction {
    private enum State { case ready, announcing, writing, finished, failed }

    let writes: [AttributeWrite]
    private let timeout: UInt16?
    private let isGroup: Bool
    private var maxPayload = 0
    private var state = State.ready
    private var blocks: [WriteBlock] = []
    private var nextBlock = 0
    private var positions: [ConcreteAttributePath: Int] = [:]
    /// The first failure of each write so far, or success, by position.
    private var statuses: [StatusIB?]
    private var refusal: IMStatus?
    package private(set) var sentRequests = 0

    /// The size of a WriteRequest without its blocks: container and array with their ends, three flags, the revision.
    private static let overhead = WriteRequest(writes: []).encoded().count

    /// - Parameters:
    ///   - writes: each attribute at most once.
    ///   - timeout: makes the write a timed one, with so many milliseconds between announcement and write.
    ///   - isGroup: whether the writes go to a group, which answers nothing.
    public init(_ writes: [AttributeWrite], timeout: UInt16? = nil, isGroup: Bool = false) {
        self.writes = writes
        self.timeout = timeout
        self.isGroup = isGroup
        statuses = Array(repeating: nil, count: writes.count)
    }

    /// The outcomes in the order of the writes; none for a group.
    package var output: [AttributeWriteResult]? {
        guard state == .finished else { return nil }
        return zip(writes, statuses).compactMap { write, status in
            status.map { AttributeWriteResult(path: write.path, status: $0) }
        }
    }

    package mutating func start(maxPayload: Int) throws(InteractionError) -> InteractionAction {
        guard state == .ready else { throw .misused }
        state = .failed
        self.maxPayload = maxPayload
        try prepare()
        if let timeout {
            state = .announcing
            return TimedRequest(timeout: timeout).sent(expectsReply: true)
        }
        return sendNext()
    }

    package mutating func handle(opcode: UInt8, payload: [UInt8]) throws(InteractionError) -> InteractionAction {
        switch state {
        case .announcing:
            state = .failed
            try TimedRequest.checkAnswer(opcode: opcode, payload: payload)
            return sendNext()
        case .writing:
            state = .failed
            guard opcode == WriteResponse.opcode.rawValue else {
                let error = InteractionError.insteadOf(
                    .writeResponse, to: .writeRequest, opcode: opcode, payload: payload)
                refusal = error.status
                throw error
            }
            record(try WriteResponse(decoding: payload))
            guard nextBlock >= blocks.count else { return sendNext() }
            guard let missing = statuses.firstIndex(of: nil) else {
                state = .finished
                return .finished
            }
            throw .violation("a WriteResponse without a status for \(writes[missing].path)", .writeResponse)
        case .ready, .finished, .failed:
            throw .notUnderWay(opcode)
        }
    }

    /// True if two writes have the effect of one: it needs no data version, which the first write would change, and it
    /// fits in one message. A list that takes several is appended to, item by item.
    ///
    /// - Parameter maxPayload: the bytes that one message may hold on the link.
    package func isAbsolute(maxPayload: Int) -> Bool {
        guard writes.allSatisfy({ $0.dataVersion == nil }) else { return false }
        var trial = WriteTransaction(writes)
        // A command that cannot even begin is refused when it does.
        guard (try? trial.start(maxPayload: maxPayload)) != nil else { return true }
        return trial.nextBlock >= trial.blocks.count
    }

    /// A timed transaction, for a new exchange, with the writes that the peer wants timed; `nil` if there are none or
    /// this one was timed already.
    ///
    /// Those writes are known not to have happened, so that they can be sent again.
    package func timedRetry(timeout: UInt16) -> WriteTransaction? {
        guard self.timeout == nil else { return nil }
        let again = zip(writes, statuses).filter {
            refusal == .needsTimedInteraction || $1?.status == .needsTimedInteraction
        }
        guard !again.isEmpty else { return nil }
        return WriteTransaction(again.map(\.0), timeout: timeout)
    }

    package func timed(timeout: UInt16) -> WriteTransaction? {
        guard self.timeout == nil, !isGroup else { return nil }
        return WriteTransaction(writes, timeout: timeout)
    }

    private mutating func prepare() throws(InteractionError) {
        guard !writes.isEmpty else { throw InteractionError(.invalidRequest, "a write without attributes") }
        guard isGroup || writes.allSatisfy({ $0.endpoint != nil }) else {
            throw InteractionError(.invalidRequest, "a write to all endpoints is for groups only")
        }
        guard !isGroup || timeout == nil else { throw InteractionError(.invalidRequest, "a timed write to a group") }
        guard Set(writes.map(\.path)).count == writes.count else {
            throw InteractionError(.invalidRequest, "a write that sets an attribute twice")
        }
        let room = maxPayload - Self.overhead
        for (position, write) in writes.enumerated() {
            if let path = write.path.concrete { positions[path] = position }
            blocks += try WriteBlock.blocks(of: write, at: position, room: room)
        }
        guard (timeout == nil && !isGroup) || blocks.reduce(0, { $0 + $1.encoded.count }) <= room else {
            throw InteractionError(
                .requestTooLarge,
                "a \(isGroup ? "group" : "timed") write has to fit one message of \(maxPayload) bytes")
        }
    }

    /// Sends as many blocks as fit.
    private mutating func sendNext() -> InteractionAction {
        var room = maxPayload - Self.overhead
        var message = TLVWriter()
        message.begin(.anonymous, .structure)
        message.write(.context(0), .bool(isGroup))
        message.write(.context(1), .bool(timeout != nil))
        message.begin(.context(2), .array)
        while nextBlock < blocks.count {
            let block = blocks[nextBlock]
            // Items must not be appended to what was not replaced.
            if !block.isAppend || statuses[block.write]?.isSuccess != false {
                guard block.encoded.count <= room else { break }
                room -= block.encoded.count
                message.append(encoded: block.encoded)
            }
            nextBlock += 1
        }
        message.end()
        message.write(.context(3), .bool(nextBlock < blocks.count))
        message.write(InteractionModel.revisionField)
        message.end()
        state = isGroup ? .finished : .writing
        sentRequests += 1
        return .send(opcode: .writeRequest, payload: message.bytes, expectsReply: !isGroup)
    }

    private mutating func record(_ response: WriteResponse) {
        for status in response.statuses {
            guard let path = status.path.concrete, let position = positions[path] else { continue }
            if statuses[position]?.isSuccess != false { statuses[position] = status.status }
        }
    }
}

extension Array<AttributeWriteResult> {
    /// These outcomes with those of a repetition in their place.
    package func replaced(by later: [AttributeWriteResult]) -> [AttributeWriteResult] {
        map { result in later.first { $0.path == result.path } ?? result }
    }
}
