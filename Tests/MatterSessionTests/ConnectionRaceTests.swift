import MatterSecureChannel
import MatterTransport
import Testing

@testable import MatterSession

@Suite("Connection race")
struct ConnectionRaceTests {
    private let address: PeerAddress
    private let other: PeerAddress

    init() throws {
        address = try PeerAddress(parsing: "192.0.2.1")
        other = try PeerAddress(parsing: "192.0.2.2")
    }

    private func race(locating: Bool = true) -> ConnectionRace {
        ConnectionRace(target: .at([address], phase: "case", locate: locating ? Look.up(.stay) : nil))
    }

    private func report(
        acknowledged: Bool = false, lastHeard: Duration? = nil, transmissions: Int = 5,
        refusals: [PeerAddress: Int32] = [:]
    ) -> ExchangeReport {
        var report = ExchangeReport()
        report.addresses = [address]
        report.transmissions = transmissions
        report.acknowledged = acknowledged
        report.lastHeard = lastHeard
        report.sendFailures = refusals
        return report
    }

    private func failure(
        _ race: inout ConnectionRace, _ error: any Error, from: PeerAddress? = nil
    ) throws -> SessionError {
        try #require(throws: SessionError.self) { _ = try race.note(error, report: nil, from: from) }
    }

    @Test("addresses are candidates once, in the order in which they became known")
    func candidates() throws {
        var race = race()
        #expect(try race.add(other))
        #expect(try !race.add(other) && !race.add(address))
        #expect(race.addresses == [address, other])
    }

    @Test("silence is repeated after a short pause and remembered with everything that was tried")
    func silence() throws {
        var race = race()
        #expect(try race.note(TransportError(.notAcknowledged, "", report: report()), report: nil, from: nil) != nil)
        var more = report(transmissions: 3)
        more.addresses = [other, address]
        race.noteReport(more)
        let error = race.finalError()
        #expect(error.code == .silent && error.phase == "case" && error.tried == [address, other])
        #expect(error.transmissions == 3 && error.lastHeard == nil)
        #expect(error.reason == "nothing came back from any of its addresses")
    }

    @Test("a peer that was ever heard is not silent, and the time since then goes on")
    func heard() async throws {
        var race = race()
        let lost = TransportError(.noReply, "", report: report(acknowledged: true, lastHeard: .seconds(1)))
        #expect(try race.note(lost, report: nil, from: nil) != nil)
        _ = try race.note(TransportError(.notAcknowledged, "", report: report()), report: nil, from: nil)
        try await Task.sleep(for: .milliseconds(30))
        let error = race.finalError()
        let lastHeard = try #require(error.lastHeard)
        #expect(error.code == .noReply && lastHeard >= .milliseconds(1030) && lastHeard < .prompt)
    }

    @Test("without a route the race goes on only while discovery may find another address")
    func routes() throws {
        let error = TransportError(.unreachable, "", report: report(refusals: [address: 101]))
        var locating = race()
        #expect(try locating.note(error, report: nil, from: nil) == .milliseconds(500))
        #expect(locating.finalError().code == .unreachable)
        var fixed = race(locating: false)
        let failure = try failure(&fixed, error)
        #expect(failure.code == .unreachable && failure.sendFailures == [address: 101])
    }

    @Test("busy means waiting, for what the peer asks and never for nothing")
    func busy() throws {
        var race = race()
        for (wait, expected) in [
            (Duration.seconds(3), Duration.seconds(3)), (.zero, .milliseconds(100)),
            (.milliseconds(1), .milliseconds(100)),
        ] {
            let error = SecureChannelError(.busy, "", reply: nil, wait: wait)
            #expect(try race.note(error, report: report(lastHeard: .zero), from: address) == expected)
        }
        #expect(race.finalError().code == .busy && race.finalError().refusal?.code == .busy)
    }

    @Test(
        "a refusal ends it",
        arguments: [
            SecureChannelError.Code.wrongPasscode, .windowClosed, .rejected, .malformed, .invalidCredentials,
            .cryptography,
        ])
    func refusal(code: SecureChannelError.Code) throws {
        var race = race()
        let failure = try failure(&race, SecureChannelError(code, "no"), from: address)
        #expect(failure.code == .refused && failure.refusal?.code == code && failure.reason == "no")
        #expect(!failure.isUnknownToPeer)
    }

    @Test("somebody else at an old address is no refusal as long as there are other places to look")
    func stranger() throws {
        let refusal = SecureChannelError(.noSharedTrustRoots, "unknown", reply: nil)
        var race = race()
        #expect(try race.note(refusal, report: report(lastHeard: .zero), from: address) == nil)
        #expect(race.addresses == [] && race.finalError().isUnknownToPeer)
        #expect(try race.add(other))
        // What comes of the other address counts now.
        _ = try race.note(TransportError(.notAcknowledged, "", report: report()), report: nil, from: nil)
        #expect(race.finalError().refusal == nil && race.finalError().code == .noReply)
        #expect(throws: SessionError.self) { try race.add(address) }
    }

    @Test("a stranger beside another candidate only loses its place")
    func strangerBesides() throws {
        let refusal = SecureChannelError(.wrongPeer, "another", reply: nil)
        var race = race()
        _ = try race.add(other)
        #expect(try race.note(refusal, report: nil, from: address) != nil)
        #expect(race.addresses == [other])
        // Discovery has named this one.
        #expect(try failure(&race, refusal, from: other).refusal?.code == .wrongPeer)
    }

    @Test("what has nothing to do with the peer is passed on")
    func others() throws {
        var race = race()
        #expect(throws: CancellationError.self) { try race.note(CancellationError(), report: nil, from: nil) }
        #expect(throws: TransportError.self) {
            try race.note(TransportError(.closed, ""), report: nil, from: nil)
        }
    }

    @Test("the account of a failure is a sentence")
    func accounts() {
        var error = SessionError(.silent, phase: "case", "nothing came back from its address")
        #expect(SessionAccount(error).description == "nothing came back from its address (nothing heard)")
        error.tried = [address]
        error.attempts = 1
        error.transmissions = 1
        error.lastHeard = .milliseconds(1240)
        #expect(
            SessionAccount(error).description
                == "nothing came back from its address (tried 192.0.2.1:5540; 1 handshake; the last message was sent 1 time; last heard 1.2 s ago)"
        )
        #expect(
            ReportAccount(report(acknowledged: true, lastHeard: .seconds(12))).description
                == "at 192.0.2.1:5540, sent 5 times, acknowledged, last heard 12 s ago")
        #expect(ReportAccount(ExchangeReport()).description == "sent 0 times, not acknowledged, nothing heard")
    }
}
