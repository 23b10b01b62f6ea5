import MatterTestKit
import Synchronization
import Testing

@testable import MatterNetwork

/// Work of which only some may go on at a time.
@Suite("Turns", .virtualTime)
struct TurnsTests {
    private let second = Duration.seconds(1)

    @Test("no more go on than allowed, in the order of arrival")
    func limit() async throws {
        let turns = Turns(limit: 3)
        let work = Mutex((now: 0, most: 0, order: [Int]()))
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<10 {
            tasks.append(
                inBackground {
                    try await testTime.sleep(for: .milliseconds(number))
                    let turn = try await turns.take(for: .seconds(60), of: testTime)
                    work.withLock { work in
                        work.now += 1
                        work.most = max(work.most, work.now)
                        work.order.append(number)
                    }
                    try await testTime.sleep(for: .seconds(1))
                    work.withLock { $0.now -= 1 }
                    turn.pass()
                })
        }
        for task in tasks { try await task.value }
        #expect(work.withLock { $0.most } == 3 && work.withLock { $0.order } == Array(0..<10))
        #expect(turns.waiting == 0)
    }

    @Test("a turn ends by itself, when it is forgotten, and only once")
    func ends() async throws {
        let turns = Turns(limit: 1)
        let begun = Instant.testNow
        let slow = try await turns.take(for: second, of: testTime)
        let next = try await turns.take(for: second, of: testTime)
        #expect(Instant.testNow - begun == second)
        slow.pass()
        let third = inBackground { try await turns.take(for: .seconds(1), of: testTime) }
        try await testTime.sleep(for: second / 2)
        #expect(turns.waiting == 1, "the turn that was over did not count again")
        next.pass()
        _ = try await third.value
        do { _ = try await turns.take(for: .seconds(600), of: testTime) }
        let again = Instant.testNow
        _ = try await turns.take(for: second, of: testTime)
        #expect(Instant.testNow == again, "nothing refers to the turn before")
    }

    @Test("who does not wait any more takes no turn")
    func cancelled() async throws {
        let turns = Turns(limit: 1)
        let first = try await turns.take(for: .seconds(60), of: testTime)
        let impatient = inBackground { try await turns.take(for: .seconds(60), of: testTime) }
        try await testTime.sleep(for: second)
        impatient.cancel()
        await #expect(throws: CancellationError.self) { _ = try await impatient.value }
        #expect(turns.waiting == 0)
        first.pass()
        let begun = Instant.testNow
        _ = try await turns.take(for: second, of: testTime)
        #expect(Instant.testNow == begun)
    }
}
