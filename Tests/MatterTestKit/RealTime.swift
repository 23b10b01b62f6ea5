package import Testing

/// For tests that wait for locks, with the system's clock, also in a suite with virtual time: each begins only when the threads of this process have time for it.
///
/// All tests of all modules run side by side, and those that compute for seconds on end keep the few threads of the
/// cooperative pool to themselves. Nothing that is timed could be told from that.
package struct RealTime: SuiteTrait, TestTrait, TestScoping {
    /// A nap that takes no longer than this was not kept waiting.
    private static let calm = Duration.milliseconds(30)
    private static let nap = Duration.milliseconds(5)
    /// A machine that is never calm has to do.
    private static let patience = Duration.seconds(120)

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Gate.shared.enter()
        do {
            try await Self.waitForCalm()
            try await VirtualTime.$current.withValue(nil) {
                try await withTaskExecutorPreference(globalConcurrentExecutor) { try await function() }
            }
            await Gate.shared.leave()
        } catch {
            await Gate.shared.leave()
            throw error
        }
    }

    private static func waitForCalm() async throws {
        let clock = ContinuousClock()
        let end = clock.now + patience
        var calmNaps = 0
        // How long a nap takes is the very question.
        while calmNaps < 4, clock.now < end {
            let took = try await clock.measure { try await Task.sleep(for: nap) }
            calmNaps = took < calm ? calmNaps + 1 : 0
        }
    }
}

/// Lets a few in at a time.
private actor Gate {
    static let shared = Gate(places: 10)

    private var places: Int
    private var queue: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func enter() async {
        if places > 0 {
            places -= 1
        } else {
            await withCheckedContinuation { queue.append($0) }
        }
    }

    func leave() {
        if queue.isEmpty { places += 1 } else { queue.removeFirst().resume() }
    }
}

extension Trait where Self == RealTime {
    /// Waits until the process is calm.
    package static var realTime: RealTime { RealTime() }
}
