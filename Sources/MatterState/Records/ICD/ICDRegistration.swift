package import MatterNetwork

/// The registration of our node as a client of a device that sleeps: the keys of its check-ins, the counters that were
/// accepted, and what it said of its sleep. The record is a secret: `icd/ID` in the fabric's folder (Matter core
/// specification, 9.16).
public struct ICDRegistration: Equatable, Sendable {
    /// A key that the device has confirmed, with its counters.
    public struct Keying: Equatable, Sendable {
        package var key: CheckInKey
        package var counter: CheckInCounter
    }

    /// A device's description of its sleep (Matter core specification 9.16).
    public struct Sleep: Equatable, Sendable {
        /// The longest sleep, in seconds.
        public var idle: UInt32
        /// How long it is awake at least, in milliseconds.
        package var active: UInt32
        /// How long it stays awake after activity, in milliseconds.
        public var threshold: UInt16
        /// The most seconds between check-ins that remain without a subscription; `nil` if it does not say.
        public var mostBackOff: UInt32?
        /// Whether it sleeps for long times, beyond what retransmissions outlast.
        public var isLong: Bool
        /// UserActiveModeTriggerHint.
        package var triggers: UInt32
        package var triggerInstruction: String?

        // memberwise: package, mostBackOff = nil, isLong = true, triggers = 0, triggerInstruction = nil
    }

    /// A check-in that was accepted.
    public struct CheckIn: Equatable, Sendable {
        /// The counter of the message.
        public var counter: UInt32
        /// Seconds since 1970.
        public var at: Int64
    }

    /// Keys without an answer that are kept; where there are as many, the newest is sent once more.
    private static let mostUnconfirmed = 4

    /// The id of the node on its fabric.
    public let nodeID: NodeID
    /// The node that the device checks in with, and whose subscriptions make check-ins superfluous: our own.
    package var clientID: NodeID
    /// `nil` until the device has confirmed the first key.
    public var current: Keying?
    /// The keys that the device was sent, each of which it may have, the newest last: no answer came.
    package private(set) var unconfirmed: [CheckInKey] = []
    /// Whether another machine has these keys without an answer as well, and may have accepted check-ins of them.
    private var isShared = false
    /// How it sleeps.
    public var sleep: Sleep
    /// When it was last heard; `nil` if it was not.
    public var last: CheckIn?
    /// Until when it said that it stays awake, seconds since 1970.
    package var awakeUntil: Int64?
    /// When it reports at the latest to a subscription of ours, seconds since 1970: it is awake then, also if no client is there
    /// to hear it. Until it has noticed that, it does not check in.
    package var reportDue: Int64?

    package init(nodeID: NodeID, clientID: NodeID, sleep: Sleep) {
        self.nodeID = nodeID
        self.clientID = clientID
        self.sleep = sleep
    }

    /// Takes a check-in as the last one.
    ///
    /// - Parameter now: seconds since 1970.
    package mutating func note(_ message: CheckInMessage, at now: Int64) {
        last = CheckIn(counter: message.counter, at: now)
        // It has no subscription of ours.
        reportDue = nil
        sleep.threshold = message.activeThreshold ?? sleep.threshold
        awakeUntil = now + Int64(max(sleep.active, UInt32(sleep.threshold))) / 1000
    }

    /// Notes that the device was heard, and stays awake for a moment.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - next: when it reports again at the latest, in seconds; `nil` if it was no report.
    package mutating func noteHeard(at now: Int64, reportWithin next: Int64? = nil) {
        awakeUntil = max(awakeUntil ?? 0, now + Int64(sleep.threshold) / 1000)
        if let next { reportDue = now + next }
    }

    /// The check-in that a payload is, and what it comes to.
    ///
    /// - Returns: `nil` if the payload was made with none of the keys.
    package mutating func take(_ payload: [UInt8]) -> (message: CheckInMessage, verdict: CheckInCounter.Verdict)? {
        for (place, key) in unconfirmed.enumerated().reversed() {
            guard let message = try? CheckInMessage(opening: payload, with: key) else { continue }
            // It may be one that was played again, and the first machine had accepted.
            if isShared { return (message, .needsNewKey) }
            // The confirmation was lost. A key that was never used has no older messages that could be played again.
            var counter = CheckInCounter(start: message.counter &- 1)
            let verdict = counter.take(message.counter)
            current = Keying(key: key, counter: counter)
            unconfirmed.removeFirst(place + 1)
            return (message, verdict)
        }
        guard var keying = current, let message = try? CheckInMessage(opening: payload, with: keying.key) else {
            return nil
        }
        let verdict = keying.counter.take(message.counter)
        current = keying
        return (message, verdict)
    }

    /// A key is about to be sent: the device may use it although its answer is lost. Until it is confirmed all earlier keys
    /// count too, since it may be the oldest that the device has.
    ///
    /// - Returns: the key to send: this one or, if there is no room, the newest that the device may have.
    @discardableResult
    package mutating func offer(_ key: CheckInKey) -> CheckInKey {
        if unconfirmed.count >= Self.mostUnconfirmed, let newest = unconfirmed.last { return newest }
        unconfirmed.append(key)
        return key
    }

