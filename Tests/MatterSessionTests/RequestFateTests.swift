import MatterInteraction
import MatterSession
import MatterTransport
import Testing

@Suite("The fate of a request")
struct RequestFateTests {
    private let start = Instant.now
    private let silence = TransportError(.notAcknowledged, "silence")
    private let acknowledged = TransportError(.noReply, "acknowledged")

    private func fate(
        delivery: Duration = .seconds(4), processing: Duration = .seconds(10), budget: Duration = .seconds(30)
    ) -> RequestFate {
        RequestFate(sentAt: start, delivery: delivery, processing: processing, deadline: start + budget)
    }

    @Test("silence: the identical datagram again and again, until the persistence is over")
    func silent() {
        var fate = fate()
        var now = start + .seconds(4)
        var count = 0
        while case .resend(let until) = fate.step(after: silence, now: now) {
            #expect(until > now && until - now <= RequestFate.pace)
            now = until
            count += 1
        }
        #expect(now == start + RequestFate.persistence && count == 19)
        #expect(fate.step(after: silence, now: now) == .giveUp)
    }

    @Test("the budget ends it sooner, a node that sleeps later")
    func limits() {
        var short = fate(budget: .seconds(5))
        #expect(short.step(after: silence, now: start + .milliseconds(4800)) == .resend(waitUntil: start + .seconds(5)))
        #expect(short.step(after: silence, now: start + .seconds(5)) == .giveUp)
        var sleepy = fate(delivery: .seconds(60), budget: .seconds(100))
        #expect(
            sleepy.step(after: silence, now: start + .seconds(59)) == .resend(waitUntil: start + .milliseconds(59600)))
        #expect(sleepy.step(after: silence, now: start + .seconds(60)) == .giveUp)
    }

    @Test("a late acknowledgement: the answer gets the time that a device may take, once")
    func lateAcknowledgement() {
        var fate = fate()
        _ = fate.step(after: silence, now: start + .seconds(4))
        let end = start + .milliseconds(14500)
        #expect(fate.step(after: acknowledged, now: start + .milliseconds(4500)) == .wait(until: end))
        #expect(fate.step(after: acknowledged, now: start + .seconds(5)) == .wait(until: end))
        #expect(fate.step(after: acknowledged, now: end) == .giveUp)
        // Never beyond the budget.
        var late = self.fate()
        _ = late.step(after: silence, now: start + .seconds(4))
        #expect(late.step(after: acknowledged, now: start + .seconds(25)) == .wait(until: start + .seconds(30)))
        #expect(late.step(after: acknowledged, now: start + .seconds(30)) == .giveUp)
    }

    @Test("an acknowledgement at once: the time for the answer is over already")
    func acknowledgedAtOnce() {
        var fate = fate()
        #expect(fate.step(after: acknowledged, now: start + .seconds(12)) == .giveUp)
    }

    @Test("everything else ends it at once")
    func others() {
        let errors: [any Error] = [
            CancellationError(), TransportError(.closed, "closed"), InteractionError(.malformed, "garbage"),
        ]
        for error in errors {
            var fate = fate()
            #expect(fate.step(after: error, now: start + .seconds(1)) == .giveUp)
        }
    }
}
