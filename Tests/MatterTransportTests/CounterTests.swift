import MatterCrypto
import Testing

@testable import MatterNetwork

@Suite struct MessageCounterTests {
    @Test("counters go up by one")
    func order() throws {
        var counter = MessageCounter(initial: 7, rollsOver: false)
        #expect(try (0..<3).map { _ in try counter.take() } == [7, 8, 9])
    }

    @Test("a session's counter ends after its largest value, for good")
    func exhausted() throws {
        var counter = MessageCounter(initial: .max - 1, rollsOver: false)
        #expect(try counter.take() == .max - 1)
        #expect(try counter.take() == .max)
        for _ in 0..<2 {
            let error = #expect(throws: TransportError.self) { try counter.take() }
            #expect(error?.code == .counterExhausted)
        }
    }

    @Test("the unsecured counter rolls over")
    func rollOver() throws {
        var counter = MessageCounter(initial: .max, rollsOver: true)
        #expect(try (0..<3).map { _ in try counter.take() } == [.max, 0, 1])
    }

    @Test("first values are random in 1…2^28")
    func initial() throws {
        #expect(try MessageCounter.randomInitial(ConstantRandom(octet: 0)) == 1)
        #expect(try MessageCounter.randomInitial(ConstantRandom(octet: 0xFF)) == 1 << 28)
        let random = SeededRandom(4)
        let values = try Set((0..<100).map { _ in try MessageCounter.randomInitial(random) })
        #expect(values.count == 100)
    }
}

@Suite struct ReceptionWindowTests {
    private func window(_ policy: ReceptionWindow.Policy, seen counters: [UInt32]) -> ReceptionWindow {
        var window = ReceptionWindow(policy)
        for counter in counters { window.commit(counter) }
        return window
    }

    @Test("the first message of a secure session is new, whatever its counter; 0 is not a counter")
    func first() {
        let window = ReceptionWindow(.secureUnicast)
        #expect(window.isDuplicate(0))
        for counter in [1, 31, 32, 33, 1 << 28, .max] as [UInt32] { #expect(!window.isDuplicate(counter)) }
    }

    @Test(
        "a counter is new once, in any order within the window",
        arguments: [.secureUnicast, .unsecured] as [ReceptionWindow.Policy])
    func outOfOrder(policy: ReceptionWindow.Policy) {
        var window = window(policy, seen: [100])
        for counter in [103, 101, 110, 102, 109, 99, 78] as [UInt32] {
            #expect(!window.isDuplicate(counter))
            window.commit(counter)
            #expect(window.isDuplicate(counter))
        }
        #expect([104, 105, 106, 107, 108, 111, 79, 98].allSatisfy { !window.isDuplicate($0) })
        #expect([100, 103, 101, 110, 102, 109, 99, 78].allSatisfy { window.isDuplicate($0) })
    }

    @Test("the window reaches 32 counters back")
    func edge() {
        var window = window(.secureUnicast, seen: [1000])
        #expect(!window.isDuplicate(1000 - 32))
        #expect(window.isDuplicate(1000 - 33))
        window.commit(1000 - 32)
        #expect(window.isDuplicate(1000 - 32))
        window.commit(1001)
        #expect(!window.isDuplicate(1001 - 32))
        #expect(window.isDuplicate(1001 - 33))
    }

    @Test("the old maximum stays known after a step of up to 32", arguments: [1, 2, 31, 32] as [UInt32])
    func step(_ step: UInt32) {
        let window = window(.secureUnicast, seen: [999, 1000, 1000 + step])
        #expect(window.isDuplicate(1000))
        #expect(window.isDuplicate(999))
        if step > 1 { #expect(!window.isDuplicate(1000 + step - 1)) }
    }

    @Test("a step beyond the window leaves nothing marked in it", arguments: [33, 64, 1 << 20] as [UInt32])
    func leap(_ step: UInt32) {
        let window = window(.secureUnicast, seen: [999, 1000, 1000 + step])
        let maximum = 1000 + step
        #expect((1...32).allSatisfy { !window.isDuplicate(maximum - $0) })
        #expect(window.isDuplicate(1000))
    }

    @Test("secure counters do not roll over")
    func noRollOver() {
        let window = window(.secureUnicast, seen: [.max])
        #expect(window.isDuplicate(0) && window.isDuplicate(1))
        #expect(!window.isDuplicate(.max - 1))
        #expect(window.isDuplicate(.max))
    }

    @Test("the first unsecured message is new, whatever its counter, also 0")
    func firstUnsecured() {
        let window = ReceptionWindow(.unsecured)
        for counter in [0, 1, 1 << 28, .max] as [UInt32] { #expect(!window.isDuplicate(counter)) }
    }

    @Test("an unsecured counter before the window is new and moves it: the peer has restarted")
    func reanchored() {
        var window = window(.unsecured, seen: [999, 1000])
        #expect(!window.isDuplicate(967))
        window.commit(967)
        #expect(window.isDuplicate(967))
        #expect(!window.isDuplicate(966))
        #expect(!window.isDuplicate(1000), "what was known before is forgotten")
    }

    @Test("unsecured counters roll over with the window across the seam")
    func rollOver() {
        var window = window(.unsecured, seen: [UInt32.max - 1, .max])
        #expect(!window.isDuplicate(0))
        window.commit(1)
        #expect(([.max, .max - 1, 1] as [UInt32]).allSatisfy { window.isDuplicate($0) })
        let before = UInt32.max - 2
        #expect(!window.isDuplicate(0) && !window.isDuplicate(before))
    }

    @Test("the first group counter is trusted: what comes before it is old, also over the roll-over")
    func group() {
        var window = window(.group, seen: [5])
        #expect(([5, 4, 1, 0, .max, .max - 40] as [UInt32]).allSatisfy { window.isDuplicate($0) })
        #expect(([6, 38, 1 << 30] as [UInt32]).allSatisfy { !window.isDuplicate($0) })
        window.commit(8)
        #expect(!window.isDuplicate(7) && !window.isDuplicate(6) && window.isDuplicate(5) && window.isDuplicate(4))
        window = self.window(.group, seen: [UInt32.max - 1, 1])
        #expect(!window.isDuplicate(.max) && !window.isDuplicate(0) && window.isDuplicate(.max - 1))
        #expect(window.isDuplicate(.max - 100), "older than the window")
    }

    @Test("the window agrees with a set of everything seen, over random counters")
    func againstASet() throws {
        let random = SeededRandom(9)
        var window = ReceptionWindow(.secureUnicast)
        var seen: Set<UInt32> = []
        var maximum: UInt32 = 0
        for _ in 0..<5000 {
            let offset = Int64(try random.integer(UInt32.self) % 53) - 40
            let counter = UInt32(max(0, Int64(maximum) + offset))
            let expected = counter == 0 || seen.contains(counter) || counter + ReceptionWindow.size < maximum
            #expect(window.isDuplicate(counter) == expected)
            guard !expected else { continue }
            window.commit(counter)
            seen.insert(counter)
            maximum = max(maximum, counter)
        }
        #expect(seen.count > 1000)
    }
}
