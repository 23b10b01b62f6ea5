import Logging
import MatterState

/// A check-in whose key and counter are right (Matter core specification, 9.16).
public struct VerifiedCheckIn: Sendable {
    /// The node that checked in.
    public let node: NodeID
    let message: CheckInMessage
    /// Seconds since 1970.
    public let at: Int64
    /// Whether the key was replaced before the check-in counted.
    public internal(set) var hasNewKey = false

    /// The counter of the message.
    public var counter: UInt32 { message.counter }
    /// How long the device stays awake after activity, in milliseconds; `nil` if it does not say.
    public var activeThreshold: UInt16? { message.activeThreshold }
}

/// Tells check-ins of our devices from everything else that comes to the port.
actor CheckInReceiver {
    enum Verdict: Sendable {
        case accepted(VerifiedCheckIn)
        case needsNewKey(VerifiedCheckIn)
    }

    /// How many messages of one host are tried in a second: each costs a decryption for each device.
    private static let mostPerSecond = 20
    /// How many hosts are counted.
    private static let mostHosts = 1024
    /// How often registrations are read again for messages that fit none.
    private static let leastAge = Duration.seconds(1)

    private let store: ICDStore
    private let time: any TimeSource
    private let unixTime: @Sendable () -> Int64
    private let logger: Logger
    private var known: [ICDRegistration] = []
    private var readAt: Instant?
    private var tried: [String: Int] = [:]
    private var countedAt: Instant?
    /// The nodes whose key is being replaced.
    private var refreshing: Set<NodeID> = []

    init(store: ICDStore, time: any TimeSource, unixTime: @escaping @Sendable () -> Int64, logger: Logger) {
        self.store = store
        self.time = time
        self.unixTime = unixTime
        self.logger = logger
    }

    /// - Returns: `nil` for a message that is none of a device of ours, or was seen before.
    func take(_ message: ReceivedMessage) async -> Verdict? {
        guard mayTry(message.from) else { return nil }
        let payload = message.payload
        guard let node = owner(of: payload) else {
            logger.debug("a check-in of an unknown device, or a damaged one")
            return nil
        }
        let now = unixTime()
        do {
            let taken = try await store.update(node) { registration in
                let taken = registration.take(payload)
                if let taken, taken.verdict == .accepted { registration.note(taken.message, at: now) }
                return taken
            }
            guard let (message, verdict) = taken ?? nil else { return nil }
            let checkIn = VerifiedCheckIn(node: node, message: message, at: now)
            switch verdict {
            case .accepted: return .accepted(checkIn)
            case .needsNewKey: return .needsNewKey(checkIn)
            case .replayed:
                logger.debug("a check-in of node \(node) with a counter that was used before")
                return nil
            }
        } catch {
            // A counter that is not stored does not count: the same message would be accepted again.
            logger.warning("a check-in of node \(node) could not be stored: \(error)")
            return nil
        }
    }

    /// - Returns: false if the key of the node is being replaced already.
    func beginRefresh(of node: NodeID) -> Bool { refreshing.insert(node).inserted }

    func endRefresh(of node: NodeID) { refreshing.remove(node) }

    /// The node with whose key a payload was made.
    private func owner(of payload: [UInt8]) -> NodeID? {
        func find() -> NodeID? {
            known.first { registration in
                var registration = registration
                return registration.take(payload) != nil
            }?.nodeID
        }
        if let node = find() { return node }
        if let readAt, time.now - readAt < Self.leastAge { return nil }
        readAt = time.now
        guard let (registrations, faults) = try? store.sound() else { return nil }
        for fault in faults { logger.warning("\(fault)") }
        known = registrations
        return find()
    }

    private func mayTry(_ address: PeerAddress) -> Bool {
        if let countedAt, time.now - countedAt < .seconds(1) {
            let host = address.udp?.host.description ?? "\(address)"
            let count = tried[host] ?? 0
            guard count < Self.mostPerSecond, count > 0 || tried.count < Self.mostHosts else { return false }
            tried[host] = count + 1
        } else {
            countedAt = time.now
            tried = [:]
        }
        return true
    }
}
