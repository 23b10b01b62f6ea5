import Synchronization
import Testing

@testable import HouseServer

@Suite struct MessagesUnderWayTests {
    private let small: [[UInt8]] = [[1], [2, 3]]

    @Test func ofSmallMessagesAFewGoAtOnceAndALargeOneIsWaitedFor() throws {
        let messages = MessagesUnderWay()
        let large = [[UInt8](repeating: 0, count: MessagesUnderWay.mostBytes), [1]]
        #expect(try !messages.admit(large))
        for _ in 0..<MessagesUnderWay.most { #expect(try messages.admit(small)) }
        #expect(try !messages.admit(small))
        messages.leave(isOut: true)
        #expect(try messages.admit(small))
        #expect(try !messages.admit(small))
    }

    @Test func aMessageThatIsLostEndsTheirSenderAtItsNextOne() throws {
        let messages = MessagesUnderWay()
        #expect(try messages.admit(small) && messages.admit(small))
        messages.leave(isOut: false)
        #expect(throws: ConnectionLost.self) { try messages.admit(small) }
        messages.leave(isOut: true)
        #expect(throws: ConnectionLost.self) { try messages.admit(small) }
    }

    @Test func theyAreWaitedForUntilTheLastOneIsOut() async throws {
        let messages = MessagesUnderWay()
        // None is under way.
        await messages.wait()
        #expect(try messages.admit(small) && messages.admit(small))
        let isOver = Flag()
        let waiting = Task {
            await messages.wait()
            isOver.value.withLock { $0 = true }
        }
        for _ in 0..<100 { await Task.yield() }
        messages.leave(isOut: true)
        for _ in 0..<100 { await Task.yield() }
        #expect(!isOver.value.withLock { $0 })
        messages.leave(isOut: true)
        await waiting.value
        #expect(isOver.value.withLock { $0 })
    }

    private final class Flag: Sendable {
        let value = Mutex(false)
    }
}
