import Glibc
import Testing

@testable import MatterController

/// One by one, since the time zone is that of the whole process.
@Suite("Clock", .serialized)
struct ClockTests {
    private func with<T>(zone: String, _ body: () -> T) -> T {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", zone, 1)
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        return body()
    }

    @Test("the zone of the host is taken apart into its standard offset and the changes to come")
    func rules() {
        // A rule in full, so that the test needs no time zone database.
        let rules = with(zone: "CET-1CEST,M3.5.0,M10.5.0/3") { TimeZoneRules.ofHost() }
        #expect(rules.standardOffset == 3600)
        #expect(rules.periods.count >= 8)
        #expect(Set(rules.periods.map(\.offset)) == [0, 3600])
        #expect(rules.periods.dropFirst().allSatisfy { $0.starts != nil })
        for (period, next) in zip(rules.periods, rules.periods.dropFirst()) { #expect(period.ends == next.starts) }
        #expect(rules.name == nil)
    }

    @Test("a zone without daylight saving time has none")
    func fixed() {
        let rules = with(zone: "IST-5:30") { TimeZoneRules.ofHost() }
        #expect(rules.standardOffset == 19_800)
        #expect(rules.periods.map(\.offset) == [0])
    }

    @Test(
        "a zone has a name if TZ or the path of its file gives one",
        arguments: [
            ("Europe/Berlin", "Europe/Berlin"), (":Europe/Berlin", "Europe/Berlin"), ("UTC", "UTC"),
            ("CET-1CEST,M3.5.0,M10.5.0/3", nil), ("<+0330>-3:30", nil), ("", nil), ("CET", nil),
            ("/usr/share/zoneinfo/America/Argentina/Ushuaia", "America/Argentina/Ushuaia"), ("/etc/zone", nil),
        ] as [(String, String?)])
    func names(variable: String, expected: String?) {
        #expect(TimeZoneRules.zoneName(variable: variable) == expected)
    }
}
