package import MatterNetwork
import Synchronization
package import Testing

/// For tests in which time passes: each has a time and a network of its own.
package struct VirtualTimeTrait: SuiteTrait, TestTrait, TestScoping {
    /// A job that still runs when a test is over may look for its time.
    private static let kept = Mutex<[VirtualTime]>([])

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let time = VirtualTime()
        Self.kept.withLock { $0.append(time) }
        try await VirtualTime.$current.withValue(time) {
            try await withTaskExecutorPreference(time.executor) { try await function() }
        }
    }
}

extension Trait where Self == VirtualTimeTrait {
    /// Gives each test a time of its own, which passes when nothing is left to do.
    package static var virtualTime: VirtualTimeTrait { VirtualTimeTrait() }
}

/// The time of the test under way.
package var testTime: any TimeSource { VirtualTime.current ?? SystemTime() }

extension ContinuousClock.Instant {
    /// Now, by the time of the test under way.
    package static var testNow: Instant { testTime.now }
}

/// Starts work of the test under way beside the test.
package func inBackground<Output: Sendable>(
    _ work: @escaping @Sendable () async throws -> Output
) -> Task<Output, any Error> {
    Task(executorPreference: testTime.executor) { try await work() }
}