    /// The device has confirmed a key, and with that has none of those before it.
    package mutating func confirm(_ key: CheckInKey, start: UInt32) {
        current = Keying(key: key, counter: CheckInCounter(start: start))
        if let place = unconfirmed.lastIndex(of: key) { unconfirmed.removeFirst(place + 1) }
        // Those that are left were made here, since that one.
        isShared = false
    }

    /// Makes the registration good for use by a second machine: of the counters that the first one may have accepted since, none
    /// counts, and the key has to be replaced before a check-in does.
    mutating func leap() {
        current = current.map { Keying(key: $0.key, counter: $0.counter.leapt()) }
        isShared = !unconfirmed.isEmpty
        awakeUntil = nil
        reportDue = nil
    }

    /// The device has not taken a key, since it refused it or was not sent it: it keeps the one that it had.
    package mutating func withdraw(_ key: CheckInKey) { unconfirmed.removeAll { $0 == key } }

    /// Whether the device may have a key of ours.
    package var hasKey: Bool { current != nil || !unconfirmed.isEmpty }
}

// MARK: The record

extension ICDRegistration {
    package init(decoding contents: [UInt8], of node: NodeID, _ file: String) throws(RecordError) {
        do {
            let fields = try TLVFields(decoding: contents, file)
            let sleep = try TLVFields(try fields.required(5), file)
            self.init(
                nodeID: node, clientID: NodeID(try fields.unsigned(0)),
                sleep: Sleep(
                    idle: try sleep.unsigned(0), active: try sleep.unsigned(1), threshold: try sleep.unsigned(2),
                    mostBackOff: try sleep.optionalUnsigned(3), isLong: try sleep.bool(4),
                    triggers: try sleep.unsigned(5), triggerInstruction: try sleep.optionalString(6)))
            if let key = try fields.optionalOctets(1) {
                current = Keying(
                    key: try CheckInKey(SecretBytes(key)),
                    counter: CheckInCounter(start: try fields.unsigned(2), offset: try fields.unsigned(3)))
            }
            for value in try fields.array(9) {
                guard let key = value.octetString else { throw TLVError(.wrongType, "\(file): a key is not bytes") }
                unconfirmed.append(try CheckInKey(SecretBytes(key)))
            }
            if let newest = try fields.optionalOctets(4) { unconfirmed.append(try CheckInKey(SecretBytes(newest))) }
            if let counter: UInt32 = try fields.optionalUnsigned(6) {
                last = CheckIn(counter: counter, at: Self.time(try fields.unsigned(7)))
            }
            awakeUntil = (try fields.optionalUnsigned(8)).map(Self.time)
            reportDue = (try fields.optionalUnsigned(10)).map(Self.time)
            isShared = try fields.optionalBool(11) ?? false
        } catch {
            throw RecordError(.invalid, "\(file) is not a registration with a device that sleeps: \(error)")
        }
    }

    /// A time that calculations cannot make overflow.
    private static func time(_ seconds: UInt64) -> Int64 { min(Int64(clamping: seconds), UnixTime.range.upperBound) }

    package func encoded() -> [UInt8] {
        var members = [TLVElement(0, .uint(clientID.rawValue))]
        if let current {
            members += [
                TLVElement(1, .octets(current.key.secret.copyBytes())),
                TLVElement(2, .uint(UInt64(current.counter.start))),
                TLVElement(3, .uint(UInt64(current.counter.offset))),
            ]
        }
        if let newest = unconfirmed.last { members.append(TLVElement(4, .octets(newest.secret.copyBytes()))) }
        var sleeping = [
            TLVElement(0, .uint(UInt64(sleep.idle))), TLVElement(1, .uint(UInt64(sleep.active))),
            TLVElement(2, .uint(UInt64(sleep.threshold))),
        ]
        if let most = sleep.mostBackOff { sleeping.append(TLVElement(3, .uint(UInt64(most)))) }
        sleeping += [TLVElement(4, .bool(sleep.isLong)), TLVElement(5, .uint(UInt64(sleep.triggers)))]
        if let text = sleep.triggerInstruction { sleeping.append(TLVElement(6, .string(text))) }
        members.append(TLVElement(5, .structure(sleeping)))
        if let last {
            members += [
                TLVElement(6, .uint(UInt64(last.counter))), TLVElement(7, .uint(UInt64(clamping: last.at))),
            ]
        }
        if let awakeUntil { members.append(TLVElement(8, .uint(UInt64(clamping: awakeUntil)))) }
        let older = unconfirmed.dropLast()
        if !older.isEmpty {
            members.append(TLVElement(9, .array(of: older.map { .octets($0.secret.copyBytes()) })))
        }
        if let reportDue { members.append(TLVElement(10, .uint(UInt64(clamping: reportDue)))) }
        if isShared { members.append(TLVElement(11, .bool(true))) }
        return TLVElement(.anonymous, .structure(members)).encoded()
    }
}
