import Testing

@testable import MatterNetwork

@Suite struct RetransmissionScheduleTests {
    private func waits(_ interval: Duration, jitter: Double) -> [Double] {
        (1...RetransmissionSchedule.maximumTransmissions).map {
            RetransmissionSchedule.wait(after: $0, interval: interval, jitter: jitter) / .milliseconds(1)
        }
    }

    private func isClose(_ left: [Double], _ right: [Double]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) < 0.001 }
    }

    @Test("the nominal waits grow by 1.6 from the second retransmission on")
    func nominal() {
        #expect(isClose(waits(.milliseconds(300), jitter: 0), [330, 330, 528, 844.8, 1351.68]))
        #expect(isClose(waits(.milliseconds(500), jitter: 0), [550, 550, 880, 1408, 2252.8]))
    }

    @Test("jitter adds up to a quarter, and no more whatever it is")
    func jitter() {
        let most = [412.5, 412.5, 660, 1056, 1689.6]
        #expect(isClose(waits(.milliseconds(300), jitter: 1), most))
        #expect(isClose(waits(.milliseconds(300), jitter: 7), most))
        #expect(isClose(waits(.milliseconds(300), jitter: 0.5), [371.25, 371.25, 594, 950.4, 1520.64]))
        #expect(isClose(waits(.milliseconds(300), jitter: -1), waits(.milliseconds(300), jitter: 0)))
    }

    @Test("the longest delivery is the sum of all waits with the most jitter")
    func longest() {
        let total = RetransmissionSchedule.longestTotal(interval: .milliseconds(300)) / .milliseconds(1)
        #expect(abs(total - 4230.6) < 0.001)
        let hours = RetransmissionSchedule.longestTotal(interval: ReliabilityParameters.maximumInterval)
        #expect(hours > .seconds(3600 * 14) && hours < .seconds(3600 * 15))
    }

    @Test("a peer that falls asleep half-way is given its idle interval from there")
    func fallingAsleep() throws {
        var pair = try Pair(
            reliability: ReliabilityParameters(
                idleInterval: .seconds(5), activeInterval: .milliseconds(300), activeThreshold: .milliseconds(500)))
        // 412.5 + 412.5 awake; then 5500 · 1.25 · (1.6 + 2.56 + 4.096) asleep.
        let longest = pair.controller.longestDelivery(on: pair.toDevice, now: pair.now) / .milliseconds(1)
        #expect(abs(longest - (825 + 6875 * 8.256)) < 0.01)
        pair.now += .seconds(1)
        let asleep = pair.controller.longestDelivery(on: pair.toDevice, now: pair.now)
        #expect(asleep == RetransmissionSchedule.longestTotal(interval: .seconds(5)))
    }
}
