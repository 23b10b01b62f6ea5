import MatterTestKit
import Synchronization
import Testing

@testable import MatterNetwork

/// Waits that end with a change, and not with a look at the clock.
@Suite("A signal of changes", .virtualTime)
struct ChangeSignalTests {
    private let signal = ChangeSignal()
    private var far: Instant { .testNow + .seconds(3600) }

    /// Waits until so many wait.
    private func areWaiting(_ count: Int) async throws {
        while signal.waiting < count { try await testTime.sleep(for: .milliseconds(1)) }
    }

    @Test("a change wakes all who wait, at once")
    func wakes() async throws {
        let begun = Instant.testNow
        let (signal, far) = (signal, far)
        let tasks = (0..<5).map { _ in
            inBackground { await signal.wait(after: signal.mark, until: far, of: testTime) }
        }
        try await areWaiting(5)
        try await testTime.sleep(for: .seconds(1))
        signal.fire()
        for task in tasks { try await task.value }
        #expect(Instant.testNow - begun < .seconds(2) && signal.waiting == 0)
    }

    @Test("a change between the look and the wait is not missed")
    func between() async {
        let begun = Instant.testNow
        let mark = signal.mark
        signal.fire()
        await signal.wait(after: mark, until: far, of: testTime)
        #expect(Instant.testNow == begun && signal.waiting == 0)
    }

    @Test("without a change the wait ends with its deadline, also one that is over")
    func deadline() async {
        let begun = Instant.testNow
        await signal.wait(after: signal.mark, until: begun + .seconds(7), of: testTime)
        #expect(Instant.testNow - begun == .seconds(7))
        await signal.wait(after: signal.mark, until: begun, of: testTime)
        #expect(Instant.testNow - begun == .seconds(7) && signal.waiting == 0)
    }

    @Test("an interruption ends the wait of one, and no other")
    func cancelled() async throws {
        let (signal, far) = (signal, far)
        let stays = inBackground { await signal.wait(after: signal.mark, until: far, of: testTime) }
        try await areWaiting(1)
        let goes = inBackground { await signal.wait(after: signal.mark, until: far, of: testTime) }
        try await areWaiting(2)
        goes.cancel()
        _ = await goes.result
        #expect(signal.waiting == 1)
        signal.fire()
        _ = await stays.result
        #expect(signal.waiting == 0)
    }
}
