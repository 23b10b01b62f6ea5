import Testing

@testable import MatterModel
@testable import MatterNetwork

/// Event in, action out.
@Suite("The fate of a command")
struct CommandFateTests {
    private let start = Instant.now
    private let silence = TransportError(.notAcknowledged, "silence")
    private let acknowledged = TransportError(.noReply, "acknowledged")
    private let refused = InteractionError(.refused, "no", status: .busy)

    /// A fate with events at times counted from its beginning.
    private struct Track {
        var fate: CommandFate
        let start: Instant

        /// The actions, each in one word or two; times count from the beginning.
        mutating func at(_ seconds: Double, _ event: CommandFate.Event) -> [String] {
            fate.handle(event, now: start + .seconds(seconds)).map { action in
                switch action {
                case .connect: "connect"
                case .send: "send"
                case .resend(let end): "resend \(Self.text(end - start))"
                case .wait(let end): "wait \(Self.text(end - start))"
                case .abandon: "abandon"
                case .drop: "drop"
                case .fail: "fail"
                case .unknownOutcome: "unknown"
                }
            }
        }

        private static func text(_ duration: Duration) -> String { "\(Int((duration / .milliseconds(1)).rounded()))" }
    }

    /// A fate whose request has just been sent.
    private func sent(
        _ rule: CommandFate.Rule = .atMostOnce, delivery: Duration = .seconds(4), budget: Duration = .seconds(30)
    ) -> Track {
        var track = Track(fate: CommandFate(rule, deadline: start + budget), start: start)
        #expect(track.at(0, .began) == ["connect"])
        #expect(track.at(0, .connected(delivery: delivery, processing: .seconds(10))) == ["send"])
        return track
    }

    private func failed(_ error: any Error, mayHaveRun: Bool = true) -> CommandFate.Event {
        .failed(error, mayHaveRun: mayHaveRun)
    }

    // MARK: At most once

    @Test("silence: the identical datagram every 600 ms until 15 s have passed, then the outcome is unknown")
    func silent() {
        var track = sent()
        var schedule: [String] = []
        for step in 0..<18 { schedule += track.at(4 + 0.6 * Double(step), failed(silence)) }
        #expect(schedule == (1...18).map { "resend \(4000 + 600 * $0)" })
        #expect(track.at(14.8, failed(silence)) == ["resend 15000"])
        #expect(track.at(15, failed(silence)) == ["abandon", "drop", "unknown"])
    }

    @Test("the budget ends it sooner, a node that sleeps later")
    func limits() {
        var short = sent(budget: .seconds(5))
        #expect(short.at(4.8, failed(silence)) == ["resend 5000"])
        #expect(short.at(5, failed(silence)) == ["abandon", "drop", "unknown"])
        var sleepy = sent(delivery: .seconds(60), budget: .seconds(100))
        #expect(sleepy.at(59, failed(silence)) == ["resend 59600"])
        #expect(sleepy.at(60, failed(silence)) == ["abandon", "drop", "unknown"])
    }

    @Test("a late acknowledgement: the answer gets the time that a device may take, once")
    func lateAcknowledgement() {
        var track = sent()
        _ = track.at(4, failed(silence))
        #expect(track.at(4.5, failed(acknowledged)) == ["wait 14500"])
        #expect(track.at(5, failed(acknowledged)) == ["wait 14500"])
        #expect(track.at(14.5, failed(acknowledged)) == ["abandon", "drop", "unknown"])
        // Never beyond the budget.
        var late = sent()
        _ = late.at(4, failed(silence))
        #expect(late.at(25, failed(acknowledged)) == ["wait 30000"])
        #expect(late.at(30, failed(acknowledged)) == ["abandon", "drop", "unknown"])
    }

    @Test("an acknowledgement at once: the time for the answer is over already")
    func acknowledgedAtOnce() {
        var track = sent()
        #expect(track.at(12, failed(acknowledged)) == ["abandon", "drop", "unknown"])
    }

