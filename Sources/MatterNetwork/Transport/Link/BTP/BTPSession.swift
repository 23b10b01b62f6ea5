/// A BTP session of either role as a pure state machine: GATT values, messages and time in, actions out
/// (Matter core specification 4.20.3).
///
/// The caller performs the actions in order, one GATT operation at a time, and reports each as confirmed. It hands in
/// ``Event/timer`` no later than ``deadline``.
struct BTPSession: Sendable {
    enum Role: Sendable {
        /// The commissioner: it writes to C1.
        case central
        /// The device: it indicates on C2.
        case peripheral
    }

    enum Event: Sendable {
        /// The connection is there.
        case began
        /// A value arrived: an indication for a central, a write for a peripheral.
        case received([UInt8])
        /// The GATT operation that was asked for is through.
        case confirmed
        /// The central has subscribed to the indications.
        case subscribed
        /// A message is to be sent.
        case send([UInt8])
        /// The ``deadline`` has come.
        case timer
        /// The session is no longer wanted; what waits is sent first.
        case close
        /// The connection has ended.
        case disconnected(String)
    }

    enum Action: Equatable, Sendable {
        /// Write a value to C1, or indicate it on C2.
        case transmit([UInt8])
        /// Subscribe to the indications of C2.
        case subscribe
        /// The handshake is over.
        case opened
        /// A message has arrived.
        case deliver([UInt8])
        /// The session is over, and so is the connection; `nil` if we closed it.
        case closed(TransportError?)
    }

    private enum State {
        /// Nothing has been said.
        case idle
        /// A central waits for its request to be confirmed, and then for the response.
        case requesting, awaitingResponse
        /// A peripheral waits for the subscription to what it has to say.
        case awaitingSubscription(BTPHandshakeResponse)
        /// A peripheral has said that there is no version in common.
        case refusing
        case open
        case closed
    }

    /// Messages that may wait to be sent.
    static let queueLimit = 32

    let role: Role
    private let attMTU: UInt16?
    private let ownWindow: UInt8
    private let idleLimit: Duration?
    private let largestMessage: Int

    private var state = State.idle
    private var isOperating = false
    private var isSubscribed = false
    private var isClosing = false
    /// The limit of a handshake, or of a close.
    private var phaseEnds: Instant?
    private var lastUseful: Instant?

    /// The agreement of both sides: the bytes of a segment, the segments of a window.
    private(set) var segmentSize = BTP.segmentSizes.lowerBound
    private(set) var window = 1

    // The messages that we send.
    private var queue: [[UInt8]] = []
    /// How much of the first message of the queue has gone.
    private var offset = 0
    private var nextSequence: UInt8 = 0
    /// When each segment was sent that is not acknowledged, the oldest first.
    private var unacknowledged: [Instant] = []

    // The messages that we receive.
    private var lastReceived: UInt8 = .max
    /// Segments that we have not acknowledged.
    private var owed = 0
    /// True if there is more than acknowledgements among them.
    private var owesForData = false
    private var acknowledgeBy: Instant?
    private var isAcknowledgementDue = false
    private var reassembly: BTPReassembly

    /// - Parameters:
    ///   - attMTU: the ATT MTU, as far as it is known.
    ///   - window: the receive window to offer, 1 to 255.
    ///   - idleLimit: how long a central bears a session without messages; `nil` for ever.
    init(
        _ role: Role, attMTU: UInt16?, window: UInt8 = BTP.window, idleLimit: Duration? = BTP.idleLimit,
        largestMessage: Int = BTP.largestMessage
    ) {
        self.role = role
        // The values of a stack that has not asked its peer are the least that there is, and no knowledge.
        self.attMTU = attMTU.flatMap { Int($0) > BTP.segmentSizes.lowerBound + BTP.attHeader ? $0 : nil }
        ownWindow = max(1, window)
        self.idleLimit = role == .central ? idleLimit : nil
        self.largestMessage = min(largestMessage, Int(UInt16.max))
        reassembly = BTPReassembly(largestMessage: self.largestMessage)
    }

    var isOpen: Bool { if case .open = state { !isClosing } else { false } }
    var isClosed: Bool { if case .closed = state { true } else { false } }

    /// True if a message of this length can be taken now.
    func accepts(_ message: [UInt8]) -> Bool {
        !isClosed && !isClosing && queue.count < Self.queueLimit && (1...largestMessage).contains(message.count)
    }

    /// When ``Event/timer`` is wanted.
    var deadline: Instant? {
        if isClosed { return nil }
        let idleEnds = idleLimit.flatMap { limit in isOpen ? lastUseful.map { $0 + limit } : nil }
        return [phaseEnds, unacknowledged.first.map { $0 + BTP.acknowledgementLimit }, acknowledgeBy, idleEnds]
            .compactMap { $0 }.min()
    }

