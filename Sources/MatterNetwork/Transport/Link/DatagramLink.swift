/// The promises of a link about messages.
public struct LinkProperties: Equatable, Sendable {
    /// True if messages arrive once and in order, so that the Message Reliability Protocol is not used (Matter core
    /// specification 4.12).
    var isReliable: Bool
    /// The most bytes of one message, headers and integrity code included.
    package var largestMessage: Int

    /// The most bytes of application payload in a secure unicast message with an acknowledgement: without the message
    /// header, the protocol header, the integrity code, and some to spare for header extensions.
    public var largestPayload: Int { largestMessage - 8 - 10 - MessageSecurity.micLength - 20 }

    /// UDP: the IPv6 minimum MTU without IP and UDP headers.
    public static let udp = LinkProperties(isReliable: false, largestMessage: 1232)
}

/// Carries whole messages to peers and from them: a UDP socket, or a network in memory.
package protocol DatagramLink: Sendable {
    /// The port that the link was given; 0 where links have no ports.
    var port: UInt16 { get }

    /// True if the link can still be used.
    var isOpen: Bool { get }

    /// Sends a message. To be called on the event loop of the link.
    ///
    /// - Returns: the number of the error if the message was refused at once; `nil` says nothing of its arrival.
    func send(_ message: [UInt8], to address: PeerAddress) -> Int32?

    /// Sends a message to the members of a multicast group, on every interface that can carry it. To be called on the
    /// event loop of the link.
    func multicast(_ message: [UInt8], to group: PeerAddress) -> [MulticastAttempt]

    /// Takes in what is sent to these multicast groups, and to no others.
    ///
    /// - Throws: ``TransportError`` if a group cannot be joined on any interface; the others are.
    func join(_ groups: Set<PeerAddress>) async throws(TransportError)

    /// Has the loss of a peer told, on the event loop: what was sent to it and is not answered never will be. A link that
    /// cannot know that its peers are lost tells nothing.
    func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void)

    func close() async
}

extension DatagramLink {
    package func onLoss(_ handler: @escaping @Sendable (PeerAddress, TransportError) -> Void) {}
}

/// One interface on which a message to a group was sent.
package struct MulticastAttempt: Equatable, Sendable {
    package let interface: String
    /// The number of the error if the message was refused at once.
    package let refusal: Int32?
}

/// Makes the links of an ``ExchangeManager``.
package protocol LinkProvider: Sendable {
    var properties: LinkProperties { get }

    /// - Parameters:
    ///   - port: 0 for any.
    ///   - receive: called on the event loop with every message.
    func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink
}

/// Links over UDP.
package struct UDPLinks: LinkProvider {
    package init() {}

    package var properties: LinkProperties { .udp }

    package func open(
        port: UInt16, on eventLoop: any EventLoop, receive: @escaping @Sendable ([UInt8], PeerAddress) -> Void
    ) async throws(TransportError) -> any DatagramLink {
        try UDPSocket.open(port: port, on: eventLoop, receive: receive)
    }
}