    @Test("an interruption, a lost session, and an answer that cannot be read end it at once")
    func others() {
        for error in [CancellationError(), TransportError(.closed, "closed")] as [any Error] {
            var track = sent()
            #expect(track.at(1, failed(error)) == ["abandon", "drop", "unknown"])
        }
        var track = sent()
        #expect(track.at(1, failed(InteractionError(.malformed, "garbage"))) == ["abandon", "unknown"])
    }

    @Test("a refusal is an answer, whatever came before it")
    func refusal() {
        var track = sent()
        #expect(track.at(1, failed(refused)) == ["fail"])
        track = sent()
        _ = track.at(4, failed(silence))
        #expect(track.at(4.2, failed(refused)) == ["fail"])
    }

    @Test("what has not left is sent in another session, and what once left never is")
    func unsent() {
        var track = sent()
        let unreachable = TransportError(.unreachable, "no route")
        #expect(track.at(1, failed(unreachable, mayHaveRun: false)) == ["abandon", "drop", "connect"])
        #expect(track.at(2, .connected(delivery: .seconds(4), processing: .seconds(10))) == ["send"])
        #expect(track.at(6, failed(silence)) == ["resend 6600"])
        #expect(track.at(6.6, failed(unreachable, mayHaveRun: false)) == ["abandon", "drop", "unknown"])
    }

    // MARK: Absolute states

    @Test(
        "an absolute state is sent again, in another session after silence and in the same one after an acknowledgement"
    )
    func absolute() {
        var track = sent(.absolute)
        #expect(track.at(4, failed(silence)) == ["abandon", "drop", "connect"])
        #expect(track.at(5, .connected(delivery: .seconds(4), processing: .seconds(10))) == ["send"])
        #expect(track.at(15, failed(acknowledged)) == ["abandon", "connect"])
        #expect(track.at(15, .connected(delivery: .seconds(4), processing: .seconds(10))) == ["send"])
        #expect(track.at(30, failed(acknowledged)) == ["abandon", "drop", "unknown"])
    }

    @Test("an interruption leaves an absolute state unknown only if it was sent")
    func interrupted() {
        var track = sent(.absolute)
        #expect(track.at(1, failed(CancellationError())) == ["abandon", "drop", "unknown"])
        track = sent(.absolute)
        #expect(track.at(1, failed(CancellationError(), mayHaveRun: false)) == ["abandon", "fail"])
    }

    // MARK: Sessions

    @Test("without a session nothing was sent, but for what an earlier one carried")
    func notConnected() {
        let error = SessionError(.silent, phase: .case, "nothing came back")
        var track = Track(fate: CommandFate(.atMostOnce, deadline: start + .seconds(30)), start: start)
        _ = track.at(0, .began)
        #expect(track.at(20, .notConnected(error)) == ["fail"])
        track = sent(.absolute)
        _ = track.at(4, failed(silence))
        #expect(track.at(20, .notConnected(error)) == ["unknown"])
    }

    @Test("a session that went before its first use is set up once more, while there is time")
    func sessionGone() {
        let gone = TransportError(.closed, "closed")
        var track = Track(fate: CommandFate(.atMostOnce, deadline: start + .seconds(30)), start: start)
        _ = track.at(0, .began)
        #expect(track.at(1, .notConnected(gone)) == ["connect"])
        #expect(track.at(30, .notConnected(gone)) == ["fail"])
    }

    @Test("a request of one session is repeated there, and its failure is the caller's")
    func thisSession() {
        var track = sent(.thisSession(repeatUntil: start + .seconds(10)))
        #expect(track.at(4, failed(silence)) == ["resend 4600"])
        #expect(track.at(9.8, failed(silence)) == ["resend 10000"])
        #expect(track.at(10, failed(silence)) == ["abandon", "fail"])
    }
}
