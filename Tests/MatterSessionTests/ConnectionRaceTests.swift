import MatterTestKit
import Testing

@testable import MatterNetwork

/// Event in, action out.
@Suite("Connection race")
struct ConnectionRaceTests {
    private let address: PeerAddress
    private let other: PeerAddress
    private let start = Instant.now
    private let silence = TransportError(.notAcknowledged, "silence")

    init() throws {
        address = try PeerAddress(parsing: "192.0.2.1")
        other = try PeerAddress(parsing: "192.0.2.2")
    }

    /// A race on which events come at times counted from its beginning.
    private struct Track {
        var race: ConnectionRace
        let start: Instant

        /// The actions beside looking up, each in one word or two.
        mutating func at(_ seconds: Double, _ event: ConnectionRace.Event) -> [String] {
            all(seconds, event).filter { $0 != "locate" && !$0.hasSuffix(" alone") }
        }

        mutating func all(_ seconds: Double, _ event: ConnectionRace.Event) -> [String] {
            race.handle(event, now: start + .seconds(seconds)).map { action in
                switch action {
                case .attempt(let attempt): "try \(attempt.candidates.map(\.host).joined(separator: " "))"
                case .add(let address): "add \(address.host)"
                case .wait(let pause, let event):
                    "wait \(Int((pause / .milliseconds(1)).rounded())) \(Self.name(event))"
                case .locate: "locate"
                case .tellBusy: "busy"
                case .fail(let error as SessionError): "fail \(error.code.rawValue)"
                case .fail(let error): "fail \(type(of: error))"
                }
            }
        }

        /// The failure that an event leads to.
        mutating func failure(at seconds: Double, _ event: ConnectionRace.Event) throws -> SessionError {
            guard case .fail(let error)? = race.handle(event, now: start + .seconds(seconds)).first else {
                throw CancellationError()
            }
            return try #require(error as? SessionError)
        }

        /// The patience and experience of the attempt that an event leads to.
        mutating func attempt(at seconds: Double, _ event: ConnectionRace.Event) throws -> ConnectionRace.Attempt {
            guard case .attempt(let attempt)? = race.handle(event, now: start + .seconds(seconds)).first else {
                throw CancellationError()
            }
            return attempt
        }

        private static func name(_ event: ConnectionRace.Event) -> String {
            switch event {
            case .pauseEnded: "pause"
            case .headStartEnded: "alone"
            case .searchEnded: "search"
            case .staggered(let address): address.host
            default: "?"
            }
        }
    }

