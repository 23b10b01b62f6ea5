import MatterCrypto
import Testing

@testable import MatterController
@testable import MatterState

@Suite("Waking a device up") struct ActiveModeTriggerTests {
    private func ways(_ hints: UInt32, _ instruction: String? = nil) -> [String] {
        ActiveModeTrigger.ways(
            .init(idle: 1, active: 1, threshold: 1, triggers: hints, triggerInstruction: instruction))
    }

    @Test("every hint has words, the simplest way first, and a reset button its warning")
    func words() {
        #expect(ways(0) == [])
        #expect(
            ways(0x1 | 0x8 | 0x1000) == [
                "press the setup button", "switch its power off and on", "see the manual of the device",
            ])
        for bit in 0..<17 { #expect(ways(1 << bit, "3").count == 1, "\(bit)") }
        #expect(ways(0x400, "5") == ["hold the reset button for 5 seconds, and not longer: it may reset the device"])
        #expect(ways(1 << 20) == [])
    }

    @Test("the instruction of the device takes its place; a hint that says nothing without it is left out")
    func instruction() {
        #expect(ways(0x4, "open the lid") == ["open the lid"])
        #expect(ways(0x4) == [] && ways(0x8000, "") == [])
        #expect(ways(0x8000, "3") == ["press the setup button 3 times"])
        #expect(ways(0x80, "red") == ["trigger the sensor until the light blinks red"])
        #expect(ways(0x80) == ["trigger the sensor until the light blinks"])
    }
}

@Suite("How long a node sleeps") struct SleepExpectationTests {
    private func expectation(
        last: Int64? = nil, awakeUntil: Int64? = nil, reportDue: Int64? = nil, now: Int64 = 10_000
    ) -> SleepExpectation {
        var registration = ICDRegistration(
            nodeID: NodeID(1), clientID: NodeID(2),
            sleep: .init(idle: 600, active: 1000, threshold: 5000, mostBackOff: 3600))
        registration.last = last.map { ICDRegistration.CheckIn(counter: 1, at: $0) }
        registration.awakeUntil = awakeUntil
        registration.reportDue = reportDue
        return SleepExpectation(registration, now: now)
    }

    @Test("it is awake as long as it said, and not longer; a wrong clock makes it sleep")
    func awake() {
        #expect(!expectation().isAwake)
        #expect(expectation(awakeUntil: 10_005).isAwake && expectation(awakeUntil: 10_001).isAwake)
        #expect(!expectation(awakeUntil: 10_000).isAwake && !expectation(awakeUntil: 9_000).isAwake)
        #expect(!expectation(awakeUntil: 1_000_000).isAwake)
    }

    @Test("it is expected after its idle time, and after its back-off once it has missed that")
    func longest() {
        #expect(expectation().longest == .seconds(610) && expectation().text == "10 min")
        #expect(expectation(last: 9_500).longest == .seconds(610))
        #expect(expectation(last: 5_000).longest == .seconds(3610))
        #expect(expectation().reason.isEmpty && !expectation().reports)
        #expect(
            SleepExpectation.text(8) == "8 s" && SleepExpectation.text(7200) == "2 h"
                && SleepExpectation.text(3601) == "61 min")
    }

    @Test("one that owes a report checks in only after that, and is awake when it is due")
    func owing() {
        let owing = expectation(last: 1_000, reportDue: 10_500)
        #expect(owing.longest == .seconds(500 + 30 + 600 + 10) && owing.text == "19 min" && !owing.reports)
        #expect(owing.reason.contains("a subscription from here"))
        for (now, reports) in [(10_498, false), (10_499, true), (10_530, true), (10_531, false)] as [(Int64, Bool)] {
            #expect(expectation(reportDue: 10_500, now: now).reports == reports)
        }
        let noticed = expectation(last: 1_000, reportDue: 10_500, now: 10_600)
        #expect(noticed.longest == .seconds(610) && noticed.reason.isEmpty)
        // Long gone, or a clock that was wrong.
        #expect(expectation(last: 1_000, reportDue: 9_000).longest == .seconds(3610))
        #expect(expectation(reportDue: 1_000_000).longest == .seconds(610))
    }
}
