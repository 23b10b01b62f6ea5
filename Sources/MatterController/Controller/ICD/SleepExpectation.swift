import MatterState

/// How a node sleeps at the moment.
struct SleepExpectation {
    /// The tolerance for messages and clocks.
    private static let slack: Int64 = 10
    /// A promise beyond that comes from a clock that was wrong.
    private static let longestPromise: Int64 = 65_536
    /// How long a device may take to notice that its report is not taken.
    private static let noticing: Int64 = 30

    /// Whether it has said that it is awake by now.
    let isAwake: Bool
    /// Whether it sends the report about now that a subscription of ours promised at the latest.
    let reports: Bool
    /// How long it is until then; `nil` if that is not to come.
    let untilReport: Duration?
    /// How long its next check-in may take.
    let longest: Duration
    let text: String
    /// Why that is longer than it sleeps, after the text.
    let reason: String

    init(_ registration: ICDRegistration, now: Int64) {
        let sleep = registration.sleep
        let idle = Int64(sleep.idle)
        isAwake = registration.awakeUntil.map { (now...now + Self.longestPromise).contains($0 - 1) } ?? false
        // When it last had to be awake without a check-in: it sleeps once more after it has noticed that no client listens.
        let due = registration.reportDue.flatMap { due in
            (now - Self.noticing - idle - Self.slack...now + Self.longestPromise).contains(due) ? due : nil
        }
        reports = due.map { ($0 - 1...$0 + Self.noticing).contains(now) } ?? false
        untilReport = due.flatMap { $0 - 1 > now ? .seconds($0 - 1 - now) : nil }
        let silence = due.map { max(0, $0 + Self.noticing - now) } ?? 0
        // One that missed its time skips rounds.
        let isLate =
            due == nil && registration.last.map { now < $0.at || now - $0.at > idle + Self.slack } ?? false
        let seconds = silence + (isLate ? max(idle, Int64(sleep.mostBackOff ?? 0)) : idle)
        longest = .seconds(seconds + Self.slack)
        text = SleepExpectation.text(seconds)
        reason =
            silence > 0 ? " (a subscription from here may still hold, and keeps it from checking in until it ends)" : ""
    }

    /// A number of seconds for people.
    static func text(_ seconds: Int64) -> String {
        switch seconds {
        case ..<100: "\(seconds) s"
        case ..<6000: "\((seconds + 59) / 60) min"
        default: "\((seconds + 3599) / 3600) h"
        }
    }

    /// The simplest way to wake it up, after other words.
    static func wakeUp(_ sleep: ICDRegistration.Sleep) -> Hint {
        ActiveModeTrigger.ways(sleep).first.map { Hint("; or wake it up: \($0)") } ?? Hint("")
    }
}
