import TestSupport
import Testing

@testable import MatterController
@testable import MatterSimulator

/// Virtual devices with faults in their servers, each of which the examination has to notice.
@Suite("Conformance mutations", .beside) struct ConformanceMutationTests {
    private static let count = 200
    private static var all: [Mutation] {
        Mutation.elements + Mutation.clusters + Mutation.values + Mutation.endpoints + Mutation.laterDemands
    }
    private static let kinds = SimulatedType.all.map(\.name)

    /// One fault by seed: its place in words, the rules that should notice it, and those that did.
    private func run(_ seed: UInt64) throws -> (words: String, rules: Set<ConformanceRule>, found: Set<ConformanceRule>)
    {
        var dice = SeededGenerator(seed: seed)
        // Each mutation has its turn; the place is a matter of the dice. One that finds no place asks another device.
        let mutation = Self.all[Int(seed) % Self.all.count]
        for _ in 0..<20 {
            guard let kind = (mutation.kinds ?? Self.kinds).randomElement(using: &dice) else { continue }
            let bench = try ConformanceBench([kind])
            let sound = Set(try bench.report(isStrict: true).findings)
            guard let words = try mutation.plant(bench, &dice) else { continue }
            let broken = try bench.report(isStrict: true).findings
            return ("\(kind): \(words)", mutation.rules, Set(broken.filter { !sound.contains($0) }.map(\.kind)))
        }
        return ("no device has a place for mutation \(Int(seed) % Self.all.count)", mutation.rules, [])
    }

    @Test("each of 200 faults is found by a rule that is about it, and every rule has found one")
    func faults() throws {
        var reached: Set<ConformanceRule> = []
        for seed in 0..<UInt64(Self.count) {
            let (words, rules, found) = try run(seed)
            reached.formUnion(found)
            #expect(!rules.isDisjoint(with: found), "seed \(seed), \(words): \(found.map(\.rawValue).sorted())")
        }
        let never = ConformanceRule.allCases.filter { !reached.contains($0) }
        #expect(never.isEmpty, "\(never.count) rules that no mutation reached: \(never.map(\.rawValue))")
    }

    @Test("the same faults are never graver in a device that is in use than for its maker")
    func tolerance() throws {
        for seed in stride(from: UInt64(0), to: UInt64(Self.count), by: 7) {
            var dice = SeededGenerator(seed: seed)
            let mutation = Self.all[Int(seed) % Self.all.count]
            let bench = try ConformanceBench([mutation.kinds?.first ?? "dimmable-light"])
            guard let words = try mutation.plant(bench, &dice) else { continue }
            let (mild, strict) = (try bench.report(isStrict: false), try bench.report(isStrict: true))
            #expect(mild.findings.count == strict.findings.count, "\(words)")
            #expect(mild.count(.failure) <= strict.count(.failure), "\(words)")
        }
    }
}