    mutating func handle(_ event: Event, now: Instant) -> [Action] {
        guard !isClosed else { return [] }
        do throws(TransportError) {
            var actions = try take(event, now)
            if !isClosed { actions += pump(now) }
            return actions
        } catch {
            return end(error)
        }
    }

    private mutating func take(_ event: Event, _ now: Instant) throws(TransportError) -> [Action] {
        switch event {
        case .began: return begin(now)
        case .received(let value): return try received(value, now)
        case .confirmed: return try confirmed()
        case .subscribed: return subscribed(now)
        case .send(let message):
            if accepts(message) {
                queue.append(message)
                lastUseful = now
            }
            return []
        case .timer: return try timerFired(now)
        case .close: return close(now)
        case .disconnected(let reason):
            throw TransportError(.linkLost, "the Bluetooth connection ended: \(reason)")
        }
    }

    private mutating func end(_ error: TransportError?) -> [Action] {
        state = .closed
        queue = []
        reassembly.clear()
        return [.closed(error)]
    }

    // MARK: Handshake

    private mutating func begin(_ now: Instant) -> [Action] {
        guard case .idle = state else { return [] }
        phaseEnds = now + BTP.handshakeLimit
        guard role == .central else { return [] }
        state = .requesting
        return transmit(BTPHandshakeRequest(attMTU: attMTU, window: ownWindow).encoded())
    }

    private mutating func confirmed() throws(TransportError) -> [Action] {
        isOperating = false
        switch state {
        case .requesting:
            state = .awaitingResponse
            isOperating = true
            return [.subscribe]
        case .refusing:
            throw TransportError(.btp, "there is no version of BTP in common")
        default: return []
        }
    }

    private mutating func subscribed(_ now: Instant) -> [Action] {
        guard role == .peripheral else { return [] }
        isSubscribed = true
        return respond(now)
    }

    /// Sends the response as soon as there is someone who hears it.
    private mutating func respond(_ now: Instant) -> [Action] {
        guard isSubscribed, case .awaitingSubscription(let response) = state else { return [] }
        guard response.version != 0 else {
            state = .refusing
            return transmit(response.encoded())
        }
        // It counts as the segment 0.
        nextSequence = 1
        unacknowledged = [now]
        return open(response, now) + transmit(response.encoded())
    }

    private mutating func handshake(_ value: [UInt8], _ now: Instant) throws(TransportError) -> [Action] {
        switch (role, state) {
        case (.peripheral, .idle):
            let request = try BTPHandshakeRequest(decoding: value)
            guard request.window > 0 else { throw TransportError(.btp, "the peer offers a window of no segments") }
            let known = [request.attMTU, attMTU].compactMap { $0 }.min()
            state = .awaitingSubscription(
                BTPHandshakeResponse(
                    version: request.versions.contains(BTP.version) ? BTP.version : 0,
                    segmentSize: UInt16(clamping: BTP.segmentSize(attMTU: known)),
                    window: min(request.window, ownWindow)))
            phaseEnds = now + BTP.handshakeLimit
            return respond(now)
        case (.central, .awaitingResponse):
            let response = try BTPHandshakeResponse(decoding: value)
            guard response.version == BTP.version else {
                throw TransportError(
                    .btp,
                    response.version == 0
                        ? "there is no version of BTP in common" : "the peer chose BTP version \(response.version)")
            }
            guard response.window > 0 else { throw TransportError(.btp, "the peer offers a window of no segments") }
            guard response.segmentSize > BTPSegment.headerLength(isFirst: true, acknowledges: true) else {
                throw TransportError(.btp, "the peer offers segments of \(response.segmentSize) bytes")
            }
            lastReceived = 0
            owed = 1
            acknowledgeBy = now + BTP.acknowledgementDelay
            return open(response, now)
        default:
            throw TransportError(.btp, "a value arrived before the handshake of BTP")
        }
    }

    private mutating func open(_ response: BTPHandshakeResponse, _ now: Instant) -> [Action] {
        state = .open
        phaseEnds = nil
        segmentSize = min(Int(response.segmentSize), BTP.segmentSizes.upperBound)
        window = Int(response.window)
        lastUseful = now
        if isClosing { phaseEnds = now + BTP.closingLimit }
        return [.opened]
    }

    // MARK: Receiving

