/// Goes through all runs of a play with up to so many faults.
///
/// Two runs are equal if they agree in what happened, with counters and sessions renumbered and without times: what may
/// follow on one of them need not be tried on the other.
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
    }

    private static var workers: Int { 2 }
    private static var mostFindings: Int { 20 }

    let story: Story
    /// How many faults a run has at most.
    let faults: Int
    /// Of the runs with most faults, one in so many is played; a prime number, so that all faults have their turn.
    var stride = 1

    func explore() async throws -> Account {
        var account = Account()
        var seen: Set<Trace> = []
        var level = [Schedule()]
        for depth in 0...faults where account.findings.count < Self.mostFindings {
            let reports = try await run(level, keepsSteps: depth < faults)
            account.runs += reports.count
            var next: [Schedule] = []
            // Of equal runs the first one counts: it has its last fault earliest, and so the most successors.
            for (schedule, report) in zip(level, reports) {
                account.messages += report.messages
                if !report.violations.isEmpty, account.findings.count < Self.mostFindings {
                    account.findings.append(
                        Finding(story: story, schedule: schedule, violations: report.violations))
                }
                guard seen.insert(report.trace).inserted else { continue }
                account.different += 1
                next += schedule.successors(in: report.steps, story.faults)
            }
            level = next
            if depth + 1 == faults { level = level.enumerated().filter { $0.offset % stride == 0 }.map(\.element) }
        }
        return account
    }

    /// Runs all schedules, some at a time.
    ///
    /// - Returns: what came of each, in their order.
    private func run(_ schedules: [Schedule], keepsSteps: Bool) async throws -> [Stage.Report] {
        var reports = [Stage.Report?](repeating: nil, count: schedules.count)
        try await withThrowingTaskGroup(of: (Int, Stage.Report).self) { group in
            var waiting = schedules.enumerated().makeIterator()
            func begin() {
                guard let (place, schedule) = waiting.next() else { return }
                group.addTask { [story] in
                    var report = try await Stage.run(story, schedule)
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
