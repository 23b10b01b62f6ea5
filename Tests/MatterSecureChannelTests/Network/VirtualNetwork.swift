import TestSupport

@testable import MatterNetwork

/// How a link treats datagrams.
struct LinkConditions {
    /// The share of datagrams that never arrive.
    var loss = 0.0
    /// The share that arrives twice.
    var duplication = 0.0
    /// The share in which one bit is wrong on arrival, as if there were no checksums.
    var corruption = 0.0
    /// How long one is under way; a wide range puts them out of order.
    var delay: ClosedRange<Int> = 1...1

    /// Everything goes wrong now and then; the delays are longer than the first retransmission takes.
    static func rough(loss: Double) -> LinkConditions {
        LinkConditions(loss: loss, duplication: 0.1, delay: 1...(loss == 0 ? 150 : 400))
    }
}

/// Hosts that exchange datagrams under a virtual clock: no sockets, no waiting, the same course for the same seed.
final class VirtualNetwork {
    private struct Flight {
        var arrival: Instant
        var datagram: [UInt8]
        var from: PeerAddress
        var to: PeerAddress
    }

    private(set) var now = Instant.now
    let start: Instant
    var conditions: LinkConditions
    /// Addresses that no route leads to, with the kernel's word for it.
    var refusals: [PeerAddress: Int32] = [:]
    private var generator: SeededGenerator
    private var flights: [Flight] = []
    private var hosts: [Host] = []

    init(seed: UInt64, _ conditions: LinkConditions = LinkConditions()) {
        generator = SeededGenerator(seed: seed)
        self.conditions = conditions
        start = now
    }

    func add(_ host: Host) { hosts.append(host) }

    /// Runs until nothing is left to happen, or until a time.
    func run(until end: Instant? = nil) {
        while true {
            let deadlines = flights.map(\.arrival) + hosts.compactMap(\.engine.nextDeadline)
            guard let next = deadlines.min(), end.map({ next <= $0 }) ?? true else { break }
            now = max(now, next)
            for flight in flights.filter({ $0.arrival <= now }) { arrive(flight) }
            flights.removeAll { $0.arrival <= now }
            for host in hosts { host.perform(host.engine.tick(now: now)) }
        }
        if let end { now = max(now, end) }
    }

    /// Takes a datagram from a host.
    ///
    /// - Returns: the refusal, if there is no route.
    func send(_ datagram: [UInt8], from: PeerAddress, to: PeerAddress) -> Int32? {
        if let refusal = refusals[to] { return refusal }
        let copies = Double.random(in: 0..<1, using: &generator) < conditions.duplication ? 2 : 1
        for _ in 0..<copies where Double.random(in: 0..<1, using: &generator) >= conditions.loss {
            let delay = Duration.milliseconds(Int.random(in: conditions.delay, using: &generator))
            var arriving = datagram
            if Double.random(in: 0..<1, using: &generator) < conditions.corruption {
                arriving[Int.random(in: 0..<arriving.count, using: &generator)] ^=
                    1 << UInt8.random(in: 0..<8, using: &generator)
            }
            flights.append(Flight(arrival: now + delay, datagram: arriving, from: from, to: to))
        }
        return nil
    }

    private func arrive(_ flight: Flight) {
        guard let host = hosts.first(where: { $0.addresses.contains(flight.to) }) else { return }
        // Answers come from the address that was written to.
        host.perform(host.engine.receive(flight.datagram, from: flight.from, now: now), at: flight.to)
    }
}

/// An application's use of one exchange.
protocol Conversation: AnyObject {
    func received(_ message: ReceivedMessage, on key: ExchangeKey, of host: Host)
    /// The last message was given up.
    func failed(_ key: ExchangeKey, of host: Host)
}

/// A node: an engine and its applications.
final class Host {
    struct Transmission {
        var at: Instant
        var datagram: [UInt8]
        var to: PeerAddress
    }

    let addresses: [PeerAddress]
    var engine: MessageEngine
    let network: VirtualNetwork
    /// Makes the application for an exchange that a peer begins.
    var serve: (ExchangeKey, ReceivedMessage) -> (any Conversation)? = { _, _ in nil }
    var conversations: [ExchangeKey: any Conversation] = [:]
    /// Everything that was handed to the network.
    private(set) var transmissions: [Transmission] = []
    private(set) var dropped: [TransportError.Code] = []
    private var address: PeerAddress

    init(
        _ addresses: [PeerAddress], on network: VirtualNetwork, seed: UInt64,
        admission: @escaping MessageEngine.Admission = { _, _, _ in true }
    ) throws {
        self.addresses = addresses
        address = addresses[0]
        self.network = network
        engine = try MessageEngine(random: SeededRandom(seed), admission: admission)
        network.add(self)
    }

    /// Begins an exchange.
    @discardableResult
    func begin(_ conversation: any Conversation, on session: SessionReference) throws -> ExchangeKey {
        let key = try engine.openExchange(on: session)
        conversations[key] = conversation
        return key
    }

    func send(
        _ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, reliable: Bool = true, on key: ExchangeKey
    ) throws {
        perform(
            try engine.send(
                payload, opcode: opcode, protocolID: protocolID, reliable: reliable, on: key, now: network.now))
    }

    func close(_ key: ExchangeKey) {
        conversations[key] = nil
        perform(engine.close(key, now: network.now))
    }

    func abandon(_ key: ExchangeKey) {
        conversations[key] = nil
        engine.abandon(key)
    }

    func perform(_ actions: [MessageEngine.Action], at ownAddress: PeerAddress? = nil) {
        address = ownAddress ?? address
        for action in actions {
            switch action {
            case .transmit(let datagram, let target):
                transmissions.append(Transmission(at: network.now, datagram: datagram, to: target))
                if let errno = network.send(datagram, from: address, to: target) {
                    perform(engine.noteSendFailure(of: datagram, to: target, errno: errno))
                }
            case .deliver(let key, let message, let opened):
                if opened { conversations[key] = serve(key, message) }
                if let conversation = conversations[key] {
                    conversation.received(message, on: key, of: self)
                } else {
                    perform(engine.close(key, now: network.now))
                }
            case .acknowledged, .deliverGroupMessage: break
            case .failed(let key): conversations[key]?.failed(key, of: self)
            case .dropped(let error, _): dropped.append(error.code)
            }
        }
    }
}
