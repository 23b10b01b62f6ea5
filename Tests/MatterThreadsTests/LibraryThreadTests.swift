import CProcess
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import MatterBase

@Suite("The thread of a library") struct LibraryThreadTests {
    /// A loop as a library has it: it waits for its alarm, and calls back.
    private final class Loop: Sendable {
        let thread: LibraryThread
        private let alarm = cprocess_alarm()
        private let isOver = Atomic(false)
        let onEnd: @Sendable () -> Void

        init(_ onEnd: @escaping @Sendable () -> Void = {}) {
            self.onEnd = onEnd
            thread = LibraryThread(
                "the test", wake: { Loop.from(UnsafeMutableRawPointer($0)).ring() },
                quit: { Loop.from(UnsafeMutableRawPointer($0)).isOver.store(true, ordering: .relaxed) })
        }

        deinit {
            close(alarm)
            onEnd()
        }

        static func from(_ context: UnsafeMutableRawPointer) -> Loop {
            Unmanaged<Loop>.fromOpaque(context).takeUnretainedValue()
        }

        private func ring() { cprocess_alarm_ring(alarm) }

        func begin() -> Bool {
            thread.begin(for: self) { context in
                let failure = cprocess_start_thread(
                    "test",
                    { context in
                        if let context { Loop.from(context).run() }
                        LibraryThread.ended(context)
                        return nil
                    }, context)
                return failure == 0 ? OpaquePointer(context) : nil
            }
        }

        private func run() {
            while !isOver.load(ordering: .relaxed) {
                var wait = pollfd(fd: alarm, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, -1)
                cprocess_alarm_quiet(alarm)
                thread.runJobs()
            }
        }
    }

    private actor Worker {
        private nonisolated let loop: Loop
        private var sum = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.thread.asUnownedSerialExecutor() }

        init(_ loop: Loop) { self.loop = loop }

        deinit { loop.thread.stop() }

        func add(_ number: Int) -> UInt {
            sum += number
            return UInt(pthread_self())
        }

        var total: Int { sum }
    }

    @Test("all jobs of its actors run on the one thread, also those that were there before it")
    func jobs() async throws {
        let loop = Loop()
        let worker = Worker(loop)
        let early = Task { await worker.add(1) }
        try await awaitEvent("the early job") { loop.thread.waitingJobs == 1 }
        #expect(loop.begin())
        let threads = await withTaskGroup(of: UInt.self) { group in
            for number in 1...200 { group.addTask { await worker.add(number) } }
            return await group.reduce(into: Set([await early.value])) { $0.insert($1) }
        }
        #expect(threads.count == 1)
        #expect(await worker.total == 1 + 200 * 201 / 2)
    }

    @Test("it ends with the last of its actors, and then lets go of its owner")
    func end() async {
        await confirmation { ended in
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            do {
                let loop = Loop { continuation.yield() }
                #expect(loop.begin())
                _ = await Worker(loop).add(1)
            }
            for await _ in stream {
                ended()
                break
            }
        }
    }

    @Test("where no thread starts, the owner is let go of at once")
    func refused() {
        let flag = Flag()
        do {
            let loop = Loop { flag.raise() }
            #expect(!loop.thread.begin(for: loop) { _ in nil })
        }
        #expect(flag.isRaised)
    }

    private final class Flag: Sendable {
        private let state = Atomic(false)

        var isRaised: Bool { state.load(ordering: .relaxed) }

        func raise() { state.store(true, ordering: .relaxed) }
    }
}
