import Testing

@testable import MatterController
@testable import MatterNetwork

/// Event in, action out.
@Suite("Candidates of a search")
struct CandidateBoardTests {
    /// A board with events at times counted from its beginning.
    private struct Track {
        var board: CandidateBoard
        let start = Instant.now

        init(budget: Duration = .seconds(120), waitsForWindow: Bool = true) {
            board = CandidateBoard(deadline: start + budget, waitsForWindow: waitsForWindow)
        }

        /// The actions, each in a few words; times are seconds.
        mutating func at(_ seconds: Double, _ event: CandidateBoard.Event) -> [String] {
            let start = start
            func text(_ duration: Duration) -> String { "\((duration / .milliseconds(10)).rounded() / 100)" }
            return board.handle(event, now: start + .seconds(seconds)).map { action in
                switch action {
                case .sayLocated: "located"
                case .pair(let turn): "pair \(turn.instance) until \(text(turn.end - start))"
                case .add(let location, let instance): "add \(location.address.host) to \(instance)"
                case .endLocations(let instance): "end \(instance)"
                case .sayWaiting(let label): "waiting for \(label)"
                case .wait(let pause, .patienceEnded(let instance, _)): "patience \(instance) \(text(pause))"
                case .wait(let pause, .reopening(let instance)): "reopen \(instance) \(text(pause))"
                case .wait(let pause, .graceEnded): "grace \(text(pause))"
                case .wait: "wait"
                case .failUnfound: "unfound"
                case .fail(let error as CommissioningError): "fail \(error.code.rawValue)"
                case .fail(let error as SessionError): "fail \(error.code.rawValue)"
                case .fail(let error): "fail \(type(of: error))"
                }
            }
        }
    }

    private func found(_ instance: String, _ hosts: UInt8...) -> CandidateBoard.Event {
        let addresses = hosts.compactMap { ResolvedAddress(octets: [192, 0, 2, $0], port: 5540) }
        return .found(
            CommissionableDevice(
                instance: instance, host: "device.local", port: 5540, addresses: addresses,
                record: CommissionableRecord(longDiscriminator: 3840, commissioningMode: .basic, vendorID: nil)))
    }

    private func refused(_ instance: String, _ code: SecureChannelError.Code = .wrongPasscode) -> CandidateBoard.Event {
        var error = SessionError(.refused, phase: .pase, "no")
        error.refusal = SecureChannelError(code, "no", reply: nil)
        return .failed(instance, error)
    }

    private func silent(_ instance: String) -> CandidateBoard.Event {
        .failed(instance, SessionError(.silent, phase: .pase, "nothing came back"))
    }

    @Test("the first device is tried at once for 20 s, and keeps the next one waiting for 3 s")
    func first() {
        var track = Track()
        #expect(track.at(1, found("A", 1)) == ["located", "pair A until 21.0", "patience A 3.0"])
        #expect(track.at(2, found("B", 2)) == [])
        #expect(track.at(4, .patienceEnded("A", turn: 1)) == ["pair B until 24.0", "patience B 3.0"])
    }

    @Test("a device that speaks has its turn to itself")
    func heard() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        #expect(track.at(1, .heard("A")) == [] && track.at(1, found("B", 2)) == [])
        #expect(track.at(3, .patienceEnded("A", turn: 1)) == [])
        #expect(track.at(20, silent("A")) == ["end A", "pair B until 40.0", "patience B 3.0"])
    }

    @Test("an address that a device gains while it is tried goes to its attempt, once")
    func laterAddress() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        #expect(track.at(1, found("A", 1, 2)) == ["add 192.0.2.2 to A"])
        #expect(track.at(2, found("A", 1, 2)) == [])
    }

    @Test("the one with the fewest turns is next, and among those the one whose host had the fewest")
    func fairness() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        for event in [found("B", 1), found("C", 2)] { _ = track.at(0, event) }
        #expect(track.at(1, silent("A")) == ["end A", "pair C until 21.0", "patience C 3.0"])
        #expect(track.at(2, silent("C")) == ["end C", "pair B until 22.0", "patience B 3.0"])
        #expect(track.at(3, silent("B")) == ["end B", "pair C until 23.0", "patience C 3.0"])
    }

    @Test("the more wait, the shorter is a turn")
    func crowd() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        for number in 1...40 as ClosedRange<UInt8> { _ = track.at(0, found("N\(number)", number)) }
        #expect(track.at(1, .patienceEnded("A", turn: 1)) == ["pair N2 until 6.0", "patience N2 0.15"])
    }

    @Test("when all have refused, others are looked for during 3 s more")
    func refusals() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        #expect(track.at(1, refused("A")) == ["end A", "grace 3.0"])
        var late = track
        #expect(track.at(4, .graceEnded) == ["fail pase.wrong-passcode"])
        #expect(late.at(2, found("B", 2)) == ["pair B until 22.0", "patience B 3.0"])
        #expect(late.at(4, .graceEnded) == [])
    }

    @Test("a record whose device is gone does not hold up a refusal")
    func stale() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        _ = track.at(0, found("B", 2))
        #expect(track.at(1, refused("A")) == ["end A", "pair B until 21.0", "patience B 3.0"])
        #expect(track.at(4, .patienceEnded("B", turn: 1)) == ["grace 3.0"])
        #expect(track.at(7, .graceEnded) == ["fail pase.wrong-passcode"])
    }

    @Test("a device that says that it is closed is asked again every 3 s, and the wait is said once")
    func closed() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        #expect(track.at(1, refused("A", .windowClosed)) == ["end A", "waiting for 192.0.2.1:5540", "reopen A 3.0"])
        #expect(track.at(4, .reopening("A")) == ["pair A until 24.0", "patience A 3.0"])
        #expect(track.at(5, refused("A", .windowClosed)) == ["end A", "reopen A 3.0"])
        #expect(track.at(120.5, .timeUp) == ["fail pase.window-closed"])
        var hasty = Track(waitsForWindow: false)
        _ = hasty.at(0, found("A", 1))
        #expect(hasty.at(1, refused("A", .windowClosed)) == ["end A", "grace 3.0"])
    }

    @Test("without any device the look-out ends the search, as does a look-out that fails")
    func nothing() {
        var track = Track()
        #expect(track.at(60, .lookoutEnded) == ["unfound"])
        #expect(track.at(1, .browseFailed(CancellationError())) == ["fail CancellationError"])
        var found = Track()
        _ = found.at(0, self.found("A", 1))
        #expect(found.at(60, .lookoutEnded) == [] && found.at(60, .browseFailed(CancellationError())) == [])
    }

    @Test("at the end of the time silence is the result only where there was no refusal")
    func timeUp() {
        var track = Track(budget: .seconds(10))
        _ = track.at(0, found("A", 1))
        #expect(track.at(10, silent("A")) == ["end A", "fail session.silent"])
        var refused = Track(budget: .seconds(10))
        _ = refused.at(0, found("A", 1))
        _ = refused.at(0, found("B", 2))
        _ = refused.at(1, self.refused("A"))
        #expect(refused.at(10, silent("B")) == ["end B", "grace 3.0", "fail pase.wrong-passcode"])
    }

    @Test("what is no matter of one candidate ends the search")
    func others() {
        var track = Track()
        _ = track.at(0, found("A", 1))
        #expect(track.at(1, .failed("A", CancellationError())) == ["fail CancellationError"])
    }
}
