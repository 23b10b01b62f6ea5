import Testing

@testable import MatterController
@testable import MatterNetwork

@Suite("Fail-safe timer")
struct FailSafeTimerTests {
    private static func information(expiry: UInt16, most: UInt16) -> DeviceInformation {
        var information = DeviceInformation()
        information.failSafeExpiry = expiry
        information.maxCumulativeFailSafe = most
        return information
    }

    @Test("it is due when less than half of the time is left, and not before it was armed")
    func due() {
        let start = Instant.now
        var timer = FailSafeTimer()
        #expect(!timer.isDue(at: start + .seconds(1000)))
        timer.armed(for: 60, at: start)
        #expect(!timer.isDue(at: start + .seconds(30)))
        #expect(timer.isDue(at: start + .seconds(31)))
        timer.armed(for: 60, at: start + .seconds(31))
        #expect(!timer.isDue(at: start + .seconds(60)))
    }

    @Test(
        "the device's own time counts where it is longer than ours and the device grants it",
        arguments: [(10, 900, 60), (60, 900, 60), (120, 900, 120), (120, 90, 90), (65535, 65535, 900), (120, 0, 60)]
            as [(UInt16, UInt16, UInt16)])
    func adopted(expiry: UInt16, most: UInt16, expected: UInt16) {
        var timer = FailSafeTimer()
        timer.adopt(Self.information(expiry: expiry, most: most))
        #expect(timer.seconds == expected)
    }
}
