import Foundation
import TestSupport
import Testing

@testable import MatterController

/// The code that ships, in all runs with so many faults. `make test` has one fault in each run, and plays a part of them where
/// it is not CI's; see docs/reliability.md.
@Suite("Explorer")
struct ExplorerTests {
    /// How many faults a run has at most, where there is time.
    private static let faults = ProcessInfo.processInfo.environment["MATTERCTL_EXPLORE"].flatMap { Int($0) }

    /// How the names of those begin that are explored, where not all are.
    private static let stories = ProcessInfo.processInfo.environment["MATTERCTL_STORY"] ?? ""

    private func explore(_ story: some Play, faults: Int) async throws {
        guard "\(story)".hasPrefix(Self.stories) else { return }
        let clock = ContinuousClock()
        let began = clock.now
        let stride = Effort.isWhole || Self.faults != nil ? 1 : 7
        let faults = Self.faults ?? faults
        let kinds = faults > 2 ? Fault.simple : Set(Fault.allCases)
        let account = try await Explorer(story: story, faults: faults, kinds: kinds, stride: stride).explore()
        print(
            "explored [\(story)]: \(account.runs) runs, \(account.different) different, \(account.messages) messages,"
                + " \(clock.now - began)")
        for finding in account.findings { Issue.record("\(finding)") }
    }

    @Test(
        "what was found with more faults stays mended",
        arguments: [
            // The node repeats an answer whose acknowledgement was lost; the next process has not heard it, and uses the
            // exchange of the one before.
            ("kept oneByOne atMostOnce", "3 lost, 4 takenBack")
        ])
    func mended(name: String, faults: String) async throws {
        let story = try #require(TwoCommands.all.first { "\($0)" == name })
        #expect(try await Stage.run(story, #require(Schedule(faults))).violations == [])
    }

    @Test("a run can be played again by its name, and is the same")
    func replayed() async throws {
        // For a finding: `MATTERCTL_REPLAY="kept oneByOne atMostOnce: 1 lost, 4 killed"` prints all that happens.
        let wanted = ProcessInfo.processInfo.environment["MATTERCTL_REPLAY"]
        let parts = (wanted ?? "kept oneByOne atMostOnce: 2 lost, 2 restarted").split(separator: ":", maxSplits: 1)
        let stories: [any Play] =
            TwoCommands.all + ListEdit.all + Joining.all + Rotating.all + Expelling.all + [CutShort()]
        let story = try #require(stories.first { "\($0)" == parts.first.map(String.init) })
        let schedule = try #require(Schedule(parts.dropFirst().first.map(String.init) ?? ""))
        let first = try await Stage.run(story, schedule, isReadable: true)
        let second = try await Stage.run(story, schedule, isReadable: true)
        if wanted != nil { print((first.trace.lines ?? []).joined(separator: "\n")) }
        #expect(first.violations == [])
        #expect(first.trace == second.trace && first.steps == second.steps)
    }

    @Test(
        "no command runs twice, or runs and counts as failed, and no state is without a way out",
        arguments: TwoCommands.all)
    func commands(story: TwoCommands) async throws { try await explore(story, faults: 1) }

    @Test(
        "a fault that is not tried would have shown nothing new",
        arguments: faults == nil ? TwoCommands.all.filter { $0.opening == .stale } : TwoCommands.all)
    func skipped(story: TwoCommands) async throws {
        guard "\(story)".hasPrefix(Self.stories) else { return }
        let faults = min(Self.faults ?? 1, 2)
        let explorer = Explorer(story: story, faults: faults, kinds: Fault.simple)
        var thorough = explorer
        thorough.isThorough = true
        let (some, all) = (try await explorer.explore(), try await thorough.explore())
        print("compared [\(story)]: \(some.runs) of \(all.runs) runs, \(all.outcomes.count) outcomes")
        let missed = all.outcomes.subtracting(some.outcomes)
        #expect(missed.isEmpty)
    }

    @Test("no change of a list takes what it does not name, and none is made twice", arguments: ListEdit.all)
    func lists(story: ListEdit) async throws { try await explore(story, faults: 1) }

    @Test("a node is joined once, and left, whatever is lost and whenever the process ends", arguments: Joining.all)
    func joining(story: Joining) async throws { try await explore(story, faults: 1) }

    @Test(
        "a node whose keys are exchanged can always be reached, whatever is lost and whenever the process ends",
        arguments: Rotating.all)
    func rotating(story: Rotating) async throws { try await explore(story, faults: 1) }

    @Test(
        "administrators are added and removed, whatever is lost and whenever the process ends",
        arguments: Expelling.all)
    func expelling(story: Expelling) async throws { try await explore(story, faults: 1) }

    @Test("a commissioning that is cut short anywhere is completed by the same command")
    func commissioning() async throws { try await explore(CutShort(), faults: 1) }
}
