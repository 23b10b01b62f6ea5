/// A key under which messages to groups may come, and the groups that use it.
package struct GroupReception: Sendable {
    package var fabricIndex: UInt8
    package var groups: Set<UInt16>
    package var security: GroupMessageSecurity

    // memberwise: package
}

/// A message to a group that has come; it is not answered.
package struct GroupMessage: Equatable, Sendable {
    package let fabricIndex: UInt8
    package let group: UInt16
    /// The operational node id of the sender.
    package let source: UInt64
    package let protocolID: ProtocolID
    package let opcode: UInt8
    package let payload: [UInt8]
    package let from: PeerAddress
}

/// A message to a group that is to be sent.
package struct OutgoingGroupMessage: Sendable {
    package var payload: [UInt8]
    package var opcode: UInt8
    package var protocolID: ProtocolID
    package var group: UInt16
    /// Our operational node id.
    package var source: UInt64
    /// A group data message counter that no message under the key had before.
    package var counter: UInt32
    package var security: GroupMessageSecurity
    /// The multicast address of the group.
    package var address: PeerAddress

    package init(
        _ payload: [UInt8], opcode: UInt8, protocolID: ProtocolID, group: UInt16, source: UInt64, counter: UInt32,
        security: GroupMessageSecurity, address: PeerAddress
    ) {
        self.payload = payload
        self.opcode = opcode
        self.protocolID = protocolID
        self.group = group
        self.source = source
        self.counter = counter
        self.security = security
        self.address = address
    }
}

/// Messages to groups (Matter core specification 4.18): without sessions, acknowledgements and answers.
extension MessageEngine {
    /// Senders that are remembered for each fabric; messages of further ones are dropped.
    private static let sendersPerFabric = 16

    /// A sender, whose data messages have one counter for all groups.
    struct GroupSender: Hashable {
        var fabricIndex: UInt8
        var node: UInt64
    }

    /// Says which messages to groups are for us.
    ///
    /// - Parameter fabrics: the fabrics that are still there; their senders' counters are kept.
    package mutating func setGroups(_ receptions: [GroupReception], fabrics: Set<UInt8>) {
        groupReceptions = Dictionary(grouping: receptions, by: \.security.sessionID)
        groupSenders = groupSenders.filter { fabrics.contains($0.key.fabricIndex) }
    }

    mutating func receiveGroupMessage(
        _ datagram: [UInt8], _ header: MessageHeader, from address: PeerAddress
    ) throws(TransportError) -> [Action] {
        guard let candidates = groupReceptions[header.sessionID] else {
            throw TransportError(.closed, "a group message under an unknown key")
        }
        guard !header.isControl else { throw .malformed("a group control message, which is not supported") }
        for candidate in candidates {
            guard let (header, plaintext) = try? candidate.security.open(datagram),
                case .group(let group) = header.destination, candidate.groups.contains(group),
                let source = header.source
            else { continue }
            let (inner, payload) = try ProtocolHeader.decode(plaintext)
            guard inner.isFromInitiator, !inner.needsAck, inner.acknowledged == nil else {
                throw .malformed("a group message that wants an answer")
            }
            let sender = GroupSender(fabricIndex: candidate.fabricIndex, node: source)
            guard try isNew(header.counter, of: sender) else { return [] }
            return [
                .deliverGroupMessage(
                    GroupMessage(
                        fabricIndex: candidate.fabricIndex, group: group, source: source,
                        protocolID: inner.protocolID, opcode: inner.opcode, payload: payload, from: address))
            ]
        }
        throw TransportError(.authenticationFailed, "no group key fits the message")
    }

    /// Takes note of an authentic counter. The first one of a sender is trusted (4.6.5.2).
    private mutating func isNew(_ counter: UInt32, of sender: GroupSender) throws(TransportError) -> Bool {
        if groupSenders[sender] == nil {
            guard groupSenders.keys.count(where: { $0.fabricIndex == sender.fabricIndex }) < Self.sendersPerFabric
            else { throw TransportError(.outOfResources, "too many senders of group messages") }
        }
        var window = groupSenders[sender] ?? ReceptionWindow(.group)
        guard !window.isDuplicate(counter) else { return false }
        window.commit(counter)
        groupSenders[sender] = window
        return true
    }

    /// The datagram of a message to a group, its header obscured.
    mutating func seal(_ message: OutgoingGroupMessage) throws -> [UInt8] {
        let inner = ProtocolHeader(
            isFromInitiator: true, needsAck: false, opcode: message.opcode, exchangeID: takeExchangeID(),
            protocolID: message.protocolID)
        let header = MessageHeader(
            sessionID: message.security.sessionID, sessionType: .group, hasPrivacy: true, counter: message.counter,
            source: message.source, destination: .group(message.group))
        let datagram = try message.security.seal(header: header, plaintext: inner.encoded() + message.payload)
        try checkSize(datagram)
        return datagram
    }
}