    /// - Parameter hints: `nil` for the one address.
    private func track(_ hints: [PeerAddress]? = nil, locating: Bool = true, phase: HandshakePhase = .case) -> Track {
        let target = PeerTarget.at(hints ?? [address], phase: phase, locate: locating ? Look.up(.stay) : nil)
        return Track(race: ConnectionRace(target: target, processing: .seconds(5)), start: start)
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

    private func objection(_ address: PeerAddress, _ code: SecureChannelError.Code, wait: Duration? = nil) -> Objection
    {
        Objection(
            address: address, error: SecureChannelError(code, "no", reply: nil, wait: wait),
            message: ReceivedMessage(protocolID: .secureChannel, opcode: 0x40, payload: [], from: address),
            receivedAt: start)
    }

    private func refused(_ objections: Objection...) -> ConnectionRace.Event {
        var all = Objections()
        for objection in objections { all.note(objection) }
        return .failed(all, nil)
    }

    private func located(_ address: PeerAddress) -> ConnectionRace.Event { .located(PeerLocation(address: address)) }

    // MARK: Addresses

    @Test("known addresses are tried at once, an unknown one as soon as it is found")
    func beginning() {
        var known = track([address, other])
        #expect(known.all(0, .began) == ["try 192.0.2.1 192.0.2.2", "wait 40 alone"])
        var unknown = track([])
        #expect(unknown.all(0, .began) == ["locate"])
        #expect(unknown.all(0.3, located(address)) == ["try 192.0.2.1"])
    }

    @Test("nothing is looked up while known addresses may still answer; a refusal or a failure ends that, once")
    func headStart() {
        var silent = track()
        _ = silent.all(0, .began)
        #expect(silent.all(0.3, .headStartEnded) == ["locate"])
        #expect(silent.all(0.4, .headStartEnded) == [])
        var refused = track()
        _ = refused.all(0, .began)
        #expect(refused.all(0.1, .objected(objection(address, .busy))) == ["locate", "busy"])
        #expect(refused.all(0.3, .headStartEnded) == [])
        var failed = track()
        _ = failed.all(0, .began)
        #expect(failed.all(0.1, .failed(silence, report())) == ["locate", "wait 100 pause"])
        #expect(failed.all(0.3, .headStartEnded) == [])
        var alone = track(locating: false)
        #expect(alone.all(0, .began) == ["try 192.0.2.1"])
        #expect(alone.all(0.1, .failed(silence, report())) == ["wait 100 pause"])
    }

    @Test("an address that is found while others are tried joins them after 150 ms, once")
    func stagger() {
        var track = track()
        _ = track.at(0, .began)
        #expect(track.at(0.1, located(other)) == ["wait 150 192.0.2.2"])
        #expect(track.at(0.2, located(other)) == [] && track.at(0.2, located(address)) == [])
        #expect(track.at(0.25, .staggered(other)) == ["add 192.0.2.2"])
    }

    @Test("an address that is found between two attempts waits for the next one")
    func foundInPause() {
        var track = track()
        _ = track.at(0, .began)
        #expect(track.at(1, .failed(silence, report())) == ["wait 100 pause"])
        #expect(track.at(1.01, located(other)) == [])
        #expect(track.at(1.1, .pauseEnded) == ["try 192.0.2.1 192.0.2.2"])
    }

    @Test("a look-up that ends is the end only where nothing is tried")
    func locatorEnds() {
        var busy = track()
        _ = busy.at(0, .began)
        #expect(busy.at(0, .locatorEnded(nil)) == [])
        var empty = track([])
        _ = empty.at(0, .began)
        #expect(empty.at(1, .locatorEnded(nil)) == ["fail session.not-discovered"])
        var failed = track([])
        _ = failed.at(0, .began)
        #expect(failed.at(1, .locatorEnded(Look.Failure())) == ["fail Failure"])
    }

    // MARK: Silence

    @Test("the time for the peer's work doubles with every attempt, up to sixteen times")
    func patience() throws {
        var track = track()
        var times = [try track.attempt(at: 0, .began).patience]
        for second in 1...6 {
            _ = track.at(Double(second), .failed(silence, report()))
            times.append(try track.attempt(at: Double(second), .pauseEnded).patience)
        }
        #expect(times.map(\.processing) == [5, 10, 20, 40, 80, 80, 80].map { .seconds($0) })
        #expect(times.map(\.laterProcessing) == [10, 10, 20, 40, 80, 80, 80].map { .seconds($0) })
        #expect(times.allSatisfy { $0.grace == .seconds(2) })
        var pairing = self.track(phase: .pase)
        #expect(try pairing.attempt(at: 0, .began).patience.laterProcessing == .seconds(30))
    }

    @Test("silence is remembered with everything that was tried")
    func silent() throws {
        var track = track()
        _ = track.at(0, .began)
        _ = track.at(1, .failed(silence, report()))
        var more = report(transmissions: 3)
        more.addresses = [other, address]
        let error = try track.failure(at: 2, .timeUp(more))
        #expect(error.code == .silent && error.phase == .case && error.tried == [address, other])
        #expect(error.transmissions == 3 && error.lastHeard == nil && error.attempts == 1)
        #expect(error.reason == "nothing came back from any of its addresses")
    }

    @Test("a peer that was ever heard is not silent, and the time since then goes on")
    func heard() throws {
        var track = track()
        _ = track.at(0, .began)
        _ = track.at(2, .failed(TransportError(.noReply, ""), report(acknowledged: true, lastHeard: .seconds(1))))
        _ = track.at(3, .failed(silence, report()))
        let error = try track.failure(at: 5.5, .timeUp(nil))
        #expect(error.code == .noReply && error.lastHeard == .milliseconds(4500))
    }

    @Test("without a route the race goes on only while discovery may find another address")
    func routes() throws {
        let event = ConnectionRace.Event.failed(
            TransportError(.unreachable, ""), report(refusals: [address: 101]))
        var locating = track()
        _ = locating.at(0, .began)
        #expect(locating.at(0, event) == ["wait 500 pause"])
        #expect(locating.at(1, .timeUp(nil)) == ["fail session.unreachable"])
        var fixed = track(locating: false)
        _ = fixed.at(0, .began)
        let failure = try fixed.failure(at: 0, event)
        #expect(failure.code == .unreachable && failure.sendFailures == [address: 101])
    }

    // MARK: Refusals

    @Test("busy means waiting, for what the peer asks and never for nothing")
    func busy() throws {
        for (asked, pause) in [(Duration.seconds(3), "2500"), (.zero, "100"), (.milliseconds(1), "100")] {
            var track = track()
            _ = track.at(0, .began)
            #expect(track.at(0.1, .objected(objection(address, .busy))) == ["busy"])
            // Half a second has passed since the answer.
            #expect(track.at(0.5, refused(objection(address, .busy, wait: asked))) == ["wait \(pause) pause"])
            #expect(track.at(5, .pauseEnded) == ["try 192.0.2.1"])
            let error = try track.failure(at: 6, .timeUp(nil))
            #expect(error.code == .busy && error.refusal?.code == .busy)
        }
    }

    @Test(
        "a refusal of the only address is the end",
        arguments: [SecureChannelError.Code.wrongPasscode, .windowClosed, .rejected, .ended, .noSharedTrustRoots])
    func refusal(code: SecureChannelError.Code) throws {
        var track = track(locating: false)
        _ = track.at(0, .began)
        let failure = try track.failure(at: 1, refused(objection(address, code)))
        #expect(failure.code == .refused && failure.refusal?.code == code && failure.reason == "no")
        #expect(failure.isUnknownToPeer == (code == .noSharedTrustRoots) && !failure.isContradicted)
    }

    @Test(
        "what may be damage is tried once more",
        arguments: [SecureChannelError.Code.malformed, .invalidCredentials, .cryptography])
    func damage(code: SecureChannelError.Code) throws {
        var track = track(locating: false)
        _ = track.at(0, .began)
        #expect(track.at(1, refused(objection(address, code))) == ["wait 100 pause"])
        let again = try track.attempt(at: 1.1, .pauseEnded)
        #expect(again.candidates == [address] && again.experience.objections == [code])
        #expect(try track.failure(at: 2, refused(objection(address, code))).refusal?.code == code)
    }

    @Test("a refusal speaks for its address only, and the others are tried for 3 s")
    func otherAddresses() throws {
        var track = track([address, other])
        _ = track.at(0, .began)
        #expect(track.at(1, refused(objection(address, .noSharedTrustRoots))) == ["wait 100 pause"])
        #expect(track.at(1.1, .pauseEnded) == ["try 192.0.2.2"])
        #expect(track.at(3, .failed(silence, report())) == ["wait 100 pause"])
        #expect(track.at(3.1, .pauseEnded) == ["try 192.0.2.2"])
        let error = try track.failure(at: 4, .failed(silence, report()))
        #expect(error.isUnknownToPeer && !error.isContradicted)
    }

    @Test("where every address refused, discovery has 3 s to name another one; one that it names is the end or a way")
    func searchAfterRefusal() throws {
        var track = track()
        _ = track.at(0, .began)
        #expect(track.all(2, refused(objection(address, .noSharedTrustRoots))) == ["locate", "wait 3000 search"])
        var found = track
        #expect(found.at(4, located(other)) == ["try 192.0.2.2"])
        #expect(found.at(5, .searchEnded) == [], "the attempt goes on")
        #expect(try found.failure(at: 6, refused(objection(other, .noSharedTrustRoots))).isUnknownToPeer)
        var same = track
        #expect(same.at(4, located(address)) == ["wait 150 search"])
        #expect(same.at(4.1, located(other)) == ["try 192.0.2.2"])
        var ended = track
        #expect(try ended.failure(at: 3, .locatorEnded(nil)).isUnknownToPeer)
        #expect(try track.failure(at: 5, .searchEnded).isUnknownToPeer)
    }

    @Test("when time is up, a refusal counts, also one of an attempt that is still under way")
    func timeUp() throws {
        var track = track([address, other])
        _ = track.at(0, .began)
        #expect(track.at(1, .objected(objection(address, .rejected))) == [])
        var late = track
        #expect(try late.failure(at: 2, .timeUp(nil)).refusal?.code == .rejected)
        _ = track.at(2, refused(objection(address, .noSharedTrustRoots)))
        #expect(try track.failure(at: 3, .timeUp(nil)).isUnknownToPeer)
    }

    @Test("addresses that refuse for different reasons are possible interference")
    func contradiction() throws {
        var track = track([address, other], locating: false)
        _ = track.at(0, .began)
        let error = try track.failure(
            at: 1, refused(objection(address, .noSharedTrustRoots), objection(other, .rejected)))
        #expect(error.isContradicted && !error.isUnknownToPeer && error.reason.contains("possible interference"))
    }

    @Test("answers of which only one can be followed are chosen from differently the next time")
    func contested() throws {
        var track = track(locating: false)
        _ = track.at(0, .began)
        #expect(
            track.at(1, refused(objection(other, .contradicted), objection(address, .wrongPasscode)))
                == ["wait 100 pause"])
        let again = try track.attempt(at: 1.1, .pauseEnded)
        #expect(again.experience.contested == 1 && again.candidates == [address])
    }

    @Test("what has nothing to do with the peer is passed on")
    func others() {
        for error in [CancellationError(), TransportError(.closed, "")] as [any Error] {
            var track = track()
            _ = track.at(0, .began)
            #expect(track.at(1, .failed(error, nil)) == ["fail \(type(of: error))"])
        }
    }

    // MARK: Accounts

    @Test("the account of a failure is a sentence")
    func accounts() {
        var error = SessionError(.silent, phase: .case, "nothing came back from its address")
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
