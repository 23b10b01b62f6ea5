import Testing

@testable import MatterController

@Suite("Time zone rules")
struct TimeZoneRulesTests {
    /// 2026-11-22 00:00 UTC.
    static let now: Int64 = 1_795_305_600
    static let hour: Int64 = 3600
    /// The changes of Central Europe: the last Sundays of March and October, at 01:00 UTC.
    static let springs: [Int64] = [1_806_195_600, 1_837_645_200]
    static let autumns: [Int64] = [1_824_944_400, 1_856_394_000]

    static func centralEurope(_ time: Int64) -> Int32 {
        for (spring, autumn) in zip(springs, autumns) where time >= spring && time < autumn { return 7200 }
        return 3600
    }

    @Test("the changes of the next years are found to the second, in order and without gaps")
    func changes() {
        let rules = TimeZoneRules(name: "Europe/Berlin", now: Self.now, offset: Self.centralEurope)
        #expect(rules.name == "Europe/Berlin")
        #expect(rules.standardOffset == 3600)
        #expect(
            rules.periods == [
                .init(offset: 0, starts: nil, ends: Self.springs[0]),
                .init(offset: 3600, starts: Self.springs[0], ends: Self.autumns[0]),
                .init(offset: 0, starts: Self.autumns[0], ends: Self.springs[1]),
                .init(offset: 3600, starts: Self.springs[1], ends: Self.autumns[1]),
            ])
    }

    @Test("in summer the standard offset is still that of winter")
    func summer() {
        let rules = TimeZoneRules(name: nil, now: Self.springs[0] + 1, offset: Self.centralEurope)
        #expect(rules.standardOffset == 3600)
        #expect(rules.periods.first == .init(offset: 3600, starts: nil, ends: Self.autumns[0]))
    }

    @Test("a zone without changes has one period without an end", arguments: [0, 19_800, -34_200] as [Int32])
    func constant(offset: Int32) {
        let rules = TimeZoneRules(name: nil, now: Self.now) { _ in offset }
        #expect(rules == TimeZoneRules(standardOffset: offset))
        #expect(rules.periods == [.init(offset: 0, starts: nil, ends: nil)])
    }

    @Test("a country that gives up its offset for good gets both, and no end")
    func changeForGood() {
        let rules = TimeZoneRules(name: nil, now: Self.now) { $0 < Self.springs[0] ? 7200 : 10_800 }
        #expect(rules.standardOffset == 7200)
        #expect(
            rules.periods == [
                .init(offset: 0, starts: nil, ends: Self.springs[0]),
                .init(offset: 3600, starts: Self.springs[0], ends: nil),
            ])
    }
}
