import Glibc
import Testing

@testable import MatterState

@Suite("The start of the process")
struct ProcessStartTests {
    private func sinceBoot(_ text: String, _ ticks: UInt64 = 100) -> UInt64? {
        ProcessStart.sinceBoot(Array(text.utf8), ticksPerSecond: ticks)
    }

    private static let before = "S 1 2 3 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0"

    @Test("it is the 22nd field, whatever the program is called")
    func field() {
        #expect(sinceBoot("7 (a) b) \(Self.before) 12345 9 9\n") == 123_450)
        #expect(sinceBoot("7 (sh) \(Self.before) 12345 9 9\n", 1000) == 12345)
        for text in [
            "", "7 (sh)", "7 (sh) \(Self.before)", "7 (sh) \(Self.before) x 9", "7 sh \(Self.before) 1 9",
            "7 (sh) \(Self.before) \(UInt64.max) 9",
        ] {
            #expect(sinceBoot(text) == nil, "\(text)")
        }
        #expect(sinceBoot("7 (sh) \(Self.before) 12345 9 9\n", 0) == nil)
    }

    @Test("this process was made before now, and always at the same time")
    func own() throws {
        let start = try #require(ProcessStart.unixMilliseconds())
        let now = UInt64(time(nil)) * 1000
        #expect(start < now + 1000 && start > now - 86_400_000)
        let again = try #require(ProcessStart.unixMilliseconds())
        #expect(max(start, again) - min(start, again) <= 2)
    }
}
