import MatterNetwork
import Synchronization

/// The progress of a commissioning for its user (Matter core specification, 5.5).
public enum CommissioningProgress: Sendable, Equatable {
    /// A stage has begun.
    case began(CommissioningStage)
    /// A stage is done, after this time.
    case ended(CommissioningStage, Duration)
    /// A stage has failed.
    case failed(CommissioningStage, Duration)
    /// Something worth knowing, e.g. what is being waited for.
    case note(String)
    /// Something that is wrong and stops nothing, with what to do about it.
    case warning(String, Hint?)
}

/// How long a stage took.
public struct StageTime: Sendable, Equatable {
    /// The stage.
    public var stage: CommissioningStage
    /// How long it took.
    public var duration: Duration
}

/// Times the stages and reports them.
final class StageClock: Sendable {
    private struct State {
        var current: (stage: CommissioningStage, since: Instant)?
        var times: [StageTime] = []
    }

    private let time: any TimeSource
    private let report: @Sendable (CommissioningProgress) -> Void
    private let state = Mutex(State())

    init(_ time: any TimeSource, report: @escaping @Sendable (CommissioningProgress) -> Void) {
        self.time = time
        self.report = report
    }

    func enter(_ stage: CommissioningStage) {
        end()
        state.withLock { $0.current = (stage, time.now) }
        report(.began(stage))
    }

    func end() {
        let ended = state.withLock { state -> StageTime? in
            guard let current = state.current else { return nil }
            let time = StageTime(stage: current.stage, duration: time.now - current.since)
            state.times.append(time)
            state.current = nil
            return time
        }
        if let ended { report(.ended(ended.stage, ended.duration)) }
    }

    func fail() {
        let failed = state.withLock { state in
            defer { state.current = nil }
            return state.current
        }
        if let failed { report(.failed(failed.stage, time.now - failed.since)) }
    }

    func note(_ text: String) { report(.note(text)) }

    var times: [StageTime] { state.withLock { $0.times } }
}
