import Foundation

/// Goes through all runs of a play with up to so many faults.
///
/// Two runs are equal if they agree in what happened, with counters and sessions renumbered and without times: what may
/// follow on one of them need not be tried on the other. A fault is not tried where the run before shows that it changes
/// nothing, or nothing else than one step earlier; see ``Step``.
struct Explorer<Story: Play>: Sendable {
    struct Finding: Sendable, CustomStringConvertible {
        let story: Story
        let schedule: Schedule
        let violations: [String]

        var description: String { "[\(story)] [\(schedule)]: \(violations.joined(separator: "; "))" }
    }

    struct Account: Sendable {
        var runs = 0
        var different = 0
        var messages = 0
        var findings: [Finding] = []
        var outcomes: Set<Stage.Outcome> = []
    }

    /// As many as there are processors, unless others share them.
    private static var workers: Int {
        ProcessInfo.processInfo.environment["MATTERCTL_WORKERS"].flatMap { Int($0) } ?? 2
    }
    private static var mostFindings: Int { 20 }

    let story: Story
    /// How many faults a run has at most.
    let faults: Int
    /// The kinds of them, as far as the story has them.
    var kinds = Set(Fault.allCases)
    /// Of the runs with most faults, one in so many is played; a prime number, so that all faults have their turn.
    var stride = 1
    /// Whether faults are tried too that need not be.
    var isThorough = false

    func explore() async throws -> Account {
        var account = Account()
        var seen: Set<Trace> = []
        var level = [Schedule()]
        for depth in 0...faults where account.findings.count < Self.mostFindings {
            let reports = try await run(level, isLast: depth == faults)
            account.runs += reports.count
            var next: [Schedule] = []
            // Of equal runs the first one counts: it has its last fault earliest, and so the most successors.
            for (schedule, report) in reports {
                account.messages += report.messages
                account.outcomes.insert(report.outcome)
                if !report.violations.isEmpty, account.findings.count < Self.mostFindings {
                    account.findings.append(
                        Finding(story: story, schedule: schedule, violations: report.violations))
                }
                guard seen.insert(report.trace).inserted else { continue }
                account.different += 1
                guard depth < faults else { continue }
                next += schedule.successors(
                    in: report.steps, story.faults.intersection(kinds), isLast: depth + 1 == faults,
                    all: isThorough)
            }
            level = next
            if depth + 1 == faults { level = level.enumerated().filter { $0.offset % stride == 0 }.map(\.element) }
        }
        return account
    }

    /// Runs all schedules. With the last fault, a message that is late is the same as one that is lost if its receiver is
    /// gone when it comes.
    ///
    /// - Returns: what came of each that was played.
    private func run(_ schedules: [Schedule], isLast: Bool) async throws -> [(Schedule, Stage.Report)] {
        guard isLast, !isThorough else { return Array(zip(schedules, try await play(schedules, keepsSteps: true))) }
        let early = schedules.filter { $0.entries.last?.fault != .late }
        let reports = Array(zip(early, try await play(early, keepsSteps: false)))
        let vain = Set(
            reports.lazy.filter { $0.0.entries.last?.fault == .lost && $0.1.lastIsGone }
                .compactMap { $0.0.with(.late) })
        let late = schedules.filter { $0.entries.last?.fault == .late && !vain.contains($0) }
        return reports + Array(zip(late, try await play(late, keepsSteps: false)))
    }

    /// Plays all schedules, some at a time.
    ///
    /// - Returns: what came of each, in their order.
    private func play(_ schedules: [Schedule], keepsSteps: Bool) async throws -> [Stage.Report] {
        var reports = [Stage.Report?](repeating: nil, count: schedules.count)
        try await withThrowingTaskGroup(of: (Int, Stage.Report).self) { group in
            var waiting = schedules.enumerated().makeIterator()
            func begin() {
                guard let (place, schedule) = waiting.next() else { return }
                group.addTask { [story] in
                    let isLost = schedule.entries.last?.fault == .lost
                    var report = try await Stage.run(
                        story, schedule, attention: keepsSteps ? .steps : isLost ? .lateness : .nothing)
                    if !keepsSteps { report.steps = [] }
                    return (place, report)
                }
            }
            for _ in 0..<Self.workers { begin() }
            while let (place, report) = try await group.next() {
                reports[place] = report
                begin()
            }
        }
        return reports.compactMap { $0 }
    }
}
