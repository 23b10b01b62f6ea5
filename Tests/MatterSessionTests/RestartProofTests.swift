import Testing

@testable import MatterNetwork

@Suite("The proof that a command did not run")
struct RestartProofTests {
    private let setUp = Instant.now

    /// Whether the proof holds for a node whose start, a whole number of seconds ago by UpTime, lies between both times.
    private func holds(
        count: UInt16 = 5, later: UInt16 = 6, earliest: Duration, latest: Duration, sent: Duration = .seconds(60)
    ) -> Bool {
        let upTime = Duration.seconds(100)
        let proof = RestartProof(rebootCount: count, setUp: setUp, sent: setUp + sent)
        return proof.holds(
            rebootCount: later, upTime: upTime, asked: setUp + earliest + upTime + .seconds(1),
            answered: setUp + latest + upTime)
    }

    @Test("a start between set-up and command, with a second to either side, is one")
    func start() {
        #expect(holds(earliest: .seconds(20), latest: .seconds(21)))
        #expect(holds(earliest: .milliseconds(1001), latest: .milliseconds(58_999)))
    }

    @Test("a start that may lie before the session or after the command is none, and neither is one that touches")
    func touching() {
        #expect(!holds(earliest: .seconds(1), latest: .seconds(21)))
        #expect(!holds(earliest: .seconds(-40), latest: .seconds(-39)))
        #expect(!holds(earliest: .seconds(20), latest: .seconds(59)))
        #expect(!holds(earliest: .seconds(61), latest: .seconds(62)))
    }

    @Test("only one start more is one: equal, two more and a count that begins again are none")
    func counts() {
        #expect(!holds(later: 5, earliest: .seconds(20), latest: .seconds(21)))
        #expect(!holds(later: 7, earliest: .seconds(20), latest: .seconds(21)))
        #expect(!holds(later: 4, earliest: .seconds(20), latest: .seconds(21)))
        #expect(!holds(count: .max, later: 0, earliest: .seconds(20), latest: .seconds(21)))
        #expect(!holds(count: .max, later: .max, earliest: .seconds(20), latest: .seconds(21)))
    }

    @Test("a node whose UpTime stands still while it sleeps seems to have started later: no proof where it matters")
    func standingStill() {
        // It started at 20 s, was awake for 10 of 80 s, and says so at 100 s: the start seems to be at 90 s.
        let proof = RestartProof(rebootCount: 5, setUp: setUp, sent: setUp + .seconds(60))
        #expect(
            !proof.holds(
                rebootCount: 6, upTime: .seconds(10), asked: setUp + .seconds(100), answered: setUp + .seconds(100)))
    }
}
