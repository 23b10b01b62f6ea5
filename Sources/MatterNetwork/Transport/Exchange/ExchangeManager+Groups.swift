import Glibc

/// Messages to groups.
extension ExchangeManager {
    /// Says which messages to groups are for us, and where they arrive.
    ///
    /// - Parameter fabrics: the fabrics that are still there; their senders' counters are kept.
    package func setGroups(
        _ receptions: [GroupReception], fabrics: Set<UInt8>, at addresses: Set<PeerAddress>
    ) async throws(TransportError) {
        engine.setGroups(receptions, fabrics: fabrics)
        try await openLink().join(addresses)
    }

    /// Sends a message to a group, on every interface that can carry it; there is no answer.
    ///
    /// - Returns: the names of the interfaces.
    /// - Throws: ``TransportError`` `noInterface` if it could be sent on none.
    package func multicast(_ message: OutgoingGroupMessage) async throws -> [String] {
        let link = try await openLink()
        let datagram = try engine.seal(message)
        trace?("-> \(message.address) \(datagram.count) bytes")
        observer?.uses(message.security)
        observer?.sent(datagram, to: message.address, from: link.port)
        let attempts = link.multicast(datagram, to: message.address)
        let sent = attempts.filter { $0.refusal == nil }.map(\.interface)
        guard sent.isEmpty else { return sent }
        let refusals = attempts.compactMap { attempt in
            attempt.refusal.map { "\(attempt.interface): \(String(cString: strerror($0)))" }
        }
        throw TransportError(
            .noInterface,
            "no network interface of this host can send to a group"
                + (refusals.isEmpty ? "" : " (\(refusals.joined(separator: ", ")))"))
    }
}
