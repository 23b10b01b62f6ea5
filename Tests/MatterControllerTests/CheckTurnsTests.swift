import MatterTestKit
import Synchronization
import TestSupport
import Testing

@testable import MatterController

/// The turns of examinations that are under way at a time.
@Suite("Turns of examinations", .timeLimit(.minutes(5))) struct CheckTurnsTests {
    /// The turns that were taken and not given back, and the most of each kind at a time.
    private final class Count: Sendable {
        private let state = Mutex((beside: 0, alone: 0, most: 0, isMixed: false))

        func enter(isAlone: Bool) {
            state.withLock { state in
                if isAlone { state.alone += 1 } else { state.beside += 1 }
                state.most = max(state.most, state.beside)
                state.isMixed = state.isMixed || state.alone > 1 || state.alone == 1 && state.beside > 0
            }
        }

        func leave(isAlone: Bool) {
            state.withLock { if isAlone { $0.alone -= 1 } else { $0.beside -= 1 } }
        }

        var most: Int { state.withLock { $0.most } }
        var isMixed: Bool { state.withLock { $0.isMixed } }
        var beside: Int { state.withLock { $0.beside } }
    }

    private final class Words: Sendable {
        private let words = Mutex<[String]>([])

        func add(_ word: String) { words.withLock { $0.append(word) } }
        var all: [String] { words.withLock { $0 } }
    }

    @Test("of many cases, those that measure run alone, and the others beside each other")
    func alone() async throws {
        let (turns, count) = (CheckTurns(), Count())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let isAlone = number % 5 == 0
                    try await turns.take(isAlone: isAlone)
                    count.enter(isAlone: isAlone)
                    for _ in 0..<20 { await Task.yield() }
                    count.leave(isAlone: isAlone)
                    turns.give(isAlone: isAlone)
                }
            }
            try await group.waitForAll()
        }
        #expect(!count.isMixed)
        // Two at least are beside each other for sure.
        try await turns.take(isAlone: false)
        try await turns.take(isAlone: false)
        turns.give(isAlone: false)
        turns.give(isAlone: false)
    }

    @Test("a case that is to run alone waits for those under way, and no other begins before it")
    func order() async throws {
        let turns = CheckTurns()
        let seen = Words()
        try await turns.take(isAlone: false)
        let alone = Task {
            try await turns.take(isAlone: true)
            seen.add("alone")
            turns.give(isAlone: true)
        }
        while turns.waiting < 1 { await Task.yield() }
        let later = Task {
            try await turns.take(isAlone: false)
            seen.add("later")
            turns.give(isAlone: false)
        }
        while turns.waiting < 2 { await Task.yield() }
        #expect(seen.all.isEmpty)
        turns.give(isAlone: false)
        try await alone.value
        try await later.value
        #expect(seen.all == ["alone", "later"])
    }

    @Test("who does not wait any more has no turn, and keeps none from the others")
    func cancelled() async throws {
        let turns = CheckTurns()
        try await turns.take(isAlone: false)
        let alone = Task { try await turns.take(isAlone: true) }
        while turns.waiting < 1 { await Task.yield() }
        let later = Task { try await turns.take(isAlone: false) }
        while turns.waiting < 2 { await Task.yield() }
        alone.cancel()
        await #expect(throws: CancellationError.self) { try await alone.value }
        // The one that stood behind it goes on, though the first one is under way still.
        try await later.value
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            try await turns.take(isAlone: false)
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        turns.give(isAlone: false)
        turns.give(isAlone: false)
        try await turns.take(isAlone: true)
    }
}
