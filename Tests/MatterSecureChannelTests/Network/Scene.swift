import MatterCrypto
import Testing

@testable import MatterNetwork

/// A controller (address 1) and a device (address 2) of one fabric on one network.
struct Scene {
    let network: VirtualNetwork
    let controller: Host
    let device: Device
    let fabric: TestFabric
    private let seed: UInt64

    init(seed: UInt64, _ conditions: LinkConditions = LinkConditions(), fabric: TestFabric? = nil) throws {
        self.seed = seed * 1000
        self.fabric = try fabric ?? TestFabric()
        network = VirtualNetwork(seed: self.seed, conditions)
        controller = try Host([host(1)], on: network, seed: self.seed + 1) { _, _, _ in false }
        device = try Device(on: network, addresses: [host(2)], seed: self.seed + 2)
        device.fabrics = [CASECredentials(try self.fabric.node(6), fabricIndex: 1)]
    }

    /// Runs PASE to its end.
    func pase(passcode: UInt32 = PASESample.passcode) throws -> HandshakeConversation {
        try run(
            PASEInitiator(passcode: passcode, localSessionID: try sessionID(), random: SeededRandom(seed + 3)))
    }

    /// Runs CASE to its end.
    func connect(
        as credentials: OperationalCredentials? = nil, to node: UInt64 = 6, resumption: ResumptionRecord? = nil
    ) throws -> HandshakeConversation {
        try run(
            CASEInitiator(
                credentials: CASECredentials(credentials ?? fabric.local.credentials), peer: NodeID(node),
                localSessionID: try sessionID(), resumption: resumption, time: .now(TestFabric.now),
                random: SeededRandom(seed + 4)))
    }

    private func run(_ machine: any Handshake) throws -> HandshakeConversation {
        let conversation = HandshakeConversation(machine)
        let key = try conversation.start(from: controller, to: [host(2)])
        network.run()
        conversation.giveUp(key, of: controller)
        return conversation
    }

    private func sessionID() throws -> UInt16 { try controller.engine.unusedSessionID(reserved: []) }

    /// Sends requests one after the other.
    func exchange(_ count: Int, on session: SessionReference, tag: UInt8 = 0) throws -> [Request] {
        try (0..<count).map { number in
            let request = Request([tag, UInt8(number)])
            try request.start(from: controller, on: session)
            network.run()
            request.giveUp(of: controller)
            return request
        }
    }

    /// The device's end of a session.
    func peer(of session: EstablishedSession) throws -> EstablishedSession { try #require(knownPeer(of: session)) }

    /// The same; `nil` if the device has none.
    func knownPeer(of session: EstablishedSession) -> EstablishedSession? {
        device.handshakes.compactMap(\.session).first { $0.localSessionID == session.peerSessionID }
    }

    /// Checks what has to hold after any course of events.
    func expectOrder(_ location: SourceLocation = #_sourceLocation) {
        expectSchedule(controller, location)
        expectSchedule(device.host, location)
        #expect(controller.engine.exchangeCount == 0, sourceLocation: location)
        // An application would give up a handshake that its initiator has left.
        #expect(
            device.host.engine.exchangeCount == device.handshakes.count { !$0.isOver }, sourceLocation: location)
        #expect(controller.conversations.isEmpty, sourceLocation: location)
        #expect(controller.engine.sessionCount <= 32 && device.host.engine.sessionCount <= 80, sourceLocation: location)
        #expect(
            controller.engine.nextDeadline == nil && device.host.engine.nextDeadline == nil, sourceLocation: location)
    }

    /// Checks that datagrams which go out more than once do so unchanged, at most five times, and when they should.
    private func expectSchedule(_ host: Host, _ location: SourceLocation) {
        let growth: [Double] = [1.1, 1.1, 1.1 * 1.6, 1.1 * 1.6 * 1.6]
        for (datagram, times) in host.repetitions {
            #expect(times.count <= 5, "\(datagram)", sourceLocation: location)
            let gaps: [Double] = zip(times.dropFirst(), times).map { ($0 - $1) / .milliseconds(1) }
            for (gap, growth) in zip(gaps, growth) {
                let fits = [300.0, 500].contains { (interval: Double) -> Bool in
                    let least = interval * growth
                    return gap >= least - 0.01 && gap <= least * 1.25 + 0.01
                }
                #expect(fits, "a gap of \(gap) ms", sourceLocation: location)
            }
        }
    }
}

extension Host {
    /// The times at which datagrams went to one address, for those that went more than once.
    var repetitions: [[UInt8]: [Instant]] {
        Dictionary(grouping: transmissions) { $0.datagram + Array($0.to.description.utf8) }
            .mapValues { $0.map(\.at) }.filter { $0.value.count > 1 }
    }
}
