import MatterState

/// Messages that are sent once, to see whether anything comes back. They open no session and change nothing.
struct Probe: Sendable {
    let links: any LinkProvider
    let time: any TimeSource
    let random: any RandomSource

    /// The group of multicast DNS (RFC 6762, section 3).
    private static let group = "[ff02::fb]:5353"
    /// How long answers are gathered.
    private static let patience = Duration.milliseconds(1500)

    /// A question that every responder answers: which kinds of services are there? (RFC 6763, section 9)
    private static let question: [UInt8] = {
        let names = ["_services", "_dns-sd", "_udp", "local"].flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        // Id 0, no flags, one question; PTR, and class IN with the wish for an answer to us alone.
        return [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + names + [0, 0, 12, 0x80, 1]
    }()

    /// The hosts that answer a question to all on this link. It comes from a port of our own, so the answers come to us
    /// alone (RFC 6762, section 6.7).
    ///
    /// - Throws: ``TransportError`` if there is no socket.
    func hosts() async throws -> Set<String> {
        let group = try PeerAddress(parsing: Self.group)
        return try await gathering { link in _ = link.multicast(Self.question, to: group) }
    }

    private func gathering(_ send: @escaping @Sendable (any DatagramLink) -> Void) async throws -> Set<String> {
        let loop = time.eventLoop
        let (answers, told) = AsyncStream.makeStream(of: String.self)
        let link = try await links.open(port: 0, on: loop) { _, peer in told.yield(peer.host) }
        loop.execute { send(link) }
        // A question may be lost.
        let again = loop.schedule(in: Self.patience / 2) { send(link) }
        let end = loop.schedule(in: Self.patience) { told.finish() }
        defer {
            again.cancel()
            end.cancel()
        }
        var hosts: Set<String> = []
        for await host in answers { hosts.insert(host) }
        await link.close()
        try Task.checkCancellation()
        return hosts
    }

    /// Sends a message that wants nothing but an acknowledgement, outside of any session.
    ///
    /// - Throws: ``TransportError`` if there is no socket.
    func echo(of address: PeerAddress, within patience: Duration) async throws -> NodeWayFacts.Echo {
        let loop = time.eventLoop
        let began = time.now
        let message = try BareMessage.encoded(random: random)
        let (answers, told) = AsyncStream.makeStream(of: NodeWayFacts.Echo.self)
        let link = try await links.open(port: 0, on: loop) { [time] _, peer in
            if peer == address { told.yield(.answered(time.now - began)) }
        }
        let send: @Sendable () -> Void = {
            if let number = link.send(message, to: address) { told.yield(.refused(number)) }
        }
        loop.execute(send)
        let again = loop.schedule(in: patience / 2, send)
        let end = loop.schedule(in: patience) { told.yield(.silent) }
        defer {
            again.cancel()
            end.cancel()
        }
        var first = NodeWayFacts.Echo.silent
        for await echo in answers {
            first = echo
            break
        }
        await link.close()
        try Task.checkCancellation()
        return first
    }
}
