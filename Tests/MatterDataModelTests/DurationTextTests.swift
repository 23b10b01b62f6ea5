import Testing

@testable import MatterModel

@Suite("Durations") struct DurationTextTests {
    @Test(
        "a number with units, several of them, or none for seconds",
        arguments: [
            ("10", Duration.seconds(10)), ("10s", .seconds(10)), ("0.5", .milliseconds(500)),
            ("500ms", .milliseconds(500)), ("1.5s", .milliseconds(1500)), ("2m", .seconds(120)),
            ("2min", .seconds(120)), ("1h", .seconds(3600)), ("1m30s", .seconds(90)), ("1h30m", .seconds(5400)),
            ("1d", .seconds(86_400)), ("0", .zero), ("0s", .zero), ("250us", .microseconds(250)),
        ])
    func durations(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "s", "ten", "-1", "-1s", "+1s", "1 s", "1s 30", "1m30", "10x", "1e3", "nan", "inf", "0x10", "1:30",
            "99999999999h", "1.2.3s", ".",
        ])
    func others(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test("it is written in the largest unit that fits")
    func format() {
        let texts = [
            ("1ms", "1 ms"), ("1500ms", "1500 ms"), ("90", "90 s"), ("120", "2 min"), ("2h", "2 h"), ("0", "0 s"),
        ]
        for (text, written) in texts { #expect(DurationText.parse(text).map(DurationText.format) == written) }
    }
}
