import TestSupport
import Testing

@testable import MatterNetwork

@Suite("Deadlines by time")
struct DeadlineQueueTests {
    private let start = Instant.now

    @Test("keys come out in the order of their deadlines, and only those that are due")
    func order() {
        var queue = DeadlineQueue<Int>()
        for key in [5, 1, 4, 2, 3] { queue.set(key, to: start + .seconds(key)) }
        #expect(queue.earliest == start + .seconds(1))
        #expect(queue.takeDue(now: start) == [])
        #expect(queue.takeDue(now: start + .seconds(3)) == [1, 2, 3])
        #expect(queue.earliest == start + .seconds(4) && !queue.isEmpty)
        #expect(queue.takeDue(now: start + .seconds(9)) == [4, 5])
        #expect(queue.earliest == nil && queue.isEmpty)
    }

    @Test("a deadline that was moved or taken away counts no more")
    func moved() {
        var queue = DeadlineQueue<Int>()
        for key in 1...3 { queue.set(key, to: start + .seconds(key)) }
        queue.set(1, to: start + .seconds(7))
        queue.set(2, to: nil)
        #expect(queue.earliest == start + .seconds(3))
        queue.set(1, to: start + .seconds(1))
        queue.set(1, to: start + .seconds(1))
        #expect(queue.takeDue(now: start + .seconds(9)) == [1, 3])
        #expect(queue.isEmpty && queue.takeDue(now: start + .seconds(9)) == [])
    }

    @Test("whatever is done to it, it agrees with a dictionary")
    func model() {
        var generator = Generator(seed: 7)
        var queue = DeadlineQueue<Int>()
        var model: [Int: Instant] = [:]
        var now = start
        for _ in 0..<Effort.inputs(20_000) {
            let key = Int.random(in: 0..<50, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                queue.set(key, to: nil)
                model[key] = nil
            case 1:
                now += .milliseconds(Int.random(in: 0..<40, using: &generator))
                let due = queue.takeDue(now: now)
                #expect(Set(due) == Set(model.filter { $0.value <= now }.keys))
                #expect(due.compactMap { model[$0] } == due.compactMap { model[$0] }.sorted())
                for key in due { model[key] = nil }
            default:
                let deadline = now + .milliseconds(Int.random(in: 0..<1000, using: &generator))
                queue.set(key, to: deadline)
                model[key] = deadline
            }
            #expect(queue.earliest == model.values.min() && queue.isEmpty == model.isEmpty)
        }
    }
}

private struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
