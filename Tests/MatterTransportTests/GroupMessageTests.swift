import TestSupport
import Testing

@testable import MatterCrypto
@testable import MatterNetwork

@Suite("Messages to groups") struct GroupMessageTests {
    private static let security = GroupMessageSecurity(
        sessionID: 0x2222, key: SecretBytes([UInt8](0x10..<0x20)), privacyKey: SecretBytes([UInt8](0x20..<0x30)))
    private static let address = PeerAddress(group: 0x101, ofFabric: 1)

    private static func message(
        _ counter: UInt32, group: UInt16 = 0x101, source: UInt64 = 5, security: GroupMessageSecurity = Self.security
    ) -> OutgoingGroupMessage {
        OutgoingGroupMessage(
            [1, 2, 3], opcode: 8, protocolID: .interactionModel, group: group, source: source, counter: counter,
            security: security, address: address)
    }

    /// A device with that key for some groups of fabric 1.
    private static func device(_ groups: Set<UInt16> = [0x101]) throws -> MessageEngine {
        var engine = try MessageEngine(random: SeededRandom(1)) { _, _, _ in true }
        engine.setGroups([GroupReception(fabricIndex: 1, groups: groups, security: security)], fabrics: [1])
        return engine
    }

    private static func datagram(_ message: OutgoingGroupMessage) throws -> [UInt8] {
        var sender = try MessageEngine(random: SeededRandom(2)) { _, _, _ in false }
        return try sender.seal(message)
    }

    private static func datagram(
        _ header: MessageHeader, needsAck: Bool = false, isFromInitiator: Bool = true
    ) throws -> [UInt8] {
        let inner = ProtocolHeader(
            isFromInitiator: isFromInitiator, needsAck: needsAck, opcode: 8, exchangeID: 1,
            protocolID: .interactionModel)
        return try security.seal(header: header, plaintext: inner.encoded())
    }

    @Test("a message arrives once, although others hear it; nothing is acknowledged")
    func arrives() throws {
        var device = try Self.device()
        let datagram = try Self.datagram(Self.message(100))
        let (sent, _) = try MessageHeader.decode(datagram)
        #expect(sent.sessionType == .group && sent.hasPrivacy && sent.sessionID == 0x2222)
        #expect(sent.counter != 100 && sent.source != 5 && sent.destination != .group(0x101), "the header is obscured")
        let actions = device.receive(datagram, from: host(1), now: .now)
        #expect(actions.count == 1)
        let message = try #require(actions.groupMessages.first)
        #expect(message.payload == [1, 2, 3] && message.opcode == 8 && message.protocolID == .interactionModel)
        #expect(message.group == 0x101 && message.source == 5 && message.fabricIndex == 1 && message.from == host(1))
        #expect(device.receive(datagram, from: host(2), now: .now).isEmpty, "a copy from another interface")
        #expect(device.sessionCount == 0 && device.exchangeCount == 0 && device.isDrained)
    }

    @Test("counters are those of the sender, not of the group; the first one is trusted, older ones are not")
    func replay() throws {
        var device = try Self.device([0x101, 0x102])
        func arrives(_ message: OutgoingGroupMessage) throws -> Bool {
            let datagram = try Self.datagram(message)
            return !device.receive(datagram, from: host(1), now: .now).groupMessages.isEmpty
        }
        #expect(try arrives(Self.message(100)))
        #expect(try !arrives(Self.message(99)))
        #expect(try !arrives(Self.message(100, group: 0x102)))
        #expect(try arrives(Self.message(102, group: 0x102)))
        #expect(try arrives(Self.message(101)))
        #expect(try arrives(Self.message(7, source: 6)), "another sender")
        // The keys are set again while the fabric stays; then the fabric goes.
        let reception = GroupReception(fabricIndex: 1, groups: [0x101], security: Self.security)
        device.setGroups([reception], fabrics: [1])
        #expect(try !arrives(Self.message(102)))
        device.setGroups([reception], fabrics: [2])
        #expect(try arrives(Self.message(102)))
    }

    @Test("all keys with the session id are tried, each for its own groups and fabric")
    func candidates() throws {
        let other = GroupMessageSecurity(
            sessionID: 0x2222, key: SecretBytes([UInt8](repeating: 9, count: 16)),
            privacyKey: SecretBytes([UInt8](repeating: 8, count: 16)))
        var device = try Self.device()
        device.setGroups(
            [
                GroupReception(fabricIndex: 2, groups: [0x101], security: other),
                GroupReception(fabricIndex: 1, groups: [0x101], security: Self.security),
            ], fabrics: [1, 2])
        let first = device.receive(try Self.datagram(Self.message(1)), from: host(1), now: .now)
        #expect(first.groupMessages.map(\.fabricIndex) == [1])
        let second = device.receive(try Self.datagram(Self.message(1, security: other)), from: host(1), now: .now)
        #expect(second.groupMessages.map(\.fabricIndex) == [2])
    }

