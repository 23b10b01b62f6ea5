/// The Bluetooth Transport Protocol: limits and times (Matter core specification 4.20).
package enum BTP {
    /// The only version that exists.
    package static let version: UInt8 = 4
    /// The most bytes of a message.
    package static let largestMessage = 1280
    /// The least and the most bytes of a segment, its header included.
    static let segmentSizes = 20...244
    /// The bytes of an ATT write or indication around its value.
    static let attHeader = 3
    /// How many bytes more than agreed a segment may have: some senders take the size for the MTU.
    static let tolerance = 3
    /// The receive window that we offer, in segments.
    package static let window: UInt8 = 6

    /// How long the answer to a handshake, or the subscription for it, may take.
    static let handshakeLimit = Duration.seconds(15)
    /// How long the oldest segment may be without an acknowledgement.
    static let acknowledgementLimit = Duration.seconds(15)
    /// How long an acknowledgement may wait for a segment to ride on.
    static let acknowledgementDelay = Duration.milliseconds(2500)
    /// How long a session may carry acknowledgements only before its central closes it.
    static let idleLimit = Duration.seconds(60)
    /// How long what is still to be sent may delay the end of a session.
    static let closingLimit = Duration.seconds(5)

    /// The size of segments for an ATT MTU; the least one if that is not known.
    static func segmentSize(attMTU: UInt16?) -> Int {
        guard let attMTU else { return segmentSizes.lowerBound }
        return min(max(Int(attMTU) - attHeader, segmentSizes.lowerBound), segmentSizes.upperBound)
    }
}

extension LinkProperties {
    /// A BTP session.
    package static let btp = LinkProperties(isReliable: true, largestMessage: BTP.largestMessage)
}
