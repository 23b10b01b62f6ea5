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

    private func objections(_ said: (PeerAddress, SecureChannelError)...) -> Objections {
        var objections = Objections()
        for (address, error) in said {
            objections.note(
                Objection(
                    address: address, error: error,
                    message: ReceivedMessage(protocolID: .secureChannel, opcode: 0x40, payload: [], from: address)))
        }
        return objections
    }

    private func refusal(_ code: SecureChannelError.Code, wait: Duration? = nil) -> SecureChannelError {
        SecureChannelError(code, "no", reply: nil, wait: wait)
    }

    private func failure(_ race: inout ConnectionRace, _ error: any Error) throws -> SessionError {
        try #require(throws: SessionError.self) { _ = try race.note(error, report: nil) }
    }

    @Test("addresses are candidates once, in the order in which they became known")
    func candidates() throws {
        var race = race()
        let new = [other, other, address].map { race.add($0) }
        #expect(new == [true, false, false])
        #expect(race.addresses == [address, other])
    }

    @Test("silence is repeated after a short pause and remembered with everything that was tried")
    func silence() throws {
        var race = race()
        _ = try race.note(TransportError(.notAcknowledged, "", report: report()), report: nil)
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
        _ = try race.note(lost, report: nil)
        _ = try race.note(TransportError(.notAcknowledged, "", report: report()), report: nil)
        try await Task.sleep(for: .milliseconds(30))
        let error = race.finalError()
        let lastHeard = try #require(error.lastHeard)
        #expect(error.code == .noReply && lastHeard >= .milliseconds(1030) && lastHeard < .prompt)
    }

    @Test("without a route the race goes on only while discovery may find another address")
    func routes() throws {
        let error = TransportError(.unreachable, "", report: report(refusals: [address: 101]))
        var locating = race()
        #expect(try locating.note(error, report: nil) == .milliseconds(500))
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
            let pause = try race.note(
                objections((address, refusal(.busy, wait: wait))), report: report(lastHeard: .zero))
            // What has passed since the answer is not waited for again.
            #expect(pause <= expected && pause >= max(expected - .milliseconds(500), .milliseconds(100)))
        }
        #expect(race.finalError().code == .busy && race.finalError().refusal?.code == .busy)
        #expect(race.candidates == [address])
    }

    @Test(
        "a refusal of the only address is the end",
        arguments: [SecureChannelError.Code.wrongPasscode, .windowClosed, .rejected, .ended, .noSharedTrustRoots])
    func refusal(code: SecureChannelError.Code) throws {
        var race = race()
        let failure = try failure(&race, objections((address, refusal(code))))
        #expect(failure.code == .refused && failure.refusal?.code == code && failure.reason == "no")
        #expect(failure.isUnknownToPeer == (code == .noSharedTrustRoots) && !failure.isContradicted)
    }

    @Test(
        "what may be damage is tried once more",
        arguments: [SecureChannelError.Code.malformed, .invalidCredentials, .cryptography])
    func damage(code: SecureChannelError.Code) throws {
        var race = race()
        _ = try race.note(objections((address, refusal(code))), report: nil)
        #expect(race.candidates == [address] && race.experience.objections == [code])
        #expect(try failure(&race, objections((address, refusal(code)))).refusal?.code == code)
    }

    @Test("a refusal speaks for its address only, and the others are tried for a while")
    func otherAddresses() throws {
        var race = race()
        _ = race.add(other)
        let now = Instant.now
        _ = try race.note(objections((address, refusal(.noSharedTrustRoots))), report: nil, now: now)
        #expect(race.candidates == [other] && race.addresses == [address, other])
        let silence = TransportError(.notAcknowledged, "", report: report())
        _ = try race.note(silence, report: nil, now: now + .seconds(2))
        let error = try #require(throws: SessionError.self) {
            _ = try race.note(silence, report: nil, now: now + .seconds(3))
        }
        #expect(error.isUnknownToPeer && !error.isContradicted)
    }

    @Test("when time is up, a refusal counts, also one of an attempt that is still under way")
    func timeUp() throws {
        var race = race()
        _ = race.add(other)
        race.note(objections((address, refusal(.rejected))).list[0])
        #expect(race.finalError().refusal?.code == .rejected)
        _ = try race.note(objections((address, refusal(.noSharedTrustRoots))), report: nil)
        #expect(race.finalError().isUnknownToPeer)
    }

    @Test("addresses that refuse for different reasons are possible interference")
    func contradiction() throws {
        var race = race()
        _ = race.add(other)
        let error = try failure(
            &race, objections((address, refusal(.noSharedTrustRoots)), (other, refusal(.rejected))))
        #expect(error.isContradicted && !error.isUnknownToPeer && error.reason.contains("possible interference"))
    }

    @Test("answers of which only one can be followed are chosen from differently the next time")
    func contested() throws {
        var race = race()
        _ = try race.note(
            objections((other, refusal(.contradicted)), (address, refusal(.wrongPasscode))), report: nil)
        #expect(race.experience.contested == 1 && race.candidates == [address])
    }

    @Test("what has nothing to do with the peer is passed on")
    func others() throws {
        var race = race()
        #expect(throws: CancellationError.self) { try race.note(CancellationError(), report: nil) }
        #expect(throws: TransportError.self) {
            try race.note(TransportError(.closed, ""), report: nil)
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