    @Test("what is under another key, for another group, changed, a control message or wants an answer is dropped")
    func dropped() throws {
        func dropped(_ datagram: [UInt8]) throws -> [TransportError.Code] {
            var device = try Self.device()
            let actions = device.receive(datagram, from: host(1), now: .now)
            #expect(actions.count == 1)
            return actions.dropped
        }
        let unknown = GroupMessageSecurity(
            sessionID: 0x3333, key: SecretBytes([UInt8](0x10..<0x20)), privacyKey: SecretBytes([UInt8](0x20..<0x30)))
        #expect(try dropped(Self.datagram(Self.message(1, security: unknown))) == [.closed])
        #expect(try dropped(Self.datagram(Self.message(1, group: 0x102))) == [.authenticationFailed])
        var changed = try Self.datagram(Self.message(1))
        changed[5] ^= 1
        #expect(try dropped(changed) == [.authenticationFailed])
        var header = MessageHeader(
            sessionID: 0x2222, sessionType: .group, counter: 1, source: 5, destination: .group(0x101))
        #expect(try dropped(Self.datagram(header, needsAck: true)) == [.malformedMessage])
        #expect(try dropped(Self.datagram(header, isFromInitiator: false)) == [.malformedMessage])
        header.destination = .node(6)
        #expect(try dropped(Self.datagram(header)) == [.authenticationFailed])
        header.isControl = true
        #expect(try dropped(Self.datagram(header)) == [.malformedMessage])
        for count in 0..<changed.count {
            _ = try dropped(Array(try Self.datagram(Self.message(1)).prefix(count)))
        }
    }

    @Test("of damaged messages only those arrive that were sent, once each")
    func damaged() throws {
        var device = try Self.device([0x101, 0x102])
        let datagrams = try (UInt32(1)...20).map { (counter: UInt32) -> [UInt8] in
            let (group, source) = (UInt16(0x101 + counter % 3), UInt64(counter % 4 + 1))
            return try Self.datagram(Self.message(counter, group: group, source: source))
        }
        var mutator = Mutator(seed: 21, corpus: datagrams)
        var arrived: [[UInt8]] = []
        for _ in 0..<Effort.inputs(20_000) {
            let datagram = mutator.next()
            for case .deliverGroupMessage in device.receive(datagram, from: host(1), now: .now) {
                arrived.append(datagram)
            }
        }
        #expect(Set(arrived).count == arrived.count && Set(arrived).isSubset(of: datagrams))
        #expect(device.sessionCount == 0 && device.exchangeCount == 0)
    }

    @Test("a fabric remembers 16 senders, and drops what others send")
    func senders() throws {
        var device = try Self.device()
        let arrived = try (UInt64(1)...17).map { source in
            let datagram = try Self.datagram(Self.message(1, source: source))
            return device.receive(datagram, from: host(1), now: .now).groupMessages.count
        }
        #expect(arrived == [Int](repeating: 1, count: 16) + [0])
    }

    @Test("a message that fits no datagram is refused")
    func size() throws {
        var message = Self.message(1)
        message.payload = [UInt8](repeating: 0, count: 1232)
        let error = #expect(throws: TransportError.self) { try Self.datagram(message) }
        #expect(error?.code == .messageTooLarge)
    }

    // MARK: Links

    private static func managers(_ links: [any LinkProvider]) throws -> [ExchangeManager] {
        try links.map { try ExchangeManager(links: $0, random: SeededRandom(3)) { _, _, _ in false } }
    }

    /// Sends a message to two members and a host that has left, and gives what the members got.
    private static func cast(_ managers: [ExchangeManager]) async throws -> (interfaces: [String], received: [UInt64]) {
        let reception = GroupReception(fabricIndex: 1, groups: [0x101], security: security)
        for manager in managers.dropFirst() {
            try await manager.open()
            try await manager.setGroups([reception], fabrics: [1], at: [address])
        }
        try await managers[3].setGroups([reception], fabrics: [1], at: [])
        let interfaces = try await managers[0].multicast(message(77, source: 42))
        var received: [UInt64] = []
        for manager in managers[1...2] {
            for await message in manager.groupMessages {
                received.append(message.source)
                break
            }
        }
        for manager in managers { await manager.shutDown() }
        for await _ in managers[3].groupMessages { Issue.record("it has left") }
        return (interfaces, received)
    }

    @Test("every member of a group on a network in memory gets its messages", .timeLimit(.minutes(5)))
    func memory() async throws {
        let network = MemoryNetwork()
        let cast = try await Self.cast(Self.managers((1...4).map { network.links(of: host($0)) }))
        #expect(cast.received == [42, 42])
    }

    @Test(
        "every member of a group on this host gets its messages, on the port that all share", .timeLimit(.minutes(5)),
        .enabled(if: !MulticastInterface.usable().isEmpty, "no network interface here knows multicast"))
    func sockets() async throws {
        let cast = try await Self.cast(Self.managers((1...4).map { _ in UDPLinks() }))
        #expect(cast.received == [42, 42])
        #expect(Set(cast.interfaces).isSubset(of: MulticastInterface.usable().map(\.name)) && !cast.interfaces.isEmpty)
    }
}