    private mutating func received(_ value: [UInt8], _ now: Instant) throws(TransportError) -> [Action] {
        guard case .open = state else { return try handshake(value, now) }
        guard value.count <= segmentSize + BTP.tolerance else {
            throw TransportError(.btp, "a segment of \(value.count) bytes came where \(segmentSize) were agreed")
        }
        let segment = try BTPSegment(decoding: value)
        guard segment.sequence == lastReceived &+ 1 else {
            throw TransportError(
                .btp, "segment \(segment.sequence) came where \(lastReceived &+ 1) was expected")
        }
        guard owed < window else {
            throw TransportError(.btp, "more segments came than the window of \(window) allows")
        }
        lastReceived = segment.sequence
        if let acknowledged = segment.acknowledged { try note(acknowledged: acknowledged) }
        owed += 1
        if acknowledgeBy == nil, !isAcknowledgementDue { acknowledgeBy = now + BTP.acknowledgementDelay }
        guard let place = segment.place else { return [] }
        owesForData = true
        lastUseful = now
        return try reassembly.take(segment.payload, place).map { [.deliver($0)] } ?? []
    }

    private mutating func note(acknowledged number: UInt8) throws(TransportError) {
        let oldest = nextSequence &- UInt8(truncatingIfNeeded: unacknowledged.count)
        let position = Int(number &- oldest)
        guard position < unacknowledged.count else {
            throw TransportError(.btp, "segment \(number) was acknowledged, which is not outstanding")
        }
        unacknowledged.removeFirst(position + 1)
    }

    // MARK: Sending

    private mutating func transmit(_ value: [UInt8]) -> [Action] {
        isOperating = true
        return [.transmit(value)]
    }

    /// Sends what can be sent now: one value, since the next one waits until it is confirmed.
    private mutating func pump(_ now: Instant) -> [Action] {
        guard case .open = state, !isOperating else { return [] }
        let credits = window - unacknowledged.count
        // The last place of a window is for segments that acknowledge, or both sides could wait for each other.
        if !queue.isEmpty, credits > 1 || (credits == 1 && owed > 0) { return transmit(piece(now).encoded()) }
        // Nothing but acknowledgements needs no haste: two sides would answer each other without end.
        let isUrgent = owesForData && window - owed <= 1
        if owed > 0, credits > 0, isAcknowledgementDue || isUrgent {
            return transmit(segment(nil, [], now).encoded())
        }
        return isClosing && queue.isEmpty ? end(nil) : []
    }

    /// The next piece of the first message.
    private mutating func piece(_ now: Instant) -> BTPSegment {
        guard let message = queue.first else { return segment(nil, [], now) }
        let isFirst = offset == 0
        let room = segmentSize - BTPSegment.headerLength(isFirst: isFirst, acknowledges: owed > 0)
        let payload = Array(message.dropFirst(offset).prefix(room))
        offset += payload.count
        let isLast = offset >= message.count
        if isLast {
            queue.removeFirst()
            offset = 0
        }
        let length = UInt16(clamping: message.count)
        let place: BTPSegment.Place =
            isFirst ? (isLast ? .whole(length: length) : .beginning(length: length)) : (isLast ? .ending : .middle)
        return segment(place, payload, now)
    }

    private mutating func segment(_ place: BTPSegment.Place?, _ payload: [UInt8], _ now: Instant) -> BTPSegment {
        defer {
            nextSequence &+= 1
            unacknowledged.append(now)
            (owed, owesForData, acknowledgeBy, isAcknowledgementDue) = (0, false, nil, false)
        }
        return BTPSegment(
            place, acknowledged: owed > 0 ? lastReceived : nil, sequence: nextSequence, payload: payload)
    }

    // MARK: Time

    private mutating func timerFired(_ now: Instant) throws(TransportError) -> [Action] {
        if let phaseEnds, phaseEnds <= now {
            if isClosing { return end(nil) }
            throw TransportError(
                .linkLost,
                role == .central
                    ? "the peer did not answer the handshake of BTP"
                    : "the peer did not go on with the handshake of BTP")
        }
        if let oldest = unacknowledged.first, oldest + BTP.acknowledgementLimit <= now {
            throw TransportError(.linkLost, "the peer acknowledged nothing over Bluetooth for 15 seconds")
        }
        if let idleLimit, isOpen, let lastUseful, lastUseful + idleLimit <= now {
            throw TransportError(.linkLost, "the Bluetooth connection carried no message for \(idleLimit)")
        }
        if let due = acknowledgeBy, due <= now {
            acknowledgeBy = nil
            isAcknowledgementDue = owed > 0
        }
        return []
    }

    /// Ends the session as soon as what waits has been sent.
    private mutating func close(_ now: Instant) -> [Action] {
        isClosing = true
        guard case .open = state else { return end(nil) }
        phaseEnds = now + BTP.closingLimit
        return []
    }
}
